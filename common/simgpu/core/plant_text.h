/*
 * plant_text.h: the grammar of SIMGPU_FAULT
 *
 *     faults := fault { ";" fault }
 *     fault  := kind ":" key "=" value { "," key "=" value }
 *
 *     kind    must have            may have           value
 *     kill    rank, when           signal             a signal's number (9)
 *     lost    rank, when
 *     flip    rank, when           bit, seed          a bit's number; default:
 *                                                     drawn from seed (1)
 *     stall   rank, for, when                         how long
 *     slow    rank, factor         gpu, when, for     from 1 to 1000
 *     link    from, to or nic      rate, at, for      0 (down, needs for) to 1
 *
 *     when := op=N | at=TIME | span=NAME     one of them; TIME: 1.5ms, 20us
 *
 * op counts the operations that a rank enqueues and its calls of MPI, from 1.
 * Blanks are allowed around every word.
 */
#ifndef SIMGPU_CORE_PLANT_TEXT_H
#define SIMGPU_CORE_PLANT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record/record.h" /* enum graph_harm_kind */

enum { PLANT_MAX = 32, PLANT_TEXT = 160 };

struct plant { /* a fault of SIMGPU_FAULT */
    enum graph_harm_kind kind;
    uint32_t rank;
    uint64_t op; /* 0: not by operation */
    int has_at;  /* at_ps is given */
    uint64_t at_ps, for_ps;
    char span[64];       /* "": not by span */
    double factor;       /* how much slower; a link's rate */
    int32_t place, peer; /* as in struct graph_harm */
    int signal;
    int64_t bit; /* -1: draw */
    uint64_t seed;
    char text[PLANT_TEXT]; /* as the user wrote it */
};

/*
 * Parse SIMGPU_FAULT. Returns the number of faults, or -1 with a line in err:
 * where, what was expected there, and the nearest name.
 */
int plant_parse(const char *text, struct plant out[PLANT_MAX], char *err,
                size_t err_nbytes);

#endif
