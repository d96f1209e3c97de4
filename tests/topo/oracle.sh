#!/usr/bin/env bash
# Does topo_nccl() choose what NCCL's own search and tuner choose?
#
#   make test NCCL_SRC=DIR TEST=topo/oracle    DIR: a checkout of NCCL 2.28.9
#   oracle.sh BUILD DIR [DRAWS [MACHINE]]      ORACLE_VERBOSE=1: each draw
#
# Compiles NCCL's src/graph and two functions of its enqueue.cc unmodified, with
# simgpu's headers of CUDA and oracle.cc, and runs that. Nothing of NCCL's is
# kept. Declarations of CUDA that simgpu lacks are replaced by empty ones: the
# code compared here doesn't use them.
set -eu
build=$1 nccl=${2-}
if ! [ -f "$nccl/src/graph/tuning.cc" ]; then
    echo "skipped: NCCL's own choices (NCCL_SRC names no checkout of NCCL)"
    exit 0
fi
version=$(sed -n 's/^NCCL_\(MAJOR\|MINOR\|PATCH\) *:= *//p' \
    "$nccl/makefiles/version.mk" | paste -sd .)
if [ "$version" != 2.28.9 ]; then
    echo "$nccl is NCCL $version: common/topo models 2.28.9 (tag v2.28.9-1)"
    exit 1
fi
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

# ---- headers -----------------------------------------------------------------

IFS=. read -r major minor patch <<< "$version"
# shellcheck disable=SC2016 # words of the template
sed -e 's/${nccl:Major}/'"$major/" -e 's/${nccl:Minor}/'"$minor/" \
    -e 's/${nccl:Patch}/'"$patch/" -e 's/${nccl:Suffix}//' \
    -e 's/${nccl:Version}/22809/' "$nccl/src/nccl.h.in" > "$here/nccl.h"
{
    echo '#include <cuda.h>'
    echo '#include <cudaTypedefs.h>'
    for name in CUmemFabricHandle CUmulticastObjectProp; do
        grep -rqw "$name" "$build/simgpu/include" ||
            echo "struct $name { unsigned char data[64]; int numDevices; };"
    done
    # the driver's functions that NCCL loads, and simgpu doesn't declare
    sed -n 's/^DECLARE_CUDA_PFN_EXTERN(\(cu\w*\), \([0-9]*\)).*/PFN_\1_v\2/p' \
        "$nccl/src/include/cudawrap.h" | while read -r name; do
        grep -qw "$name" "$build/simgpu/include/cudaTypedefs.h" ||
            echo "typedef void *$name;"
    done
    grep '^#define NVLS_NCHANNELS' "$nccl/src/transport/nvls.cc"
} > "$here/before.h"
mkdir "$here/cuda"
echo '#include <atomic>' > "$here/cuda/atomic" # of device code
for function in "void initCollCostTable" "ncclResult_t updateCollCostTable" \
    "ncclResult_t topoGetAlgoInfo"; do
    sed -n "/^static $function(/,/^}/p" "$nccl/src/enqueue.cc"
done > "$here/choice.inc"

# ---- programs ----------------------------------------------------------------

compile() {
    ${CXX:-g++} -std=c++17 -O2 -w -ffunction-sections -fdata-sections \
        -include "$here/before.h" -I"$here" -I"$nccl/src/include" \
        -I"$nccl/src/include/plugin" -I"$nccl/src/graph" \
        -I"$build/simgpu/include" -Icommon -c "$1" -o "$here/${1##*/}.o"
}
for file in "$nccl"/src/graph/*.cc "$nccl/src/misc/utils.cc" \
    tests/topo/oracle.cc; do
    compile "$file"
done
# utils.cc has more than is used, which the linker drops
${CXX:-g++} -Wl,--gc-sections -o "$here/oracle" "$here"/*.o \
    "$build"/sim/libtopo.a "$build"/sim/libbase.a -lexpat -lm -lpthread
for file in "$build"/simgpu/share/topo/*.xml; do
    sed '/<calibration>/,/<\/calibration>/d' "$file" > "$here/${file##*/}"
done

# NCCL's search recurses through all GPUs of a rack with large frames
ulimit -s "$(ulimit -H -s)"
export SIMGPU_TOPO_DIR=$build/simgpu/share/topo
"$here/oracle" "$here" "${@:3}"
echo "ok     choices of NCCL $version"
