# A thin front: every target fetches the tools it needs, then calls CMake or a script. The builds lie in build/<preset>
# and are incremental. 'make help' lists the targets.

PREFIX ?= /usr/local
setup  := scripts/setup.sh

# Configuring is quiet unless it fails: $(call configure,PRESET,OPTIONS)
configure = mkdir -p build/$(1) && { cmake --preset $(1) $(2) >build/$(1)/configure.log 2>&1 \
	|| { cat build/$(1)/configure.log; exit 1; }; }

.PHONY: build help run test test-long check abi fuzz random bench bench-long bench-docs bench-convergence accuracy docs solver-docs integrator-docs test-blender gallery testbed playground test-web bench-web format format-check mingw aarch64 install clean
.NOTPARALLEL:

# Builds the command, and everything else that is out of date.
built = $(call configure,release) && cmake --build --preset release

build: ## build the library, the command, the examples and the tests (the default)
	@$(setup) build
	@$(built)

help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

run: ## simulate a washing line in the wind: a picture, a film, a point cache for Blender, a trace and its plot in out/
	@$(setup) build run
	@$(call configure,release)
	@cmake --build --preset release --target sinew_command
	@build/release/sinew run washing_line --out out/washing_line --format pc2 --trace out/washing_line/trace.csv \
		--plot out/washing_line/trace.png
	@build/release/sinew render washing_line --quiet --frame 180 --out out/washing_line/picture.png
	@build/release/sinew render washing_line --quiet --frames 180 --every 3 --size 480x270 --out out/washing_line/film.apng
	@echo; echo "See it:           out/washing_line/picture.png, and film.apng beside it, which a browser plays"
	@echo "Draw another one: build/release/sinew render wrecking_ball    (build/release/sinew list scenes)"
	@echo "Play with it:     make playground, then build/release/sinew view curtain"

test: ## run all tests as shipped, some with ASan and UBSan and in double precision, a moment of fuzzing, a look at the web page (not with WEB=no)
	@$(setup) build
	@scripts/test.sh $(if $(filter no,$(WEB)),,--web) release asan double

test-long: ## run all tests as shipped and with ASan and UBSan in full length, where 'make test' repeats long ones less often
	@$(setup) build test
	@SINEW_LONG_TESTS=1 scripts/test.sh release asan-long

check: ## run the tests in the whole matrix: sanitizers, clang, scalar, double, shared, and as shipped in full length (hours)
	@$(setup) build test check abi
	@scripts/abi.sh
	@SINEW_LONG_TESTS=1 scripts/test.sh release shared
	@scripts/test.sh asan-long tsan clang scalar double-asan
	@scripts/random.sh check
	@scripts/fuzz.sh smoke

abi: ## compare the interface with that of the last release (ABI_SINCE=... with another revision): may programs go on without being compiled?
	@$(setup) build abi
	@scripts/abi.sh $(ABI_SINCE)

fuzz: ## run every fuzz target for ten minutes (FUZZ_SECONDS=... for another time)
	@$(setup) build check
	@scripts/fuzz.sh $(or $(FUZZ_SECONDS),600)

random: ## play random worlds with ASan and UBSan for an hour, each time others (RANDOM_SECONDS=... for another time)
	@$(setup) build test
	@scripts/random.sh search $(or $(RANDOM_SECONDS),3600)

bench: ## measure the speed, beside Bullet if Debian has it (about twelve minutes)
bench-long: ## the same with the pile of a million spheres (about half an hour)
bench bench-long:
	@$(setup) build
	-@$(setup) bench
	@$(call configure,release,-DSINEW_BENCH_BULLET=ON)
	@cmake --build --preset release --target bench_programs
	@scripts/bench.sh $(if $(filter bench-long,$@),--long)

bench-docs: ## measure everything and write docs/performance.md (about an hour)
	@$(setup) build bench
	@$(call configure,release,-DSINEW_BENCH_BULLET=ON)
	@cmake --build --preset release --target bench_programs
	@scripts/bench.sh --docs

bench-convergence: ## measure how stiff cloth comes out and what that costs, into docs/convergence.md (some minutes)
	@$(setup) build
	@$(call configure,release)
	@cmake --build --preset release --target sinew_bench_convergence
	@scripts/convergence.sh build/release/sinew-bench-convergence

accuracy: ## measure the accuracy and write docs/accuracy.md
	@$(setup) build
	@scripts/accuracy.sh

docs: ## bring the generated tables in docs/ up to date
	@$(setup) build
	@$(call configure,release)
	@cmake --build --preset release --target list_kinds sinew_command validation_test_claims
	@scripts/docs.sh build/release/examples/list_kinds build/release/sinew build/release/tests/validation/test_claims

solver-docs: ## measure the solvers and write the figures and tables of docs/solvers.md
	@$(setup) build run
	@$(call configure,release)
	@cmake --build --preset release --target sinew_command
	@scripts/solvers.sh

integrator-docs: ## measure how accurate integrators are for the time they take, into docs/integrators.md (some minutes)
	@$(setup) build run
	@$(call configure,release)
	@cmake --build --preset release --target study
	@scripts/integrators.sh

test-blender: ## open an export in Blender and compare every vertex with what was simulated
	@$(setup) build blender
	@$(call configure,release)
	@cmake --build --preset release --target sinew_command
	@scripts/blender_test.sh build/release/sinew

gallery: ## render the pictures of the README and of docs/ with Blender
	@$(setup) build blender
	@$(call configure,release)
	@cmake --build --preset release --target sinew_command
	@scripts/gallery.sh

testbed: ## open a window with all scenes, to pull at, stop and look into (SCENE=... begins with that one); needs SDL2
	@$(setup) build testbed
	@$(call configure,release,-DSINEW_TESTBED=ON)
	@cmake --build --preset release --target testbed
	@build/release/testbed $(SCENE)

playground: ## build the web package and the playground, a page that any static host serves, into web/playground/dist
	@$(setup) web
	@$(setup) wasm 2>/dev/null || echo "web: Debian's clang cannot be installed here; npm's does the same in more time"
	@scripts/web.sh playground

test-web: ## run the tests of the web package in Node and of the playground in Chromium
	@$(setup) build web wasm browser
	@$(call configure,release)
	@cmake --build --preset release --target sinew_command
	@scripts/web.sh test

bench-web: ## measure the web package in Node and Chromium, beside native code and npm's jolt-physics
	@$(setup) build web wasm browser
	@$(call configure,release)
	@cmake --build --preset release --target sinew_command
	@scripts/web.sh bench

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

install: ## build and install the library, the command and, if it is built, the playground under PREFIX (/usr/local)
	@$(setup) build
	@cmake -S . -B build/install -G Ninja -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DSINEW_TESTS=OFF -DSINEW_EXAMPLES=OFF
	@cmake --build build/install
	@cmake --install build/install

clean: ## delete everything that was built
	@rm -rf build out
