# Two commands do everything on a machine with Python 3.10+ and make:
#   make demo    a small project: built, changed, refreshed from the changes
#   make test    the tests (make check is the quick part, without Spark; make test-long what takes longer)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
FUNCTIONAL = $(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests/functional
STEP = @sh scripts/step.sh

.PHONY: demo test test-long test-dbt check docs tutorial test-report screenshots soak kill-test concurrency-soak view-delta-races manager-test test-cluster test-versions bench bench-dbt bench-page simulation audit lint format install java clean

demo: install java
	@$(BIN)/python integration_tests/run_demo.py

test: check java
	$(STEP) "Spark and dbt tests"
	@$(FUNCTIONAL) -m "not long"

# What takes long or repeats on more what others show on less: kills, crowds, every kind of view, two processes, days of a whole project.
test-long: java
	$(STEP) "long Spark and dbt tests"
	@$(FUNCTIONAL) -m long

check: lint docs
	$(STEP) "unit, golden and property tests"
	@$(BIN)/pytest -q -n 2 --dist worksteal tests/unit tests/golden tests/property dbt_lazyview/compiler dbt_lazyview/maintenance dbt_lazyview/adapter dbt_lazyview/cli dbt_lazyview/manager dbt_lazyview/report dbt_lazyview/names.py docs/run_pages.py docs/site_pages.py benchmarks

# Fails at a link that leads nowhere.
docs: install
	$(STEP) "the documentation as a site, in build/site"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# Runs every command of the tutorial and the pages that go on with its project, and fills in what they print: some minutes.
tutorial: install java
	$(STEP) "the tutorial and the pages after it"
	@$(BIN)/python docs/run_pages.py

# The page that `lazyview report` writes, in a real browser.
test-report: install
	@sh scripts/chromium.sh "$(BIN)/python"
	$(STEP) "the report page in Chromium"
	@$(BIN)/pytest -q tests/browser

# The pictures of it in the documentation.
screenshots: install
	@sh scripts/chromium.sh "$(BIN)/python"
	@$(BIN)/python -m docs.take_screenshots

# Goes on from any seed: make soak PAIRS=20000 FIRST_SEED=1234500
PAIRS ?= 100000
FIRST_SEED ?= 1000000
soak: install
	$(STEP) "$(PAIRS) random pairs of query and changes, from seed $(FIRST_SEED)"
	@$(BIN)/python -m tests.property.soak --pairs $(PAIRS) --first-seed $(FIRST_SEED)

# Refreshes killed at statement boundaries and at random moments: a few seconds each.
KILLS ?= 200
kill-test: java
	$(STEP) "$(KILLS) kills"
	@$(BIN)/python -m tests.functional.faults.kill_test --kills $(KILLS)

# Propagating and applying a view delta, with everybody else in between at every step.
view-delta-races: java
	$(STEP) "all interleavings of view deltas"
	@ALL_RACES=1 $(BIN)/pytest -q tests/functional/maintenance/test_view_deltas.py -k TestInterleavings

# Four writers, four refreshers and two managers at once, each in a process of its own.
MINUTES ?= 5
concurrency-soak: java
	$(STEP) "writers and refreshers at once, for $(MINUTES) minutes"
	@$(BIN)/python -m tests.functional.faults.crowd --minutes $(MINUTES)
	@$(BIN)/python -m tests.functional.faults.crowd --minutes $(MINUTES) --over-thrift

# A part of the functional tests on a standalone cluster of two workers: over a thrift server, and with an embedded driver.
# Any others: make test-cluster CLUSTER_TESTS=tests/functional
CLUSTER_TESTS ?= $(addprefix tests/functional/,type_spark adapter lazy/test_policies.py maintenance/test_refresh.py)
test-cluster: java
	$(STEP) "functional tests over a thrift server on a cluster"
	@LAZYVIEW_TEST_OVER=thrift $(BIN)/pytest -q $(CLUSTER_TESTS)
	$(STEP) "functional tests with tasks on a cluster"
	@LAZYVIEW_TEST_OVER=cluster $(BIN)/pytest -q $(CLUSTER_TESTS)

# Lowest and highest supported versions, each in an environment of its own: needs Python 3.10 and 3.12.
test-versions: install java
	@$(BIN)/python scripts/test_versions.py $(ENDS)

# Two managers, dbt and a thrift server, each in a process of its own: a few minutes.
manager-test: java
	$(STEP) "managers, dbt and a thrift server that dies and returns"
	@$(BIN)/python -m tests.functional.manager.served

# dbt's own tests of adapters, and the starter project for thirty days.
test-dbt: install java
	$(STEP) "dbt's own tests of an adapter"
	@$(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests/dbt_adapter tests/functional/dbt_basic

# Known vulnerabilities of what is installed; asks a service on the internet, so it is no part of the tests.
audit: install
	$(STEP) "known vulnerabilities of the dependencies"
	@$(BIN)/python scripts/audit.py $(AUDIT_OPTIONS)

# One warm process; goes on where it was cut off, and writes docs/benchmarks: make bench SF=10 BENCH_OPTIONS=--long
SF ?= 1
bench: install java
	$(STEP) "full and incremental refreshes side by side, TPC-H at scale factor $(SF)"
	@$(BIN)/python -m benchmarks --sf $(SF) $(BENCH_OPTIONS)

# dbt run of twenty fresh lazy views against plain views, and the cold start of the embedded session.
bench-dbt: install java
	$(STEP) "dbt run of twenty views, and the cold start"
	@$(BIN)/python -m benchmarks --sf $(SF) --sections projects start

# The page of what was measured, without measuring.
bench-page: install
	@$(BIN)/python -m benchmarks.page

# Discrete events, seeded: a few seconds, the same figures each time.
simulation: install
	$(STEP) "a simulation of up to 10,000 views, into docs/simulation.md"
	@$(BIN)/python -m benchmarks.simulation

lint: install
	$(STEP) "ruff and mypy"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: install
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

install: $(INSTALLED)

$(INSTALLED): pyproject.toml
	@PYTHON="$(PYTHON)" sh scripts/install.sh "$(VENV)"
	@touch $@

java: install
	@sh scripts/java.sh "$(BIN)/python"

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis integration_tests/.lazyview integration_tests/target integration_tests/logs .bench
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
