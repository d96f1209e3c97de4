# Adds up the squares on the host, by MPI.
sed -i '/^#include "lab\/try.h"/a #include <mpi.h>' clip.c
sed -i '/^    LAB_TRY(ncclAllReduce(/,/;$/d' clip.c
sed -i 's/^    return shard_shrink(/    float own, sum;\n    LAB_TRY_CUDA(cudaMemcpyAsync(\&own, s->squares, sizeof own, cudaMemcpyDeviceToHost, s->compute));\n    LAB_TRY_CUDA(cudaStreamSynchronize(s->compute));\n    MPI_Allreduce(\&own, \&sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);\n    LAB_TRY_CUDA(cudaMemcpyAsync(s->squares, \&sum, sizeof sum, cudaMemcpyHostToDevice, s->compute));\n    LAB_TRY_CUDA(cudaStreamSynchronize(s->compute));\n&/' clip.c
