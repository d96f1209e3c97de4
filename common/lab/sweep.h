/*
 * sweep.h: a lab's --bench: collectives over a range of sizes, timed and
 * checked
 *
 *     mpirun -n 8 build/lab1 --bench --op all_reduce --min-kb 1 --max-mb 64
 *
 * For each size, the operation is run once on fresh inputs and its result
 * compared with a plain reference, which gives #wrong. Then `warmup` calls run,
 * and `iterations` calls are timed by two events. The time is their mean on the
 * slowest rank.
 *
 * Buffers of 8 MiB and more are only timed (#wrong is N/A), unless --check is
 * given: on simgpu they then keep no contents and take neither memory nor time.
 * A lab's own operations have kernels, which need contents: if the sweep
 * includes one, all sizes are checked.
 */
#ifndef COMMLAB_LAB_SWEEP_H
#define COMMLAB_LAB_SWEEP_H

#include "lab/bench.h"
#include "lab/lab.h"

struct sweep_call { /* one call of an operation, on this rank */
    const struct lab_run *r;
    const void *sendbuf;
    void *recvbuf;
    size_t count; /* NCCL's count argument: elements per block if there are
                     blocks */
    ncclDataType_t type;
    ncclRedOp_t op;
    int root;
    void *scratch; /* twice as large as the larger buffer */
    size_t scratch_nbytes;
};

struct sweep_op {
    const char *name; /* --op; nccl-tests' name where it has one */
    enum bench_shape shape;
    ncclResult_t (*run)(const struct sweep_call *c); /* enqueues on r->stream */
};

/* NCCL's own eight collectives, and a ring of sends; a NULL name
 * ends the table. */
extern const struct sweep_op sweep_nccl[];

/*
 * sweep_dataless() is for a lab's dataless_for (lab.h).
 *
 * sweep_main() is the command: it sweeps the operations named by --op, NCCL's
 * or the lab's own (ended by a NULL name; may be NULL). "all" means NCCL's; the
 * default is all_reduce. All ranks call. Returns 0; 1 if a result was wrong; 2
 * for wrong usage, after a message from rank 0. A call that fails stops the
 * run.
 */
const char *sweep_dataless(int argc, char **argv);
int sweep_main(struct lab_run *r, const struct sweep_op *own, int argc,
               char **argv);

#endif
