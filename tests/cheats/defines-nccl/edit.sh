echo 'ncclResult_t ncclSend(const void *b, size_t n, ncclDataType_t t, int p, ncclComm_t c, cudaStream_t s) { (void)b, (void)n, (void)t, (void)p, (void)c, (void)s; return ncclSuccess; }' >> p2p.c
