# Every target first makes .venv from the lock; a machine needs Python 3.11+, pip, git and make.

SHELL := /bin/sh
.DEFAULT_GOAL := help
PYTEST_ARGS ?=
BIN := .venv/bin
STAMP := .venv/.made-from-lock

JOBS ?= 2
# more than there are cores, for tests wait for processes much of their time
WORKERS ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores < 3 ? cores + 4 : 6)))
SEEDS ?= 3000
RECOVERY_SHARE ?= 0/4
PEERS := .venv-peers
FUZZ := .venv-fuzz
CORPUS ?= ../shared/corpus

.PHONY: help demo test check spec bench lock clean
.PHONY: simulate crash files judge kills storage races output bus soak agents liars gates packages peers corpus fuzz growth refining

help:  ## say what each target does
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-14s%s\n", $$1, $$2 }'

$(STAMP): pyproject.toml requirements.lock tools/make_venv
	@tools/make_venv
	@touch $@

demo: $(STAMP)  ## a run in a throw-away project, killed and resumed before your eyes; AGENT=claude or codex
ifeq ($(AGENT),)
	@$(BIN)/topkick demo
else ifneq ($(filter $(AGENT),claude codex),)
	@program=$$(command -v $(AGENT)) \
	  || { line=$$($(BIN)/python tools/install_agents --only $(AGENT)) && program="$${line#* }"; } || exit 1; \
	PATH="$$PATH:$$(dirname "$$program")" $(BIN)/topkick demo --agent $(AGENT) $(DEMO_ARGS)
else
	@echo "AGENT is claude or codex, not $(AGENT)." >&2; exit 2
endif

test: $(STAMP)  ## the whole test suite; PYTEST_ARGS="-k plan" narrows it, TOPKICK_STRESS=1 loads the machine
	@tools/system_packages tmux strace
	@$(if $(filter 1,$(TOPKICK_STRESS)),$(BIN)/python tools/under_load.py) $(BIN)/pytest -n $(WORKERS) $(PYTEST_ARGS)

check: $(STAMP)  ## style, types, layers, links in the docs, cited rules, stray paths, plain English
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --strict tools
	$(BIN)/lint-imports
	$(BIN)/python tools/check_docs.py
	$(BIN)/python tools/check_reference.py
	$(BIN)/python tools/draw_states.py --check
	$(BIN)/python tools/check_tree.py
	$(BIN)/python tools/check_prose.py

spec: $(STAMP)  ## rules of docs/reference/rules.md that no test carries; SPEC_ARGS="--only SM,ST" narrows it
	@$(BIN)/python tools/spec_coverage.py $(SPEC_ARGS)

bench: $(STAMP)  ## the supervisor beside bare loops, on this machine
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

# --- the proof of the kernel, at full length (docs/explanation/proof.md has the figures)

simulate: $(STAMP)  ## plans, boards and epics through SEEDS days of faults each, and planted bugs
	@for policy in plan board epic; do \
	  $(BIN)/python -m proof.simulation run --policy $$policy --seeds $(SEEDS) --jobs $(JOBS) || exit 1; \
	done
	@$(BIN)/python -m proof.simulation mutants --jobs $(JOBS)

# a quarter of the supervisor's points are about a thousand second deaths
crash: $(STAMP)  ## the program killed at every write, sync, rename, spawn and kill; at a quarter of them again in recovery
	@tools/system_packages strace
	@$(BIN)/python -m proof.crash --jobs $(JOBS) $(CRASH_ARGS)
	@$(BIN)/python -m proof.crash --jobs $(JOBS) --recovery --share $(RECOVERY_SHARE) $(CRASH_ARGS)

files: $(STAMP)  ## a board and an epic killed at every named moment and every call, and gone on with
	@tools/system_packages strace
	@$(BIN)/python -m proof.files --jobs $(JOBS) $(FILES_ARGS)

judge: $(STAMP)  ## a resident judge killed at every moment of a wake, in recovery and without its journal
	@tools/system_packages strace
	@$(BIN)/python -m proof.judge --jobs $(JOBS) $(JUDGE_ARGS)

kills: $(STAMP)  ## 4,000 agents of the worst kinds ended, among innocent bystanders; 64 at once
	@$(BIN)/python -m proof.processes --kills 4000 --jobs $(JOBS)
	@$(BIN)/python -m proof.processes.many

