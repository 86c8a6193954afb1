# A thin front: every target fetches the tools that it needs, then calls CMake or a script. Builds are in build/<preset>
# and are incremental. 'make help' lists the targets.

PREFIX ?= /usr/local
setup  := scripts/setup.sh

.PHONY: build help run test test-long test-surfaces check abi test-abi fuzz random bench bench-long bench-docs bench-convergence accuracy scorecard reference site docs solver-docs integrator-docs test-blender test-files gallery testbed python test-notebooks playground test-web bench-web format format-check mingw aarch64 install dist deb amalgamation test-amalgamation clean
.NOTPARALLEL:

build: ## build the library, the examples and the command ./sinew (the default); V=1 shows each step
	@$(setup) build
	@scripts/build.sh release sinew_command examples
	@echo "Built. Next: ./sinew list scenes, ./sinew render curtain, or 'make help'"

help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 26

run: ## simulate a washing line in the wind: a picture and a film in out/washing_line
	@$(setup) build
	@scripts/build.sh release sinew_command
	@mkdir -p out/washing_line
	@./sinew render washing_line --frames 150 --every 3 --size 480x270 --out out/washing_line/film.gif --still out/washing_line/picture.png
	@echo
	@echo "See it:         open out/washing_line/film.gif and picture.png with a browser or a picture viewer"
	@echo "Another scene:  ./sinew list scenes, then ./sinew render wrecking_ball --out wrecking_ball.gif, or --help"
	@echo "Your own:       docs/tutorial.md, from the first rope to the loop of a game, in twenty minutes"

test: ## run all tests as shipped, some with ASan and UBSan and in double precision, a little fuzzing, a short test of the web page (not with WEB=no)
	@$(setup) build
	@scripts/test.sh $(if $(filter no,$(WEB)),,--web) release asan double

test-surfaces: ## run the scenes of scenes/apart for 2,000 frames at 10 substeps and at 3: no surface may intersect another
	@$(setup) build
	@scripts/build.sh release sinew_command
	@scripts/surfaces.sh

test-long: ## run all tests in full length, as shipped and with ASan and UBSan
	@$(setup) build test
	@SINEW_LONG_TESTS=1 scripts/test.sh release asan-long

check: ## run the tests in the whole matrix: sanitizers, clang, scalar, double, shared, and as shipped in full length (hours)
	@$(setup) build test check abi
	@scripts/abi.sh
	@SINEW_LONG_TESTS=1 scripts/test.sh release shared
	@scripts/test.sh asan-long tsan clang scalar double-asan
	@scripts/random.sh check
	@scripts/fuzz.sh smoke

abi: ## check that programs compiled for the last release still work (ABI_SINCE=... for another revision)
	@$(setup) build abi
	@scripts/abi.sh $(ABI_SINCE)

test-abi: ## check that abidiff reports a public struct that grew, and nothing else, between builds (some minutes)
	@$(setup) build abi
	@scripts/abi.sh --builds

fuzz: ## run every fuzz target for ten minutes (FUZZ_SECONDS=... for another time)
	@$(setup) build check
	@scripts/fuzz.sh $(or $(FUZZ_SECONDS),600)

random: ## test random worlds with ASan and UBSan for an hour, new ones each time (RANDOM_SECONDS=... for another time)
	@$(setup) build test
	@scripts/random.sh search $(or $(RANDOM_SECONDS),3600)

bench: ## measure the speed, beside Bullet if Debian has it (about twelve minutes)
bench-long: ## the same with the pile of a million spheres (about half an hour)
bench bench-long:
	@$(setup) build
	-@$(setup) bench
	@scripts/build.sh release -DSINEW_BENCH_BULLET=ON bench_programs
	@scripts/bench.sh $(if $(filter bench-long,$@),--long)

bench-docs: ## measure everything and write docs/performance.md (about an hour)
	@$(setup) build bench
	@scripts/build.sh release -DSINEW_BENCH_BULLET=ON bench_programs
	@scripts/bench.sh --docs

bench-convergence: ## measure how stiff cloth, a beam, nets, a dome and a balloon are, and the time, into docs/convergence.md (some minutes)
	@$(setup) build
	@scripts/build.sh release sinew_bench_convergence sinew_bench_curves sinew_command
	@scripts/convergence.sh build/release/sinew-bench-convergence build/release/sinew build/release/sinew-bench-curves

accuracy: ## measure the accuracy and write docs/accuracy.md
	@$(setup) build
	@scripts/accuracy.sh

scorecard: ## measure Sinew beside MuJoCo, Jolt, Rapier and Bullet on cases with known answers, into docs/scorecard.md (some minutes)
	@$(setup) build bench web
	@scripts/build.sh release sinew
	@scripts/scorecard.sh

