# SPDX-License-Identifier: BSD-2-Clause
# A short front for Meson: `make`, `make check`, `make demo`.
BUILD ?= build
CHECK ?=

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/setup build
	@meson setup $(BUILD)

setup:
	@tools/setup build

# Before the build: what is optional there is found when Meson configures.
setup-core:
	@tools/setup core

check: setup-core all
	@BUILD=$(BUILD) tests/run $(CHECK)

check-programs: setup all
	@tools/setup programs
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
