# Looks for the least cost in place of computing where it is.
sed -i '/^size_t overlap_cap(/,/^}/d; s|#include <math.h>|#include <math.h>|' overlap.c
cat >> overlap.c <<'C'
static double cost(double cap, const double *p)
{
    return p[0] / cap * p[1] + cap / p[2];
}

size_t overlap_cap(size_t nbytes, double a_us, double bytes_per_us)
{
    const double p[] = {(double)nbytes, a_us, bytes_per_us};
    double low = 1, high = (double)nbytes;
    for (int i = 0; i < 200; i++) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        *(cost(a, p) < cost(b, p) ? &high : &low) = cost(a, p) < cost(b, p) ? b : a;
    }
    return (size_t)((low + high) / 2 + 0.5);
}
C
