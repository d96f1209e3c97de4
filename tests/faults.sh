#!/usr/bin/env bash
# Run programs under planted faults (SIMGPU_FAULT), drawn from seeds, and count
# by kind of fault what becomes of each run.
#
#   tests/faults.sh BUILD [--labs] [--from SEED] [--count N] [PROGRAM...]
#
# PROGRAM is "RANKS PATH ARGUMENTS", in BUILD; the default are programs of
# tests/simgpu that check their own results, with --labs the labs' solutions.
# Outcomes:
#
#   unharmed  status 0 and the output of a healthy run: the fault struck
#             nothing that counts, or cost only modelled time
#   recovers  status 0, with another output that the program calls right
#   named     another status, and the fault or its effect is reported
#   WRONG     status 0 and another output after a flip
#   SILENT    another status without a report
#   HANG      it had to be killed
#   LEFT      a process of the run, or a file in its folder, is left behind
#
# The status is 1 if any run is SILENT, a HANG or LEFT, and with --labs, whose
# judge compares all results, if one is WRONG. Of other programs, which may not
# look at the flipped bit, such runs are only counted.
set -euo pipefail
build=$(realpath "$1")
shift
from=1 count=20 deadline=120 nops=40 labs=
while [[ ${1-} == --* ]]; do
    case $1 in
    --from) from=$2 ;;
    --count) count=$2 ;;
    --labs)
        labs=1 nops=100
        shift
        continue
        ;;
    *) echo "faults.sh: $1?" >&2 && exit 2 ;;
    esac
    shift 2
done
programs=("$@")
if [[ $# == 0 && -n $labs ]]; then
    programs=("4 solutions/lab0 --case all-reduce"
        "4 solutions/lab1 --case first-all-reduce,halving-doubling"
        "4 solutions/lab2 --case broadcast,assign"
        "4 solutions/lab3 --case measure,owners"
        "4 solutions/lab4 --case block-backward,gather-product"
        "4 solutions/lab5 --case heap"
        "4 solutions/lab6 --case peer-access,one-way"
        "4 solutions/lab7 --case dispatch" "4 solutions/lab8 --case zero3"
        "4 solutions/lab9 --case ring,backward"
        "4 solutions/lab10 --case train-killed,rebuild,seal")
elif [[ $# == 0 ]]; then
    programs=("4 tests/simgpu/prog_survive"
        "4 tests/simgpu/prog_nccl_process" "3 tests/simgpu/prog_nccl_streams"
        "3 tests/simgpu/prog_nccl_ring" "2 tests/simgpu/prog_mpi")
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A fault for a number of ranks: bash's generator gives the same numbers for a
# seed everywhere.
draw() {
    # A subshell that doesn't seed for itself has other numbers each time.
    RANDOM=$(($2 * 7919 % 32768))
    : $((RANDOM + RANDOM + RANDOM)) # the first numbers of near seeds are alike
    local rank=$((RANDOM % $1)) op=$((1 + RANDOM % nops)) kind=$((RANDOM % 6))
    case $kind in
    0) echo "kill:rank=$rank,op=$op" ;;
    1) echo "lost:rank=$rank,op=$op" ;;
    2) echo "flip:rank=$rank,op=$op,seed=$RANDOM" ;;
    3) echo "stall:rank=$rank,op=$op,for=$((1 + RANDOM % 50))ms" ;;
    4) echo "slow:rank=$rank,factor=$((2 + RANDOM % 20))" ;;
    5) echo "link:from=$rank,to=$(((rank + 1) % $1)),rate=0.0$((1 + RANDOM % 9))" ;;
    esac
}

# Run a program in an empty folder; leaves its output there, and its status.
run() {
    local fault=$1 ranks=$2 program=$3
    shift 3
    mkdir -p "$work/run"
    status=0
    (cd "$work/run" && SIMGPU_FAULT=$fault FAULTS_RUN=$work \
        timeout -k 5 $deadline mpirun -n "$ranks" "$build/$program" "$@") \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# Processes of the last run: they have its folder in their environment.
left_behind() {
    grep -qzxF "FAULTS_RUN=$work" /proc/[0-9]*/environ 2>/dev/null ||
        [[ -n $(ls -A "$work/run") ]]
}

outcome() {
    local kind=$1
    if [[ $status == 124 || $status == 137 && ! -s $work/err ]]; then
        echo HANG
    elif left_behind; then
        echo LEFT
    elif [[ $status != 0 ]]; then
        if grep -q '^simgpu: \|FAILED\|  FAIL  \|error\|Error' \
            "$work/err" "$work/out"; then
            echo named
        else
            echo SILENT
        fi
    elif cmp -s <(sort "$work/out") <(sort "$work/healthy"); then
        echo unharmed
    elif [[ $kind == flip ]]; then
        echo WRONG
    else
        echo recovers
    fi
}

bad=0
declare -A sum
for ((i = 0; i < count; i++)); do
    read -r ranks program arguments <<<"${programs[$((i % ${#programs[@]}))]}"
    fault=$(draw "$ranks" $((from + i)))
    # shellcheck disable=SC2086 # several arguments
    if [[ ! -f $work/healthy.$((i % ${#programs[@]})) ]]; then
        run "" "$ranks" "$program" $arguments
        [[ $status == 0 ]] || { cat "$work/out" "$work/err" && exit 1; }
        cp "$work/out" "$work/healthy.$((i % ${#programs[@]}))"
    fi
    cp "$work/healthy.$((i % ${#programs[@]}))" "$work/healthy"
    # shellcheck disable=SC2086
    run "$fault" "$ranks" "$program" $arguments
    what=$(outcome "${fault%%:*}")
    key=${fault%%:*}/$what
    sum[$key]=$((${sum[$key]-0} + 1))
    case $what in
        SILENT | HANG | LEFT) mark=BAD ;;
        WRONG) [ -n "$labs" ] && mark=BAD || mark=- ;;
        *) mark=ok ;;
    esac
    [ $mark != BAD ] || bad=1
    printf '%-3s %-9s %-42s %s\n' "$mark" "$what" "$fault" "$program"
done
outcomes=(unharmed recovers named WRONG SILENT HANG LEFT)
printf '\n%-6s' ""
printf ' %8s' "${outcomes[@]}"
for kind in kill lost flip stall slow link; do
    printf '\n%-6s' $kind
    for what in "${outcomes[@]}"; do
        printf ' %8d' "${sum[$kind/$what]-0}"
    done
done
echo
exit "$bad"
