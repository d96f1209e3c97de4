/*
 * bench.h: nccl-tests' columns, for every program that sweeps sizes
 *
 *     size  count  type  redop  root   time  algbw  busbw  #wrong
 *
 * size is what nccl-tests calls an operation's size: the larger of what a rank
 * sends and what it receives. Times are microseconds, bandwidths 1e9 B/s: algbw =
 * size / time; busbw = algbw * factor, which for a perfect algorithm is the rate
 * of the links, whatever the number of ranks.
 *
 *     struct bench b;
 *     bench_head(&b, stdout, notes...);
 *     bench_row(&b, &(struct bench_row){...});       for each size
 *     bench_foot(&b);
 */
#ifndef COMMLAB_LAB_BENCH_H
#define COMMLAB_LAB_BENCH_H

#include <stddef.h>
#include <stdio.h>

/* What an operation does with its buffers, which decides its sizes and factor. */
enum bench_shape {
    BENCH_ALL_REDUCE,
    BENCH_REDUCE,
    BENCH_BROADCAST,
    BENCH_ALL_GATHER,
    BENCH_REDUCE_SCATTER,
    BENCH_ALL_TO_ALL,
    BENCH_GATHER,
    BENCH_SCATTER,
    BENCH_SEND_RECV,
    BENCH_SHAPES
};

/* busbw / algbw for n ranks: 2(n-1)/n, (n-1)/n or 1. */
double bench_factor(enum bench_shape shape, int n);

/* Does every rank's part have count elements, and the whole n times as many? */
int bench_is_blocked(enum bench_shape shape);
int bench_reduces(enum bench_shape shape);
int bench_has_root(enum bench_shape shape);

struct bench_time { /* one side of a row */
    int shown;      /* 0: "N/A" */
    double us;
    long wrong; /* elements, over all ranks; -1: not looked at */
};

struct bench_row {
    enum bench_shape shape;
    int nranks;
    size_t nbytes, count;     /* size and count columns */
    const char *type, *redop; /* redop NULL: "none" */
    int root;                 /* -1: none */
    struct bench_time out_of_place, in_place;
};

struct bench {
    FILE *out;
    double sum_busbw;
    int nbusbw;
    long wrong;
};

/* The lines above the rows; title is what is measured ("all_reduce"). */
void bench_head(struct bench *b, FILE *out, const char *title);
void bench_row(struct bench *b, const struct bench_row *row);
/* "Out of bounds values" and "Avg bus bandwidth". */
void bench_foot(const struct bench *b);

#endif
