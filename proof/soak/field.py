"""The project of the soak: agents of every kind, and a new plan for every round."""

import random

from proof.races.arena import UnitText, plan_text

AGENT = """\
run_id=$1 unit=$2 sprint=$3 starts=$4
printf '%s %s\\n' "$run_id" "$$" >> "$starts"
number=${run_id##*-}
finish() { mkdir -p "$unit" && : > "$unit/done-$sprint"; }
case $unit in
  quick*) finish ;;
  slow*) sleep "$((number % 3 + 1)).$((number % 10))"; finish ;;
  failing*) [ "$TOPKICK_ATTEMPT" -ge 2 ] || exit 1; finish ;;
  stuck*)
    mkdir -p "$unit"; echo x >> "$unit/tries-$sprint"
    [ "$(wc -l < "$unit/tries-$sprint")" -gt 3 ] || exit 1
    finish ;;
  partial*)
    mkdir -p "$unit"
    if [ ! -e "$unit/half-$sprint" ]; then
      : > "$unit/half-$sprint"; echo '{"status": "partial", "remaining": ["the rest"]}'; exit 0
    fi
    finish ;;
  silent*) exec >/dev/null 2>&1; sleep 2; finish ;;
  forking*) (setsid sleep 7 &) ; (setsid sh -c 'trap "" TERM; sleep 3; sleep 3' &) ; finish ;;
  deaf*) trap '' TERM; sleep 1; sleep 1; finish ;;
  loud*) head -c 300000 /dev/zero | tr '\\0' 'x'; finish ;;
esac
echo '{"status": "done"}'
"""

CONFIG = """\
agent = "scripted"
isolation = "shared"

[agents.scripted]
command = ["/bin/sh", "{agent}", "{{run_id}}", "{{unit}}", "{{sprint}}", "{starts}"]

[limits]
stop_grace_seconds = 0.5
kill_grace_seconds = 0.5
check_minutes = 1
sprint_minutes = 1
max_agents = MAX_AGENTS
"""

KINDS = ("quick", "slow", "failing", "partial", "silent", "forking", "deaf", "loud")


def config(agents: int) -> str:
    return CONFIG.replace("MAX_AGENTS", str(agents))


def round_plan(number: int, units: int, chance: random.Random) -> str:
    """Return a plan with new names in every round, so that nothing is done before it began."""
    texts: list[UnitText] = []
    for n in range(units):
        kind = "stuck" if n == units // 2 else KINDS[n % len(KINDS)]
        needs = chance.choice(texts).name if texts and chance.random() < 0.2 else "none"
        needs = "none" if needs.startswith("stuck") else needs
        texts.append(UnitText(f"{kind}{number}x{n}", needs, chance.randint(1, 3)))
    return plan_text(texts, f"Round {number}")
