# bearingd: `make` alone lists what there is.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
UNITDIR ?= $(PREFIX)/lib/systemd/system
PRESETDIR ?= $(PREFIX)/lib/systemd/system-preset
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
CATALOGDIR ?= $(PREFIX)/lib/systemd/catalog
# udev reads no folder of /usr/local.
UDEVRULESDIR ?= $(if $(filter /usr/local,$(PREFIX)),/etc,$(PREFIX)/lib)/udev/rules.d
DOCDIR ?= $(PREFIX)/share/doc/bearingd
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
DEB_PACKAGES := debhelper fakeroot lintian
LINT_PACKAGES := shellcheck
BENCH_PACKAGES := gpsd
SYSTEM_PACKAGES := debootstrap systemd-container
VM_PACKAGES := cpio e2fsprogs gcc make mmdebstrap python3 qemu-system-x86 xz-utils

UNITS := bearingd.service bearingd.socket bearingd-metrics.service bearingd-metrics.timer
MAN_PAGES := $(wildcard docs/man/*.[1-8])

.DEFAULT_GOAL := help
.PHONY: help run test build install uninstall format lint check-thread check-address \
  deb test-system test-vm test-vm-long boot-container boot-machine bench clean build-packages \
  test-packages

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

run: build-packages ## Build, and run the daemon on simulated devices until Ctrl-C
	@$(SWIFT) build
	@.ci/demo .build/debug/bearingd --demo

# Tests that await share a few threads; run apart, they do not wait behind tests that block one.
AWAITING_SUITES := ^(VarlinkTests|BearingClientTests)[.]|DemoClientTests|ClientEnduranceTests
AWAITING_SUITES := $(AWAITING_SUITES)|AccelerationRingTests|RingClientTests

test: test-packages ## Build and run all tests
	$(SWIFT) test --filter '$(AWAITING_SUITES)'
	$(SWIFT) test --skip '$(AWAITING_SUITES)'

build: build-packages ## Build the programs for use, into .build/release
	$(SWIFT) build $(RELEASE)

install: ## Install what `make build` made (PREFIX, DESTDIR)
	@test -x .build/release/bearingd || { echo "make install: run make build first" >&2; exit 1; }
	install -D -m 755 .build/release/bearingd $(DESTDIR)$(SBINDIR)/bearingd
	install -D -m 755 .build/release/gpsctl $(DESTDIR)$(BINDIR)/gpsctl
	install -d $(DESTDIR)$(UNITDIR)
	umask 022; $(foreach unit,$(UNITS),sed 's|/usr/sbin/|$(SBINDIR)/|; \
	  s|/usr/bin/gpsctl|$(BINDIR)/gpsctl|' systemd/$(unit) >$(DESTDIR)$(UNITDIR)/$(unit) &&) true
	install -D -m 644 systemd/bearingd.preset $(DESTDIR)$(PRESETDIR)/50-bearingd.preset
	install -D -m 644 systemd/bearingd.sysusers $(DESTDIR)$(SYSUSERSDIR)/bearingd.conf
	install -D -m 644 systemd/bearingd.tmpfiles $(DESTDIR)$(TMPFILESDIR)/bearingd.conf
	install -D -m 644 systemd/bearingd.catalog $(DESTDIR)$(CATALOGDIR)/bearingd.catalog
	install -D -m 644 systemd/bearingd.rules $(DESTDIR)$(UDEVRULESDIR)/60-bearingd.rules
	install -D -m 644 systemd/gpsd-elsewhere.conf $(DESTDIR)$(DOCDIR)/examples/gpsd-elsewhere.conf
	test -e $(DESTDIR)$(SYSCONFDIR)/bearingd/bearingd.conf || \
	  install -D -m 644 config/bearingd.conf $(DESTDIR)$(SYSCONFDIR)/bearingd/bearingd.conf
	install -d $(DESTDIR)$(SYSCONFDIR)/bearingd/bearingd.conf.d
	$(foreach page,$(MAN_PAGES),install -D -m 644 $(page) \
	  $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)) &&) true
	install -d $(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(FISHCOMPDIR)
	umask 022; .build/release/gpsctl completion bash >$(DESTDIR)$(BASHCOMPDIR)/gpsctl
	umask 022; .build/release/gpsctl completion zsh >$(DESTDIR)$(ZSHCOMPDIR)/_gpsctl
	umask 022; .build/release/gpsctl completion fish >$(DESTDIR)$(FISHCOMPDIR)/gpsctl.fish

uninstall: ## Remove what `make install` installed, but for the configuration
	rm -f $(DESTDIR)$(SBINDIR)/bearingd $(DESTDIR)$(BINDIR)/gpsctl
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(UNITS))
	rm -f $(DESTDIR)$(PRESETDIR)/50-bearingd.preset $(DESTDIR)$(SYSUSERSDIR)/bearingd.conf \
	  $(DESTDIR)$(TMPFILESDIR)/bearingd.conf $(DESTDIR)$(CATALOGDIR)/bearingd.catalog \
	  $(DESTDIR)$(UDEVRULESDIR)/60-bearingd.rules $(DESTDIR)$(DOCDIR)/examples/gpsd-elsewhere.conf
	rm -f $(foreach page,$(MAN_PAGES),\
	  $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(DESTDIR)$(BASHCOMPDIR)/gpsctl $(DESTDIR)$(ZSHCOMPDIR)/_gpsctl \
	  $(DESTDIR)$(FISHCOMPDIR)/gpsctl.fish

VERSION = $(shell sed -n 's/.*text: String = "\(.*\)"/\1/p' Sources/BearingModel/Version.swift)
deb: build ## Make Debian packages, into .build/deb
	@.ci/install-packages "make packages" $(DEB_PACKAGES)
	rm -f .build/deb/*.deb
	systemd/make-deb $(VERSION)
	lintian --fail-on error .build/deb/*_$(VERSION)_*.deb

format: ## Format all Swift sources
	$(SWIFT) format --in-place --parallel --recursive Package.swift Examples Sources Tests

lint: ## Check format and scripts
	@.ci/install-packages "lint" $(LINT_PACKAGES)
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Examples Sources Tests
	shellcheck $$(git grep -lE '^#!.*\b(sh|bash)$$')

# What has threads. All tests (THREAD_SUITES=.) take too long under the sanitizer for every change.
THREAD_SUITES := SingletonRaceTests|SourceRunnerTests|GpsdSourceTests|ReplaySourceTests|IIOCaptureTests
THREAD_SUITES := $(THREAD_SUITES)|IIOBufferCaptureTests|IIOTimerTests|IIOOriginalsTests
THREAD_SUITES := $(THREAD_SUITES)|SimulatedAccelerometerTests|MailboxTests|SharedSlotsTests
THREAD_SUITES := $(THREAD_SUITES)|SampleRingStressTests|AccelerationRingTests
THREAD_SUITES := $(THREAD_SUITES)|BearingCoreTests[.]StorageTests

check-thread: test-packages ## Run the tests of what has threads under the thread sanitizer
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --sanitize=thread --scratch-path .build/thread \
	  --filter '$(THREAD_SUITES)'

check-address: test-packages ## Run the tests under the address sanitizer
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build/address

test-system: deb ## Test units and packages under a real systemd in a container (as root)
	@.ci/install-packages "test under systemd" $(SYSTEM_PACKAGES)
	Tests/System/run
	Tests/System/package

test-vm: build ## Test accelerometers on Debian's kernel in an emulated machine (as root)
	@.ci/install-packages "test in a virtual machine" $(VM_PACKAGES)
	Tests/System/vm/run

test-vm-long: build ## Ten minutes of samples and unplugging there, with figures (SECONDS=)
	@.ci/install-packages "test in a virtual machine" $(VM_PACKAGES)
	Tests/System/vm/run --long $(SECONDS)

boot-container: ## Make and boot the container of test-system, to see whether it can be (as root)
	@.ci/install-packages "start a container" $(SYSTEM_PACKAGES)
	Tests/System/box Tests true

boot-machine: ## Make and boot the machine of test-vm, to see whether it can be (as root)
	@.ci/install-packages "start a virtual machine" $(VM_PACKAGES)
	Tests/System/vm/machine Tests true

bench: build ## Measure the daemon beside other things (ONLY=name: one benchmark)
	@.ci/install-packages "measure" $(BENCH_PACKAGES)
	@Tests/Benchmarks/run.sh $(ONLY)

clean: ## Remove all that was built
	rm -rf .build

build-packages:
	@.ci/install-packages "build" $(BUILD_PACKAGES)

test-packages: build-packages
	@.ci/install-packages "test" $(TEST_PACKAGES)
	@Tests/setup-peers.sh
