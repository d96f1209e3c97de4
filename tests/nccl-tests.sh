#!/usr/bin/env bash
# NVIDIA's nccl-tests, where a build of them with simnvcc is: all results right?
#
#   make test NCCL_TESTS=DIR     DIR/NAME_perf are the programs
#   nccl-tests.sh BUILD DIR
#
# Prints a row for each run: program, ranks, how they are started, types,
# results that are wrong, seconds. All types and operations in small sizes; and
# the bus bandwidth of all sizes, which is modelled time on the program's own
# clock, against `commgraph collective`. The program divides the time of a loop
# by its iterations, and so the time to launch the first and to notice the end
# of the last, 6 us here: with its usual 20 iterations 0.3 us, which is more
# than 1 % of a small message's time. Hence many iterations.
set -eu
build=$1 dir=${2-}
if ! [ -x "$dir/all_reduce_perf" ]; then
    echo "skipped: nccl-tests (NCCL_TESTS names no folder with its programs)"
    exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
export LD_LIBRARY_PATH=$PWD/$build/simgpu/lib

# columns of a result: size count type, for some redop and root, then time algbw
# busbw #wrong out of place and in place
# shellcheck disable=SC2016 # of awk
results='NF >= 12 && $1 + 0 > 0'

# row PROGRAM RANKS "OPTIONS" LAUNCHER...
row() {
    local name=$1 ranks=$2 options=$3 start=$SECONDS status=0 found
    shift 3
    # options are words
    # shellcheck disable=SC2086
    timeout 300 "$@" "$dir/${name}_perf" -c 1 $options > "$log" 2>&1 ||
        status=$?
    found=$(awk "$results"' { rows++; types[$3]; wrong += $(NF - 4) + $NF }
        END { n = 0; for (t in types) n++; print n + 0, wrong + 0, rows + 0 }' \
        "$log")
    read -r types wrong rows <<< "$found"
    if [ "$status" -ne 0 ] || [ "$wrong" -ne 0 ] || [ "$rows" -eq 0 ]; then
        echo "FAILED $name: status $status"
        tail -5 "$log"
        failed=1
        return
    fi
    printf 'ok     %-14s %d ranks  %-36s %2d types  #wrong %d  %3d s\n' \
        "$name" "$ranks" "$options" "$types" "$wrong" $((SECONDS - start))
}

all="-b 2K -e 2K -n 2 -w 1 -d all -o all"
one="-b 2K -e 2K -n 2 -w 1 -d half"
for name in all_reduce all_gather broadcast reduce_scatter reduce alltoall \
    gather scatter sendrecv hypercube; do
    for ranks in 2 3 5 8; do
        # a hypercube has a power of two of corners
        [ $name != hypercube ] || [ $((ranks & (ranks - 1))) -eq 0 ] || continue
        row $name $ranks "$all" mpirun -n $ranks
    done
    row $name 4 "$one -t 4" env
    # within one group, hypercube's steps have no order
    [ $name = hypercube ] || row $name 3 "$one -g 3" env
done
row all_reduce 8 "$one -t 2 -g 2" mpirun -n 2
row all_reduce 2 "$one -G 2" mpirun -n 2
row all_reduce 2 "$one -G 1" mpirun -n 2
row all_reduce 2 "$one -R 1" mpirun -n 2
row all_reduce 4 "$one -R 2 -o all" mpirun -n 4
row alltoall 2 "$one -R 2" mpirun -n 2
row all_reduce 8 "$one -t 2 -g 4 -R 2" env

# what newer releases have: another program, and NCCL inside kernels
if [ -x "$dir/alltoallv_perf" ]; then
    row alltoallv 2 "$all" mpirun -n 2
    row alltoallv 4 "$one -t 4" env
fi
# few blocks: each thread of those that wait has a stack
own="-b 4K -e 8K -f 2 -n 2 -w 1 -o sum -R 2 -V 2"
if "$dir/all_reduce_perf" -h 2>&1 | grep -q -- --device_implementation; then
    for device in 1 2; do # by loads and stores
        for name in all_reduce alltoall; do
            for type in int8 half double; do
                row $name 2 "$own -d $type -D $device" mpirun -n 2
            done
            row $name 3 "$own -d float -D $device -t 3" env
            row $name 8 "$own -d float -D $device" mpirun -n 8
        done
    done
    for device in 3 4; do # by multimem; by one-sided puts
        row all_reduce 3 "$own -d float -D $device" mpirun -n 3
        row all_reduce 4 "$own -d float -D $device -g 4" env
        row alltoall 2 "$own -d half -D $device" mpirun -n 2
        row alltoall 4 "$own -d int64 -D $device" mpirun -n 4
    done
fi

# bandwidth PROGRAM BYTES
bandwidth() {
    local name=$1 bytes=$2 program model
    timeout 300 mpirun -n 2 "$dir/${name}_perf" -c 0 -b "$bytes" -e "$bytes" \
        -w 1 -n 100 > "$log" 2>&1 || failed=1
    program=$(awk "$results"' { print $(NF - 5) }' "$log")
    model=$("$build/commgraph" collective --topo dgx-h100 --op "$name" \
        --ranks 2 --bytes "$bytes" | awk 'NR == 2 { print $NF }')
    awk -v a="${program:-0}" -v b="$model" \
        'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b) }' ||
        { echo "FAILED: more than 1 % apart"; failed=1; }
    echo "ok     $name, $bytes bytes: $program GB/s, commgraph $model GB/s"
}

for name in all_reduce all_gather reduce_scatter broadcast reduce alltoall; do
    for bytes in $((64 << 10)) $((1 << 20)) $((8 << 20)); do
        bandwidth $name $bytes
    done
done
exit $failed
