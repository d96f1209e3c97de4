#!/usr/bin/env bash
# Does nvcc make of the kernels what a GPU is fast with?
#
#   cuda-kernels.sh BUILD CUDA_HOME
#
# Each kernel of the files below, for each architecture: it loads and stores 16
# bytes at a time, and keeps all it works with in registers. What PTX says of
# that, the machine code (SASS) has to say, too, where a tool is there to read
# it. Every kernel counts that isn't excused; who isn't wide is named.
set -eu
cuda=${2-}
files="common/nn/kernels.cu common/staff/lab1-collectives/reduce.cu
    solutions/lab5-symmetric-memory/allreduce.cu
    solutions/lab5-symmetric-memory/device.cu
    solutions/lab5-symmetric-memory/ring.cu
    solutions/lab7-expert-parallel/fp8.cu
    common/staff/lab7-expert-parallel/support.cu
    common/staff/lab8-sharded-training/norm.cu"
# a lab may have been removed
files=$(for f in $files; do [ ! -f "$f" ] || echo "$f"; done)
# A thread has a row of its own in the losses, of any length; 4 floats are 8
# bytes as 16-bit numbers, and 4 bytes as 8-bit ones; <1> is for tokens that
# aren't aligned; in lab 7's dots a warp loads 128 bytes at a time, for tokens
# of any length; and its experts by slots stand in for a product, element by
# element.
excused="squares:loads squares:stores cross_entropy:loads cross_entropy:stores
    narrow:stores widen:loads gather<1>:loads gather<1>:stores
    scatter<1>:loads scatter<1>:stores combine<1>:loads combine<1>:stores
    spread<1>:loads spread<1>:stores dots:loads dots:stores
    experts:loads experts:stores diagonals:loads diagonals:stores
    quantise:stores dequantise:loads"
if ! [ -x "$cuda/bin/nvcc" ]; then
    echo "skipped: 16-byte accesses of kernels (no nvcc here)"
    exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export cuda out
mpi=$(pkg-config --cflags mpich)
contracts=$(printf -- '-I%s ' solutions/lab*)
export flags="-std=c++17 -O2 -Icommon -Icommon/cuda $contracts $mpi"

# compile FILE ARCH: its PTX, its machine code, and what ptxas says of that
compile() {
    local at
    at=$out/$(basename "$1" .cu).$2
    # shellcheck disable=SC2086 # flags are words
    "$cuda/bin/nvcc" $flags -arch="$2" -ptx "$1" -o "$at.ptx" &&
        "$cuda/bin/ptxas" -v -arch="$2" "$at.ptx" -o "$at.cubin" 2> "$at.log"
}
export -f compile

# narrow_ones FORM: of that assembly on stdin, "KERNEL:loads" and
# "KERNEL:stores" for each kernel without any of 16 bytes
narrow_ones() {
    awk -v form="$1" '
        form == "ptx" && /\.entry/ { name = $NF; sub(/\(.*/, "", name) }
        form == "sass" && /Function :|\.section.*\.text\./ {
            name = $NF; sub(/.*\.text\./, "", name); sub(/,.*/, "", name) }
        name { seen[name] }
        /ld\.global.*\.(v4\..32|v2\..64)|LDG?\.E.*\.128/ { load[name] }
        /st\.global.*\.(v4\..32|v2\..64)|STG?\.E.*\.128/ { store[name] }
        END { for (name in seen) {
            if (!(name in load)) print name, "loads"
            if (!(name in store)) print name, "stores" } }' |
        c++filt | sed -E 's/^(void )?([^(]*)\(.*\) (loads|stores)$/\2:\3/'
}

# sass CUBIN: as text, if there is a tool
sass() {
    local tool
    if tool=$(command -v "$cuda/bin/nvdisasm" nvdisasm | head -n 1) &&
        [ "$tool" ]; then
        "$tool" "$1"
    elif tool=$(command -v "$cuda/bin/cuobjdump" cuobjdump | head -n 1) &&
        [ "$tool" ]; then
        "$tool" -sass "$1"
    fi
}

# complaints FILE ARCH: one a line
complaints() {
    local at kernel what form text
    at=$out/$(basename "$1" .cu).$2
    sass "$at.cubin" > "$at.sass"
    for form in ptx sass; do
        text=$at.$form
        [ -s "$text" ] || continue
        narrow_ones $form < "$text" | while IFS=: read -r kernel what; do
            [[ " ${excused//[[:space:]]/ } " == *" $kernel:$what "* ]] ||
                echo "$1, $2: $kernel $what no 16 bytes at a time ($form)"
        done
    done
    awk '/Function properties for/ { name = $NF }
        /spill/ && !/^ *0 bytes stack frame, 0 bytes spill stores, 0 / {
            print name " does not fit into registers: " $0 }' "$at.log" |
        c++filt -i | sed "s|^|$1, $2: |"
}

# The check itself: a kernel that goes by single floats is named.
cat > "$out/scalar.cu" <<'END'
__global__ void slow(float *y)
{
    y[threadIdx.x] += 1;
}
END
for arch in sm_80 sm_90; do
    for f in $files "$out/scalar.cu"; do
        echo "$f $arch"
    done
done > "$out/list"
xargs -P "$(nproc)" -L 1 bash -c 'compile "$0" "$1"' < "$out/list"
status=0
while read -r f arch; do
    said=$(complaints "$f" "$arch")
    if [ "$f" = "$out/scalar.cu" ]; then
        [[ $said == *"slow loads no 16 bytes"*"slow stores no"* ]] ||
            { echo "a kernel of single floats is not found: '$said'"; status=1; }
    elif [ "$said" ]; then
        echo "$said"
        status=1
    fi
done < "$out/list"
[ $status -ne 0 ] || echo "ok     kernels move 16 bytes at a time, in registers"
exit $status
