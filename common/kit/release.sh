#!/usr/bin/env bash
# Make the students' copy of the kit: all files that don't give the labs away.
#
#   common/kit/release.sh [FILE.tar.gz]   default build/release/commlab-VERSION
#
# It leaves out solutions, hidden cases, mutants and cheats, the tests that need
# them, instructors' tools and their guides. The students' guide becomes the
# README, and AGENTS.md tells coding assistants what the course allows. Tracked
# files are taken from the working tree; the tarball's bytes depend only on the
# files.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(git describe --always --dirty 2> /dev/null) || {
    echo "release: this is not a git checkout of the kit; the students' copy" \
         "is made from one"
    exit 1
}
out=${1-build/release/commlab-$version.tar.gz}

teachers=(
    ':!solutions' ':!grader/plans/hidden' ':!common/kit' ':!.ci'
    ':!tests/labs' ':!tests/mutants' ':!tests/twins' ':!tests/mistakes'
    ':!tests/cheats' ':!tests/cheat-table.sh' ':!tests/grader'
    ':!tests/handouts' ':!tests/kit' ':!tests/lab' ':!tests/hazards'
    ':!tests/graph' ':!tests/nn' ':!tests/layers' ':!tests/skeleton'
    ':!tests/mutate' ':!tests/gpu/test_gpu.c' ':!handouts/instructor.md'
    ':!handouts/ta.md' ':!handouts/developer.md' ':!handouts/course.md'
    ':!handouts/changes.md' ':!handouts/slides' ':!README.md'
    ':!CITATION.cff' ':!.github'
)

# The files in these folders that students need on their own machines.
students=(common/kit/probe.c common/kit/check.c common/kit/contract.sh
    common/kit/doctor.sh common/kit/doctor-gpu.sh common/kit/hint.sh
    common/kit/isolation.sh common/kit/compile-commands.sh
    common/kit/clangd.cuh common/kit/gdb-rank.sh
    common/kit/pages.sh common/kit/pages/
    tests/labs/one-gpu.xml)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/commlab"
{
    git ls-files -z -- . "${teachers[@]}"
    git ls-files -z -- "${students[@]}"
} | xargs -0 cp --parents --no-dereference -t "$work/commlab"
# Make links of the README start at handouts/, and drop those to instructors'
# guides.
sed -E 's#\]\(([a-z0-9/-]+\.(md|svg|png))#](handouts/\1#g' handouts/student.md \
    > "$work/commlab/README.md"
# Coding assistants look for this file in the top folder.
cp common/kit/AGENTS.md "$work/commlab"
sed -i -E 's#\[([^]]*)\]\((ta|instructor|developer|course|changes)\.md[^)]*\)#\1#g' \
    "$work"/commlab/handouts/*.md

# Search for leaks before anything is written. Search bytes, since some files
# are images.
find "$work/commlab" -type f -print0 | LC_ALL=C xargs -0 \
    awk -f common/kit/leaks.awk solutions/*/* searching=1 || {
    echo "release: solutions would leak; nothing was written"
    exit 1
}

left=$(git ls-files --others --exclude-standard --directory)
[ -z "$left" ] || printf '%s\n' \
    "release: not included, since git doesn't track them:" \
    "    ${left//$'\n'/$'\n'    }"

mkdir -p "$(dirname "$out")"
tar --create --directory "$work" --sort=name --owner=0 --group=0 \
    --numeric-owner --mtime="@$(git log -1 --format=%ct)" commlab |
    gzip --no-name > "$out"
echo "release: $out, $(tar tzf "$out" | grep -vc '/$') files"
