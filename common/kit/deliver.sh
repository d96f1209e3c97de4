#!/usr/bin/env bash
# Package what an autograding service runs, ready to upload (`make deliver
# LAB=lab1`).
#
#   common/kit/deliver.sh LAB [DIR]         default DIR: build/deliver
#
#   DIR/LAB-gradescope.zip    Gradescope: "Configure autograder", upload
#   DIR/LAB-autolab/          Autolab: autograde.tar and autograde-Makefile
#   DIR/LAB-github.yml        GitHub: .github/workflows/grade.yml of the
#                             assignment's template repository
#
# The kit in them has the hidden cases and no solutions. Files are taken from
# the working tree, as git tracks them.
set -euo pipefail
cd "$(dirname "$0")/../.."
lab=$(cd labs && for l in "${1:?deliver: which LAB?}" "$1"-*; do
    [ ! -d "$l" ] || echo "$l"; done)
[ -n "$lab" ] || { echo "deliver: there is no lab $1"; exit 2; }
out=${2-build/deliver}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=$(sed -n '/^DEPS_BUILD/,/[^\\]$/p' common/deps.mk |
    tr -d '\\\n\t' | sed 's/DEPS_BUILD := //; s/  */ /g')
runner=$(tr -d - <<< "${lab%%-*}")

# fill FILE TO: fill in a template's @WORDS@
fill() {
    sed "s/@LAB@/$lab/g; s/@PACKAGES@/$packages/g; s/@runner@/$runner/g
        s/@RUNNER@/${runner^^}/g" "common/kit/deliver/$1" > "$2"
}

mkdir -p "$work/kit" "$work/gradescope" "$work/autolab" "$out"
packed=(. ':!solutions' ':!tests' ':!handouts' ':!.ci' ':!common/kit')
left=$(git ls-files --others --exclude-standard --directory -- "${packed[@]}")
[ -z "$left" ] || printf '%s\n' \
    "deliver: not included, since git doesn't track them:" \
    "    ${left//$'\n'/$'\n'    }"
[ -n "$(git ls-files -- "labs/$lab")" ] || {
    echo "deliver: git add $lab's files first: nothing was written"
    exit 1
}
git ls-files -z -- "${packed[@]}" |
    xargs -0 cp --parents --no-dereference -t "$work/kit"
git ls-files -z -- common/kit/probe.c common/kit/isolation.sh 'tests/*.mk' |
    xargs -0 cp --parents --no-dereference -t "$work/kit"
tar czf "$work/kit.tar.gz" -C "$work" --sort=name --owner=0 --group=0 \
    --numeric-owner --mtime=2000-01-01 kit

fill gradescope-setup.sh "$work/gradescope/setup.sh"
fill run_autograder "$work/gradescope/run_autograder"
cp common/kit/deliver/one.sh "$work/kit.tar.gz" "$work/gradescope"
chmod 755 "$work"/gradescope/{setup.sh,run_autograder,one.sh}
rm -f "$out/$lab-gradescope.zip"
zip="$(realpath "$out")/$lab-gradescope.zip"
(cd "$work/gradescope" && bsdtar --format zip -cf "$zip" ./* 2> /dev/null ||
    zip -qr "$zip" .)

mkdir -p "$out/$lab-autolab"
cp common/kit/deliver/one.sh "$work/kit.tar.gz" "$work/autolab"
tar cf "$out/$lab-autolab/autograde.tar" -C "$work/autolab" one.sh kit.tar.gz
fill autograde-Makefile "$out/$lab-autolab/autograde-Makefile"
fill workflow.yml "$out/$lab-github.yml"
echo "deliver: $out/$lab-gradescope.zip, $out/$lab-autolab/," \
    "$out/$lab-github.yml"
