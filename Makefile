# `make module PATH=example.org/x` sets the variable in which make looks for programs. Where the command line gives PATH,
# its value is the module, and the recipes get the PATH back with which make was started.
ifeq ($(origin PATH),command line)
MODULE := $(PATH)
override PATH := $(shell /usr/bin/tr '\0' '\n' 2>/dev/null </proc/$$PPID/environ | /usr/bin/sed -n 's/^PATH=//p')
ifeq ($(PATH),)
override PATH := /usr/local/go/bin:/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin
endif
export PATH
endif

GO ?= go
FUZZTIME ?= 10s
EXPLORE_BUDGET ?= 60s
SEED ?= 1
COUNT ?= 50

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 17

.PHONY: build
build: ## build the tools into bin/
	$(GO) build -o bin/ ./cmd/...

.PHONY: demo
demo: build ## the main job: the reference watchdog through the matrix, in each dialect of Pi
	bin/piconform run
	bin/piconform run --dialect pi-0.73 --summary

.PHONY: test
test: ## all tests; ends with how many recorded lines were reproduced byte for byte
	$(GO) test -parallel 8 ./... # many tests wait for processes
	@$(GO) test -v -run TestCodecReproducesRecordings ./fakepi/native | sed -n 's/^ *codec_test.go:[0-9]*: /reproduced: /p'

.PHONY: race
race: ## the tests in short form with the race detector, which finds races in the commands that they start too
	@reports=$$(mktemp -d); failed=; \
	GORACE="atexit_sleep_ms=0 log_path=$$reports/race" $(GO) test -race -short -timeout 30m ./... || failed=1; \
	for report in "$$reports"/*; do [ ! -f "$$report" ] || { cat "$$report"; failed=1; }; done; \
	rm -r "$$reports"; [ -z "$$failed" ]

.PHONY: check
check: build ## formatting, vet, staticcheck, module files, and that the matrix reaches everything (make coverage)
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted; run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GO) mod verify
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	bin/piconform coverage --summary

.PHONY: coverage
coverage: build ## what no scenario, twin or history reaches; a gap is a failure
	bin/piconform coverage --summary

.PHONY: wcp
wcp: ## the whole matrix over WCP/1, in each dialect: results equal to those in process
	$(GO) test -count=1 -timeout 60m -run TestSameResults ./internal/conformance/wcp -matrix

.PHONY: examples
examples: ## the example watchdogs over stdio: profile basic with all its histories, and of core what they list
	cd examples/go && $(GO) test -count=1 .
	EXAMPLES_EXPLORE=bounded $(GO) test -count=1 -timeout 30m -v -run TestExamples ./cmd/piconform

.PHONY: explore
explore: build ## explore the histories around every scenario for EXPLORE_BUDGET (60s), or that many histories of each
	bin/piconform run --summary --explore full --budget $(EXPLORE_BUDGET)

.PHONY: determinism
determinism: ## a sample of the matrix a thousand times: one digest
	$(GO) test -count=1 -v -run TestRuns ./conformance -runs 1000

.PHONY: bench
bench: ## all benchmarks, and the same histories on three kinds of clocks
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) test -count=1 -v -run TestClocks ./conformance -clocks

.PHONY: nightly
nightly: ## what takes too long for .ci/run: all of the fidelity comparison, 300 source mutants, the race detector, WCP, evidence
	$(MAKE) fidelity
	$(GO) run ./internal/mutation/run -sample 300 -seed $(SEED)
	$(MAKE) race
	$(MAKE) wcp
	$(MAKE) evidence

.PHONY: fuzz
fuzz: ## every fuzzer for FUZZTIME (10s)
	@set -e; for pkg in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg; \
		done; \
	done

.PHONY: smoke
smoke: ## installed binaries under a terminal
	$(GO) test -count=1 -v -timeout 20m ./smoke -smoke

.PHONY: journal-kill
journal-kill: ## the journal on SQLite, its writer killed at every statement
	$(GO) test -count=1 -v -run Killed ./internal/watchdog/journal/sqlite -kill

.PHONY: fidelity
fidelity: ## fakepi against the real Pi, installed from npm, and against recordings of it
	cd internal/fakepi/fidelity && $(GO) test -count=1 -parallel 10 -timeout 35m -fidelity

.PHONY: fidelity-few
fidelity-few: ## the same, of one case in six that SEED (1) draws
	cd internal/fakepi/fidelity && $(GO) test -count=1 -parallel 10 -timeout 35m -fidelity -one-in 6 -sample-seed $(SEED)

.PHONY: fidelity-random
fidelity-random: ## COUNT (50) random scripts from SEED (1) on, put through the real Pi and fakepi
	cd internal/fakepi/fidelity && $(GO) test -count=1 -parallel 10 -timeout 2h -run 'TestRandom$$' -fidelity -random-seed $(SEED) -random-cases $(COUNT)

.PHONY: mutants
mutants: build ## watchdogs made wrong on purpose: which scenario catches which
	bin/piconform mutants --first-kill --doc docs/kill-matrix.md

.PHONY: kill-matrix
kill-matrix: build ## docs/kill-matrix.md, anew
	bin/piconform mutants --first-kill --doc docs/kill-matrix.md --update

.PHONY: mutants-full
mutants-full: build ## the same, with all that kills or is broken besides
	bin/piconform mutants
	bin/piconform mutants --dialect pi-0.73

.PHONY: mutation
mutation: ## the engine's source mutated: every mutant is killed or explained; FATES=file goes on after an interruption
	$(GO) run ./internal/mutation/run $(if $(FATES),-fates $(FATES))

.PHONY: mutation-few
mutation-few: ## the same, of 100 mutants that SEED (1) draws
	$(GO) run ./internal/mutation/run -sample 100 -seed $(SEED)

.PHONY: evidence
evidence: ## every state in every place, 200 generated repositories, kills, a worktree of 50,000 files: captured, restored, gone on with
	$(GO) test -count=1 -timeout 60m -parallel 4 -run 'TestStates|TestGenerated|TestKilled|TestManyFiles' ./internal/watchdog/evidence -states -repositories 200 -kills 50 -files 50000
	$(GO) test -count=1 -run TestApplyKilled ./cmd/piwatch -kills 5

.PHONY: module
module: ## rename the module everywhere: make module PATH=example.org/x
	@GO="$(GO)" tools/rename-module "$(MODULE)"
