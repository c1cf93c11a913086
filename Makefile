# The words a person types. Each of demo and test does all the set-up on a fresh machine.

MAKEFLAGS += --no-print-directory

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
FUZZ_SECONDS ?= 600
PREFIX ?= /usr/local
PLAN ?= configs/demo.yaml
# Where there is no apt: install what scripts/deps lists, then `make DEPS=true`.
DEPS ?= scripts/deps
# Two of those that wait most of the time on each processor (CMakeLists.txt says which do not).
CTEST = ctest --output-on-failure --no-tests=error -j $(shell expr 2 \* $(JOBS))
# The sanitizers of gcc 12 and clang 14 stumble over addresses randomised by more than 28 bits.
FIXED_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)
SANITIZE_ENV = ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 \
	UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp
# Ninja is a third faster, where it is.
CONFIGURE = CMAKE_GENERATOR="$${CMAKE_GENERATOR:-$$(command -v ninja >/dev/null && echo Ninja || \
	echo Unix Makefiles)}" cmake -S . --log-level=WARNING
FUZZ_SANITIZE = fuzzer-no-link,address,undefined

build: ## build everything into build/ (the default)
	@$(DEPS) build
	@test -e $(BUILD)/cmake_install.cmake -a -z '$(CMAKE_FLAGS)' || \
		$(CONFIGURE) -B $(BUILD) $(CMAKE_FLAGS)
	@cmake --build $(BUILD) -j $(JOBS) $(addprefix --target ,$(TARGETS))

# Without tests and benchmarks, which take most of the time.
programs:
	@$(MAKE) build TARGETS='muster muster-agent'

demo: programs ## measure two local agents, under a minute; results go to muster-runs/
	$(BUILD)/muster run $(PLAN)

docker-demo: ## the same with a controller and three agents in containers
	docker/engine docker/demo

test: ## build and run all tests
	@$(DEPS) test
	@$(MAKE) build
	cd $(BUILD) && $(CTEST) --output-junit tests.xml

docker-test: ## what containers do, also with faults; exit 77 where there can be no engine
	docker/engine tests/containers/run

bench: build ## print what muster itself costs, and beside other tools (root)
	tests/bench/run $(BUILD)
	tests/bench/instructions $(BUILD)
	tests/bench/engines $(BUILD)

# Without the replays of corpora, which `make fuzz` runs with both as well.
asan: ## tests with AddressSanitizer and UndefinedBehaviorSanitizer
	@$(DEPS) test
	@$(MAKE) build BUILD=build-asan \
		CMAKE_FLAGS='$(CMAKE_FLAGS) -DMUSTER_SANITIZE=address,undefined'
	cd build-asan && $(SANITIZE_ENV) $(FIXED_ADDRESSES) $(CTEST) -E '^fuzz/'

tsan: ## tests of threads and a run of local agents with ThreadSanitizer
	@$(DEPS) test
	@$(MAKE) build BUILD=build-tsan TARGETS=threaded \
		CMAKE_FLAGS='$(CMAKE_FLAGS) -DMUSTER_SANITIZE=thread'
	cd build-tsan && $(SANITIZE_ENV) $(FIXED_ADDRESSES) $(CTEST) -L threads

fuzz: ## fuzz plans and messages, FUZZ_SECONDS (600) for each target
	@$(DEPS) ci
	@$(CONFIGURE) -B build-fuzz -DCMAKE_C_COMPILER=clang -DMUSTER_FUZZ=ON \
		-DMUSTER_SANITIZE=$(FUZZ_SANITIZE) $(CMAKE_FLAGS)
	@cmake --build build-fuzz --target fuzzers -j $(JOBS)
	$(FIXED_ADDRESSES) scripts/fuzz build-fuzz $(FUZZ_SECONDS)

docs: build ## print the pages of docs/ and docs/man/ that come from the tables
	scripts/docs $(BUILD)

docs-check: build ## fail when they are not what the tables say, or no good manual pages
	scripts/docs $(BUILD) --check

floors: ## fail when a file includes what is not beneath it
	scripts/floors

install: programs ## install below PREFIX (/usr/local)
	cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove what was built
	rm -rf $(BUILD) build-asan build-tsan build-fuzz

help: ## print these words
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

.PHONY: build programs demo docker-demo docker-test test bench asan tsan fuzz docs docs-check floors install clean help
