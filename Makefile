# Everything a newcomer needs: `make demo`, `make test`, `make check`, `make bench`.
# `make test-crash` tries over 100,000 crash points (minutes), `make soak` kills a working queue manager 200 times,
# breaks everything between three of them for LIBREMQ_SOAK_SECONDS (default 300), and draws new examples for the tests.
# `make mutants` plants 40 small bugs, one after the other, and lists those that no test of their module has noticed.
# `make planted` plants over 100 known bugs, and fails if the tests that should notice do not (half an hour or so).
# `make interop` runs the test suites and examples of pymqi and ibmmq against a queue manager of ours.
# `make bench-pipeline` measures the pipeline with gigabytes of generated dumps (an hour or so).
# The environment lives in .venv; it is rebuilt when pyproject.toml changes.
# Each of them says at once what it is about to do, and for how long it may be silent.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# Tests start hundreds of processes: each would compile all that it imports, where the environment forbids bytecode
export PYTHONDONTWRITEBYTECODE :=
# What is said is seen at once, also through a pipe or in the log of a build
export PYTHONUNBUFFERED := 1

.PHONY: demo test test-crash soak mutants planted check attributes interop bench bench-pipeline clean

$(READY): pyproject.toml
	@echo "Setting up $(VENV), once. First: is there a Python 3.11 or later, and can it make environments?"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "LibreMQ needs Python 3.11 or later; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing LibreMQ with what tests and Spark need: 500 MB, minutes. pip is silent unless something is wrong."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,pipeline]'
	@touch $@

demo: $(READY)
	@echo "The demo: four parts about queue managers, a minute or two; then a report from SMF dumps with Spark, as long."
	@$(BIN)/python -m libremq.commands.demo.demo_kill
	@$(BIN)/python -m libremq.commands.demo.demo_pipeline

test: $(READY)
	@echo "All tests, on all processors: a quarter of an hour on two. They are collected first; then each is a dot."
	@$(BIN)/python -m pytest -n auto

test-crash: $(READY)
	@echo "Over 100,000 moments for a power cut, on all processors: minutes. They are collected first; each test is a dot."
	@LIBREMQ_CRASH=thorough $(BIN)/python -m pytest -n auto --timeout=3600 tests/crash

soak: $(READY)
	@echo "Kills without end, then three queue managers under every trouble, then new examples for the tests: minutes."
	@$(BIN)/python -m soak
	@$(BIN)/python -m soak.channels
	@$(BIN)/python -m soak.exploring

mutants: $(READY)
	@echo "Plants 40 small bugs, one after the other, and runs the tests of their modules: an hour or so."
	@$(BIN)/python -m soak.mutants

planted: $(READY)
	@$(BIN)/python -m soak.planted

check: $(READY)
	@echo "Three checks, a minute or two: style (ruff), types (mypy), who may import whom (import-linter)."
	$(BIN)/ruff check src tests bench soak interop packages
	$(BIN)/mypy src soak interop tests
	$(BIN)/lint-imports

# The annotations of the object classes, from the rows of the attribute tables
attributes: $(READY)
	@$(BIN)/python tests/kernel/helper_annotations.py

interop: $(READY)
	@echo "The tests and examples of pymqi and ibmmq against a queue manager of ours; the packages are fetched once."
	@$(BIN)/python -m interop

bench: $(READY)
	@echo "Installing the clients of those it is measured against. pip is silent unless something is wrong."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check ./packages/speed || echo "libremq-speed cannot be built here (no C compiler?): its rows will be missing."
	@$(BIN)/python bench/run.py

bench-pipeline: $(READY)
	@echo "Gigabytes of generated dumps through the pipeline: an hour or so."
	@$(BIN)/python bench/pipeline.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .hypothesis