storage: $(STAMP)  ## every byte of the state flipped, every length, every error of the disk
	@tools/system_packages strace
	@TOPKICK_LONG=1 $(BIN)/pytest -q -n auto tests/proof/test_storage.py
	@$(BIN)/python -m proof.storage corruption --jobs $(JOBS)
	@$(BIN)/python -m proof.storage faults --jobs $(JOBS)
	@$(BIN)/python -m proof.storage replaced --jobs $(JOBS)

races: $(STAMP)  ## 500 races of 2 to 8 supervisors for one project
	@$(BIN)/python -m proof.races --races 500 --jobs $(JOBS)

output: $(STAMP)  ## 10 GB from an agent, a line of 1 GiB, and text that would steer a terminal
	@tools/system_packages tmux
	@$(BIN)/python -m proof.output --gigabytes 10 --line-mib 1024

bus: $(STAMP)  ## 64 writers of one message bus, killed among each other, and planted bugs
	@$(BIN)/python -m proof.bus $(BUS_ARGS)
	@$(BIN)/python -m proof.bus planted

soak: $(STAMP)  ## ten minutes, eight agents, the supervisor killed every 5 to 40 seconds
	@$(BIN)/python -m proof.soak --minutes 10 --agents 8

agents: $(STAMP)  ## topkick drives the real Claude Code and Codex against a scripted model
	@$(BIN)/python -m proof.agents --jobs $(JOBS) $(AGENTS_ARGS)

liars: $(STAMP)  ## agents that cheat, honest ones that look like them, and forged texts
	@$(BIN)/python -m proof.liars --jobs $(JOBS) $(LIARS_ARGS)
	@$(BIN)/python -m proof.liars forged --jobs $(JOBS)

gates: $(STAMP)  ## every kind of red gate, among two to five units, at every place
	@$(BIN)/python -m proof.gates --jobs $(JOBS)

packages: $(STAMP)  ## five packages in five repositories, 58 sprints, reconciled in two passes
	@$(BIN)/python -m proof.packages

peers: $(STAMP)  ## the crash harness pointed at supervisord and at a DBOS workflow, for comparison
	@tools/system_packages strace
	@test -d $(PEERS) || $(BIN)/python -m venv $(PEERS)
	@$(PEERS)/bin/pip install -qq --require-hashes -r proof/peers/requirements.lock
	@$(BIN)/python -m proof.peers --bin $(CURDIR)/$(PEERS)/bin --jobs $(JOBS)

# --- the reading of plans

corpus: $(STAMP)  ## how a collection of real plans is understood; CORPUS=DIRECTORY names it
	@$(BIN)/python tools/corpus.py $(CORPUS) $(CORPUS_ARGS)

fuzz: $(STAMP)  ## ten minutes of any bytes as a plan, then how the time grows with the size
	@test -d $(FUZZ) || $(BIN)/python -m pip install -qq --target $(FUZZ) --require-hashes -r proof/plans/requirements.lock
	@PYTHONPATH=$(FUZZ) $(BIN)/python -m proof.plans fuzz --minutes 10
	@$(BIN)/python -m proof.plans growth

refining: $(STAMP)  ## 10,000 generated plans put in order, then a collection of real ones; CORPUS=DIRECTORY
	@$(BIN)/python -m proof.plans orders
	@$(BIN)/python -m proof.plans refining $(CORPUS)/plans
	@$(BIN)/python -m proof.plans requirements $(CORPUS)/requirements

growth: $(STAMP)  ## the time to read a plan against its size, for texts that would blow it up
	@$(BIN)/python -m proof.plans growth

lock: $(STAMP)  ## resolve requirements.lock again; LOCK_ARGS=--upgrade for newer versions
	@$(BIN)/python -m uv --version >/dev/null 2>&1 || $(BIN)/python -m pip install -qq --require-hashes -r tools/lock/requirements.lock
	@$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --group dev pyproject.toml --output-file requirements.lock $(LOCK_ARGS)
	@for place in proof/peers proof/plans tools/lock; do \
	  $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	    $$place/requirements.txt --output-file $$place/requirements.lock $(LOCK_ARGS) || exit 1; \
	done
	@echo "requirements.lock and those of proof/ and tools/ are current; the next target installs it."

clean:  ## remove .venv, caches and build products
	rm -rf .venv $(PEERS) $(FUZZ) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
