# `make help` lists the targets. Everything that is built or measured goes to
# bin/, out/ and .tools/, which git ignores.

# The one place where the linter's version is pinned.
GOLANGCI_LINT_VERSION := v2.15.0

GO            ?= go
VERSION       := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1.0-dev)
BIN           := bin/hotseat
GOLANGCI_LINT := .tools/golangci-lint-$(GOLANGCI_LINT_VERSION)

# The problems whose benchmarks are judged.
JUDGED := isucon4-qualifier isucon1 isucon12-qualifier ntt-ptc-2020

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: play
play: setup ## set everything up and play the ISUCON4 qualifier: workspace, stack, benchmark, score, report
	$(BIN) play isucon4-qualifier

.PHONY: test
test: build ## set everything up and run the tests
	$(BIN) doctor --install --all --quiet
	@mkdir -p out
	$(GO) vet ./...
	$(GO) test -timeout 15m ./...

.PHONY: build
build: go-present ## build the binary: bin/hotseat
	$(GO) build -trimpath -ldflags '-X hotseat.Version=$(VERSION)' -o $(BIN) ./cmd/hotseat

.PHONY: setup
setup: build ## install what the servers need (asks sudo where it must)
	$(BIN) doctor --install --quiet

.PHONY: go-present
go-present:
	@command -v $(GO) >/dev/null || { echo "error: Go is not installed" >&2; \
	  echo "hint: install Go 1.26 or newer from https://go.dev/dl/ and put it on PATH" >&2; exit 2; }

.PHONY: lint
lint: $(GOLANGCI_LINT) ## check style and common mistakes
	$(GO) mod tidy -diff
	$(GOLANGCI_LINT) run ./...
	@files=$$(gofmt -l $$(git ls-files -co --exclude-standard -- 'problems/*/app/*.go')); \
	  [ -z "$$files" ] || { echo "not gofmt'ed: $$files" >&2; exit 1; }

$(GOLANGCI_LINT):
	@mkdir -p .tools
	GOBIN=$(CURDIR)/.tools/tmp $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv .tools/tmp/golangci-lint $@ && rmdir .tools/tmp

.PHONY: fmt
fmt: ## format the sources
	gofmt -w $$(git ls-files -co --exclude-standard -- '*.go')

.PHONY: judge
judge: setup ## every known fault caught, every correct variant passed
	@mkdir -p out
	for problem in $(JUDGED); do $(BIN) judge $$problem || exit; done

.PHONY: judge-prove
judge-prove: setup ## switch each rule off in turn and see its fault escape (long; not in CI)
	@mkdir -p out
	for problem in $(JUDGED); do $(BIN) judge $$problem --prove || exit; done

.PHONY: bench-innocence
bench-innocence: setup ## 100 runs of each correct app, some on a busy machine: none may be accused (15 minutes a problem)
	for problem in $(JUDGED); do $(BIN) judge $$problem --repeat 100 || exit; done

.PHONY: bench-engine
bench-engine: bench-engine-tools ## what a request costs the load engine, beside wrk, net/http and k6 (4 minutes)
	bin/bench-engine

.PHONY: bench-engine-soak
bench-engine-soak: bench-engine-tools ## the load engine's memory over ten minutes at full speed
	bin/bench-engine -soak 10m

.PHONY: bench-engine-tools
bench-engine-tools: build
	$(BIN) doctor --install --all --quiet
	@mkdir -p out
	$(GO) build -trimpath -o bin/bench-engine ./cmd/bench-engine

.PHONY: bench-isucon12-data
bench-isucon12-data: setup ## how long the ISUCON12 qualifier's full data take: to make, to restore, to initialise (2 minutes)
	$(GO) run ./cmd/bench-isucon12-data $(BIN)

.PHONY: bench-digest
bench-digest: build ## how fast logs are digested, beside alp and pt-query-digest (2 minutes)
	$(BIN) doctor --install --all --quiet
	@mkdir -p out
	$(GO) build -trimpath -o bin/bench-digest ./cmd/bench-digest
	bin/bench-digest

.PHONY: bench-isucon1-ceiling
bench-isucon1-ceiling: bench-isucon1-tool ## ISUCON1's benchmark beside wrk: could a tuned app outrun it? (a minute)
	bin/bench-isucon1 ceiling

.PHONY: bench-isucon1-stale
bench-isucon1-stale: bench-isucon1-tool setup ## ISUCON1 with article pages up to 10 s old, 20 times: at least 19 caught (25 minutes)
	bin/bench-isucon1 stale

.PHONY: bench-isucon1-tool
bench-isucon1-tool: build
	$(BIN) doctor --install --all --quiet
	@mkdir -p out
	$(GO) build -trimpath -o bin/bench-isucon1 ./cmd/bench-isucon1

.PHONY: clean
clean: ## remove what was built and measured
	rm -rf bin out .tools
