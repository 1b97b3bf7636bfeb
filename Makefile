# SPDX-License-Identifier: BSD-2-Clause
# A short front for Meson: `make`, `make check`, `make demo`.
# BUILD is the folder to build in; CHECK are options of tests/run: make check CHECK='--suite unit'.
BUILD ?= build
CHECK ?=

# Where something is missing, one line of the set-up's says so: make's own would be a second one.
is_dry_run = $(findstring n,$(firstword -$(MAKEFLAGS)))
answer = $(shell why=$$(tools/setup $(1) 3>&2 2>&1 1>&3); echo $$? "$$why")
why = $(wordlist 2,999,$(1))
tell = $(if $(filter-out 0,$(firstword $(1))),$(error $(why)),$(if $(why),$(info $(why))))
set_up = $(if $(is_dry_run),,$(call tell,$(call answer,$(1))))

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@$(call set_up,build)
	@meson setup $(BUILD)

setup:
	@$(call set_up,build)

# Before the build: what is optional there is found when Meson configures.
setup-core:
	@$(call set_up,core)

check: setup-core all
	@BUILD=$(BUILD) tests/run $(CHECK)

check-programs: setup all
	@$(call set_up,programs)
	@BUILD=$(BUILD) tests/run --suite programs --all

demo: setup all
	@UPCALL=$(abspath $(BUILD))/cli/upcall BUILD=$(abspath $(BUILD)) examples/demo/run

install: all
	@meson install -C $(BUILD)
	@[ -n "$$DESTDIR" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

clean:
	rm -rf $(BUILD)

# What is set up is there before what takes it; ninja does many things at a time by itself.
.NOTPARALLEL:
.PHONY: all setup setup-core check check-programs demo install clean
