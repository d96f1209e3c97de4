/*
 * wait.c: the functions of nvshmem/wait.h that wait and test
 */
#include "extras/nvshmem/word.h"
#include "extras/nvshmem/world.h"
#include "simgpu/kernel.h"

/* A WAIT for nelems words, from the arguments of a wait function. */
#define WAIT_FOR(CALL, T)                                                      \
    {                                                                          \
        .call = (CALL), .pc = __builtin_return_address(0),                     \
        .kind = REQUEST_WAIT, .dest = ivars, .nelems = nelems,                 \
        .size = sizeof(T), .is_signed = (T)-1 <= (T)1, .status = status,       \
        .cmp = cmp                                                             \
    }

static int counts(const struct shmem_request *r, size_t i)
{
    return !r->status || r->status[i] == 0;
}

static void check_kernel(const struct shmem_request *r)
{
    if (simgpu_outside)
        request_fault(r, "it is for kernels; host code has the _on_stream "
                         "functions");
    world_for(r);
}

/* The index of the first element whose condition holds, or SIZE_MAX. */
static size_t test_any(const struct shmem_request *r)
{
    check_kernel(r);
    for (size_t i = 0; i < r->nelems; i++)
        if (counts(r, i) && word_test(r, i))
            return i;
    return SIZE_MAX;
}

static size_t test_some(const struct shmem_request *r, size_t *indices)
{
    size_t n = 0;
    check_kernel(r);
    for (size_t i = 0; i < r->nelems; i++)
        if (counts(r, i) && word_test(r, i))
            indices[n++] = i;
    return n;
}

static int test_all(const struct shmem_request *r)
{
    check_kernel(r);
    for (size_t i = 0; i < r->nelems; i++)
        if (counts(r, i) && !word_test(r, i))
            return 0;
    return 1;
}

/* True if any element has to be waited for. */
static int any_counts(const struct shmem_request *r)
{
    for (size_t i = 0; i < r->nelems; i++)
        if (counts(r, i))
            return 1;
    return 0;
}

static size_t wait_any(const struct shmem_request *r)
{
    size_t i = SIZE_MAX;
    while (any_counts(r) && (i = test_any(r)) == SIZE_MAX)
        ;
    return i;
}

static size_t wait_some(const struct shmem_request *r, size_t *indices)
{
    size_t n = 0;
    while (any_counts(r) && (n = test_some(r, indices)) == 0)
        ;
    return n;
}

static void wait_all(const struct shmem_request *r)
{
    check_kernel(r);
    request_run(r);
}

/* Define the functions with one value for all elements, and those with a value
 * for each. VALUES sets the values in r. */
