/*
 * draw.h: inputs of cases, drawn from a seed
 *
 * A graded rank has no seed. It asks the recorder (base/recorder.h) for values,
 * which come from a generator that every judge knows as well, to compute what
 * is expected. In a lab's own program, where nothing is secret, the rank calls
 * the same generator.
 *
 *     lab_draw(), lab_draw_buffer()     a rank asks          lab/lab.h
 *     evidence_draw()                   the way there        judge/evidence.h
 *     draw_make()                       where the seed is
 *
 * A request is plain data from a process that student code shares, so a
 * generator writes exactly nbytes, or refuses.
 */
#ifndef COMMLAB_JUDGE_DRAW_H
#define COMMLAB_JUDGE_DRAW_H

#include <stddef.h>
#include <stdint.h>

enum { DRAW_PATH = 4, DRAW_ARGS = 3 };

/* Generators that all labs have; a lab's own are rows of judge_lab.draws, from
 * 0. */
enum draw_what {
    DRAW_DATA = -1, /* data_fill(); arg[0]: enum data_type */
    DRAW_SUMS = -2  /* data_fill_sum() over all ranks; likewise */
};

struct draw_ask { /* a request */
    int32_t what;
    int32_t of_root; /* from rank 0's seed: rows that are shared only */
    uint64_t npath;
    uint64_t path[DRAW_PATH]; /* judge_seed() of the seed, of that, ... */
    int64_t arg[DRAW_ARGS];
};

struct plan_case;
struct judge_lab;

struct draw_from { /* what a generator draws from */
    const struct plan_case *c;
    int rank, nranks;
    uint64_t seed; /* of the rank and iteration; then of the request's path */
};

/* Write nbytes. 0, or -1 if they are not what these arguments make. */
typedef int draw_fn(const struct draw_from *from, const int64_t *arg, void *out,
                    size_t nbytes);

struct draw_row { /* of judge_lab.draws, ended by a NULL fn */
    draw_fn *fn;
    int shared; /* any rank may have what rank 0's seed gives */
};

/* DRAW_DATA as a row, for labs that share it. */
draw_fn draw_data;

/* 0, or -1 if there is no such generator or it refuses. */
int draw_make(const struct judge_lab *lab, struct draw_from from,
              const struct draw_ask *d, void *out, size_t nbytes);

#endif
