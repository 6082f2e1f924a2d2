# make demo   environment, machine and host, then the demo question
# make test   the tests that .ci/run runs       make lint   ruff and mypy       make clean

PYTHON ?= python3
TORCH  ?= 2.13.0
VENV   := .venv
BIN    := $(VENV)/bin
CPU_INDEX := https://download.pytorch.org/whl/cpu

.PHONY: demo test lint clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed
	$(BIN)/assistant build
	$(BIN)/assistant ask "What is the dot product of [1, 2, 3] and [4, 5, 6]?"

test: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto --dist worksteal

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict vgpu codegen

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

# A CPU build of PyTorch goes in first: the plain wheel for Linux brings gigabytes of CUDA. A build
# that pip already knows of (a local wheel folder) is preferred; then PyTorch's own CPU index, when it
# answers; the plain wheel is the last resort.
$(VENV)/.torch: | $(BIN)/python
	@if $(BIN)/python -c 'import torch' 2>/dev/null; then echo 'torch is there'; \
	elif [ "$$(uname -s)" != Linux ]; then $(BIN)/pip install -q 'torch==$(TORCH)'; \
	elif $(BIN)/pip install -q 'torch==$(TORCH)+cpu' 2>/dev/null; then echo 'torch $(TORCH)+cpu'; \
	elif $(BIN)/python -c 'import urllib.request as u; u.urlopen("$(CPU_INDEX)/torch/", timeout=10)' 2>/dev/null; then \
		$(BIN)/pip install -q --extra-index-url $(CPU_INDEX) 'torch==$(TORCH)+cpu'; \
	else echo 'no CPU build of torch $(TORCH) within reach: installing the plain one (on Linux it is large)'; \
		$(BIN)/pip install -q 'torch==$(TORCH)'; fi
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.torch
	$(BIN)/pip install -q -e '.[dev]'
	@touch $@