#define FAMILY(NAME, SUFFIX, T, VALUE, VALUES)                                 \
    void nvshmem_##NAME##_wait_until_all##SUFFIX(                              \
        T *ivars, size_t nelems, const int *status, int cmp, VALUE)            \
    {                                                                          \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmem_" #NAME "_wait_until_all" #SUFFIX, T);           \
        VALUES;                                                                \
        wait_all(&r);                                                          \
    }                                                                          \
    size_t nvshmem_##NAME##_wait_until_any##SUFFIX(                            \
        T *ivars, size_t nelems, const int *status, int cmp, VALUE)            \
    {                                                                          \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmem_" #NAME "_wait_until_any" #SUFFIX, T);           \
        VALUES;                                                                \
        return wait_any(&r);                                                   \
    }                                                                          \
    size_t nvshmem_##NAME##_wait_until_some##SUFFIX(                           \
        T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,  \
        VALUE)                                                                 \
    {                                                                          \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmem_" #NAME "_wait_until_some" #SUFFIX, T);          \
        VALUES;                                                                \
        return wait_some(&r, indices);                                         \
    }                                                                          \
    int nvshmem_##NAME##_test_all##SUFFIX(T *ivars, size_t nelems,             \
                                          const int *status, int cmp, VALUE)   \
    {                                                                          \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmem_" #NAME "_test_all" #SUFFIX, T);                 \
        VALUES;                                                                \
        return test_all(&r);                                                   \
    }                                                                          \
    size_t nvshmem_##NAME##_test_any##SUFFIX(                                  \
        T *ivars, size_t nelems, const int *status, int cmp, VALUE)            \
    {                                                                          \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmem_" #NAME "_test_any" #SUFFIX, T);                 \
        VALUES;                                                                \
        return test_any(&r);                                                   \
    }                                                                          \
    size_t nvshmem_##NAME##_test_some##SUFFIX(                                 \
        T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,  \
        VALUE)                                                                 \
    {                                                                          \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmem_" #NAME "_test_some" #SUFFIX, T);                \
        VALUES;                                                                \
        return test_some(&r, indices);                                         \
    }                                                                          \
    void nvshmemx_##NAME##_wait_until_all##SUFFIX##_on_stream(                 \
        T *ivars, size_t nelems, const int *status, int cmp, VALUE,            \
        cudaStream_t cstream)                                                  \
    {                                                                          \
        struct shmem_request r = WAIT_FOR(                                     \
            "nvshmemx_" #NAME "_wait_until_all" #SUFFIX "_on_stream", T);      \
        VALUES;                                                                \
        r.scope = SCOPE_STREAM;                                                \
        r.stream = cstream;                                                    \
        request_run(&r);                                                       \
    }

#define WORDS(NAME, T)                                                         \
    void nvshmem_##NAME##_wait_until(T *ivar, int cmp, T cmp_value)            \
    {                                                                          \
        T *const ivars = ivar;                                                 \
        const size_t nelems = 1;                                               \
        const int *const status = NULL;                                        \
        struct shmem_request r = WAIT_FOR("nvshmem_" #NAME "_wait_until", T);  \
        r.value = word_bits(&cmp_value, sizeof cmp_value);                     \
        wait_all(&r);                                                          \
    }                                                                          \
    int nvshmem_##NAME##_test(T *ivar, int cmp, T cmp_value)                   \
    {                                                                          \
        T *const ivars = ivar;                                                 \
        const size_t nelems = 1;                                               \
        const int *const status = NULL;                                        \
        struct shmem_request r = WAIT_FOR("nvshmem_" #NAME "_test", T);        \
        r.value = word_bits(&cmp_value, sizeof cmp_value);                     \
        return test_all(&r);                                                   \
    }                                                                          \
    void nvshmemx_##NAME##_wait_until_on_stream(T *ivar, int cmp, T cmp_value, \
                                                cudaStream_t cstream)          \
    {                                                                          \
        T *const ivars = ivar;                                                 \
        const size_t nelems = 1;                                               \
        const int *const status = NULL;                                        \
        struct shmem_request r =                                               \
            WAIT_FOR("nvshmemx_" #NAME "_wait_until_on_stream", T);            \
        r.value = word_bits(&cmp_value, sizeof cmp_value);                     \
        r.scope = SCOPE_STREAM;                                                \
        r.stream = cstream;                                                    \
        request_run(&r);                                                       \
    }                                                                          \
    FAMILY(NAME, , T, T cmp_value,                                             \
           r.value = word_bits(&cmp_value, sizeof cmp_value))                  \
    FAMILY(NAME, _vector, T, T *cmp_values, r.values = cmp_values)
SIMGPU_SHMEM_WORDS(WORDS)

/* ---- signals ------------------------------------------------------------- */

static uint64_t load(const struct shmem_request *r)
{
    request_calls(r);
    const uint64_t value = simgpu_sync_load(r->dest, 8, SIMGPU_ACQUIRE);
    request_called();
    return value;
}

uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp,
                                   uint64_t cmp_val)
{
    uint64_t *const ivars = sig_addr;
    const size_t nelems = 1;
    const int *const status = NULL;
    struct shmem_request r = WAIT_FOR("nvshmem_signal_wait_until", uint64_t);
    r.value = cmp_val;
    wait_all(&r);
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

void nvshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp,
                                          uint64_t cmp_value,
                                          cudaStream_t cstream)
{
    uint64_t *const ivars = sig_addr;
    const size_t nelems = 1;
    const int *const status = NULL;
    struct shmem_request r =
        WAIT_FOR("nvshmemx_signal_wait_until_on_stream", uint64_t);
    r.value = cmp_value;
    r.scope = SCOPE_STREAM;
    r.stream = cstream;
    request_run(&r);
}

uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
{
    struct shmem_request r = CALLED("nvshmem_signal_fetch");
    uint64_t value;
    const int me = nvshmem_my_pe();
    r.dest = heap_of_pe(&r, sig_addr, sizeof *sig_addr, me, "sig_addr");
    if (!simgpu_outside)
        return load(&r);
    r = (struct shmem_request){.call = r.call,
                               .pc = r.pc,
                               .kind = REQUEST_GET,
                               .dest = &value,
                               .source = sig_addr,
                               .nelems = 1,
                               .size = sizeof value,
                               .pe = me};
    request_run(&r);
    return value;
}
