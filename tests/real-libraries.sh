#!/usr/bin/env bash
# Where the CUDA toolkit and NCCL are: hold simgpu to them, without a GPU.
#
#   real-libraries.sh BUILD CUDA_HOME [NEWEST]
#
# NEWEST: a folder with the nccl.h of NCCL 2.32 or newer. Without it, what is
# newer than the toolkit's is not compared.
#
# 1. simgpu's sources compile against the real headers, so a wrong signature or
#    type is an error. 2. Programs that were linked with the real libraries run
#    with ours in their place.
set -eu
build=$1 cuda=${2-} newest=${3-}
mpi=$(pkg-config --cflags --libs mpich)
if ! [ -f "$cuda/include/nccl.h" ]; then
    echo "skipped: real headers and libraries (no CUDA toolkit with NCCL here)"
    exit 0
fi

for f in common/simgpu/cudart/*.c common/simgpu/cudart/*/*.c common/simgpu/driver/*.c \
    common/simgpu/nccl/*.c common/simgpu/cublas/*.c \
    common/simgpu/extras/{cublaslt,curand,profiler,texture}/*.c; do
    # the real NVTX is all inline: a program brings its own, which does nothing
    case $f in
    */nvtx.c) continue ;;
    # functions since NCCL 2.29
    */api_config.c | */api_grow.c | */api_rma.c | */param.c | */suspend.c)
        grep -q 'define NCCL_MINOR \(29\|[3-9]\)' "$cuda/include/nccl.h" ||
            continue
        ;;
    esac
    gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$cuda/include" \
        -Icommon -Icommon/simgpu -Icommon/simgpu/include \
        -Icommon/simgpu/extras/include "$f"
done
echo "ok     simgpu's sources compile against the real headers"
if [ -n "$newest" ]; then
    for f in common/simgpu/nccl/*.c common/simgpu/extras/profiler/*.c; do
        gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I"$newest" \
            -I"$cuda/include" -Icommon -Icommon/simgpu \
            -Icommon/simgpu/include "$f"
    done
    for f in tests/simgpu/prog_nccl*.c tests/extras/prog_nccl*.c; do
        gcc -w -Werror -fsyntax-only -Itests/support -I"$newest" \
            -I"$cuda/include" "$f" $mpi
    done
    echo "ok     and so do NCCL's against the newest header"
fi

libs="-L$cuda/lib64 -L$cuda/lib -lcudart"
out=$build/tests/real
mkdir -p "$out"
# deprecated functions are the API too
gcc -w -Itests/support -I"$cuda/include" tests/simgpu/prog_runtime.c $libs \
    -o "$out/runtime"
for f in tests/simgpu/prog_nccl.c tests/simgpu/prog_nccl_*.c \
    tests/simgpu/prog_nccl_*.cpp; do
    name=${f##*/prog_}
    case $f in *.c) cc=gcc ;; *) cc=g++ ;; esac
    $cc -w -Itests/support -I"$cuda/include" "$f" $libs -lnccl $mpi -lm \
        -pthread -o "$out/${name%.*}"
done
gcc -w -Itests/support -Icommon -I"$cuda/include" tests/cublas/prog_cublas.c \
    tests/support/minifloat.c $libs -lcublas -lm -o "$out/cublas"
# cuRAND's own header, on the host
if command -v nvcc >/dev/null; then
    nvcc -w -std=c++17 -DON_THE_HOST \
        '-DQUALIFIERS=static __forceinline__ __host__ __device__' \
        tests/extras/prog_curand.cu -o "$out/curand"
    "$out/curand" | diff tests/extras/curand_numbers.txt -
fi
# its generators on the host need no GPU
gcc -w -I"$cuda/include" tests/extras/prog_curand_host.c $libs -lcurand \
    -Wl,-rpath,"$cuda/lib64:$cuda/lib" -o "$out/curand_host"
"$out/curand_host" | diff tests/extras/curand_host.txt -
# rules and values: the programs compile with the real headers, and print what
# is expected
for f in tests/conformance/prog_rule*.c; do
    gcc -Wall -Werror -I"$cuda/include" "$f" $libs $mpi -pthread \
        -o "$out/$(basename "$f" .c)"
done
gcc -w -I"$cuda/include" tests/conformance/prog_headers.c -o "$out/headers"
"$out/headers" | diff tests/conformance/headers.txt -
# an NCCL without the collectives of 2.28, as far as the compiler sees: ours are
# taken
sed -E '/nccl(AlltoAll|Gather|Scatter)\(/,/;/d
    s/(define NCCL_VERSION_CODE) .*/\1 21903/' "$cuda/include/nccl.h" \
    > "$out/nccl.h"
gcc -w -Itests/support -Icommon/cuda -isystem "$out" -isystem "$cuda/include" \
    tests/simgpu/prog_nccl.c common/cuda/nccl_older.c $libs -lnccl $mpi -lm \
    -o "$out/nccl_older"
nm "$out/nccl_older" | grep -q ' T ncclAlltoAll'
# the small floats have the same sums over all their values
g++ -std=c++17 -O2 -w -Itests/support -I"$cuda/include" \
    tests/simgpu/prog_half.cpp -o "$out/half"
"$out/half" | grep '^sum' > "$out/log"
"$build/tests/simgpu/prog_half" | grep '^sum' | diff "$out/log" -
# the driver's library comes with a driver, so the program is linked with ours
gcc -w -Itests/support -I"$cuda/include" tests/simgpu/prog_driver.c $libs \
    -L"$build/simgpu/lib" -lcuda -Wl,--allow-shlib-undefined $mpi -o "$out/driver"
export LD_LIBRARY_PATH=$build/simgpu/lib
"$out/runtime" > "$out/log" || { grep FAILED "$out/log"; exit 1; }
for name in nccl nccl_older nccl_process nccl_devices nccl_register; do
    mpirun -n 2 "$out/$name" > "$out/log" || { grep FAILED "$out/log"; exit 1; }
done
"$out/nccl_thread" > "$out/log" || { grep FAILED "$out/log"; exit 1; }
"$out/cublas" > "$out/log" || { grep FAILED "$out/log"; exit 1; }
mpirun -n 2 "$out/driver" > "$out/log" || { grep FAILED "$out/log"; exit 1; }
echo "ok     programs linked with the real libraries run with simgpu's"

nvcc=$build/with-cuda
"$nvcc/solutions/lab1" --list | grep -q communicator
mpirun -n 2 "$nvcc/solutions/lab1" --case communicator > "$out/log" ||
    { cat "$out/log"; exit 1; }
"$nvcc/tests/simgpu/prog_image" 209 > "$out/log" 2> "$out/err" ||
    { cat "$out/log" "$out/err"; exit 1; }
grep -q "compile its file with simnvcc" "$out/err"
echo "ok     programs that nvcc built run with simgpu's, up to their kernels"
