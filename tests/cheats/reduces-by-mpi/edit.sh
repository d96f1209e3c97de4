# Sums on the host, by MPI, instead of in a kernel.
sed -i '/^ncclResult_t symm_one_shot(/,/^}/d' allreduce.cu
cat >> allreduce.cu <<'C'
ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    float *const h = (float *)malloc(count * sizeof *h);
    LAB_TRY_CUDA(cudaMemcpyAsync(h, sendbuf, count * sizeof *h, cudaMemcpyDeviceToHost, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    MPI_Allreduce(MPI_IN_PLACE, h, (int)count, MPI_FLOAT, MPI_SUM, a->s->comm);
    LAB_TRY_CUDA(cudaMemcpyAsync(recvbuf, h, count * sizeof *h, cudaMemcpyHostToDevice, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    free(h);
    return ncclSuccess;
}
C
sed -i 's/^#include "lab\/try.h".*/&\n#include <mpi.h>\n#include <stdlib.h>/' allreduce.cu
