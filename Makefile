# Asset management service. "make" alone lists what there is.

GATEWAYS  ?= 1
INSTANCES ?= 1
CELLS     ?= 1
AMS_RUN_DIR ?= .run
MODULES   := . ./libs/... ./services/... ./gateway/... ./deploy/... ./deploy/clients/go/...
export GATEWAYS INSTANCES CELLS AMS_RUN_DIR
ifdef POOLER
export POOLER
endif
ifdef DISCOVERY
export AMS_DISCOVERY = $(DISCOVERY)
endif

.DEFAULT_GOAL := help

run: install launcher ## Start everything on 127.0.0.1:8080; Ctrl-C stops it. One process for all programs; a process for each with any of GATEWAYS=2 INSTANCES=2 CELLS=2 DISCOVERY=consul CONSUL_ACL=1 STANDBY=1 WITHOUT=workorders. Besides: AMS_PORT=8081 AMS_RUN_DIR=.run-2 POOLER=1
	@COMPILE_AMSCTL=1 exec bin/dev

run-regions: install launcher ## The same as two regions with a Consul each: ca-central-1 as above, us-east-1 on 127.0.0.12. GATEWAYS and INSTANCES per region
	@REGIONS=ca-central-1,us-east-1 COMPILE_AMSCTL=1 exec bin/dev

clean-run: bin/dev ## Remove the data, logs and secrets of AMS_RUN_DIR
	@bin/dev -drop

build: ## Compile the product, the launcher and amsctl into bin/
	@deploy/tools/compile.sh ./deploy/cmd/ams ./deploy/cmd/dev ./deploy/cmd/amsctl

launcher:
	@deploy/tools/compile.sh ./deploy/cmd/ams ./deploy/cmd/dev

test: install-tests ## Every test but those of the night; the race detector where work is kept and handed on
	@deploy/tools/test.sh

night: install-tests lint manifests ## Everything: every test with the race detector and in its long form, and all scenarios of failures (about 3 hours)
	@deploy/ops/verify/previous-release.sh night
	@deploy/tools/test.sh night

test-fast: install-tests consul versitygw goaws ## What an edit needs: the tests of libs, services and gateway that it may have changed, without the race detector
	@go test ./libs/... ./services/... ./gateway/...

# Through a PgBouncer in transaction mode.
POOLED := AMS_TEST_POOLER=1

verify-pooler: install-tests consul versitygw goaws ## The tests of libs, services and gateway through a PgBouncer in transaction mode; a part of it is in "make test"
	@$(POOLED) go test -count=1 -timeout=30m ./libs/... ./services/... ./gateway/...

test-mcp: install-tests build ## Only the MCP server, by other people's clients and suites (part of "make test"; needs npm)
	@go test -count=1 -v ./deploy/test/mcp

check: install-tests format tidy compatible manifests previous-release ## What CI runs
	@$(MAKE) --no-print-directory -j2 lint test

format:
	@unformatted=$$(gofmt -l docs.go libs services gateway deploy); if [ -n "$$unformatted" ]; then echo "gofmt -w these: $$unformatted"; exit 1; fi

tidy: go-client ## go.mod of each module says what its code imports
	@deploy/tools/tidy.sh

# At the lowest priority: beside tests it takes the time in which these wait.
lint: go-client ## golangci-lint, pinned (built once)
	@nice -n 19 $$(deploy/tools/build.sh lint) run $(MODULES)

manifests: ## docker-compose.yml and k8s/: schemas, linter, and what is promised of them
	@cd deploy/ops/manifests && GOWORK=off go vet ./... && GOWORK=off go test -count=1 ./...

verify-compose: install ## Build the images and run docker-compose.yml on a real Docker engine (minutes; as root where there is none)
	@deploy/ops/verify/compose.sh

verify-k8s: ## Send k8s/ to a real Kubernetes API server (built once, 5 minutes)
	@deploy/ops/verify/k8s.sh

compatible: ## What /v1 promised in the last release holds still
	@deploy/ops/compatible.sh

release: install-tests ## Make a release of main: VERSION=0.1.0. Checks, writes, builds, tags, and says what to push
	@deploy/ops/release.sh "$(VERSION)"

