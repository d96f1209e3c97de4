#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the autograder's image.
set -euo pipefail
cd /autograder
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    @PACKAGES@
mkdir -p kit
tar xzf source/kit.tar.gz --strip-components=1 -C kit
make -C kit GPU=sim
