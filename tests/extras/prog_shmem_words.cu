/* links: -lnvshmem_host
 * prog_shmem_words.cu: what NVSHMEM's comparisons say of words of each type,
 * and what one PE alone sees of its other functions
 *
 * shmem.txt has what is expected.
 */
#include <limits.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 8, CMPS = 6 };

/* The functions of a type, for templates. */
#define OF_TYPE(NAME, T)                                                       \
    struct NAME##_words {                                                      \
        typedef T word;                                                        \
        __device__ static int test(T *p, int cmp, T v)                         \
        {                                                                      \
            return nvshmem_##NAME##_test(p, cmp, v);                           \
        }                                                                      \
        __device__ static void wait(T *p, int cmp, T v)                        \
        {                                                                      \
            nvshmem_##NAME##_wait_until(p, cmp, v);                            \
        }                                                                      \
        __device__ static int all(T *p, size_t n, const int *status, int cmp,  \
                                  T v)                                         \
        {                                                                      \
            return nvshmem_##NAME##_test_all(p, n, status, cmp, v);            \
        }                                                                      \
        __device__ static size_t some(T *p, size_t n, size_t *at,              \
                                      const int *status, int cmp, T v)         \
        {                                                                      \
            return nvshmem_##NAME##_test_some(p, n, at, status, cmp, v);       \
        }                                                                      \
        __device__ static size_t any(T *p, size_t n, const int *status,        \
                                     int cmp, T *v)                            \
        {                                                                      \
            return nvshmem_##NAME##_test_any_vector(p, n, status, cmp, v);     \
        }                                                                      \
    };
SIMGPU_SHMEM_WORDS(OF_TYPE)

/* ---- comparisons --------------------------------------------------------- */

/* A bit for each comparison of each pair of words that holds. */
template <class W>
__global__ void compare(typename W::word *at, const typename W::word *value,
                        unsigned *holds)
{
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < WORDS; k++) {
            holds[WORDS * i + k] = 0;
            for (int cmp = 0; cmp < CMPS; cmp++)
                if (W::test(&at[i], cmp, value[k])) {
                    W::wait(&at[i], cmp, value[k]);
                    holds[WORDS * i + k] |= 1u << cmp;
                }
        }
}

/* The same of several words at once, from one that has a status on. */
template <class W>
__global__ void several(typename W::word *at, typename W::word *value,
                        const int *status, size_t *index, long *out)
{
    for (int cmp = 0; cmp < CMPS; cmp++) {
        *out++ = (long)W::all(at, 3, status, cmp, value[2]);
        *out++ = (long)W::some(at, WORDS, index, status, cmp, value[2]);
        *out++ = (long)index[0];
        *out++ = (long)W::any(at, WORDS, status, cmp, value);
        *out++ = (long)W::some(at, 0, index, NULL, cmp, value[2]);
    }
}

template <class W> static void check(const char *name)
{
    typedef typename W::word T;
    const T low = (T)((T)-1 < (T)1 ? (T)1 << (8 * sizeof(T) - 1) : 0);
    const T values[WORDS] = {low, (T)~low, (T)0, (T)1, (T)-1, (T)2, (T)3, (T)0};
    T *const at = (T *)nvshmem_calloc(WORDS, sizeof(T));
    T *value;
    unsigned *holds;
    int *status;
    size_t *index;
    long *out;
    cudaMallocManaged(&value, sizeof values);
    cudaMallocManaged(&holds, WORDS * WORDS * sizeof *holds);
    cudaMallocManaged(&status, WORDS * sizeof *status);
    cudaMallocManaged(&index, WORDS * sizeof *index);
    cudaMallocManaged(&out, CMPS * 5 * sizeof *out);
    memcpy(value, values, sizeof values);
    memset(status, 0, WORDS * sizeof *status);
    cudaMemcpy(at, values, sizeof values, cudaMemcpyHostToDevice);
    compare<W><<<1, 1>>>(at, value, holds);
    cudaDeviceSynchronize();
    printf("%s\n", name);
    for (int i = 0; i < WORDS; i++, printf("\n"))
        for (int k = 0; k < WORDS; k++)
            printf(" %02x", holds[WORDS * i + k]);
    status[0] = 1;
    several<W><<<1, 1>>>(at, value, status, index, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < CMPS * 5; i++)
        printf("%s%ld", i % 5 ? " " : i ? ", " : " ", out[i]);
    printf("\n");
    nvshmem_free(at);
}

#define CHECK_TYPE(NAME, T) check<NAME##_words>(#NAME);

/* ---- waiting ------------------------------------------------------------- */

