/*
 * sweep.h: a lab's --bench: collectives over a range of sizes, timed and
 * checked
 *
 *     mpirun -n 8 build/lab1 --bench --op all_reduce --min-kb 1 --max-mb 64
 *
 * For each size, the operation is run once on fresh inputs and its result
 * compared with a plain reference (#wrong is counted, not assumed). Then
 * `iterations` calls are timed by two events, after `warmup` calls. The time is
 * their mean on the slowest rank.
 */
#ifndef COMMLAB_LAB_SWEEP_H
#define COMMLAB_LAB_SWEEP_H

#include "lab/bench.h"
#include "lab/lab.h"

struct sweep_call { /* one call of an operation, on this rank */
    const struct lab_run *r;
    const void *sendbuf;
    void *recvbuf;
    size_t
        count; /* as NCCL's call takes it: of a block, where there are blocks */
    ncclDataType_t type;
    ncclRedOp_t op;
    int root;
    void *scratch; /* twice the larger buffer */
    size_t scratch_nbytes;
};

struct sweep_op {
    const char *name; /* --op; nccl-tests' name where it has one */
    enum bench_shape shape;
    ncclResult_t (*run)(const struct sweep_call *c); /* enqueues on r->stream */
};

/* NCCL's own eight collectives, and a ring of sends: ended by a NULL name. */
extern const struct sweep_op sweep_nccl[];

/*
 * The command: sweeps the operations named by --op, of NCCL's and of the lab's
 * own (ended by a NULL name; may be NULL). "all" means NCCL's; the default is
 * all_reduce. All ranks call. Returns 0; 1 if a result was wrong; 2 for wrong
 * usage, after a message from rank 0. A call that fails stops the run.
 */
int sweep_main(struct lab_run *r, const struct sweep_op *own, int argc,
               char **argv);

#endif
