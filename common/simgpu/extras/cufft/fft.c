/*
 * fft.c: Fourier transforms with mixed radices (Cooley-Tukey)
 *
 * A transform of length n = p m, where p is the smallest prime factor of n,
 * becomes p transforms of every p-th number, combined with powers of the n-th
 * root of 1. A length with large prime factors becomes a convolution
 * (Bluestein): i k = (i^2 + k^2 - (k - i)^2) / 2. The convolution's transforms
 * have a power of 2 as their length.
 */
#include "extras/cufft/fft.h"

#include <math.h>   /* cos */
#include <stdlib.h> /* malloc */

enum {
    MAX_RADIX = 31 /* larger primes use Bluestein */
};

static size_t smallest_prime(size_t n)
{
    for (size_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

/* exp(sign 2 pi sqrt(-1) k / n) */
static double complex root(size_t k, size_t n, int sign)
{
    const double angle = 2 * M_PI * (double)k / (double)n;
    return cos(angle) + sign * sin(angle) * (double complex)I;
}

struct fft {
    size_t n;
    int sign;
    const double complex *roots; /* n of them */
};

static int along(double complex *x, size_t total, size_t n, size_t stride,
                 int sign);

/* The chirp exp(sign pi sqrt(-1) i^2 / n). */
static double complex chirp(size_t i, size_t n, int sign)
{
    return root(i * i % (2 * n), 2 * n, sign); // lengths are less than 2^32
}

static int bluestein(double complex *out, const double complex *in, size_t n,
                     size_t stride, int sign)
{
    size_t room = 1;
    while (room < 2 * n - 1)
        room *= 2;
    double complex *const a = calloc(room, sizeof *a);
    double complex *const b = calloc(room, sizeof *b);
    int status = a && b ? 0 : -1;
    for (size_t i = 0; status == 0 && i < n; i++) {
        a[i] = in[i * stride] * chirp(i, n, sign);
        b[i] = b[(room - i) % room] = chirp(i, n, -sign);
    }
    if (status == 0)
        status = along(a, room, room, 1, 1) | along(b, room, room, 1, 1);
    for (size_t i = 0; status == 0 && i < room; i++)
        a[i] *= b[i] / (double)room;
    if (status == 0)
        status = along(a, room, room, 1, -1);
    for (size_t k = 0; status == 0 && k < n; k++)
        out[k] = a[k] * chirp(k, n, sign);
    free(b);
    free(a);
    return status;
}

/* Combine p transforms of length m, which follow each other in out. */
static void combine(const struct fft *f, double complex *out, size_t p,
                    size_t m)
{
    double complex t[MAX_RADIX];
    // step between powers of the root for length p m
    const size_t step = f->n / (p * m);
    for (size_t k = 0; k < m; k++) {
        for (size_t r = 0; r < p; r++)
            t[r] = out[r * m + k] * f->roots[r * k * step];
        for (size_t q = 0; q < p; q++) {
            double complex sum = 0;
            for (size_t r = 0; r < p; r++)
                sum += t[r] * f->roots[r * q % p * m * step];
            out[q * m + k] = sum;
        }
    }
}

/* Transform n numbers of in, stride apart. f->n is a multiple of n. */
static int transform(const struct fft *f, double complex *out,
                     const double complex *in, size_t n, size_t stride)
{
    const size_t p = smallest_prime(n), m = n / p;
    if (n == 1) {
        out[0] = in[0];
        return 0;
    }
    if (p > MAX_RADIX)
        return bluestein(out, in, n, stride, f->sign);
    for (size_t r = 0; r < p; r++)
        if (transform(f, out + r * m, in + r * stride, m, stride * p) != 0)
            return -1;
    combine(f, out, p, m);
    return 0;
}

/* Transform along one dimension of `n` numbers, `stride` apart. */
static int along(double complex *x, size_t total, size_t n, size_t stride,
                 int sign)
{
    double complex *const roots = malloc(n * sizeof *roots);
    double complex *const out = malloc(n * sizeof *out);
    const struct fft f = {n, sign, roots};
    int status = roots && out ? 0 : -1;
    for (size_t k = 0; status == 0 && k < n; k++)
        roots[k] = root(k, n, sign);
    for (size_t i = 0; status == 0 && i < total / n; i++) {
        double complex *const row = x + i / stride * stride * n + i % stride;
        status = transform(&f, out, row, n, stride);
        for (size_t k = 0; status == 0 && k < n; k++)
            row[k * stride] = out[k];
    }
    free(out);
    free(roots);
    return status;
}

int fft_3d(double complex *x, const size_t n[3], int sign)
{
    const size_t total = n[0] * n[1] * n[2];
    size_t stride = 1;
    for (int d = 2; d >= 0; stride *= n[d--])
        if (n[d] > 1 && along(x, total, n[d], stride, sign) != 0)
            return -1;
    return 0;
}