/* A stream waits for 5 CMP 4 and so on; another sets the word. */
static void waiting()
{
    static const int before[CMPS] = {4, 5, 5, 6, 5, 4},
                     then[CMPS] = {5, 4, 6, 5, 4, 5};
    cudaStream_t waits, sets;
    int *x, *seen;
    cudaStreamCreate(&waits);
    cudaStreamCreate(&sets);
    x = (int *)nvshmem_calloc(1, sizeof *x);
    cudaMallocHost(&seen, sizeof *seen);
    for (int cmp = 0; cmp < CMPS; cmp++) {
        nvshmem_int_p(x, before[cmp], 0);
        nvshmemx_int_wait_until_on_stream(x, cmp, 5, waits);
        cudaMemcpyAsync(seen, x, sizeof *x, cudaMemcpyDefault, waits);
        nvshmemx_int_p_on_stream(x, before[cmp], 0, sets);
        cudaStreamSynchronize(sets);
        const int ready = cudaStreamQuery(waits) == cudaSuccess;
        nvshmemx_int_p_on_stream(x, then[cmp], 0, sets);
        cudaDeviceSynchronize();
        printf("comparison %d: ready %d, then saw %d\n", cmp, ready, *seen);
    }
    nvshmem_free(x);
}

/* ---- memory -------------------------------------------------------------- */

static void memory()
{
    int *const x = (int *)nvshmem_malloc(16), *const y =
                                                  (int *)nvshmem_malloc(4);
    char host[4];
    printf("none %d, aligned %d %d\n", nvshmem_malloc(0) == NULL,
           (int)((uintptr_t)nvshmem_align(4096, 8) % 4096),
           nvshmem_align(0, 8) != NULL);
    printf("ptr %d %d %d %d\n", nvshmem_ptr(x, 0) == x,
           nvshmem_ptr(x + 3, 0) == x + 3, nvshmem_ptr(host, 0) == NULL,
           nvshmem_ptr(y, 0) == y);
    printf("multicast %d\n", nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, x) == NULL);
    nvshmem_free(x);
    printf("freed %d\n", nvshmem_ptr(x, 0) == NULL);
    nvshmem_free(NULL);
}

/* ---- teams --------------------------------------------------------------- */

static void teams()
{
    for (int i = -2; i <= NVSHMEM_TEAMS_MIN; i++)
        printf("team %d: PE %d of %d\n", i, nvshmem_team_my_pe(i),
               nvshmem_team_n_pes(i));
    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    nvshmem_team_t team[3], row, column;
    for (int i = 0; i < 3; i++) {
        config.num_contexts = 10 + i;
        printf("split %d", nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1,
                                                      1, &config, 0, &team[i]));
        printf(" %d\n", team[i]);
    }
    nvshmem_team_destroy(team[1]);
    printf("2d %d", nvshmem_team_split_2d(team[2], 1, &config, 0, &row, NULL, 0,
                                          &column));
    printf(" %d %d\n", row, column);
    nvshmem_team_get_config(team[0], &config);
    printf("contexts %d", config.num_contexts);
    nvshmem_team_get_config(row, &config);
    printf(" %d\n", config.num_contexts);
    nvshmem_team_destroy(NVSHMEM_TEAM_INVALID);
    // from 1 down to 0, from -1 up to 0
    for (int start = -1; start <= 1; start += 2)
        printf("beyond %d\n",
               nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, -start, 2,
                                          NULL, 0, &row));
}

/* ---- beginning ----------------------------------------------------------- */

static void versions()
{
    int provided = -1, major, minor, patch;
    char name[NVSHMEM_MAX_NAME_LEN];
    printf("status %d\n", nvshmemx_init_status());
    printf("thread %d", nvshmem_init_thread(0, &provided));
    printf(" %d\n", provided);
    nvshmem_query_thread(&provided);
    printf("provided %d, status %d\n", provided, nvshmemx_init_status());
    nvshmem_init();
    nvshmem_finalize();
    nvshmem_info_get_version(&major, &minor);
    nvshmem_info_get_name(name);
    printf("%d.%d %s", major, minor, name);
    nvshmemx_vendor_get_version_info(&major, &minor, &patch);
    printf(" %d.%d.%d\n", major, minor, patch);
    nvshmemx_qp_handle_t *qp = NULL;
    printf("qp %d", nvshmemx_qp_create(0, &qp));
    printf(" %d", nvshmemx_qp_create(1, NULL));
    printf(" %d", nvshmemx_qp_create(2, &qp));
    printf(" %d %d\n", qp[0], qp[1]);
    free(qp);
}

int main(void)
{
    versions();
    SIMGPU_SHMEM_WORDS(CHECK_TYPE)
    printf("status %d\n", nvshmemx_init_status());
    waiting();
    memory();
    teams();
    nvshmemx_hostlib_finalize();
    printf("status %d\n", nvshmemx_init_status());
    return 0;
}
