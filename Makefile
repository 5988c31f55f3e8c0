# Everything a newcomer needs: `make demo`, `make test`, `make check`, `make bench`.
# `make test-crash` tries over 100,000 crash points (minutes), `make soak` kills a working queue manager 200 times,
# breaks everything between three of them for LIBREMQ_SOAK_SECONDS (default 300), and draws new examples for the tests.
# `make mutants` plants 40 small bugs, one after the other, and lists those that no test of their module has noticed.
# `make interop` runs the test suites and examples of pymqi and ibmmq against a queue manager of ours.
# `make bench-pipeline` measures the pipeline with gigabytes of generated dumps (an hour or so).
# The environment lives in .venv; it is rebuilt when pyproject.toml changes.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# Tests start hundreds of processes: each would compile all that it imports, where the environment forbids bytecode
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-crash soak mutants check attributes interop bench bench-pipeline clean

$(READY): pyproject.toml
	@echo "Setting up $(VENV) (once)..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "LibreMQ needs Python 3.11 or later; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,pipeline]'
	@touch $@

demo: $(READY)
	@$(BIN)/python -m libremq.commands.demo.demo_kill
	@$(BIN)/python -m libremq.commands.demo.demo_pipeline

test: $(READY)
	@$(BIN)/python -m pytest -n auto

test-crash: $(READY)
	@LIBREMQ_CRASH=thorough $(BIN)/python -m pytest -n auto --timeout=3600 tests/crash

soak: $(READY)
	@$(BIN)/python -m soak
	@$(BIN)/python -m soak.channels
	@$(BIN)/python -m soak.exploring

mutants: $(READY)
	@$(BIN)/python -m soak.mutants

check: $(READY)
	$(BIN)/ruff check src tests bench soak interop packages
	$(BIN)/mypy src soak interop tests
	$(BIN)/lint-imports

# The annotations of the object classes, from the rows of the attribute tables
attributes: $(READY)
	@$(BIN)/python tests/kernel/helper_annotations.py

interop: $(READY)
	@$(BIN)/python -m interop

bench: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@$(BIN)/python bench/run.py

bench-pipeline: $(READY)
	@$(BIN)/python bench/pipeline.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .hypothesis
