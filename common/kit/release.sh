#!/usr/bin/env bash
# The students' copy of the kit: everything but what would give the labs away.
#
#   common/kit/release.sh [FILE.tar.gz]   default build/release/commlab-VERSION
#
# Left out are solutions, hidden cases, mutants and cheats, the tests that need
# them, and the guides of those who teach. The students' guide becomes the
# README. What git tracks is taken as it lies here; the tarball is the same
# bytes for the same files, whoever makes it.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(git describe --always --dirty 2> /dev/null) || {
    echo "release: this is not a git checkout of the kit; students' copies are" \
         "made from one"
    exit 1
}
out=${1-build/release/commlab-$version.tar.gz}

teachers=(
    ':!solutions' ':!grader/plans/hidden' ':!common/kit' ':!.ci'
    ':!tests/labs' ':!tests/mutants' ':!tests/cheats' ':!tests/grader'
    ':!tests/handouts' ':!tests/kit' ':!tests/lab' ':!tests/hazards'
    ':!tests/graph' ':!tests/nn' ':!tests/gpu/test_gpu.c'
    ':!handouts/instructor.md' ':!handouts/ta.md' ':!README.md'
)

# What of all that students need on a machine of theirs.
students=(common/kit/probe.c common/kit/doctor.sh common/kit/doctor-gpu.sh
    tests/labs/one-gpu.xml)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/commlab"
{ git ls-files -z -- . "${teachers[@]}"; git ls-files -z -- "${students[@]}"; } |
    xargs -0 cp --parents --no-dereference -t "$work/commlab"
cp handouts/student.md "$work/commlab/README.md"

# The proof, before anything leaves the house.
find "$work/commlab" -type f -print0 | xargs -0 \
    awk -f common/kit/leaks.awk solutions/*/* searching=1 || {
    echo "release: solutions would leak; nothing was written"
    exit 1
}

left=$(git ls-files --others --exclude-standard --directory)
[ -z "$left" ] || printf '%s\n' "release: not in it, since git doesn't track them:" \
    "    ${left//$'\n'/$'\n'    }"

mkdir -p "$(dirname "$out")"
tar --create --directory "$work" --sort=name --owner=0 --group=0 \
    --numeric-owner --mtime="@$(git log -1 --format=%ct)" commlab |
    gzip --no-name > "$out"
echo "release: $out, $(tar tzf "$out" | grep -vc '/$') files"
