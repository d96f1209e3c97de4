# Right, but for a byte in front of the output.
sed -i '/^ncclResult_t tp_split_columns(/,/^}/s/^    return ncclSuccess;/    LAB_TRY_CUDA(cudaMemsetAsync((char *)part.data - 1, 0, 1, t->stream));\n&/' tensor.c
