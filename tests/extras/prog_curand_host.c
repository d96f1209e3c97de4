/* links: -lcurand
 * prog_curand_host.c: numbers of cuRAND's generators, in a table
 *
 *     prog_curand_host [device]
 *
 * Two calls each, the second of which goes on, at three offsets. With
 * "device", a stream writes them to device memory; otherwise a generator on the
 * host, which the real library has without a GPU, too (host.txt).
 */
#include <cuda_runtime.h>
#include <curand.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                             \
    do {                                                                       \
        const int err = (int)(call);                                           \
        if (err) {                                                             \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call,      \
                    err);                                                      \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

enum { FIRST = 263002, N = 540000 }; /* more than a turn of all lanes */
static int on_device;
static double host[N];

static int generate(curandGenerator_t g, int kind, void *p, size_t n)
{
    switch (kind) {
    case 0: return curandGenerate(g, p, n);
    case 1: return curandGenerateUniform(g, p, n);
    case 2: return curandGenerateUniformDouble(g, p, n);
    case 3: return curandGenerateNormal(g, p, n, 1, 2);
    case 4: return curandGenerateNormalDouble(g, p, n, 1, 2);
    case 5: return curandGenerateLogNormal(g, p, n, 0, 1);
    case 6: return curandGenerateLogNormalDouble(g, p, n, 0, 1);
    default: return curandGeneratePoisson(g, p, n, 7.5);
    }
}

static size_t size_of(int kind)
{
    return kind == 2 || kind == 4 || kind == 6 ? 8 : 4;
}

static void draw(curandRngType_t type, int kind, unsigned long long offset)
{
    curandGenerator_t g;
    cudaStream_t s = NULL;
    const size_t size = size_of(kind);
    char *p = (char *)host;
    MUST(on_device ? curandCreateGenerator(&g, type)
                   : curandCreateGeneratorHost(&g, type));
    MUST(curandSetPseudoRandomGeneratorSeed(g, 0x123456789abcULL));
    MUST(curandSetGeneratorOffset(g, offset));
    if (on_device) {
        MUST(cudaStreamCreate(&s));
        MUST(curandSetStream(g, s));
        MUST(cudaMalloc((void **)&p, sizeof host));
    }
    MUST(generate(g, kind, p, FIRST));
    MUST(generate(g, kind, p + FIRST * size, N - FIRST));
    if (on_device) {
        MUST(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, s));
        MUST(cudaStreamSynchronize(s));
        MUST(cudaStreamDestroy(s));
        MUST(cudaFree(p));
    }
    MUST(curandDestroyGenerator(g));
}

static void show(int kind, size_t i)
{
    const unsigned int *const x = (const unsigned int *)host;
    const float *const f = (const float *)host;
    if (kind == 0)
        printf(" %08x", x[i]);
    else if (kind == 1)
        printf(" %a", (double)f[i]);
    else if (kind == 2)
        printf(" %a", host[i]);
    else // libraries of mathematics differ in the last digits
        printf(" %.4g", size_of(kind) == 4 ? (double)f[i] : host[i]);
}

static void table(curandRngType_t type)
{
    static const unsigned long long offsets[] = {0, 7, 123456};
    static const size_t at[] = {0,     1,      2,      3,          4,
                                4095,  4096,   8193,   FIRST - 1,  FIRST,
                                65537, 138688, 262144, 2 * 262144, N - 1};
    for (int kind = 0; kind < 7; kind++)
        for (int o = 0; o < 3; o++) {
            draw(type, kind, offsets[o]);
            printf("%d %d %llu:", (int)type, kind, offsets[o]);
            for (size_t i = 0; i < sizeof at / sizeof *at; i++)
                show(kind, at[i]);
            printf("\n");
        }
}

/* Mean and variance are lambda; the numbers themselves are not cuRAND's. */
static void poisson(curandRngType_t type)
{
    double sum = 0, squares = 0;
    draw(type, 7, 0);
    for (int i = 0; i < N; i++) {
        const double x = ((const unsigned int *)host)[i];
        sum += x;
        squares += x * x;
    }
    const double mean = sum / N;
    printf("%d poisson: %.1f %.1f\n", (int)type, mean,
           squares / N - mean * mean);
}

/* The first number behind each new seed: the sequence goes on where it was. */
static void reseeded(curandRngType_t type)
{
    static const unsigned long long seeds[] = {5, 5, 6, 6, 5};
    unsigned int *const x = (unsigned int *)host;
    curandGenerator_t g;
    MUST(curandCreateGeneratorHost(&g, type));
    printf("%d reseeded:", (int)type);
    for (int kind = 0; kind < 4; kind++) {
        MUST(curandSetGeneratorOffset(g, 8));
        for (int i = 0; i < 5; i++) {
            MUST(curandSetPseudoRandomGeneratorSeed(g, seeds[i]));
            MUST(curandGenerate(g, x, 4));
            printf(" %08x", x[0]);
            MUST(generate(g, kind, x, 400u << i));
        }
    }
    printf("\n");
    MUST(curandDestroyGenerator(g));
}

/* What is refused, and how. */
static void errors(void)
{
    curandGenerator_t g;
    float x[4];
    unsigned int n[4];
    MUST(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT));
    printf("errors: %d", curandGenerateNormal(g, x, 3, 0, 1));
    printf(" %d", curandSetGeneratorOrdering(g, (curandOrdering_t)7));
    printf(" %d", curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
    printf(" %d",
           curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC));
    printf(" %d", curandGenerateUniform(NULL, x, 3));
    printf(" %d", curandGenerateNormal(g, x, 4, 0, -1));
    printf(" %d", curandGeneratePoisson(g, n, 4, 0));
    printf(" %d", curandGeneratePoisson(g, n, 0, 0));
    printf(" %d", curandGeneratePoisson(g, n, 4, 400000));
    printf(" %d", curandGeneratePoisson(g, n, 4, 400001));
    printf(" %d\n", curandCreateGeneratorHost(NULL, CURAND_RNG_PSEUDO_DEFAULT));
    MUST(curandDestroyGenerator(g));
}

int main(int argc, char **argv)
{
    static const curandRngType_t types[] = {CURAND_RNG_PSEUDO_XORWOW,
                                            CURAND_RNG_PSEUDO_PHILOX4_32_10};
    on_device = argc > 1 && !strcmp(argv[1], "device");
    for (int i = 0; i < 2; i++) {
        table(types[i]);
        poisson(types[i]);
        reseeded(types[i]);
    }
    errors();
    return 0;
}
