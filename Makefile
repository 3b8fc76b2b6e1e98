# Everything a person needs: `make app` and `make test` set up what is missing and then do what they say.
# Another Python: make app PYTHON=python3.12
PYTHON ?= python3
WORKERS ?= 2
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
APP_READY := $(VENV)/.app-installed
DEV_READY := $(VENV)/.dev-installed

# Our work is split over processes; a second level of threads inside numpy only makes them wait for each other.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help app test test-slow check format bench bench-peers data docs lock clean

help:
	@echo "make app        set up and open the dashboard in the browser"
	@echo "make test       set up and run the tests (browser tests use an installed Chromium)"
	@echo "make test-slow  the statistical validity tests, which take minutes"
	@echo "make check      formatting, lint and types"
	@echo "make format     format the code and mend what the linter can mend"
	@echo "make bench      speed side by side with other libraries"
	@echo "make bench-peers the same tables in other tools, each in an environment of its own"
	@echo "make data       write the generated files of sample_data/ again"
	@echo "make docs       write the pages of docs/ that are made from the code"
	@echo "make lock       choose the pinned versions of requirements*.txt again"
	@echo "make clean      remove the environment and everything that was generated"

app: $(APP_READY)
	$(BIN)/streamlit run app.py $(ARGS)

test: $(DEV_READY)
	$(TEST_ENV) $(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist loadgroup $(ARGS)

test-slow: $(DEV_READY)
	$(TEST_ENV) $(BIN)/python -m pytest -m slow -n $(WORKERS) --dist loadgroup --timeout 3600 $(ARGS)

check: $(DEV_READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(DEV_READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV_READY)
	$(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(DEV_READY) .venv-peers/aequitas/.installed .venv-peers/evidently/.installed
	$(BIN)/python -m benchmarks.peers --aequitas .venv-peers/aequitas/bin/python --evidently .venv-peers/evidently/bin/python $(ARGS)

.venv-peers/%/.installed: benchmarks/peers/%.txt
	$(PYTHON) -m venv .venv-peers/$*
	.venv-peers/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

data: $(APP_READY)
	$(BIN)/python -m fairaudit.datasets write sample_data

docs: $(DEV_READY)
	$(BIN)/python docs/make.py

# Versions already pinned are kept; `make lock ARGS=--upgrade` takes the newest.
lock: $(DEV_READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --no-annotate --quiet \
		--custom-compile-command "make lock" --output-file requirements.txt $(ARGS)
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra cluster --constraint requirements.txt --universal --python-version 3.11 \
		--no-annotate --quiet --custom-compile-command "make lock" --output-file requirements-dev.txt $(ARGS)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "fairaudit needs Python 3.11 or newer, and '$(PYTHON)' is not. Name another one: make app PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python could not make an environment. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(APP_READY): requirements.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(DEV_READY): requirements-dev.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis test-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
