/*
 * interval.h: confidence interval of a measured median
 *
 * The distribution of measurements is unknown, so the interval assumes none: of
 * n sorted values, the median of their distribution lies outside [k-th
 * smallest, k-th largest] only if fewer than k of n coin tosses show heads, or
 * fewer than k show tails:
 *
 *     P(outside) = 2 P(B(n, 1/2) < k)
 *
 * k is the largest number that keeps this at 5 % or less. For 9 values it is 2
 * (3.9 %): one outlier at each end has no effect. With fewer than 6 values
 * there is no such k, and the interval spans all of them.
 */
#ifndef COMMLAB_JUDGE_INTERVAL_H
#define COMMLAB_JUDGE_INTERVAL_H

struct interval {
    double middle, low, high;
};

/* Sort values in ascending order. */
void interval_sort(double *value, int n);

/* The interval of n >= 1 values, which are sorted in place. */
struct interval interval_of(double *value, int n);

#endif
