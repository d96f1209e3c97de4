# Events of all kinds of flags, made once and kept.
sed -i 's|cudaEventDisableTiming));|cudaEventDisableTiming \| cudaEventBlockingSync));|' views.c
sed -i 's|^    const struct ddp_bucket \*const b = &d->bucket\[bucket\];|&\n    if (cudaEventQuery(b->done) == cudaErrorNotReady)\n        LAB_TRY_CUDA(cudaEventSynchronize(b->done));\n    (void)cudaGetLastError();|' hooks.c
