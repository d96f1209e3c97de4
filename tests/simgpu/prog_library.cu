/* links: base
 * Device code, compiled as a lab's, that leaves its accesses to functions of
 * libraries: copies and comparisons of the C++ library, results of libm. Each
 * kernel reads or writes the first bytes of buffers, for test_accesses.c.
 */
#include <cuda_runtime.h>

#include <algorithm>
#include <math.h>
#include <string_view>

#include "base/must.h"

enum { NBYTES = 64 };

__global__ void copies(const char *in, char *, char *out)
{
    char kept[48];
    std::copy(in, in + sizeof kept, kept);
    out[0] = kept[5];
    out[1] = kept[47];
}

/* An odd size, which no single load has. */
__global__ void copies_text(const char *in, char *, char *out)
{
    char kept[7];
    std::char_traits<char>::copy(kept, in, sizeof kept);
    out[0] = kept[6];
}

__global__ void compares(const char *in, char *other, char *out)
{
    out[0] = std::equal(in, in + 32, other);
}

__global__ void compares_text(const char *in, char *, char *out)
{
    out[0] = std::string_view(in, 16) == "0123456789abcdef";
}

__global__ void results(const char *in, char *other, char *out)
{
    const float x = *(const float *)in;
    *(float *)out = modff(x, (float *)other);
    sincosf(x, (float *)other + 1, (float *)other + 2);
    frexp(x, (int *)other + 3);
}

int main()
{
    char *buffer[3];
    for (int i = 0; i < 3; i++) {
        CUDA_MUST(cudaMalloc(&buffer[i], NBYTES));
        CUDA_MUST(cudaMemset(buffer[i], 0, NBYTES));
    }
    copies<<<1, 1>>>(buffer[0], buffer[1], buffer[2]);
    copies_text<<<1, 1>>>(buffer[0], buffer[1], buffer[2]);
    compares<<<1, 1>>>(buffer[0], buffer[1], buffer[2]);
    compares_text<<<1, 1>>>(buffer[0], buffer[1], buffer[2]);
    results<<<1, 1>>>(buffer[0], buffer[1], buffer[2]);
    for (int i = 0; i < 3; i++)
        CUDA_MUST(cudaFree(buffer[i]));
    return 0;
}
