#!/usr/bin/env bash
# Do the labs build and link for GPUs with Open MPI, which most clusters have?
#
#   openmpi.sh BUILD CUDA_HOME
#
# Open MPI is not installed, because its mpirun would take the place of MPICH's,
# which simgpu needs: `make deps` unpacks Debian's packages into BUILD/openmpi.
# An Open MPI that is installed does as well. Programs are linked, but not run:
# there is no GPU.
set -eu
build=$1 cuda=${2-}
if ! [ -x "$cuda/bin/nvcc" ] || ! [ -f "$cuda/include/nccl.h" ]; then
    echo "skipped: GPU=cuda with Open MPI (no CUDA toolkit with NCCL here)"
    exit 0
fi
root=$(realpath -m "$build/openmpi")
pc=$(find "$root" -name ompi-c.pc 2> /dev/null | grep openmpi/ | head -n 1)
if [ -n "$pc" ]; then
    export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$root
elif ! pkg-config --exists ompi-c; then
    echo "skipped: GPU=cuda with Open MPI (make deps unpacks it into $build)"
    exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Objects without a header of CUDA's or MPI's are those of simgpu's programs.
# The packages that Open MPI's libraries need themselves may be missing.
make -s GPU=cuda MPI=ompi-c BUILD="$out" CUDA_HOME="$cuda" OPT=-O0 SYMBOLS= \
    PLAIN_O="$build/sim" \
    PLAIN="common/graph/% common/topo/% common/judge/% grader/%" \
    CU_FLAGS="-arch=sm_80 -Xptxas -O0" \
    LIBS="-Wl,--allow-shlib-undefined -Wl,-rpath-link,${pc%/openmpi/*}" \
    TEST= "$out/solutions/lab0" "$out/solutions/lab1"
for lab in lab0 lab1; do
    readelf -d "$out/solutions/$lab" | grep -q 'NEEDED.*\[libmpi.so' || {
        echo "failed $lab is not linked with Open MPI"
        exit 1
    }
    ! readelf -d "$out/solutions/$lab" | grep -q 'NEEDED.*libmpich' || {
        echo "failed $lab is linked with MPICH, too"
        exit 1
    }
done
echo "ok     GPU=cuda builds and links with Open MPI"
[[ $(mpicc -v 2>&1) == *MPICH* ]] || {
    echo "failed mpicc is not MPICH's, which simgpu needs"
    exit 1
}
echo "ok     mpicc is still MPICH's"
