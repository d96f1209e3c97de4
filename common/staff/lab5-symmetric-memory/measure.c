#include "measure.h"

#include "base/must.h"

ncclResult_t measure_us(struct lab_run *r, measured *f, void *arg,
                        int iterations, double *us)
{
    cudaEvent_t begin, end;
    float ms;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    LAB_TRY(f(arg));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaEventRecord(begin, r->stream));
    for (int i = 0; i < iterations; i++)
        LAB_TRY(f(arg));
    CUDA_MUST(cudaEventRecord(end, r->stream));
    CUDA_MUST(cudaEventSynchronize(end));
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    const double mine = ms * 1000.0 / iterations;
    MPI_MUST(MPI_Allreduce(&mine, us, 1, MPI_DOUBLE, MPI_MAX, r->mpi_comm));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    return ncclSuccess;
}
