# make demo | make test | make check | make pictures. Everything is installed into .venv on first use.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed

.PHONY: demo test check pictures install clean

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet -e ".[dev]"
	touch $(STAMP)

demo: $(STAMP)
	$(VENV)/bin/stoic demo

test: $(STAMP)
	$(VENV)/bin/python -m pytest -n 2 --dist worksteal

check: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

pictures: $(STAMP)
	$(VENV)/bin/python docs/pictures/make_pictures.py

clean:
	rm -rf $(VENV) .stoic
