/*
 * bench.h: output in nccl-tests' columns, for programs that sweep sizes
 *
 *     size  count  type  redop  root   time  algbw  busbw  #wrong
 *
 * size is defined as in nccl-tests: the larger of the bytes that a rank sends
 * and those that it receives. Times are in microseconds, bandwidths in 1e9 B/s:
 * algbw = size / time; busbw = algbw * factor, which for an ideal algorithm is
 * the bandwidth of the links, for any number of ranks.
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

/* The buffers of an operation, which determine its sizes and factor. */
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

/* True if count is per rank: every rank has count elements, of n * count. */
int bench_is_blocked(enum bench_shape shape);
int bench_reduces(enum bench_shape shape);
int bench_has_root(enum bench_shape shape);

struct bench_time { /* one side of a row */
    int shown;      /* 0: "N/A" */
    double us;
    long wrong; /* wrong elements, over all ranks; -1: not checked */
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
    FILE *out, *csv; /* csv: of --output, or NULL */
    const char *title;
    double sum_busbw;
    int nbusbw;
    long wrong;
};

/*
 * Also write each row to a file of comma-separated values, with a line of
 * names; path NULL: don't. Before the first bench_head(), which keeps it; any
 * number of tables share it. 0, or -1 after a message.
 */
int bench_output(struct bench *b, const char *path);
void bench_close(struct bench *b);

/* The lines above the rows; title names what is measured ("all_reduce"). *b is
 * zeros, or a bench used before. */
void bench_head(struct bench *b, FILE *out, const char *title);
void bench_row(struct bench *b, const struct bench_row *row);
/* "Out of bounds values" and "Avg bus bandwidth". */
void bench_foot(const struct bench *b);

#endif
