# SPDX-License-Identifier: GPL-2.0
#
# The module itself is described in Kbuild, the tools in tools/Makefile.

KERNEL ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNEL)/build
# Stock kernel of the demo; scripts/lab list shows all guests.
GUEST ?= backports

# Packages of Debian and Ubuntu.
TOOLS_LIBRARIES := devmapper libzbd json-c uuid blkid
TOOLS_PACKAGES := pkg-config libdevmapper-dev libzbd-dev libjson-c-dev \
		  uuid-dev libblkid-dev

VERSION := $(shell sed -n 's/^\#define RAIZN_VERSION "\(.*\)"$$/\1/p' raizn/version.h)
# Where DKMS looks for the module's source.
SOURCEDIR ?= /usr/src/dm-raizn-$(VERSION)
# Where make deb and make rpm leave the packages.
PACKAGES ?= packages

KMAKE = $(MAKE) -C $(KDIR) M=$(CURDIR)
# Type information needs a vmlinux, which distributions do not ship.
ifeq ($(wildcard $(KDIR)/vmlinux),)
KMAKE += CONFIG_DEBUG_INFO_BTF_MODULES=
endif

all: modules tools

help:
	@echo 'For use:'
	@echo '  make                build the module for the running kernel, and the tools'
	@echo '  make modules        only the module (KERNEL=release for another kernel)'
	@echo '  make tools          only the tools'
	@echo '  make deb            build Debian packages: the module for DKMS, and the tools'
	@echo '  make rpm            the same for distributions that use RPM'
	@echo '  make install        install module, tools and manual pages (as root)'
	@echo '  make install-source install the source of the module for DKMS (as root)'
	@echo '  make clean          remove what was built'
	@echo 'To try, as root, in a virtual machine made for it:'
	@echo '  make demo           an array of five emulated drives (GUEST=bookworm,'
	@echo '                      trixie or backports)'
	@echo 'For work on it, as root:'
	@echo '  make check          all tests'
	@echo '  make check-quick    what takes little time'
	@echo '  make check-long     more of everything, for many hours; PART=k/n does one'
	@echo '                      piece of n'
	@echo '  make check-mutants  deliberate mistakes, each of which a test must find'
	@echo '  make static         checks without running code'
	@echo '  make bench          raizn beside md, dm-raid and raw drives (over an hour)'
	@echo '  make bench-qemu     a few rows of it on a Debian kernel in QEMU (6 minutes)'
	@echo '  make lab            make the virtual machines now'

modules: need-kernel
	+$(KMAKE) modules

tools: need-libraries
	+$(MAKE) -C tools

# Debian's headers have neither the key that make would sign with nor the
# System.map without which it does not call depmod. They do not know DESTDIR.
INSTALL_MOD_PATH ?= $(abspath $(DESTDIR))
modules_install: modules
	+$(KMAKE) INSTALL_MOD_PATH=$(INSTALL_MOD_PATH) \
		$(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=) \
		modules_install
	[ -n "$(INSTALL_MOD_PATH)" ] || depmod -a $(KERNEL)

install: modules_install install-tools

install-tools: tools
	+$(MAKE) -C tools install

# For DKMS, which builds the module for each kernel.
install-source:
	install -d $(DESTDIR)$(SOURCEDIR)
	install -m 644 Kbuild dkms.conf $(DESTDIR)$(SOURCEDIR)
	for file in $$(find raizn -name '*.[ch]'); do \
		install -D -m 644 $$file $(DESTDIR)$(SOURCEDIR)/$$file || exit 1; \
	done

deb: need-debian
	@scripts/build-packages deb $(PACKAGES)

rpm:
	@command -v rpmbuild >/dev/null || { \
		echo "make: please install: rpm-build" >&2; exit 1; }
	@scripts/build-packages rpm $(PACKAGES)

clean:
	@if [ -e $(KDIR)/Makefile ]; then $(KMAKE) clean; fi
	+$(MAKE) -C tools clean
	+$(MAKE) -C tests clean
	rm -rf tests/unit/build

lab: need-lab
	scripts/lab setup

demo: need-lab
	@echo 'make demo: boots a virtual machine with a Debian kernel and five emulated'
	@echo 'zoned drives ("$(GUEST)"), makes an array of them, and uses it. On first use'
	@echo '  - it installs on this machine, through apt, what is missing of:'
	@echo '    mmdebstrap, e2fsprogs, qemu-system-x86, debian-archive-keyring'
	@echo '  - it downloads Debian packages into a cache of about 3 GiB'
	@echo '    (to see it: scripts/lab cache; to delete it: scripts/lab clean-cache)'
	@echo 'It loads nothing into this kernel and touches no drive of this machine.'
	@scripts/lab run $(GUEST) -- bash tests/rig/demo.sh

check: announce-tests
	@tests/run check

check-quick: announce-tests
	@tests/run quick

check-long: announce-tests
	@tests/run $(if $(PART),--part $(PART)) long

check-mutants: announce-tests
	@tests/run mutants

static: need-lab
	@scripts/static-checks

bench: need-lab
	@scripts/bench --start --geometry
	@scripts/bench --zone-commands
	@scripts/bench --levels

bench-qemu: need-lab
	@scripts/bench --guest trixie

announce-tests: need-lab
	@echo '# Tests run in virtual machines. On first use this installs on this machine,'
	@echo '# through apt, what is missing of: gcc, libcmocka-dev, mmdebstrap, e2fsprogs,'
	@echo '# qemu-system-x86, qemu-utils, debian-archive-keyring; and it makes a cache of 12 GiB'
	@echo '# of Debian packages and kernels (scripts/lab cache, scripts/lab clean-cache).'
	@printf '%s\n' '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' \
		'#include <setjmp.h>' '#include <cmocka.h>' | \
		cc -fsyntax-only -x c - 2>/dev/null || { \
		apt-get install -y --no-install-recommends gcc libc6-dev libcmocka-dev >/dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends \
			gcc libc6-dev libcmocka-dev; } >/dev/null; \
	} || { echo "make: please install: gcc libc6-dev libcmocka-dev" >&2; exit 1; }

# ---- one line when something is missing ------------------------------------

need-kernel:
	@[ -e $(KDIR)/Makefile ] || { \
		echo "make: no headers of kernel $(KERNEL) in $(KDIR); please install: linux-headers-$(KERNEL)" >&2; \
		exit 1; }

need-libraries:
	@$${PKG_CONFIG:-pkg-config} --exists $(TOOLS_LIBRARIES) 2>/dev/null || { \
		echo "make: the tools need libraries; please install: $(TOOLS_PACKAGES)" >&2; \
		exit 1; }

need-debian:
	@command -v dpkg-buildpackage >/dev/null || { \
		echo "make: please install: dpkg-dev debhelper" >&2; exit 1; }

need-lab:
	@[ "$$(id -u)" = 0 ] || { \
		echo "make: the virtual machines need root (mounts and chroots); try: sudo make $(MAKECMDGOALS)" >&2; \
		exit 1; }
	@command -v python3 >/dev/null || { \
		echo "make: installing python3 on this machine through apt"; \
		apt-get install -y --no-install-recommends python3 >/dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends python3; } >/dev/null; \
	} || { echo "make: please install: python3" >&2; exit 1; }

.PHONY: all help modules tools modules_install install install-tools \
	install-source deb rpm clean lab demo \
	check check-quick check-long check-mutants static bench bench-qemu \
	announce-tests \
	need-kernel need-libraries need-debian need-lab
