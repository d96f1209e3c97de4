/*
 * poisson.h: cuRAND's numbers with Poisson's distribution, on host and device
 */
#ifndef SIMGPU_POISSON_H
#define SIMGPU_POISSON_H

#include <math.h>

/*
 * The number at which the cumulative distribution reaches u, found by going up
 * or down from the mean.
 */
static __inline__ unsigned int simgpu_poisson(double u, double lambda)
{
    double k = floor(lambda);
    // probability of k
    double p = exp(k * log(lambda) - lambda - lgamma(k + 1));
    double below = 0, q = p;
    for (double i = k; i > 0 && q > 0; i--) // probability of less than k
        below += q *= i / lambda;
    while (u > below + p && p > 0) {
        below += p;
        p *= lambda / ++k;
    }
    while (u <= below && k > 0) {
        p *= k-- / lambda;
        below -= p;
    }
    return (unsigned int)k;
}

#endif
