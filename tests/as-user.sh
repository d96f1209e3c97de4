#!/usr/bin/env bash
# Run `make test` as an ordinary user, in a copy of this tree.
#
#   tests/as-user.sh [ARGUMENT...]   arguments of make; default: test, without
#                                    the folders of tests that compute only
#
# Needs root, and is for CI, which is root: much of what the tests do is
# different for a user (control groups, user namespaces, file permissions), and
# so is a machine on which root has run the same tests before. What is built is
# copied too, but no result of a test. The user is made for this, and goes with
# all that is its own.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "as-user: only root can make a user"; exit 1; }
user=commlab-$$
home=$(mktemp -d /var/tmp/commlab-user-XXXXXX)

cleanup() {
    pkill -KILL -u "$user" && sleep 1
    userdel --force "$user" || :
    rm -rf "$home"
}
trap cleanup EXIT
useradd --no-create-home --home-dir "$home" --shell /bin/bash "$user"
mkdir "$home/tree"
tar -c --exclude=./build/tests/run --exclude=./build/with-cuda . |
    tar -x -C "$home/tree"
chown -R "$user:" "$home"
[ $# -gt 0 ] || set -- test \
    WITHOUT="base cublas extras graph hazards judge lint nn simnvcc topo torch"
# Without TMPDIR, tests/run.sh gives each slice a folder of this user in memory.
runuser -u "$user" -- env -i -C "$home/tree" HOME="$home" PATH="$PATH" \
    LANG="${LANG-C}" make "$@"
