/*
 * judge5.h: shared by the files of lab 5's judge
 */
#ifndef LAB5_JUDGE5_H
#define LAB5_JUDGE5_H

#include "judge/data.h"
#include "judge/graph/spans.h"

double judge5_metric(const struct judge_task *t, int rank, int iteration,
                     const char *name);

/* Elements of a case. */
static inline size_t judge5_count(const struct judge_task *t)
{
    return (size_t)plan_int(t->c, "count", 1000);
}

/* Ranks are on the machine's GPUs in order, starting over if there are
 * fewer. */
static inline int judge5_gpu(const struct topo *topo, int rank)
{
    return rank % topo_ngpus(topo);
}

/* The seeds of all ranks' inputs of an iteration. The caller frees them. */
uint64_t *judge5_seeds(const struct judge_task *t, int iteration);

/* Element i of a rank's input, as a number. */
static inline double judge5_input(uint64_t seed, size_t i)
{
    return data_value(seed, i, DATA_FLOAT);
}

/* The value of the element with this number in a rank's output, and a bit for
 * each rank whose input it is computed from. */
typedef double judge5_want(const struct judge_task *t, const uint64_t *seed,
                           int rank, size_t i);
typedef struct rank_set judge5_from(const struct judge_task *t,
                                    const uint64_t *seed, int rank, size_t i);

/* Compare an output of floats with these values, each of which has to be the
 * result of device operations. from is NULL if the case itself copies data to
 * the host and back. */
void judge5_compare(const struct judge_task *t, const char *name, size_t count,
                    judge5_want *want, judge5_from *from,
                    struct judge_verdict *v);

/* Expect each element of 4 bytes of a rank's output to descend from these
 * ranks, and from nothing of the host's (judge_from.c). */
void judge5_descend(const struct judge_task *t, int rank, int iteration,
                    const char *name, size_t count, judge5_from *from,
                    const uint64_t *seed, struct judge_verdict *v);

judge5_from judge5_from_all;   /* all ranks */
judge5_from judge5_from_first; /* ranks 0 to this one */

/* Compare "out" of `calls` all-reduces with `rough: 1` (drawn_rough()): right
 * up to roundings, and of the same bits on all ranks. */
void judge5_compare_rough(const struct judge_task *t, size_t calls,
                          struct judge_verdict *v);

/* Expect no calls of NCCL: the lab is about doing without it. */
void judge5_no_nccl(const struct judge_task *t, struct judge_verdict *v);

struct graph_move;
int judge5_leaves(const struct graph_move *m);

/* Expect kernels, not copies, to move a rank's data from one GPU to another
 * (judge_kernels.c). */
void judge5_no_copies(const struct judge_task *t, int rank, int iteration,
                      struct judge_verdict *v);

/* Expect a rank to launch at most this many kernels. */
void judge5_launches(const struct judge_task *t, int rank, int iteration,
                     int most, struct judge_verdict *v);

/* Expect no operation to touch the guards of cases_alloc(), which show an
 * access one element too far even inside the heap (judge_guard.c). */
void judge5_guards(const struct judge_task *t, struct judge_verdict *v);

/* ---- part 2, in kernels (judge_play.c) ----------------------------------- */

judge_fn judge5_play;

/* ---- parts 3 and 4 (judge_reduce.c) -------------------------------------- */

judge_fn judge5_reduce, judge5_tune;

/* Several all-reduces in a row, of which number i has i times the inputs. */
judge5_want judge5_want_sum;

/* The time of NCCL's all-reduce on this machine; NaN if unknown. */
double judge5_nccl_us(const struct judge_task *t, size_t nbytes);

/* The mean time of one of `calls` calls in a range of that name, on the slowest
 * rank: from the graph or, on GPUs, as recorded. */
double judge5_range_us(const struct judge_task *t, const char *name, int calls);

/* Bytes that the operations of an iteration move from one GPU to another or to
 * and from the switch that adds: all of them, those of the switch, and those
 * into and out of each GPU. */
enum { JUDGE5_GPUS = 64 };
struct judge5_moved {
    double all, by_switch, into[JUDGE5_GPUS], out_of[JUDGE5_GPUS];
};

/* If a rank has no such iteration, all is NaN. */
struct judge5_moved judge5_moved(const struct judge_task *t, int iteration);

/* Expect at most this many bytes into each GPU, and out of it. instead: what
 * the student should do. */
void judge5_each_way(const struct judge5_moved *moved, double most,
                     const char *instead, struct judge_verdict *v);

/* Expect the ranks to share the work of two-shot. */
void judge5_shared(const struct judge_task *t, const struct judge5_moved *moved,
                   struct judge_verdict *v);

/* ---- part 5 (judge_uses.c) ----------------------------------------------- */

judge_fn judge5_gradsync, judge5_pipeline, judge5_gemm, judge5_gemm_sum,
    judge5_ring, judge5_dtensor, judge5_pcache, judge5_hashmap;

/* ---- parts 6 to 8 (judge_window.c) --------------------------------------- */

judge_fn judge5_window, judge5_window_race, judge5_fused;

/* Draws (judge/draw.h): drawn.h says what of. */
draw_fn judge5_draw_rough, judge5_draw_begin, judge5_draw_adapters,
    judge5_draw_pairs;

#endif
