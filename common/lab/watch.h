/*
 * watch.h: the execution graph of the running job, where there is one
 *
 * On simgpu each rank keeps its graph in a memfd; rank 0 maps all of them, as any
 * process of this user can, and takes out what one case did. On real GPUs there
 * are no such files, and everything here says so by NULL.
 */
#ifndef COMMLAB_LAB_WATCH_H
#define COMMLAB_LAB_WATCH_H

#include "graph/read.h"
#include "lab/run.h"

struct watch;

/* All ranks call. NULL on ranks other than 0, and where there is no graph. */
struct watch *watch_new(const struct lab_run *r);
void watch_free(struct watch *w); /* NULL is allowed */

/* The machine that the job is modelled on, NULL for real GPUs. All ranks may
 * call, and get the same answer. */
const char *watch_machine(void);

/* What is recorded from now on is of interest. All ranks call, devices idle. */
void watch_begin(struct watch *w, const struct lab_run *r);

/*
 * What was recorded since watch_begin(), and perhaps before. All ranks call,
 * devices idle, and make no recorded call (CUDA, NCCL, MPI other than PMPI)
 * before rank 0 has returned. NULL on failure, with a line in err, and without w.
 * Free the graph before w.
 */
struct graph *watch_end(struct watch *w, const struct lab_run *r, char *err,
                        size_t err_nbytes);

#endif
