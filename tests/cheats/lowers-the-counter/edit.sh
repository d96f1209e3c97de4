# Reduces each bucket twice, and takes the second call from the kit's count.
sed -i "/#include \"lab3.h\"/r $ROOT/tests/support/meter_cheat.h" hooks.c
sed -i 's/^    LAB_TRY_CUDA(cudaEventRecord(b->done, d->comm_stream));/    uint64_t *const before = meter_copy();\n    LAB_TRY(ncclAllReduce(buf, buf, b->count, ncclFloat, ncclAvg, d->comm,\n                          d->comm_stream));\n    meter_lower(before, 1);\n&/' hooks.c
