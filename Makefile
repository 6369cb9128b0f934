# The commands to know: make demo, make test, make check, make bench, make quality.
# Each sets up all it needs: a virtual environment in .venv, and g++, servers and a browser where
# they are missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/native/*)

.DEFAULT_GOAL := help
.PHONY: help demo test check bench quality faults fuzz clean

help:
	@sed -n 's/^## //p' Makefile

## make demo     duplicates found in 66 articles of six languages, into a store, with the reasons
demo: $(STAMP)
	@$(BIN)/python examples/demo.py

## make test     everything that must hold, in a few minutes
test: check
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

## make check    style, types, architecture
check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_architecture.py

## make bench    speed beside the peers, and of large stores: hours, into benchmarks/results and the docs
bench: $(STAMP)
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/shared_stores.py --articles 100000
	$(BIN)/python benchmarks/shared_stores.py --articles 1000000
	$(BIN)/python benchmarks/purging.py

## make quality  accuracy on the labelled news in ../shared/data, held to its floors
quality: $(STAMP)
	$(BIN)/python benchmarks/quality.py

## make faults   one answer, races and faults on all stores and streams in full: an hour
faults: $(STAMP)
	NEARCOPY_FAULTS=whole $(BIN)/python -m pytest --durations=0 \
		tests/test_one_answer.py tests/test_races.py tests/test_faults.py tests/test_sqlite.py \
		tests/test_streams_kafka.py tests/test_streams_redis.py

## make fuzz     the native module under libFuzzer and AddressSanitizer, SECONDS=600
fuzz:
	fuzz/run.sh

## make clean    removes what the other targets made
clean:
	rm -rf $(VENV) build dist fuzz/build

$(STAMP): $(SOURCES)
	@PYTHON="$(PYTHON)" VENV="$(VENV)" tools/setup.sh
	@touch $(STAMP)
