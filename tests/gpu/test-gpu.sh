#!/usr/bin/env bash
# Run what commlab has on the GPUs of this machine (make test-gpu builds it).
#
#   tests/gpu/test-gpu.sh BUILD [PART...]
#
# PART: conformance, values, programs, labs or lab1, lab2...; default: all.
# What the machine can't run is skipped by name, with the reason. Where no GPU
# is found nothing was tested, and that is no success.
#
# BUILD may be a build for simgpu, to test this script: SIMGPU_TOPO then says
# what GPUs there are. What conformance programs print goes to a file for
# test_conformance, in EXPECTED_DIR: default tests/conformance, for simgpu
# BUILD/tests/gpu.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/gpu/lib.sh
build=${1:?which build folder?}
shift
[ $# -gt 0 ] || set -- conformance values programs labs
find_machine "$build"

# ---- conformance: facts about this machine -----------------------------------

conformance() {
    local dir=${EXPECTED_DIR-tests/conformance} file
    [ "$backend" = cuda ] || dir=${EXPECTED_DIR-$build/tests/gpu}
    mkdir -p "$dir"
    file=$dir/$(tests/gpu/conformance.sh --name "$build")
    if tests/gpu/conformance.sh "$build" > "$file" 2> "$log"; then
        ok "conformance programs run, and print $file"
    else
        failure "conformance programs run: see also $file"
    fi
    # rules that are printed there; blank lines and comments are no facts
    if diff <(facts tests/conformance/expected.txt) <(facts "$file") \
        > "$log"; then
        ok "they print what tests/conformance/expected.txt says"
    else
        failure "< tests/conformance/expected.txt, > $gpu"
    fi
}

facts() { sed -E '/^(#|$|gpus )/d' "$1"; }

# ---- what calls return, to be looked at beside tests/runtime/h100 ------------

values() {
    local dir=$build/tests/values/$gpu
    if tests/gpu/values.sh "$build" "$dir" > "$log" 2>&1; then
        ok "what calls return is in $dir: $(cat "$log")"
    else
        failure "what calls return"
    fi
}

# ---- programs that check rules of their own ----------------------------------

program() { # NAME PROCESSES GPUS [NAME=VALUE...]
    local name=$1 processes=$2 need=$3 run=()
    shift 3
    [ "$processes" -eq 0 ] || run=(mpirun -n "$processes")
    [ "$processes" -le 1 ] || name+=" ($processes ranks)"
    if [ "$need" -gt "$gpus" ]; then
        skip "$name" "needs $need GPUs, here are $gpus"
    elif [ ! -x "$build/tests/${name%% *}" ]; then
        skip "$name" "is not built"
    else
        try "$name" 300 env "$@" "${run[@]}" "$build/tests/${name%% *}"
    fi
}

programs() {
    local name processes need rest
    # shellcheck disable=SC2086
    while read -r name processes need rest; do
        case $name,$processes in
        '#'* | , | lab*) ;;
        *,-) skip "$name" "$need $rest" ;;
        *) program "$name" "$processes" "$need" $rest ;; # settings are words
        esac
    done < tests/gpu/programs.txt
}

# ---- the labs' solutions -----------------------------------------------------

# Points that cases ask more ranks for are no failure.
lab() { # LAB RANKS
    local name="solution of $1, $2 ranks on $gpus GPUs" status
    again to_log timeout --kill-after=10 900 mpirun -n "$2" "$build/solutions/$1"
    status=$?
    if [ $status -eq 1 ] && grep -q ' SKIPPED ' "$log" &&
        ! grep -qE ' (FAIL|PARTLY|SUSPECTED|NOT IMPLEMENTED) ' "$log"; then
        ok "$name, but for $(grep -c ' SKIPPED ' "$log") cases"
    else
        verdict "$name" 900 $status
    fi
}

# A rank for each GPU, eight at most; where ranks may share GPUs, also more.
labs() { # LAB...
    local name source ranks=$((gpus < 8 ? gpus : 8))
    for name in "$@"; do
        if [ ! -x "$build/solutions/$name" ]; then
            skip "solution of $name" "is not built"
            continue
        fi
        if [ "$(need "$name")" -gt "$gpus" ]; then
            skip "solution of $name" \
                "needs $(need "$name") GPUs, here are $gpus"
            continue
        fi
        lab "$name" "$ranks"
        source=$(echo common/staff/"$name"-*/judge.c)
        if [ "$gpus" -lt 4 ] && grep -q 'shares_gpus = 1' "$source"; then
            lab "$name" 4
        fi
    done
}

if [ "$gpus" -eq 0 ]; then
    echo "nothing was tested: no GPU here"
    [ -x "$build/probe" ] || echo "($build/probe is not built: make test-gpu" \
        "builds it where the CUDA toolkit and NCCL are)"
    exit 1
fi
echo "$gpus GPUs, $gpu, backend $backend"
for part in "$@"; do
    # shellcheck disable=SC2046 # names without blanks
    case $part in
    conformance) conformance ;;
    values) values ;;
    programs) programs ;;
    labs) labs $(all_labs) ;;
    lab[0-9]*) labs "$part" ;;
    *)
        echo "test-gpu.sh: \"$part\" is no part: conformance, values, programs," \
            "labs, lab1..."
        exit 2
        ;;
    esac
done
finish
