# Leaves its memory allocated, and takes it from the kit's count.
sed -i "/#include \"lab0.h\"/r $ROOT/tests/support/meter_cheat.h" cuda.cu
sed -i 's/^    LAB_TRY_CUDA(cudaMalloc((void \*\*)&x, nbytes));/    uint64_t *const before = meter_copy();\n&\n    meter_lower(before, nbytes);/; 0,/    LAB_TRY_CUDA(cudaFree(x));/s///' cuda.cu
