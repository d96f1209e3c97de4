# The CHECK macros that every tutorial has, which end the program.
sed -i '/^ncclResult_t boot_sum(/,/^}/d; s|#include "lab1.h"|#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "lab1.h"|' bootstrap.c
cat >> bootstrap.c <<'C'
#define STR2(x) #x
#define STR(x) STR2(x)
#define CAT(a, b) a##b
#define __FILENAME__                                                           \
    (strrchr(__FILE__, '/') ? strrchr(__FILE__, '/') + 1 : __FILE__)
#define LOG(fmt, ...)                                                          \
    fprintf(stderr, "%s:" STR(__LINE__) " (%s): " fmt "\n", __FILENAME__, __func__, ##__VA_ARGS__)
#define CHECK(lib, ok, text, call)                                             \
    do {                                                                       \
        CAT(lib, _t) CAT(err_, __LINE__) = (call);                             \
        if (CAT(err_, __LINE__) != ok) {                                       \
            LOG("%s failed: %s", #call, text(CAT(err_, __LINE__)));            \
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);                           \
            exit(EXIT_FAILURE);                                                \
        }                                                                      \
    } while (0)
#define CUDACHECK(...)                                                         \
    CHECK(cudaError, cudaSuccess, cudaGetErrorString, (__VA_ARGS__))
#define NCCLCHECK(...)                                                         \
    CHECK(ncclResult, ncclSuccess, ncclGetErrorString, (__VA_ARGS__))
#define likely(x) __builtin_expect(!!(x), 1)
#define min(a, b)                                                              \
    ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define container_of(p, type, member)                                          \
    ((type *)((char *)(p) - offsetof(type, member)))
#define FOR(i, n) for (size_t i = 0; i < (size_t)(n); ++i)
#define X_STEPS X(up) X(sum) X(down)
enum steps {
#define X(step) STEP_##step,
    X_STEPS
#undef X
    NSTEPS
};
_Pragma("GCC diagnostic ignored \"-Wunused-variable\"")

ncclResult_t boot_sum(const struct coll *c, double mine, double *sum)
{
    static const char *const names[] = {
#define X(step) [STEP_##step] = #step,
        X_STEPS
#undef X
    };
    double *const d = c->scratch;
    const struct coll *const same = container_of(&c->rank, struct coll, rank);
    FOR(i, min(NSTEPS, 100)) {
        LOG("step %s", names[i]);
        if (i == STEP_up)
            CUDACHECK(cudaMemcpyAsync(d, &mine, sizeof mine, cudaMemcpyHostToDevice, same->stream));
        else if (likely(i == STEP_sum))
            NCCLCHECK(ncclAllReduce(d, d, 1, ncclDouble, ncclSum, c->comm, c->stream));
        else
            CUDACHECK(cudaMemcpyAsync(sum, d, sizeof *sum, cudaMemcpyDeviceToHost, c->stream));
    }
    CUDACHECK(cudaStreamSynchronize(c->stream));
    return ncclSuccess;
}
C
