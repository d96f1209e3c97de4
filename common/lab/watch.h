/*
 * watch.h: the execution graph of the running job, if there is one
 *
 * On simgpu each rank records its graph in a memfd. Rank 0 maps all of them, as
 * any process of this user can, and extracts one case's part. Real GPUs have no
 * such files, and these functions return NULL.
 */
#ifndef COMMLAB_LAB_WATCH_H
#define COMMLAB_LAB_WATCH_H

#include "graph/record/read.h"
#include "lab/run.h"

struct watch;

/* All ranks call. NULL on ranks other than 0, and if there is no graph. */
struct watch *watch_new(const struct lab_run *r);
void watch_free(struct watch *w); /* NULL is allowed */

/* The modelled machine of this job; NULL for real GPUs. All ranks get the same
 * result. */
const char *watch_machine(void);

/* Note the start of a case. All ranks call; devices are idle. */
void watch_begin(struct watch *w, const struct lab_run *r);

/*
 * The graph of everything recorded since watch_begin(), and possibly earlier:
 * of the first case, since the run began, so that together the graphs have all
 * that happened.
 * All ranks call; devices are idle. No rank makes a recorded call (CUDA, NCCL,
 * MPI other than PMPI) before rank 0 has returned. NULL if w is NULL, or on
 * failure, with the reason in err. Free the graph before w.
 */
struct graph *watch_end(struct watch *w, const struct lab_run *r, char *err,
                        size_t err_nbytes);

#endif
