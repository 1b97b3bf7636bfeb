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

check: setup all
	@tools/setup core
	@BUILD=$(BUILD) tests/run $(CHECK)

check-programs: setup all
	@tools/setup programs
	@BUILD=$(BUILD) tests/run --suite programs --all

demo: setup all
	@UPCALL=$(abspath $(BUILD))/cli/upcall BUILD=$(abspath $(BUILD)) examples/demo/run

install: all
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD)

.PHONY: all setup check check-programs demo install clean
