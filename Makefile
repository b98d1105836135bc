# Two commands do all the set-up:
#   make demo   builds the release binary and shows the main job
#   make test   everything CI runs; brings the tools it needs, pinned, into $(TOOLS)
#
# Always the whole workspace: another set of packages turns other features on and rebuilds half the tree.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gristmill
TOOLS := $(or $(GRISTMILL_TOOLS),$(CACHE)/tools)
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
BINARY := $(TARGET)/debug/gristmill
export PATH := $(TOOLS)/bin:$(PATH)

NEXTEST := 0.9.151
DENY := 0.20.2
VERSITYGW := v1.8.0
FAKE_GCS := v1.56.1
TOXIPROXY := v2.12.0
STAMPS := $(TOOLS)/stamps
PYTHON := $(TOOLS)/venv/bin/python
PEERS := $(TOOLS)/peers/bin/python

.PHONY: help demo test lint fmt format deny clippy binary test-rust test-sql test-e2e test-clients client-suites fuzz coverage difffuzz every-function sql-expected bench bench-object-storage bench-mergetree load tools clean-tools

help: ## Shows this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | column -t -s "$$(printf '\t')"

demo: ## Builds the release binary, makes posts, queries them over S3, loads them into a table
	cargo build --release --workspace
	$(TARGET)/release/gristmill demo

test: lint test-rust test-sql test-e2e test-clients ## What CI runs

lint: format clippy deny ## Format, clippy and licences

format:
	cargo fmt --all --check

fmt: ## Formats the code
	cargo fmt --all

clippy:
	cargo clippy --workspace --all-targets --locked -- -D warnings

# Advisories need a database from the network: left out, so that the check gives the same tomorrow.
deny: $(STAMPS)/cargo-deny-$(DENY)
	cargo deny --locked check bans licenses sources

binary:
	cargo build --workspace --locked

test-rust: $(STAMPS)/cargo-nextest-$(NEXTEST) ## Tests in Rust
	TZ=UTC cargo nextest run --workspace --locked

test-sql: binary $(STAMPS)/venv ## SQL tests against the results of ClickHouse
	$(PYTHON) tests/sql/run.py --binary $(BINARY)

test-e2e: binary tools ## End-to-end tests against real S3, GCS and Azure servers
	GRISTMILL=$(BINARY) GRISTMILL_TOOLS=$(TOOLS) $(PYTHON) -m pytest -q --durations=20 tests/e2e

test-clients: binary $(STAMPS)/venv $(STAMPS)/peers $(STAMPS)/clients-js $(STAMPS)/clients-java $(STAMPS)/clients-debian $(STAMPS)/server-debian ## ClickHouse's clients against a running server
	GRISTMILL=$(BINARY) GRISTMILL_PEERS=$(PEERS) $(PYTHON) -m pytest -q --durations=20 tests/clients

client-suites: binary ## The clients' own test suites: clickhouse-driver, -connect, -go, -rs, -js, -java (SUITES="go rust" for some)
	GRISTMILL=$(BINARY) GRISTMILL_TOOLS=$(TOOLS) python3 tests/suites/run.py $(SUITES)

# Seeded changes of recorded bytes, on the stable toolchain; the same tests run for a moment in `make test`.
fuzz: export FUZZ_SECONDS := $(or $(FUZZ_SECONDS),60)
fuzz: binary $(STAMPS)/venv ## Broken packets, blocks, frames and requests, each test for FUZZ_SECONDS (60)
	cargo test --workspace --locked --lib -- fuzz::
	GRISTMILL=$(BINARY) $(PYTHON) -m pytest -q tests/clients/test_malformed.py

coverage: binary ## The share of ClickHouse's functions that there are, and what is missing, by family
	python3 -B tests/coverage/run.py --binary $(BINARY)

difffuzz: binary $(STAMPS)/peers ## Random queries here and by ClickHouse (chdb), compared, for MINUTES (30) from SEED (1) on
	GRISTMILL_PEERS=$(PEERS) $(PEERS) -B tests/difffuzz/run.py --binary $(BINARY) --minutes $(or $(MINUTES),30) --seed $(or $(SEED),1)

every-function: binary $(STAMPS)/peers ## Every function with arguments of every type, here and by ClickHouse (chdb), compared; so many ARGUMENTS (1 to 3), or AGGREGATES=1
	GRISTMILL_PEERS=$(PEERS) $(PEERS) -B tests/difffuzz/every_function.py --binary $(BINARY) $(if $(AGGREGATES),--aggregates,--arguments $(or $(ARGUMENTS),1))

sql-expected: $(STAMPS)/peers ## Asks ClickHouse (chdb) for the expected results of the SQL tests
	$(PEERS) tests/sql/expect.py $(CASES)

bench: $(STAMPS)/peers $(STAMPS)/versitygw-$(VERSITYGW) ## The release binary side by side with ClickHouse (chdb)
	cargo build --release --workspace --locked
	GRISTMILL=$(TARGET)/release/gristmill GRISTMILL_TOOLS=$(TOOLS) $(PEERS) bench/bench.py $(BENCH)

bench-object-storage: $(STAMPS)/peers $(STAMPS)/versitygw-$(VERSITYGW) $(STAMPS)/toxiproxy-$(TOXIPROXY) ## Queries on files in S3, side by side with four engines
	cargo build --release --workspace --locked
	GRISTMILL=$(TARGET)/release/gristmill GRISTMILL_TOOLS=$(TOOLS) $(PEERS) bench/object-storage/run.py $(BENCH)

