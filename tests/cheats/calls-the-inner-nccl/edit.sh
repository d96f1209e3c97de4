echo 'ncclResult_t pncclSend(const void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
ncclResult_t quiet(float *b); ncclResult_t quiet(float *b) { return pncclSend(b, 1, ncclFloat, 0, 0, 0); }' >> travel.c
