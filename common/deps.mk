# The Debian packages that building, running and testing commlab needs.
#
# `make deps` installs what is missing, and only that. The CUDA toolkit and
# NCCL are not among them: GPU=cuda takes them from wherever they are.

DEPS_BUILD := gcc g++ make gawk patch pkg-config mpich libmpich-dev \
	libexpat1-dev libyaml-dev libjansson-dev libdw-dev libopenblas-dev \
	libsqlite3-dev libsodium-dev libuv1-dev libarchive-dev libseccomp-dev \
	bubblewrap similarity-tester
DEPS_TEST := check libsubunit-dev clang libclang-rt-dev clang-format cppcheck \
	libsimgrid-dev slurm-wlm munge sqlite3 procps pandoc

# Packages of the lists that dpkg does not know as installed.
deps_missing = $(shell for p in $(DEPS_BUILD) $(DEPS_TEST); do \
	dpkg-query -W -f '$${db:Status-Status}' $$p 2>/dev/null \
	| grep -qx installed || echo $$p; done)

.PHONY: deps
deps:
	@set -- $(deps_missing); \
	if [ $$# -eq 0 ]; then echo "deps: nothing is missing"; exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	    echo "deps: this is not Debian or Ubuntu; install these" \
	         "packages' equivalents, then run make again:"; \
	    echo "    $$*"; exit 1; fi; \
	sudo=; if [ "$$(id -u)" -ne 0 ]; then sudo=sudo; \
	    if ! command -v sudo >/dev/null; then \
	        echo "deps: not root and no sudo; ask an administrator to run:"; \
	        echo "    apt-get install $$*"; exit 1; fi; fi; \
	echo "deps: installing $$*"; \
	$$sudo apt-get update -q && \
	DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y \
	    --no-install-recommends "$$@"
