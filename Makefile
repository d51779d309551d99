# `make study` runs a study, `make test` the checks and tests; each sets up .venv when it is absent or
# its pins have changed (told by a hash of the pins, so a second call does no set-up).
CONFIG ?= config/config.yaml
CORES  ?= all
PYTHON ?= python3
ARGS   ?=

VENV   := .venv
BIN    := $(abspath $(VENV))/bin
DEVICE := $(shell nvidia-smi -L >/dev/null 2>&1 && echo gpu || echo cpu)
PINS   := envs/$(DEVICE).txt
# PyTorch's own index is asked for the +cpu build only, and only where no wheel of it lies at hand.
TORCH_CPU_INDEX ?= https://download.pytorch.org/whl/cpu

RUN_READY := $(VENV)/ready-$(DEVICE)-$(shell cat $(PINS) | sha256sum | cut -c1-12)
DEV_READY := $(VENV)/ready-dev-$(shell cat $(PINS) envs/dev.txt | sha256sum | cut -c1-12)

export PATH := $(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: study test check setup setup-dev clean-venv

study: setup
	@snakemake --cores $(CORES) --configfile $(CONFIG) $(ARGS)

test: check
	@pytest $(ARGS)

check: setup-dev
	@ruff check .
	@ruff format --check .
	@mypy
	@snakefmt --check Snakefile workflow

setup: $(RUN_READY)
setup-dev: $(DEV_READY)

$(RUN_READY):
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v == (3, 11) else "the pins are for Python 3.11, and $(PYTHON) is %d.%d: make PYTHON=/path/to/python3.11" % v)'
	@echo "setting up $(VENV) from $(PINS): about 3 minutes and 5 GB"
	@$(PYTHON) -m venv --clear $(VENV)
ifeq ($(DEVICE),cpu)
	@pip install -qq --no-deps --retries 1 --extra-index-url $(TORCH_CPU_INDEX) $$(grep '^torch==' $(PINS))
endif
	@pip install -qq --no-deps -r $(PINS)
	@pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

$(DEV_READY): $(RUN_READY)
	@pip install -qq --no-deps -r envs/dev.txt
	@touch $@

clean-venv:
	@rm -rf $(VENV)
