# Every target first makes .venv from the lock; a machine needs Python 3.11+, pip, git and make.

SHELL := /bin/sh
.DEFAULT_GOAL := help
PYTEST_ARGS ?=
BIN := .venv/bin
STAMP := .venv/.made-from-lock

.PHONY: help demo test check spec bench lock clean

help:  ## say what each target does
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-14s%s\n", $$1, $$2 }'

$(STAMP): pyproject.toml requirements.lock tools/make_venv
	@tools/make_venv
	@touch $@

demo: $(STAMP)  ## a supervised run in a throw-away project, killed and resumed before your eyes
	@$(BIN)/topkick demo

test: $(STAMP)  ## the whole test suite; PYTEST_ARGS="-k plan" narrows it
	@tools/system_packages tmux
	@$(BIN)/pytest -n auto --maxprocesses 4 $(PYTEST_ARGS)

check: $(STAMP)  ## style, types, layers, links in the docs, stray paths
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --strict tools
	$(BIN)/lint-imports
	$(BIN)/python tools/check_docs.py
	$(BIN)/python tools/draw_states.py --check
	$(BIN)/python tools/check_tree.py

spec: $(STAMP)  ## rules of the specification that no test carries; SPEC_ARGS="--only SM,ST" narrows it
	@$(BIN)/python tools/spec_coverage.py $(SPEC_ARGS)

bench: $(STAMP)  ## the supervisor beside bare loops, on this machine
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

lock: $(STAMP)  ## resolve requirements.lock again; LOCK_ARGS=--upgrade for newer versions
	@$(BIN)/python -m uv --version >/dev/null 2>&1 || $(BIN)/python -m pip install -qq uv
	@$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --group dev pyproject.toml --output-file requirements.lock $(LOCK_ARGS)
	@echo "requirements.lock is current; the next target installs it."

clean:  ## remove .venv, caches and build products
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
