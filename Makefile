# cnfsweep: `make demo` shows what it does, `make test` proves it.

IMAGES = mysql-9.7 mariadb-11.8 mariadb-10.11 mariadb-10.5
DEMO   = target/release/cnfsweep --base profiles/cnf/demo.cnf --bench churn --rounds 4 --aa 2

.PHONY: help deps images build demo test soak check clean

help:
	@echo 'make demo    five toggles of a small my.cnf, measured on a real MySQL 9.7 (6 minutes)'
	@echo 'make test    everything, container tests included'
	@echo 'make soak    20,000 generated option files against each server (some ten minutes)'
	@echo 'make check   format, lints, documentation'
	@echo 'make deps    what the others need: Docker, a C linker'
	@echo 'make images  the server images: $(IMAGES)'
	@echo 'make build   the release binary, target/release/cnfsweep'
	@echo 'make clean   what dead sweeps left behind, and target/'

deps:
	@containers/deps.sh

images: deps
	@containers/build.sh $(IMAGES)

build: deps
	cargo build --release --locked

demo: build
	@containers/build.sh mysql-9.7
	$(DEMO)

# nextest where it is installed; `cargo test` runs the same tests.
test: deps
	@containers/build.sh $(IMAGES)
	@if cargo nextest --version >/dev/null 2>&1; then \
		echo cargo nextest run --locked --no-fail-fast; cargo nextest run --locked --no-fail-fast && \
		cargo test --locked --doc; \
	else \
		echo cargo test --locked --no-fail-fast; cargo test --locked --no-fail-fast; \
	fi

# Another SEED takes other files.
FILES = 20000
SEED  = 1

soak: deps
	@containers/build.sh $(IMAGES)
	CNFSWEEP_ORACLE_FILES=$(FILES) CNFSWEEP_ORACLE_SEED=$(SEED) \
		cargo test --locked --test containers -- --nocapture --test-threads 1 oracle::generated

check:
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps

clean:
	@if [ -x target/release/cnfsweep ]; then target/release/cnfsweep clean; fi
	cargo clean
