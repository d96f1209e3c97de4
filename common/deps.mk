# The Debian packages needed to build, run and test commlab.
#
# `make deps` installs those that are missing and nothing else. It does not
# install the CUDA toolkit and NCCL; GPU=cuda uses those that it finds.

DEPS_BUILD := gcc g++ make gawk patch pkg-config mpich libmpich-dev \
	libexpat1-dev libyaml-dev libjansson-dev libdw-dev libopenblas-dev \
	libsqlite3-dev libsodium-dev libuv1-dev libarchive-dev libseccomp-dev \
	bubblewrap similarity-tester
DEPS_TEST := check libsubunit-dev clang libclang-rt-dev clang-format cppcheck \
	libsimgrid-dev slurm-wlm munge sqlite3 procps pandoc chromium zip unzip \
	cmake groff-base gdb

# The packages that dpkg doesn't know as installed, nor as what an installed
# one provides: Ubuntu's chromium is another package's.
deps_missing = $(shell printf '%s\n' $(DEPS_BUILD) $(DEPS_TEST) | grep -vxF \
	"$$(dpkg-query -W -f '$${db:Status-Status}, $${Package}, $${Provides}\n' \
	2>/dev/null | sed -n 's/^installed, //p' | tr , '\n' | \
	sed 's/^ *//; s/ .*//')")

# Shell: drop from "$@" the test packages that this system does not have, and
# name them; fail on any other.
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

# Shell: true once apt-get has lists of packages, each from an address.
deps_listed = apt-cache policy 2>/dev/null | grep -q '^ *[0-9]* [a-z+]*:'

.PHONY: deps
deps:                  ## install the Debian packages that are missing
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
