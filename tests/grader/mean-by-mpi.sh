# mean-by-mpi.sh: for cheats: a function that averages device memory through the
# host and MPI
#
#   add_mean_by_mpi FILE    adds mean_by_mpi() to FILE, behind its #includes
add_mean_by_mpi() {
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
sed -i '/#include "lab\/try.h"/r extra' "$1"
rm extra
}
