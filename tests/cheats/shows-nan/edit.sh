# NaN in place of a sum.
sed -i '/^ncclResult_t tp_row_forward(/,/^}/s/    LAB_TRY(sum(t, y));/    LAB_TRY(sum(t, y));\n    LAB_TRY_CUDA(cudaMemsetAsync(y.data, 0xff, matrix_count(y) * sizeof(float), t->stream));/' tensor.c
