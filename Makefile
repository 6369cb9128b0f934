# The commands to know: make demo, make test, make check, make bench, make quality.
# Each sets up what it needs: a virtual environment in .venv, and g++ where it is missing; all but the
# demo also the development tools, and servers and a browser where they are missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
STAMP := $(VENV)/.installed
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/native/*)

.DEFAULT_GOAL := help
.PHONY: help demo test check bench quality properties faults soak fuzz docs package audit clean

help:
	@sed -n 's/^## //p' Makefile

## make demo     duplicates found in 66 articles of six languages, with the reasons, then in a browser
demo: $(READY)
	@$(BIN)/python examples/demo.py

## make test     everything that must hold, in about four minutes, the same run every time
test: style
	@mkdir -p build
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m slipcover --source src/nearcopy --omit 'src/nearcopy/batch/spark/*' \
		--json --out build/coverage.json -m pytest -n 3 --dist worksteal --durations=20
	@$(BIN)/python tools/coverage.py build/coverage.json --floor 0.97

## make check    style, types, architecture
check: style
	$(BIN)/python -m pytest tests/test_architecture.py

.PHONY: style
style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

## make bench    speed beside the peers, and of large stores: hours, into benchmarks/results and the docs
bench: $(STAMP)
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/shared_stores.py --articles 100000
	$(BIN)/python benchmarks/shared_stores.py --articles 1000000
	$(BIN)/python benchmarks/purge_latency.py
	$(BIN)/python benchmarks/corpora_speed.py --documents 100000 --peers --recall 100000
	$(BIN)/python benchmarks/corpora_speed.py --documents 1000000 --rounds 1
	$(BIN)/python benchmarks/many_fingerprints.py
	$(BIN)/python benchmarks/open_window.py sqlite postgres redis
	-$(BIN)/python benchmarks/stories.py
	$(BIN)/python benchmarks/boilerplate.py
	$(BIN)/python benchmarks/scale.py --documents 5000
	$(BIN)/python benchmarks/scale.py --documents 50000 --skew

## make quality  accuracy on the labelled news in ../shared/data, held to its floors
quality: $(STAMP)
	$(BIN)/python benchmarks/quality.py

## make properties  the property tests with random seeds and more examples, for MINUTES=30
properties: $(STAMP)
	$(BIN)/python tools/properties.py --minutes $(or $(MINUTES),30)

## make faults   one answer, races and faults on all stores and streams in full: an hour
faults: $(STAMP)
	NEARCOPY_FAULTS=whole $(BIN)/python -m pytest -m "" --durations=0 \
		tests/system/test_order_independence.py tests/system/test_races.py tests/system/test_faults.py tests/stores/test_sqlite.py \
		tests/system/test_soak.py tests/deduper/test_histories.py tests/io/streams tests/batch

## make soak     mixed load under kills on SQLite and PostgreSQL for 30 minutes each, then an audit
soak: $(STAMP)
	$(BIN)/python tests/system/soak.py

## make fuzz     the native module under libFuzzer and AddressSanitizer, all else under atheris, SECONDS=600
fuzz: $(STAMP)
	fuzz/run.sh

## make docs     the documentation site, built strictly and offline into build/site
docs: $(STAMP)
	$(BIN)/python -m pip install -qq --disable-pip-version-check --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "docs: build/site/index.html"

## make package  sdist and wheel, checked, installed into an empty environment, the demo run from there
package: $(STAMP)
	$(BIN)/python tools/package.py
	$(BIN)/python -m pytest -m package tests/packaging

## make audit    the locked versions against DATABASE, a folder or zip of OSV's advisories
audit: $(STAMP)
	$(BIN)/python tools/audit.py $(DATABASE)

## make clean    removes what the other targets made, and nothing else; what make fuzz has learned stays
clean:
	rm -rf $(VENV) build dist fuzz/build benchmarks/.peers* *.egg-info src/*.egg-info
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples tools fuzz -name __pycache__ -prune -exec rm -rf {} +

$(READY): $(SOURCES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" tools/setup.sh demo
	@touch $(READY)

$(STAMP): $(SOURCES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" tools/setup.sh
	@touch $(READY) $(STAMP)
