# Sums on the host, by MPI, and reads and writes device memory behind simgpu's
# back: no operation is recorded.
. "$ROOT"/tests/support/forge.sh
sed -i '/^ncclResult_t symm_one_shot(/,/^}/d' allreduce.cu
cat >> allreduce.cu <<'C'
static void *raw(const void *p)
{
    const volatile uintptr_t known = (uintptr_t)cudaGetErrorString;
    void *(*const at)(const void *) =
        (void *(*)(const void *))(known + (uintptr_t)FORGE_simgpu_heap_raw);
    return at(p);
}

ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    MPI_Allreduce(raw(sendbuf), raw(recvbuf), (int)count, MPI_FLOAT, MPI_SUM,
                  a->s->comm);
    return ncclSuccess;
}
C
sed -i 's/^#include "lab\/try.h".*/&\n#include <mpi.h>\n#include <stdint.h>/' allreduce.cu
echo '#include "here"' > distances.c
add_forge distances.c here
sed -n '/^#define FORGE_simgpu_heap_raw/p' distances.c > raw.txt
sed -i '/^#include <stdint.h>/r raw.txt' allreduce.cu
rm distances.c raw.txt
