# A thin front: every target fetches the tools it needs, then calls CMake or a script. The builds lie in build/<preset>
# and are incremental. 'make help' lists the targets.

PREFIX ?= /usr/local
setup  := scripts/setup.sh

# Configuring is quiet unless it fails.
configure = mkdir -p build/$(1) && { cmake --preset $(1) >build/$(1)/configure.log 2>&1 \
	|| { cat build/$(1)/configure.log; exit 1; }; }

.PHONY: build help run test check bench accuracy docs format format-check mingw aarch64 install clean
.NOTPARALLEL:

build: ## build the library, the examples and the tests (the default)
	@$(setup) build
	@$(call configure,release)
	@cmake --build --preset release

help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

run: ## build and run the first look: falling things, and pictures of them in out/
	@$(setup) build run
	@$(call configure,release)
	@cmake --build --preset release --target first_look
	@build/release/examples/first_look out

test: ## run the tests: as shipped, with ASan and UBSan, and in double precision
	@$(setup) build test
	@scripts/test.sh release asan double

check: ## run the tests in the whole matrix: sanitizers, clang, scalar, double, shared
	@$(setup) build test check
	@scripts/test.sh asan tsan clang scalar double double-asan shared

bench: ## measure the speed
	@$(setup) build
	@ls bench/*.c >/dev/null 2>&1 || { echo "there is no benchmark: bench/ has no C file"; exit 1; }
	@$(call configure,release)
	@cmake --build --preset release --target bench
	@build/release/bench/bench

accuracy: ## measure the accuracy and write docs/accuracy.md
	@$(setup) build
	@scripts/accuracy.sh

docs: ## bring the generated table in docs/constraints.md up to date
	@$(setup) build
	@$(call configure,release)
	@cmake --build --preset release --target list_kinds
	@scripts/docs.sh build/release/examples/list_kinds

format: ## format the sources
	@$(setup) format
	@scripts/format.sh

format-check: ## show what is not formatted
	@$(setup) format
	@scripts/format.sh --check

mingw: ## compile the library and the examples for Windows
	@$(setup) build mingw
	@$(call configure,mingw)
	@cmake --build --preset mingw

aarch64: ## cross-compile for 64-bit ARM and run the tests under qemu
	@$(setup) build aarch64
	@scripts/test.sh aarch64

install: ## build and install the library under PREFIX (/usr/local)
	@$(setup) build
	@cmake -S . -B build/install -G Ninja -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DSINEW_TESTS=OFF -DSINEW_EXAMPLES=OFF
	@cmake --build build/install
	@cmake --install build/install

clean: ## delete everything that was built
	@rm -rf build out
