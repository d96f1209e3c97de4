#include "judge/interval.h"

#include <stdlib.h> /* qsort */

static const double OUTSIDE = 0.05;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The number of values left out at each end: k - 1. */
static int left_out(int n)
{
    double exactly = 1, below = 0; // P(B = k), P(B < k)
    int k = 0;
    for (int i = 0; i < n; i++)
        exactly /= 2;
    while (k < n && 2 * (below + exactly) <= OUTSIDE) {
        below += exactly;
        exactly *= (double)(n - k) / (k + 1);
        k++;
    }
    return k > 0 ? k - 1 : 0;
}

void interval_sort(double *value, int n)
{
    qsort(value, (size_t)n, sizeof *value, by_value);
}

struct interval interval_of(double *value, int n)
{
    const int k = left_out(n);
    interval_sort(value, n);
    return (struct interval){
        .middle = (value[(n - 1) / 2] + value[n / 2]) / 2,
        .low = value[k],
        .high = value[n - 1 - k],
    };
}
