# Another stream for the work, and events on both sides.
sed -i '0,/    return ncclCommInitRank(comm, nranks, id, rank);/s//    cudaStream_t mine;\n    LAB_TRY_CUDA(cudaStreamCreate(\&mine));\n    LAB_TRY_CUDA(cudaStreamSynchronize(mine));\n    LAB_TRY_CUDA(cudaStreamDestroy(mine));\n    return ncclCommInitRank(comm, nranks, id, rank);/' bootstrap.c
