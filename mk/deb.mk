# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages: those of debian/control, and ktrace-modules-KVER with modules that are built for one kernel.

PACKAGES_deb := build-essential debhelper dh-dkms dh-python fakeroot pkg-config python3 $(COMPAT_HEADERS) $(LIBRARY_PACKAGES)
# Where these are not the system's own: what the packages need to be built is what it is for Debian's.
PACKAGES_rpm := rpm $(PACKAGES_deb)
PACKAGES_pkg := makepkg libarchive-tools zstd $(PACKAGES_deb)
PACKAGES_fleet := ansible-core clustershell openssh-client
PACKAGES_packages := mmdebstrap dpkg-dev debian-archive-keyring
DEB_TO := build/deb

##@ Package
deb: | $(DEPS)/deb.installed	## Debian packages for this release, in build/deb/
	$(call say,DEB,$(DEB_TO))
	$(Q)rm -rf $(DEB_TO) && mk/deb-copy $(VERSION) $(DEB_TO)/ktrace-$(VERSION)
	+$(Q)mk/deb-build $(DEB_TO)/ktrace-$(VERSION) && rm -rf $(DEB_TO)/ktrace-$(VERSION)

rpm: | $(DEPS)/rpm.installed	## RPM packages, in build/rpm/
	$(call say,RPM,build/rpm)
	$(Q)packaging/build-rpm $(VERSION) build/rpm

pkg: | $(DEPS)/pkg.installed	## packages of Arch Linux, in build/pkg/
	$(call say,PKG,build/pkg)
	$(Q)packaging/build-pkg $(VERSION) build/pkg

# Where it is built is not part of a module: neither of its messages nor of its build id.
NO_PATHS = -ffile-prefix-map=$(KOUT)/=

# For machines without compilers. KEY and CERT sign the modules; KDIR has the headers of the kernel and their sign-file.
deb-modules: | $(DEPS)/deb.installed	## a package of modules for one kernel: KVER= [KDIR=] [KEY= CERT=]
	$(Q)$(if $(filter command%,$(origin KVER)),,echo 'ktrace: which kernel? make deb-modules KVER=RELEASE' >&2; exit 2)
	$(Q)rm -rf $(OUT)/deb-modules
	+$(Q)KCFLAGS=$(NO_PATHS) KAFLAGS=$(NO_PATHS) $(MAKE) -s modules_install DESTDIR=$(CURDIR)/$(OUT)/deb-modules
	$(call say,DEB,'$(DEB_TO)/ktrace-modules-$(KVER)_$(VERSION)_$(DEB_ARCH).deb')
	$(Q)DEB_HOST_ARCH=$(DEB_ARCH) mk/deb-modules $(VERSION) $(KVER) $(OUT)/deb-modules $(DEB_TO) $(if $(KEY),$(KDIR)/scripts/sign-file $(KEY) $(CERT))
	$(Q)rm -rf $(OUT)/deb-modules

##@ Test
check-packages: | $(DEPS)/packages.installed	## build, install, upgrade and purge the packages in roots of Debian 12, 13 and sid
	$(Q)tests/packages/check $(VERSION) $(SUITES)

check-packages-boot: lab | $(DEPS)/packages.installed	## boot one of them (SUITES=bookworm) with systemd, with those packages
	$(Q)tests/packages/boot $(VERSION) $(or $(firstword $(SUITES)),bookworm)

check-packages-fleet: lab | $(DEPS)/packages.installed $(DEPS)/fleet.installed	## what docs/fleet.md says, with two guests
	$(Q)tests/packages/fleet $(VERSION) $(or $(firstword $(SUITES)),bookworm)

check-packages-lists: deb rpm pkg	## all three kinds of packages have the same files
	$(Q)tests/packages/lists $(DEB_TO) build/rpm build/pkg

.PHONY: deb rpm pkg deb-modules check-packages-lists check-packages check-packages-boot check-packages-fleet
