# The words people type; what they do is in CMake and in the scripts named here.
#   make run       the window, or without a screen the whole job on the bundled sample
#   make test      everything that can be checked; the last line is 'N passed, N failed, N skipped'
#   make build     fettle, fettle-cli, fettle-worker and fettle-runner into build/bin/
#   make bench     the benchmarks      make lint   formatting and clang-tidy
#   make package   a Debian package    make clean  removes build*/
# PRESET=dev|release|asan|tsan chooses another preset; JOBS=N the compilers at once.
PRESET ?= release
JOBS ?= $(shell nproc)
BUILD = $(if $(filter release,$(PRESET)),build,build-$(PRESET))

.PHONY: help run test build everything bench lint package clean dependencies configure

run: build
	packaging/run-sample.sh $(BUILD)

test: everything
	tests/run-tests.sh $(BUILD)

# The programs only: whoever runs Fettle need not wait for its tests.
build: configure
	cmake --build $(BUILD) --parallel $(JOBS) --target fettle fettle-cli fettle-worker fettle-runner

everything: configure
	cmake --build $(BUILD) --parallel $(JOBS)

bench: everything
	tests/bench/run.sh $(BUILD)

lint: configure
	packaging/lint.sh $(BUILD)

package: build
	packaging/package.sh $(BUILD)

clean:
	rm -rf build build-*

configure: dependencies
	cmake --preset $(PRESET)

dependencies:
	packaging/install-dependencies.sh

help:
	@sed -n '1,/^$$/s/^# \?//p; /^PRESET/q' Makefile
