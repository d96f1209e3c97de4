/*
 * draw.h: inputs of cases, drawn from a seed
 *
 * A graded rank has no seed. It asks the recorder (base/recorder.h) for values,
 * and the recorder calls a generator. The judge knows every generator, too, and
 * computes the expected results with it. In a lab's own program, where nothing
 * is secret, the rank calls the generator itself.
 *
 *     lab_draw(), lab_draw_buffer()     a rank asks         lab/lab.h
 *     evidence_draw()                   its request         judge/evidence.h
 *     draw_make()                       the owner of the seeds
 *
 * A request is plain data from a process that student code shares, so a
 * generator writes exactly nbytes or refuses.
 */
#ifndef COMMLAB_JUDGE_DRAW_H
#define COMMLAB_JUDGE_DRAW_H

#include <stddef.h>
#include <stdint.h>

enum { DRAW_PATH = 4, DRAW_ARGS = 3 };

/* Generators that all labs have. A lab's own are the rows of judge_lab.draws,
 * numbered from 0. */
enum draw_what {
    DRAW_DATA = -1, /* data_fill(); arg[0]: enum data_type */
    DRAW_SUMS = -2  /* data_fill_sum() over all ranks; arg[0] as above */
};

struct draw_ask { /* a request for values */
    int32_t what;
    int32_t of_root; /* draw from rank 0's seed; for shared rows only */
    uint64_t npath;
    uint64_t path[DRAW_PATH]; /* applied in turn: judge_seed(seed,
                                 path[0]), ... */
    int64_t arg[DRAW_ARGS];
};

struct plan_case;
struct judge_lab;

struct draw_from { /* what a generator draws from */
    const struct plan_case *c;
    int rank, nranks;
    uint64_t seed; /* for rank and iteration, then for the path */
};

/* Write nbytes of values. Returns 0, or -1 if these arguments don't give
 * that many bytes. */
typedef int draw_fn(const struct draw_from *from, const int64_t *arg, void *out,
                    size_t nbytes);

struct draw_row { /* a row of judge_lab.draws; a NULL fn ends the table */
    draw_fn *fn;
    int shared; /* every rank may draw from rank 0's seed */
};

/* DRAW_DATA as a row, for labs in which ranks share it. */
draw_fn draw_data;

/* Draw the values of a request. Returns 0, or -1 if there is no such generator
 * or it refuses. */
int draw_make(const struct judge_lab *lab, struct draw_from from,
              const struct draw_ask *d, void *out, size_t nbytes);

#endif