notice: go-client ## Write NOTICE anew: the modules that the programs link, with their licences
	@go run ./deploy/ops/notice

vulnerabilities: go-client ## Look through what the programs call for known vulnerabilities (needs vuln.go.dev)
	@GOWORK=$$PWD/go.work $$(deploy/tools/build.sh govulncheck) ./deploy/cmd/...

images: ## Make the image of the last commit without a container engine, with what they are made of and how, into bin/images
	@deploy/ops/images.sh bin/images

downloads: install-tests ## Pack the client libraries and amsctl into bin/downloads, which "make run" offers at /docs/downloads from then on
	@deploy/ops/downloads.sh bin/downloads

verify-images: ## Make it twice and compare, and look for known vulnerabilities (about 10 minutes)
	@deploy/ops/verify/images.sh

verify-cluster: ## Deploy to a real cluster of two nodes made here, and break it: roll-outs, drains, policies, failures (as root; built once, 12 minutes)
	@deploy/ops/verify/cluster/verify.sh

verify-migrations: install-tests previous-release go-client ## The programs of the last release on this checkout's schema: code runs before and after its migration; and a migration of each kind under readers and writers
	@go test -count=1 -v -run 'Proof|Kind|Rule' ./deploy/test/migrations

previous-release:
	@deploy/ops/verify/previous-release.sh

verify-fresh: ## make run and make test in an empty Debian that sees nothing of this machine but the network (about 45 minutes; as root)
	@deploy/ops/verify/fresh.sh

verify-small: install ## The product in 2 GB of memory, under 50 requests a second (5 minutes; as root)
	@deploy/ops/verify/small.sh

verify-restore: install-tests build ## Restore a database from backup, to a moment and from a dump
	@deploy/ops/verify/restore.sh

verify-citus: ## The conformance suites on a Citus cluster that you have: AMS_TEST_CITUS_URL=postgres://… (says what it needs without)
	@deploy/ops/verify/citus.sh

golden: install-tests consul versitygw goaws build ## Write the golden files anew: openapi.json and the like; look at the difference before you commit
	@AMS_GOLDEN=write go test -count=1 -run Golden $(MODULES)

clients: install-tests ## Make what deploy/clients has and git has not, where it is not fresh: the API's document, then the types of each library
	@deploy/tools/clients.sh

# What Go programs are compiled with; compile.sh does it besides.
go-client:
	@deploy/tools/clients.sh go

bench: install-tests consul build ## Measure the stack (minutes)
	@go run ./deploy/bench

chaos: install-tests consul build ## Kill processes under load: no event is lost, planned work is made once; then take everything away in turn, and the primary of a pair (30 minutes)
	@go run ./deploy/test/resilience

consul: ## Build Consul into the cache folder, unless PATH or the cache has it
	@command -v consul >/dev/null || deploy/tools/build.sh consul >/dev/null

goaws: ## Build goaws, the SQS server of the tests, into the cache folder, unless PATH or the cache has it
	@command -v goaws >/dev/null || deploy/tools/build.sh goaws >/dev/null

versitygw: ## Build versitygw, the S3 server of the tests, into the cache folder, unless PATH or the cache has it
	@command -v versitygw >/dev/null || deploy/tools/build.sh versitygw >/dev/null

jaeger: ## Build Jaeger, which the tests of traces look into, into the cache folder, unless it is there
	@deploy/tools/build.sh jaeger >/dev/null

collector: ## Build an OpenTelemetry collector, which the tests of alerts and dashboard report to, unless it is there
	@deploy/tools/build.sh collector >/dev/null

install: ## Install what "make run" uses from Debian, if it is missing
	@deploy/install.sh $(if $(POOLER),pooler) $(if $(STANDBY),standby)

install-tests: ## Install what the tests use from Debian besides
	@deploy/install.sh tests

bin/dev:
	@$(MAKE) --no-print-directory build

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: go-client tidy compatible release notice vulnerabilities run run-regions clean-run build launcher test night test-fast test-mcp check format lint manifests golden clients bench chaos consul goaws versitygw jaeger collector install install-tests help verify-compose verify-k8s verify-cluster verify-images images downloads verify-fresh verify-small verify-migrations verify-pooler verify-restore verify-citus