reference: ## make the reference of the C interface from the headers, as Markdown, into build/reference ('make site' has it as well)
	@$(setup) web
	@node web/site/build.mjs --reference

site: ## build the documentation as a site with a search, for any static host, into build/site; with the playground if that is built
	@$(setup) web
	@node web/site/build.mjs

docs: ## update the generated tables in docs/
	@$(setup) build
	@scripts/build.sh release list_kinds sinew_command validation_test_claims
	@scripts/docs.sh build/release/examples/list_kinds build/release/sinew build/release/tests/validation/test_claims

solver-docs: ## measure the solvers and write the figures and tables of docs/solvers.md
	@$(setup) build plot
	@scripts/build.sh release sinew_command
	@scripts/solvers.sh

integrator-docs: ## measure the accuracy of integrators against their time, into docs/integrators.md (some minutes)
	@$(setup) build plot
	@scripts/build.sh release study
	@scripts/integrators.sh

test-blender: ## open an export in Blender and compare every vertex with what was simulated
	@$(setup) build blender
	@scripts/build.sh release sinew_command
	@scripts/blender_test.sh build/release/sinew

test-files: ## check exports with gltf-validator, three.js, Blender and VTK
	@$(setup) build web blender vtk
	@scripts/build.sh release sinew_command
	@scripts/files_test.sh build/release/sinew

gallery: ## render the pictures of the README and of docs/ with Blender
	@$(setup) build blender
	@scripts/build.sh release sinew_command
	@scripts/gallery.sh

testbed: ## open a window with all scenes, to drag, stop and inspect (SCENE=... begins with that one); needs SDL2
	@$(setup) build testbed
	@scripts/build.sh release -DSINEW_TESTBED=ON testbed
	@build/release/testbed $(SCENE)

python: ## build the Python package as a wheel, install it into a fresh virtual environment and run its tests
	@$(setup) build python
	@scripts/python.sh

test-notebooks: ## run the notebooks of python/notebooks without a window
	@$(setup) build python notebooks
	@scripts/python.sh notebooks

playground: ## build the web package and the playground, a page that any static host serves, into web/playground/dist
	@$(setup) web
	@$(setup) wasm 2>/dev/null || echo "web: Debian's clang cannot be installed here; npm's does the same in more time"
	@scripts/web.sh playground

test-web: ## run the tests of the web package in Node and of the playground in Chromium
	@$(setup) build web wasm browser
	@scripts/build.sh release sinew_command
	@scripts/web.sh test

bench-web: ## measure the web package in Node and Chromium, beside native code and npm's jolt-physics
	@$(setup) build web wasm browser
	@scripts/build.sh release sinew_command
	@scripts/web.sh bench

format: ## format the sources
	@$(setup) format
	@scripts/format.sh

format-check: ## show what is not formatted
	@$(setup) format
	@scripts/format.sh --check

mingw: ## compile the library and the examples for Windows
	@$(setup) build mingw
	@scripts/build.sh mingw

aarch64: ## cross-compile for 64-bit ARM and run the tests under qemu
	@$(setup) build aarch64
	@scripts/test.sh aarch64

install: ## build and install the libraries, the command and the page of 'sinew view' (not with WEB=no) under PREFIX (/usr/local)
	@$(setup) build
	@scripts/build.sh release install_parts
	@$(if $(filter no,$(WEB)),,scripts/web.sh page)
	@cmake --install build/release --prefix "$(PREFIX)" >build/release/install.log
	@echo "Installed under $(PREFIX): bin/sinew, the libraries with their headers, and the scenes. Next: sinew list scenes"
	@[ -e web/playground/dist/index.html ] && echo "Installed, too: the page of 'sinew view'. Next: sinew view curtain" || echo "The page of 'sinew view' is not installed, because it is not built. 'make install' without WEB=no builds it"

dist: ## make build/dist/sinew-VERSION.tar.gz of what is committed; the same commit gives the same bytes
	@scripts/dist.sh tar

amalgamation: ## make the library in two files, build/amalgamation/sinew.h and sinew.c, to be dropped into a project
	@$(setup) build amalgamation
	@scripts/amalgamation.sh

test-amalgamation: ## compile these two files alone with gcc and clang, and compare their results with the library
	@$(setup) build amalgamation check
	@scripts/amalgamation.sh test

deb: ## make Debian packages, source and binary, in build/dist
	@$(setup) build deb
	@scripts/dist.sh deb

clean: ## delete everything that was built
	@rm -rf build out sinew
