# bearingd: `make` alone lists what there is.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d

SWIFT ?= swift
# A release is one file a program: Swift's own libraries are linked in, what is unused is left out.
RELEASE := -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
  -Xlinker --gc-sections -Xlinker -s

# Debian packages, each named in docs/dependencies.md.
BUILD_PACKAGES := g++ pkg-config libgeographiclib-dev libgps-dev libkeyutils-dev libncurses-dev \
  libsqlite3-dev libsystemd-dev
TEST_PACKAGES := strace gpsd gpsd-clients gpsd-tools python3-gps python3-venv socat tmux \
  fish locales mandoc umockdev zsh golang-go golang-github-varlink-go-dev
LINT_PACKAGES := shellcheck
SYSTEM_PACKAGES := debootstrap systemd-container

MAN_PAGES := $(wildcard docs/man/*.[1-8])

.DEFAULT_GOAL := help
.PHONY: help run test build install uninstall format lint check-thread check-address \
  test-system bench clean build-packages test-packages

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

run: build-packages ## Build, and run the daemon on simulated devices until Ctrl-C
	@$(SWIFT) build
	@.ci/demo .build/debug/bearingd --demo

test: test-packages ## Build and run all tests
	$(SWIFT) test

build: build-packages ## Build the programs for use, into .build/release
	$(SWIFT) build $(RELEASE)

install: ## Install what `make build` made (PREFIX, DESTDIR)
	@test -x .build/release/bearingd || { echo "make install: run make build first" >&2; exit 1; }
	install -D -m 755 .build/release/bearingd $(DESTDIR)$(SBINDIR)/bearingd
	install -D -m 755 .build/release/gpsctl $(DESTDIR)$(BINDIR)/gpsctl
	install -d $(DESTDIR)$(UNITDIR)
	sed 's|/usr/sbin/|$(SBINDIR)/|' systemd/bearingd.service >$(DESTDIR)$(UNITDIR)/bearingd.service
	install -D -m 644 systemd/bearingd.socket $(DESTDIR)$(UNITDIR)/bearingd.socket
	install -D -m 644 systemd/bearingd.sysusers $(DESTDIR)$(SYSUSERSDIR)/bearingd.conf
	test -e $(DESTDIR)$(SYSCONFDIR)/bearingd/bearingd.conf || \
	  install -D -m 644 config/bearingd.conf $(DESTDIR)$(SYSCONFDIR)/bearingd/bearingd.conf
	install -d $(DESTDIR)$(SYSCONFDIR)/bearingd/bearingd.conf.d
	$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) \
	  $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)) &&) true
	install -d $(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(FISHCOMPDIR)
	.build/release/gpsctl completion bash >$(DESTDIR)$(BASHCOMPDIR)/gpsctl
	.build/release/gpsctl completion zsh >$(DESTDIR)$(ZSHCOMPDIR)/_gpsctl
	.build/release/gpsctl completion fish >$(DESTDIR)$(FISHCOMPDIR)/gpsctl.fish

uninstall: ## Remove what `make install` installed, but for the configuration
	rm -f $(DESTDIR)$(SBINDIR)/bearingd $(DESTDIR)$(BINDIR)/gpsctl
	rm -f $(DESTDIR)$(UNITDIR)/bearingd.service $(DESTDIR)$(UNITDIR)/bearingd.socket
	rm -f $(DESTDIR)$(SYSUSERSDIR)/bearingd.conf
	rm -f $(foreach page,$(MAN_PAGES),\
	  $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(DESTDIR)$(BASHCOMPDIR)/gpsctl $(DESTDIR)$(ZSHCOMPDIR)/_gpsctl \
	  $(DESTDIR)$(FISHCOMPDIR)/gpsctl.fish

format: ## Format all Swift sources
	$(SWIFT) format --in-place --parallel --recursive Package.swift Examples Sources Tests

lint: ## Check format and scripts
	@.ci/install-packages "lint" $(LINT_PACKAGES)
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Examples Sources Tests
	shellcheck $$(git grep -lE '^#!.*\b(sh|bash)$$')

check-thread: test-packages ## Run the tests under the thread sanitizer
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --sanitize=thread --scratch-path .build/thread

check-address: test-packages ## Run the tests under the address sanitizer
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build/address

test-system: build ## Test the units under a real systemd in a container (as root)
	@.ci/install-packages "test under systemd" $(SYSTEM_PACKAGES)
	Tests/System/run

bench: build ## Measure, against the figures kept with the benchmarks
	Tests/Benchmarks/run.sh

clean: ## Remove all that was built
	rm -rf .build

build-packages:
	@.ci/install-packages "build" $(BUILD_PACKAGES)

test-packages: build-packages
	@.ci/install-packages "test" $(TEST_PACKAGES)
	@Tests/setup-peers.sh
