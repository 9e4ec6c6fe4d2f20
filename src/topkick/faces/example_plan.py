"""A first plan to try topkick with: two work units, one after the other."""

EXAMPLE_PLAN = """\
# EXECUTION_PLAN.md — Hello

A first plan. Change it to your own work: one goal a sprint, and exit criteria that a machine
can check.

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| greeting  | .         | 2       | 0     | none         |
| letter    | .         | 1       | 1     | greeting     |

## greeting

### Sprint 1: The words

**Tasks**:
1. Write `greeting/words.txt` with one friendly greeting a line, at least three.

**Exit criteria**:
- [ ] `test -s greeting/words.txt` passes
- [ ] `test "$(wc -l < greeting/words.txt)" -ge 3` passes

### Sprint 2: The program

**Tasks**:
1. Write `greeting/greet.sh`, which prints a greeting from that file and the name it is given.

**Exit criteria**:
- [ ] `sh greeting/greet.sh Ada | grep -q Ada` passes

## letter

### Sprint 1: A letter

**Tasks**:
1. Write `letter/letter.md`, a short letter that begins with the output of `greeting/greet.sh Ada`.

**Exit criteria**:
- [ ] `grep -q Ada letter/letter.md` passes
"""
