# Swaps through the host, by MPI.
sed -i '/^ncclResult_t first_swap(/,/^}/d' nccl.c
cat >> nccl.c <<'C'
ncclResult_t first_swap(const float *sendbuf, float *recvbuf, size_t count,
                        int partner, ncclComm_t comm, cudaStream_t stream)
{
    const size_t nbytes = count * sizeof(float);
    float *const mine = malloc(nbytes), *const theirs = malloc(nbytes);
    (void)comm;
    LAB_TRY_CUDA(cudaMemcpyAsync(mine, sendbuf, nbytes, cudaMemcpyDeviceToHost,
                                 stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    MPI_Sendrecv(mine, (int)count, MPI_FLOAT, partner, 7, theirs, (int)count,
                 MPI_FLOAT, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    LAB_TRY_CUDA(cudaMemcpyAsync(recvbuf, theirs, nbytes,
                                 cudaMemcpyHostToDevice, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    free(mine);
    free(theirs);
    return ncclSuccess;
}
C
sed -i '/^#include "lab\/try.h"/a #include <mpi.h>\n#include <stdlib.h>' nccl.c
