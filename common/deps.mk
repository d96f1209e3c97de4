# The Debian packages needed to build, run and test commlab.
#
# `make deps` installs those that are missing and nothing else. It does not
# install the CUDA toolkit and NCCL; GPU=cuda uses those that it finds.

DEPS_BUILD := gcc g++ make gawk patch pkg-config mpich libmpich-dev \
	libexpat1-dev libyaml-dev libjansson-dev libdw-dev libopenblas-dev \
	libsqlite3-dev libsodium-dev libuv1-dev libarchive-dev libseccomp-dev \
	libmicrohttpd-dev bubblewrap
DEPS_TEST := check libsubunit-dev clang libclang-rt-dev clang-format cppcheck \
	libsimgrid-dev slurm-wlm munge sqlite3 procps pandoc chromium zip unzip \
	cmake groff-base gdb

# The packages that dpkg doesn't list as installed, nor as provided by an
# installed one (another package provides Ubuntu's chromium).
deps_missing = $(shell printf '%s\n' $(DEPS_BUILD) $(DEPS_TEST) | grep -vxF \
	"$$(dpkg-query -W -f '$${db:Status-Status}, $${Package}, $${Provides}\n' \
	2>/dev/null | sed -n 's/^installed, //p' | tr , '\n' | \
	sed 's/^ *//; s/ .*//')")

# Shell: remove the test packages that this system lacks from "$@", and name
# them. Fail if it lacks any other package.
deps_drop = here=; for p; do \
	    if apt-cache policy $$p 2>/dev/null | \
	        grep -q 'Candidate: [^(]'; then here="$$here $$p"; \
	    elif echo ' $(DEPS_TEST) ' | grep -q " $$p "; then \
	        echo "deps: this system has no package $$p: what tests need it" \
	             "for is skipped"; \
	    else \
	        echo "deps: this system has no package $$p, which the build" \
	             "needs: work in the container (.devcontainer)"; exit 1; fi; \
	done; set -- $$here; \
	if [ $$\# -eq 0 ]; then echo "deps: nothing else is missing"; exit 0; fi

# Shell: true if apt-get has lists of packages, which have an address each.
deps_listed = apt-cache policy 2>/dev/null | grep -q '^ *[0-9]* [a-z+]*:'

# Open MPI, against which a test links the labs for GPUs (tests/openmpi.sh).
# Installed, its mpirun would take the place of MPICH's: Debian's packages are
# unpacked instead.
OPENMPI = $(BUILD)/openmpi
.PHONY: openmpi
openmpi:
	@if [ -d $(OPENMPI) ] || ! command -v apt-get >/dev/null; then exit 0; fi; \
	dir=$$(mktemp -d) && cd $$dir && \
	apt-get download libopenmpi-dev $$(apt-cache depends libopenmpi-dev | \
	    sed -n 's/.*Depends: \(libopenmpi[0-9].*\)/\1/p') >/dev/null 2>&1; \
	cd $(CURDIR); \
	if ls $$dir/*.deb >/dev/null 2>&1; then \
	    for d in $$dir/*.deb; do dpkg -x $$d $$dir/root || exit 1; done; \
	    mkdir -p $(BUILD) && mv $$dir/root $(OPENMPI); \
	    echo "deps: unpacked Open MPI to $(OPENMPI), for a test"; \
	else echo "deps: no packages of Open MPI: its test is skipped"; fi; \
	rm -rf $$dir

.PHONY: deps
deps: openmpi          ## install the Debian packages that are missing
	@set -- $(deps_missing); \
	if [ $$# -eq 0 ]; then echo "deps: nothing is missing"; exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	    echo "deps: this is not Debian or Ubuntu; install these" \
	         "packages' equivalents, then run make again:"; \
	    echo "    $$*"; exit 1; fi; \
	sudo=; if [ "$$(id -u)" -ne 0 ]; then sudo=sudo; \
	    if $(deps_listed); then $(deps_drop); fi; \
	    if ! command -v sudo >/dev/null; then \
	        echo "deps: not root and no sudo; ask an administrator to run:"; \
	        echo "    apt-get install $$*"; exit 1; fi; fi; \
	echo "deps: installing $$*"; \
	$$sudo apt-get update -q || exit 1; \
	$(deps_drop); \
	DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y \
	    --no-install-recommends $$*
