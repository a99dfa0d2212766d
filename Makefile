# make demo      evaluates two releases of the demo agent
# make test      runs the tests
# make check     ruff and mypy
# make pictures  makes the README's pictures anew (needs Chromium)
# make bench     measures throughput and limits, about ten minutes on a quiet machine: docs/performance.md
# make bench-scale  measures the warehouse with a history of thousands of evaluations
# make lock      pins every dependency with its hashes in requirements.lock
# Each installs everything into .venv first, if that is not done yet.
# make dbt       installs dbt into .venv-dbt; make test then holds our runner of the SQL models against it
PYTHON ?= python3
VENV := .venv
INSTALLED := $(VENV)/.installed
DBT := .venv-dbt
DBT_NEEDS := tests/dbt_agreement/requirements.txt

.PHONY: demo test check pictures bench bench-scale install dbt clean
.DEFAULT_GOAL := demo

demo: $(INSTALLED)
	@$(VENV)/bin/stoic demo

test: $(INSTALLED)
	@$(VENV)/bin/python -m pytest -n 2 --dist worksteal

check: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

pictures: $(INSTALLED)
	@$(VENV)/bin/python docs/pictures/make_pictures.py

bench: $(INSTALLED)
	@$(VENV)/bin/python -m benchmarks.throughput
	@$(VENV)/bin/python -m benchmarks.limits

bench-scale: $(INSTALLED)
	@$(VENV)/bin/python -m benchmarks.scale

lock: $(INSTALLED)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-emit-find-links --extra embedded --custom-compile-command "make lock" --output-file requirements.lock pyproject.toml

install: $(INSTALLED)

dbt: $(DBT)/.installed

$(INSTALLED): pyproject.toml
	@echo "Installing into $(VENV); the first time this takes some minutes"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "stoic-eval needs Python 3.11 or later: make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

# dbt's dependencies clash with ours, hence an environment of its own; it keeps itself out of git.
$(DBT)/.installed: $(DBT_NEEDS)
	@echo "Installing dbt into $(DBT)"
	@$(PYTHON) -m venv $(DBT)
	@echo '*' >$(DBT)/.gitignore
	@$(DBT)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(DBT_NEEDS)
	@touch $@

# What was evaluated (.stoic) stays.
clean:
	rm -rf $(VENV) $(DBT) .pytest_cache .mypy_cache .ruff_cache .hypothesis
