# Everything sets itself up: a virtual environment in .venv, pinned by constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The byte code of the program and its tests is kept: every worker of a run and every child would make it anew.
unexport PYTHONDONTWRITEBYTECODE
# Tests that drive the screen wait half of their time: more of them than cores.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(min(2 * (os.cpu_count() or 1) + 1, 16))')
# Telling what an assertion compared takes each process half a minute to prepare: only for those that failed.
AGAIN := $(BIN)/python -m pytest --last-failed --last-failed-no-failures none
SIZE ?= 1GB
# Files of conversations with questions, and the reference prototype's folder: neither is part of the project.
DATA ?=
PROTOTYPE ?=

.PHONY: demo test lint bench bench-large bench-recall fuzz screenshots lock clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Memdesk needs Python 3.11 or newer; set PYTHON to one.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $(READY)

demo: $(READY)
	@$(BIN)/memdesk demo

test: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --assert plain || { $(AGAIN); exit 1; }

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m tests.bench

bench-large: $(READY)
	$(BIN)/python -m tests.bench.large --size $(SIZE)

bench-recall: $(READY)
	$(BIN)/python -m tests.bench.recall $(if $(DATA),--data $(DATA)) $(if $(PROTOTYPE),--prototype $(PROTOTYPE))

fuzz: $(READY)
	MEMDESK_FUZZ=20000 $(BIN)/python -m pytest -n $(JOBS) -k "property or fuzz"

screenshots: $(READY)
	$(BIN)/python -m tests.tui.pictures

lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra bench --extra dev --extra semantic pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
