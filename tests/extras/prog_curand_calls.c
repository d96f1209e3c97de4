/* links: -lcurand
 * prog_curand_calls.c: what each call of cuRAND returns, a line for each kind
 *
 * calls.txt has what it prints.
 */
#include <cuda_runtime.h>
#include <curand.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum { N = 4, LARGE = 1 << 18, TIMES = 32 };

static void versions(void)
{
    int version = 0, value = -1;
    printf("versions: %d", curandGetVersion(&version));
    printf(" %d", version == CURAND_VERSION);
    for (int i = -1; i < 4; i++) {
        printf(" %d", curandGetProperty((libraryPropertyType)i, &value));
        printf(":%d", value == (i == 0   ? CURAND_VER_MAJOR
                                : i == 1 ? CURAND_VER_MINOR
                                         : CURAND_VER_PATCH));
    }
    printf("\n");
}

/* cuRAND itself crashes on what isn't there, so that these come last. */
static void nowhere(void)
{
    printf("nowhere: %d", curandGetVersion(NULL));
    printf(" %d\n", curandGetProperty(MAJOR_VERSION, NULL));
}

/* Memory that is no generator, and none at all. */
static void no_generator(void)
{
    static long long zeros[64];
    const curandGenerator_t g[] = {NULL, (curandGenerator_t)zeros};
    unsigned int x[N];
    for (int i = 0; i < 2; i++) {
        printf("no generator: %d", curandDestroyGenerator(g[i]));
        printf(" %d", curandSetStream(g[i], NULL));
        printf(" %d", curandSetPseudoRandomGeneratorSeed(g[i], 1));
        printf(" %d", curandSetGeneratorOffset(g[i], 1));
        printf(" %d",
               curandSetGeneratorOrdering(g[i], CURAND_ORDERING_PSEUDO_BEST));
        printf(" %d", curandGenerateSeeds(g[i]));
        printf(" %d\n", curandGenerate(g[i], x, N));
    }
}

/* A seed and an offset hold from the next number on. */
static void settings(curandRngType_t type)
{
    curandGenerator_t g;
    unsigned int first[N], again[N], later[N], other[N];
    curandCreateGeneratorHost(&g, type);
    curandSetPseudoRandomGeneratorSeed(g, 5);
    curandGenerate(g, first, N);
    curandSetPseudoRandomGeneratorSeed(g, 5);
    curandGenerate(g, again, N);
    curandSetGeneratorOffset(g, 2);
    curandGenerate(g, later, N);
    curandSetPseudoRandomGeneratorSeed(g, 6);
    printf("settings: %d", curandGenerateSeeds(g));
    curandGenerate(g, other, N);
    printf(" %d", memcmp(first, again, sizeof first) == 0);
    printf(" %d", memcmp(first + 2, later, sizeof first / 2) == 0);
    printf(" %d\n", memcmp(other, later, sizeof other) != 0);
    curandDestroyGenerator(g);
}

static void orderings(void)
{
    static const curandOrdering_t order[] = {
        CURAND_ORDERING_PSEUDO_BEST, CURAND_ORDERING_PSEUDO_DEFAULT,
        CURAND_ORDERING_PSEUDO_LEGACY, CURAND_ORDERING_PSEUDO_DYNAMIC,
        CURAND_ORDERING_QUASI_DEFAULT};
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    printf("orderings:");
    for (int i = 0; i < 5; i++)
        printf(" %d", curandSetGeneratorOrdering(g, order[i]));
    printf("\n");
    curandDestroyGenerator(g);
}

/* A generator, its stream and the current device have to be one device's. */
static void devices(void)
{
    curandGenerator_t g;
    cudaStream_t other;
    unsigned int *p;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    cudaMalloc((void **)&p, LARGE * sizeof *p);
    printf("devices: %d", curandGenerate(g, p, N));
    cudaSetDevice(1);
    cudaStreamCreate(&other);
    printf(" %d", curandGenerate(g, p, N));
    curandSetStream(g, other);
    printf(" %d", curandGenerate(g, p, N));
    cudaSetDevice(0);
    printf(" %d", curandGenerate(g, p, N));
    printf(" %d", curandGenerate(g, p, 0));
    curandSetStream(g, NULL);
    printf(" %d", curandGenerate(g, p, N));
    cudaStreamDestroy(other);
    cudaFree(p);
    printf(" %d\n", curandDestroyGenerator(g));
}

static size_t in_use(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* A call keeps no memory that its results were made in. */
static void memory(void)
{
    curandGenerator_t g;
    unsigned int *p;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    cudaMalloc((void **)&p, LARGE * sizeof *p);
    curandGenerate(g, p, LARGE);
    cudaDeviceSynchronize();
    const size_t before = in_use();
    for (int i = 0; i < TIMES; i++)
        curandGenerate(g, p, LARGE);
    cudaDeviceSynchronize();
    printf("memory: %d\n", in_use() < before + TIMES / 2 * LARGE * sizeof *p);
    cudaFree(p);
    curandDestroyGenerator(g);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    versions();
    settings(CURAND_RNG_PSEUDO_XORWOW);
    settings(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    orderings();
    devices();
    memory();
    no_generator();
    nowhere();
    return 0;
}
