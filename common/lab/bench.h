/*
 * bench.h: tables in nccl-tests' columns, for programs that sweep sizes
 *
 *     size  count  type  redop  root   time  algbw  busbw  #wrong
 *
 * size is defined as in nccl-tests: the larger of the bytes that a rank sends
 * and those that it receives. Times are in microseconds, bandwidths in 1e9 B/s:
 * algbw = size / time; busbw = algbw * factor, which is the bandwidth of the
 * links for an ideal algorithm on any number of ranks.
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

/* The buffers of an operation; they determine its sizes and its factor. */
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

/* True if count is for one rank's block, and buffers hold up to n *
 * count elements. */
int bench_is_blocked(enum bench_shape shape);
int bench_reduces(enum bench_shape shape);
int bench_has_root(enum bench_shape shape);

struct bench_time { /* one side of a row */
    int shown;      /* 0: "N/A" */
    double us;
    long wrong; /* wrong elements on all ranks; -1: not checked */
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
    FILE *out, *csv; /* csv: the file of --output, or NULL */
    const char *title;
    double sum_busbw;
    int nbusbw;
    long wrong;
};

/*
 * Also write each row to a file of comma-separated values, below a line of
 * names; with a NULL path, don't. Call it before the first bench_head(), which
 * keeps the file, so any number of tables share it. Returns 0, or -1 after a
 * message.
 */
int bench_output(struct bench *b, const char *path);
void bench_close(struct bench *b);

/* Print the lines above the rows; title names what is measured ("all_reduce").
 * *b must be zero, or a bench used before. */
void bench_head(struct bench *b, FILE *out, const char *title);
void bench_row(struct bench *b, const struct bench_row *row);
/* Print "Out of bounds values" and "Avg bus bandwidth". */
void bench_foot(const struct bench *b);

#endif