bench-mergetree: $(STAMPS)/peers ## Loads, merges and queries of tables on the local disk, side by side with ClickHouse (chdb)
	cargo build --release --workspace --locked
	GRISTMILL=$(TARGET)/release/gristmill $(PEERS) bench/mergetree/run.py $(BENCH)

load: $(STAMPS)/wrk $(STAMPS)/venv ## Many connections on a release server, over HTTP and the native protocol
	cargo build --release --workspace --locked
	GRISTMILL=$(TARGET)/release/gristmill $(PYTHON) bench/load/run.py $(LOAD)

# Tools -----------------------------------------------------------------------------------------------------------------

tools: $(STAMPS)/venv $(STAMPS)/versitygw-$(VERSITYGW) $(STAMPS)/fake-gcs-server-$(FAKE_GCS) $(STAMPS)/azurite

# A debug build: half the time of a release one, and the tools wait for the compiler and the tests anyway.
define cargo_tool
	mkdir -p $(STAMPS)
	CARGO_PROFILE_DEV_DEBUG=false cargo install --debug --locked --root $(TOOLS) --target-dir $(TOOLS)/build $(1)
	rm -rf $(TOOLS)/build
	touch $@
endef

$(STAMPS)/cargo-nextest-$(NEXTEST):
	$(call cargo_tool,--no-default-features --version $(NEXTEST) cargo-nextest)

$(STAMPS)/cargo-deny-$(DENY):
	$(call cargo_tool,--no-default-features --version $(DENY) cargo-deny)

define go_tool
	mkdir -p $(STAMPS)
	GOBIN=$(TOOLS)/bin go install $(1)
	touch $@
endef

$(STAMPS)/versitygw-$(VERSITYGW):
	$(call go_tool,github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW))

$(STAMPS)/fake-gcs-server-$(FAKE_GCS):
	$(call go_tool,github.com/fsouza/fake-gcs-server@$(FAKE_GCS))

# Its package is called `server`: built apart, so that nothing of that name is on the path.
$(STAMPS)/toxiproxy-$(TOXIPROXY):
	mkdir -p $(STAMPS) $(TOOLS)/bin $(TOOLS)/toxiproxy
	GOBIN=$(TOOLS)/toxiproxy go install github.com/Shopify/toxiproxy/v2/cmd/server@$(TOXIPROXY)
	mv $(TOOLS)/toxiproxy/server $(TOOLS)/bin/toxiproxy-server
	rmdir $(TOOLS)/toxiproxy
	touch $@

$(STAMPS)/azurite: tests/e2e/azurite/package.json tests/e2e/azurite/package-lock.json
	mkdir -p $(STAMPS) $(TOOLS)/azurite
	cp $^ $(TOOLS)/azurite/
	npm ci --prefix $(TOOLS)/azurite --no-audit --no-fund --loglevel=error
	touch $@

$(STAMPS)/clients-js: tests/clients/js/package.json tests/clients/js/package-lock.json
	mkdir -p $(STAMPS) $(TOOLS)/js
	cp $^ $(TOOLS)/js/
	npm ci --prefix $(TOOLS)/js --no-audit --no-fund --loglevel=error
	touch $@

$(STAMPS)/clients-java: tests/clients/java/pom.xml
	mkdir -p $(STAMPS)
	rm -rf $(TOOLS)/java
	mvn -q -B -f $< dependency:copy-dependencies -DoutputDirectory=$(TOOLS)/java
	touch $@

# The client with the libraries that the machine lacks, unpacked and not installed. Without apt-get its tests are skipped.
$(STAMPS)/clients-debian:
	mkdir -p $(STAMPS) $(TOOLS)/debian
	cd $(TOOLS)/debian && if command -v apt-get > /dev/null; then \
		apt-get -s install --no-install-recommends clickhouse-client | awk '/^Inst/ { print $$2 }' | xargs apt-get download -q && \
		for package in *.deb; do dpkg -x $$package .; done && rm -- *.deb; fi
	touch $@

# ClickHouse's server of 2018, for our own client.
$(STAMPS)/server-debian:
	mkdir -p $(STAMPS) $(TOOLS)/debian-server
	cd $(TOOLS)/debian-server && if command -v apt-get > /dev/null; then \
		apt-get -s install --no-install-recommends clickhouse-server | awk '/^Inst/ { print $$2 }' | xargs apt-get download -q && \
		for package in *.deb; do dpkg -x $$package .; done && rm -- *.deb; fi
	touch $@

$(STAMPS)/wrk:
	mkdir -p $(STAMPS) $(TOOLS)/wrk
	cd $(TOOLS)/wrk && apt-get -s install --no-install-recommends wrk | awk '/^Inst/ { print $$2 }' | xargs apt-get download -q && \
		for package in *.deb; do dpkg -x $$package .; done && rm -- *.deb
	touch $@

define python_venv
	mkdir -p $(STAMPS)
	python3 -m venv $(1)
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check -r $(2)
	touch $@
endef

$(STAMPS)/venv: tests/requirements.txt
	$(call python_venv,$(TOOLS)/venv,$<)

$(STAMPS)/peers: bench/requirements.txt
	$(call python_venv,$(TOOLS)/peers,$<)

clean-tools: ## Removes the tools
	rm -rf $(TOOLS)
