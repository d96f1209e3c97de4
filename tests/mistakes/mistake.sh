#!/bin/sh
# mistake.sh: what a student sees who makes a mistake
#
#   mistake.sh SERIES NAME BUILD
#
# Applies the patch NAME of SERIES, tests/mistakes/LAB.patch, to the lab's
# solution, and prints what `make labN && mpirun build/labN --case CASE` and the
# grader show for the patch's case. The lines "case:" and "ranks:" of the patch
# say which. LAB.txt has what should be printed, after the line "==== NAME".
# Only the changed file is compiled; the others' objects are those of BUILD.
# What is chance is left out: what the program itself prints (the line
# "prints:"), in which ranks' lines may be mixed, and which rank is the first to
# find a message of the wrong size. A program that races with its own copies
# runs under the schedule of the line "schedule:", as the eager one leaves open
# who is first.
#
# Then the commands of the "again:" lines are run. Nothing is printed of them,
# unless one fails in another way than the case did.
set -u
lab=$(basename "$1" .patch) build=$(realpath "$3")
root=$(dirname "$build")
patch=$("$root/tests/section.sh" "$1" "$2") ||
    { echo "$patch" && exit 1; }
export LC_ALL=C # quotation marks of compilers
word() { printf '%s\n' "$patch" | sed -n "/^--- /q; s/^$1: //p"; }
case=$(word case) ranks=$(word ranks)
schedule=$(word schedule)
short=${lab%%-*}
file=$(printf '%s\n' "$patch" | sed -n 's/^+++ b\///p')
dir=$(mktemp -d "${TMPDIR:-/tmp}/commlab-mistake-XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/src" "$dir/build"
ln -s "$build/simgpu" "$dir/build/simgpu" # with the machines
cp "$root/solutions/$lab"/* "$dir/src" && cd "$dir/src" || exit 1
printf '%s\n' "$patch" | patch -p1 --quiet || exit 1

# ---- as `make labN` does -----------------------------------------------------

backend=$(head -1 "$build/backend")
GPU=$build/simgpu COMMON=$root/common
. "$build/$backend/toolchain"
strict="-Werror=implicit-function-declaration -Werror=int-conversion"
compile() {
    case $file in
    *.cu) $cu $headers "-I$root/common/staff/$lab" -c "$file" -o own.o ;;
    *) $cc $strict $headers "-I$root/common/staff/$lab" -c "$file" -o own.o ;;
    esac 2>&1
}
link() {
    others=
    for o in "$build/$backend/obj/solutions/$lab"/*.o; do
        [ "$(basename "$o" .o)" = "${file%.*}" ] || others="$others $o"
    done
    staff=$build/$backend/staff/$lab
    { ld -r -o half.o own.o $others &&
        objcopy --keep-global-symbols="$staff/kit.contract" half.o &&
        $cxx -o "$dir/build/$short" half.o "$staff/kit.o" $libs \
            "-Wl,-rpath,$build/simgpu/lib"; } 2>&1
}

# The kit's own lines change with the kit: "lab.c:N".
without_kits_lines() {
    awk -v own=" $(cd "$root/solutions/$lab" && echo *) " '{
        for (out = ""; match($0, /[A-Za-z_0-9]+[.](c|cu|cuh|h):[0-9]+/);
             $0 = substr($0, RSTART + RLENGTH)) {
            split(substr($0, RSTART, RLENGTH), place, ":")
            if (!index(own, " " place[1] " "))
                place[2] = "N"
            out = out substr($0, 1, RSTART - 1) place[1] ":" place[2]
        }
        print out $0
    }'
}

prints=$(word prints)
leave_out_chance() {
    if [ "$prints" ]; then
        # mixed lines consist of the same letters, or of nothing
        sed -e "/^part /,/ again: /{/^[$prints]*$/d}" \
            -e "s/^.*\\($lab: this case prints\\)/\\1/"
    else
        cat
    fi | without_kits_lines |
        sed -E 's/(: rank) [0-9]+ (expects) [0-9]+ (bytes from rank) [0-9]+(, which sends) [0-9]+/\1 R \2 N \3 S\4 M/'
}

# Loops are found soon, but not before 8 MiB are printed.
[ "$prints" ] || export COMMLAB_LOOP_SEC=1
settings=${schedule:+SIMGPU_SCHEDULE=$schedule }
echo "\$ make $short && ${settings}mpirun -n $ranks build/$short --case $case"
if compile | sed 's/‘/'\''/g; s/’/'\''/g' > said && [ -f own.o ] && link; then
    cd "$dir" || exit 1
    env $settings COMMLAB_PLANS=$root/grader/plans \
        mpirun -n "$ranks" "build/$short" --case "$case" 2>&1 |
        leave_out_chance | tee "$dir/run"
else
    grep -E '(error|note): ' said | sed "s|$root/||" | without_kits_lines
fi

# ---- as `make grade-labN` does -----------------------------------------------

echo
echo "\$ make grade-$short"
rm -f "$dir/src/own.o" "$dir/src/half.o" "$dir/src/said"
limit=${COMMLAB_LOOP_SEC-}
unset COMMLAB_LOOP_SEC
cd "$build" && mkdir -p -m 700 tests/objects && ./grade run --objects \
    tests/objects --seed 1 --lab "$short" --case "$case" "$dir/src" 2>&1 |
    leave_out_chance | tee "$dir/grading"

# ---- "again:" lines fail again -----------------------------------------------

# The verdict of a case, from its row to its "again:" line.
verdict() {
    awk -v c="$case" '/^ *[0-9]+  / { on = $2 == c } /^ *again: / { on = 0 } on' \
        "$1"
}

# Nothing more is printed, unless the command ends otherwise than it promises.
again() {
    sed -n 's/^ *again: //p' "$1" > "$dir/commands"
    while read -r command; do
        (cd "$dir" && COMMLAB_PLANS=$root/grader/plans sh -c "$command" 2>&1) |
            leave_out_chance > "$dir/rerun"
        verdict "$1" > "$dir/wanted"
        verdict "$dir/rerun" | cmp -s - "$dir/wanted" ||
            { printf '\n$ %s\n' "$command"; cat "$dir/rerun"; }
    done < "$dir/commands"
}
again "$dir/grading"
[ -z "$limit" ] || export COMMLAB_LOOP_SEC="$limit"
[ ! -f "$dir/run" ] || again "$dir/run"
exit 0
