# Everything is prepared on first use; nothing is installed outside .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The tests start the program hundreds of times: it is not to be compiled each time.
unexport PYTHONDONTWRITEBYTECODE

PURE := protocol state debug recordings edits masking policy text formatting
PURE_TESTS := tests/properties/test_filters.py \
  $(addprefix tests/unit/,protocol state debug recordings edits masking policy test_pages.py test_text.py test_formatting.py)

# From 3.14 on Python itself reads JSON so deep that some of what does so instead isn't reached.
COVERED = $(shell $(BIN)/python -c 'import sys; print(100 if sys.version_info < (3, 14) else 99)')

.PHONY: demo test check pure slow interop pages snapshots fuzz soak bench smoke dist lock clean help

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(VENV)/.run: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "acp-tui needs Python 3.11 or newer; set PYTHON=... (found: $$($(PYTHON) --version))"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run dev-requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes \
	  --requirement dev-requirements.txt
	@touch $@

demo: $(VENV)/.run ## open the UI with the built-in demo agent
	@$(BIN)/acp-tui demo

test: $(VENV)/.dev ## all tests but the slow ones
	@# In a fresh clone, each of the processes would compile the program and the tests for itself.
	@$(BIN)/python -m compileall -q -j 2 -x sample acp_tui
	@$(BIN)/pytest --collect-only -q >$(VENV)/collected.log || { cat $(VENV)/collected.log; exit 1; }
	$(BIN)/pytest -n 8 --dist worksteal -m "not slow"

check: $(VENV)/.dev ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

pure: $(VENV)/.dev ## the tests of what does no I/O again: each of its branches is taken
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow" $(PURE_TESTS) $(PURE:%=--cov=acp_tui.%) \
	  --cov-report=term-missing:skip-covered --cov-fail-under=$(COVERED)

slow: $(VENV)/.dev ## the slow tests, and all examples of the properties
	COLD_STARTS=1 ALL_EXAMPLES=1 $(BIN)/pytest -n 4 --dist worksteal -m "slow or hypothesis"

interop: ## fetch the agents that others wrote, for the tests (needs npm)
	tests/interop/install.sh

pages: $(VENV)/.dev ## write the pages of docs/ that are made from code
	$(BIN)/python -m tests.pages

snapshots: $(VENV)/.dev ## draw the screens anew, after looking at the report
	$(BIN)/pytest tests/snapshot --snapshot-update

fuzz: $(VENV)/.dev ## the fuzzing tests, for longer than `make test` runs them
	FUZZ_EXAMPLES=20000 $(BIN)/pytest tests/properties/test_fuzz.py \
	  tests/properties/test_fuzz_views.py tests/properties/test_shell.py tests/security/test_app.py

soak: $(VENV)/.dev ## half an hour with an agent that does anything; SOAK_SECONDS, SOAK_SEED
	$(BIN)/python -m tests.soak

bench: $(VENV)/.dev ## what the speed claims rest on
	$(BIN)/python -m benchmarks

smoke: $(VENV)/.dev ## each benchmark once in its smallest form: whether it still runs
	BENCHMARKS_SMALLEST=1 $(BIN)/python -m benchmarks >$(VENV)/smoke.log || { cat $(VENV)/smoke.log; exit 1; }

dist: $(VENV)/.dev ## build the packages, check them, and try the wheel in an empty environment
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m tests.wheel dist/*.whl

# With the extras: pip takes `coverage[toml]`, where only `coverage` is pinned, for unpinned once a newer one is out.
lock: $(VENV)/.dev ## pin the newest versions of all that development needs (needs uv)
	uv pip compile --quiet --universal --upgrade --python-version 3.11 --extra dev --no-strip-extras \
	  --no-emit-index-url --no-emit-find-links --no-annotate \
	  --generate-hashes --custom-compile-command 'make lock' pyproject.toml --output-file dev-requirements.txt

clean: ## remove what was built
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
