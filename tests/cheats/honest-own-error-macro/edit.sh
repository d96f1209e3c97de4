# An error macro of its own, with do-while, and a log to stderr with times.
cat > body <<'C'

#define CHECK(call)                                                            \
    do {                                                                       \
        const ncclResult_t status_ = (call);                                   \
        if (status_ != ncclSuccess) {                                          \
            fprintf(stderr, "[%s:%d] %s -> %s\n", __FILE__, __LINE__, #call,   \
                    ncclGetErrorString(status_));                              \
            return status_;                                                    \
        }                                                                      \
    } while (0)

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

#define LOG(...)                                                               \
    do {                                                                       \
        if (getenv("DEBUG"))                                                   \
            fprintf(stderr, __VA_ARGS__);                                      \
    } while (0)

ncclResult_t first_swap(const float *sendbuf, float *recvbuf, size_t count,
                        int partner, ncclComm_t comm, cudaStream_t stream)
{
    const double t0 = now_ms();
    CHECK(ncclGroupStart());
    CHECK(ncclRecv(recvbuf, count, ncclFloat, partner, comm, stream));
    CHECK(ncclSend(sendbuf, count, ncclFloat, partner, comm, stream));
    CHECK(ncclGroupEnd());
    LOG("swap took %.3f ms to enqueue\n", now_ms() - t0);
    assert(partner >= 0);
    return ncclSuccess;
}
C
sed -i '/^ncclResult_t first_swap(/,/^}/d' nccl.c
cat body >> nccl.c
rm body
sed -i '/^#include "lab\/try.h"/a #include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>' nccl.c
