# The README's commands. Everything is installed into .venv, from the files in requirements/: exact
# versions with the hashes of what the package index has of them.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell command -v python3.11 || command -v python3)
# Test files side by side: two more than CI has cores, since some wait for servers.
WORKERS ?= 4
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=20
# Python compiles what it imports; compiling all there is beforehand takes longer than the rest.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile -q
# What is built from source uses the setuptools of build.lock: pip checks no hashes of what it fetches
# to build with.
LOCKED := $(PIP) --require-hashes --no-deps --no-build-isolation
LOCKS := requirements/build.lock requirements/demo.lock requirements/test.lock
UV := 0.13.9
# What one process compiles, the hundreds after it need not: machines that build images often forbid
# to keep it.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo install check test test-scale soak lint sql types unit docs bench lock clean

demo: $(VENV)/.installed
	@exec $(BIN)/rostrum demo

install: $(VENV)/.installed

$(BIN)/python:
	@echo "making a virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Rostrum needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml requirements/build.lock requirements/demo.lock | $(BIN)/python
	@echo "installing Rostrum (one to two minutes the first time)"
	@$(LOCKED) -r requirements/build.lock
	@$(LOCKED) -r requirements/demo.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# Without a hash: torch, whose builds differ by machine, and what one for CUDA brings along. What the
# tests import is compiled here, by one process: their workers, which begin at once, would each do it.
$(VENV)/.installed-test: pyproject.toml $(LOCKS) constraints.txt | $(BIN)/python
	@echo "installing Rostrum and what its tests need (one to two minutes the first time)"
	@$(LOCKED) -r requirements/build.lock
	@$(LOCKED) -r requirements/test.lock
	@$(PIP) -c constraints.txt torch
	@$(PIP) --no-deps --no-build-isolation -e '.[test]'
	@$(BIN)/python -m pytest --collect-only -q > $(VENV)/collected.log 2>&1 || { cat $(VENV)/collected.log; exit 1; }
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-scale: requirements/team.lock requirements/scale.lock $(VENV)/.installed-test
	@echo "installing what tests with Postgres, an S3 store and Ray need"
	@$(LOCKED) -r requirements/team.lock
	@$(LOCKED) -r requirements/scale.lock
	@touch $@

# Under a minute, and many times an hour: linters, types and the unit tests of what changed.
check: $(VENV)/.installed-test
	@$(BIN)/python -m tests.changed

# All that guards behaviour; how code is written, make check and make lint look at.
test: $(VENV)/.installed-test
	@sh tests/browser/install_browser.sh
	@$(PYTEST) -m "not soak"

# More than one machine needs: Postgres, a stand-in for an S3 store, a Ray cluster. The tests start
# and stop them.
test-scale: $(VENV)/.installed-scale
	@$(PYTEST) -m "scale and not soak" tests/scale

# The exhaustive sweeps, which make test has smaller siblings of, and properties on many examples.
soak: $(VENV)/.installed-test
	@sh tests/browser/install_browser.sh
	@ROSTRUM_FAULT_RUNS=30 ROSTRUM_HYPOTHESIS=soak \
	    $(PYTEST) -m "soak or faults or hypothesis or (scale and soak)"

unit: $(VENV)/.installed-test
	@$(BIN)/python -m pytest -m "not browser and not faults and not slow and not soak"

lint: sql types

# Sixty files at a time: sqlfluff's trees are large and short-lived, so it does not look for garbage,
# which was a quarter of its time.
sql: $(VENV)/.installed-test
	find dbt_project/models dbt_project/tests -name '*.sql' | sort | xargs -n 60 $(BIN)/python -c \
	    'import gc; gc.set_threshold(200000, 20, 1000); from sqlfluff.cli.commands import cli; cli()' lint

types: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

# Writes the locks anew, once constraints.txt or the dependencies in pyproject.toml have changed.
lock: | $(BIN)/python
	@$(PIP) uv==$(UV)
	@sh requirements/lock.sh $(BIN)/uv

docs: $(VENV)/.installed-test
	$(BIN)/python -m docs.generate

bench: $(VENV)/.installed-test
	$(BIN)/python -m benchmarks $(QUESTION)

clean:
	rm -rf $(VENV) build dbt_project/target
