#!/bin/sh
# contract.sh KIT FOLDER OBJECT...: find the names that a lab's two halves share
#
# KIT is the kit's half of a lab, as one object or a list of objects and
# archives; the OBJECTs are the files that students write, as solutions or
# skeletons. Writes
#
#   FOLDER/kit.api        what KIT defines and the OBJECTs' headers declare, its
#                         main() and the counted calls of NCCL and CUDA
#   FOLDER/kit.contract   what the OBJECTs define
set -eu
export LC_ALL=C
kit=$1 folder=$2
shift 2
defined() { nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u; }
headers() {
    for object; do
        sed 's/[\\:]/ /g' "${object%.o}.d" | tr -s ' ' '\n'
    done | sort -u | grep -E '^(common|labs|solutions)/.*\.(h|cuh|c|cu)$'
}
# shellcheck disable=SC2086 # a list
defined $kit > "$folder/defined"
{
    echo main
    grep -x lab_device_hole "$folder/defined" || :
    grep '^__wrap_' "$folder/defined" || :
    headers "$@" | xargs grep -ohE '[A-Za-z_][A-Za-z0-9_]*\(' | tr -d '(' |
        sort -u | comm -12 - "$folder/defined"
} | sort -u > "$folder/kit.api"
defined "$@" > "$folder/kit.contract"
rm "$folder/defined"
