/*
 * sweep_options.h: the command line of a sweep
 */
#ifndef COMMLAB_LAB_SWEEP_OPTIONS_H
#define COMMLAB_LAB_SWEEP_OPTIONS_H

#include "judge/data.h"
#include "lab/sweep.h"

enum { SWEEP_MAX_OPS = 32, SWEEP_MAX_SIZES = 64 };

struct sweep {
    struct lab_run *r;
    const struct sweep_op *own;               /* the lab's operations;
                                                 may be NULL */
    const struct sweep_op *op[SWEEP_MAX_OPS]; /* operations to sweep */
    int nops;
    size_t min_nbytes, max_nbytes;
    enum data_type type;
    enum data_op redop;
    int root, iterations, warmup, check;
    int in_place;                 /* 1: in place only; 0: both ways */
    size_t size[SWEEP_MAX_SIZES]; /* sizes of --sizes-mb, in place of
                                     min to max */
    int nsizes;
    const char *output; /* file, or NULL */
    uint64_t contents;  /* buffers smaller than this keep their contents */
};

/*
 * Fill in *s from defaults and argv; s->r and s->own are already set. All ranks
 * call and get the same values. Returns 0, or 2 after rank 0 has named the
 * option that it refuses.
 */
int sweep_parse(struct sweep *s, int argc, char **argv);

#endif
