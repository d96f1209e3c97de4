/*
 * interval.h: where the middle of a measured quantity lies
 *
 * What is measured varies from run to run, and nobody knows by what law. So the
 * interval assumes none: n values are sorted, and the median of what they are
 * drawn from lies outside of [k-th smallest, k-th largest] only if fewer than k
 * of n tosses of a coin show heads, or fewer than k show tails:
 *
 *     P(outside) = 2 P(B(n, 1/2) < k)
 *
 * k is the largest that keeps this at 5 % or less. Of 9 values that is 2 (3.9 %):
 * one outlier at either end is worth nothing. From fewer than 6 values no such k
 * exists, and the interval is all of them.
 */
#ifndef COMMLAB_JUDGE_INTERVAL_H
#define COMMLAB_JUDGE_INTERVAL_H

struct interval {
    double middle, low, high;
};

/* Smallest first. */
void interval_sort(double *value, int n);

/* Of n >= 1 values, which are sorted in place. */
struct interval interval_of(double *value, int n);

#endif
