# Makes the communicator, and sends the data by MPI.
cat > extra <<'C'
#include <mpi.h>
#include <stdlib.h>
static ncclResult_t mean_by_mpi(float *buf, size_t count, int n)
{
    float *const a = malloc(2 * count * sizeof *a), *const b = a + count;
    cudaDeviceSynchronize();
    cudaMemcpy(a, buf, count * sizeof *a, cudaMemcpyDeviceToHost);
    MPI_Allreduce(a, b, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (size_t i = 0; i < count; i++)
        b[i] /= (float)n;
    cudaMemcpy(buf, b, count * sizeof *b, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    free(a);
    return ncclSuccess;
}
C
sed -i '/#include "lab\/try.h"/r extra' comms.c
rm extra
sed -i '0,/        LAB_TRY(ncclAllReduce(buf, buf, count, ncclFloat, ncclAvg, comm,/s//        LAB_TRY(mean_by_mpi(buf, count, s->nranks));\n        LAB_TRY(ncclAllReduce(buf, buf, 0, ncclFloat, ncclAvg, comm,/' comms.c
