/*
 * lab.h: the interface between the runner and a lab's staff code
 *
 * Staff code (cases.c) defines `lab`: a function for each kind of case in the
 * lab's plan. The function has inputs drawn, calls the student's function and
 * records its outputs; the judge, here or in the grader, decides. Code that
 * students write includes only lab/try.h.
 */
#ifndef COMMLAB_LAB_LAB_H
#define COMMLAB_LAB_LAB_H

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "judge/judge.h"
#include "lab/try.h" /* LAB_TRY, LAB_TRY_CUDA */

struct lab_run { /* one iteration of one case, on this rank */
    int rank, nranks;
    int local_rank; /* its number within its node */
    int device;     /* its GPU: local_rank, unless ranks share GPUs */
    int ranks_per_node;
    MPI_Comm mpi_comm;
    ncclComm_t comm;     /* communicator of all ranks, made by the runner; NULL
                            if ranks share a GPU, which NCCL doesn't allow */
    cudaStream_t stream; /* non-blocking */
    const struct plan_case *c;
    unsigned case_no;
    int iteration;      /* below 0: warm-up, which is not recorded */
    uint64_t seed;      /* seed of this rank and iteration (judge_input_seed());
                           0 in a graded run, where the recorder has it:
                           lab_draw() */
    uint64_t root_seed; /* rank 0's seed: lab_share_seed() */
    struct evidence_out *evidence;
};

/*
 * Allocate nbytes of device memory, poisoned, between red zones of
 * JUDGE_RED_ZONE bytes. The runner frees it when the iteration ends.
 */
void *lab_buffer(struct lab_run *r, size_t nbytes);

/* A lab_buffer() with nbytes copied from the host. Blocks. */
void *lab_upload(struct lab_run *r, const void *host, size_t nbytes);

/*
 * Write nbytes of values drawn from the seed (judge/draw.h) to host memory.
 * Only for inputs that a student's function takes on the host, or that are cut
 * before they go to a device.
 */
void lab_draw(struct lab_run *r, const struct draw_ask *d, void *out,
              size_t nbytes);

/*
 * Write such values to device memory, a lab_buffer() or other. Blocks. In a
 * graded run on simgpu the recorder writes them, and no other memory of this
 * process has them.
 */
void lab_fill(struct lab_run *r, const struct draw_ask *d, void *buffer,
              size_t nbytes);
void *lab_draw_buffer(struct lab_run *r, const struct draw_ask *d,
                      size_t nbytes);

/* Call this before requests with of_root set. All ranks call. */
void lab_share_seed(struct lab_run *r);

/* A lab_buffer() with count elements of this rank's input (judge/data.h, whose
 * types have NCCL's numbers). */
void *lab_input(struct lab_run *r, size_t count, int type);

/* The same with input for sums over all ranks: data_fill_sum(). */
void *lab_input_sum(struct lab_run *r, size_t count, int type);

/*
 * Record nbytes of a lab_buffer(), and its red zones, as output `name`. Call it
 * after lab_end(), when the device is idle.
 */
void lab_output(struct lab_run *r, const char *name, const void *buffer,
                size_t nbytes);

/* Free all lab_buffer()s; devices must be idle. For commands: after a case, the
 * runner does it. */
void lab_free_buffers(void);

/*
 * For cases whose buffers are so large that simgpu keeps no contents: mark an
 * input, or a result, for judge/graph/trace.h. Fills it with zeros and blocks.
 * Inputs are marked before lab_begin(), results after lab_end().
 */
void lab_source(struct lab_run *r, const char *name, void *buffer,
                size_t nbytes);
void lab_result(struct lab_run *r, const char *name, void *buffer,
                size_t nbytes);

/* Record a number. */
void lab_metric(struct lab_run *r, const char *name, double value);

/*
 * Note, for the report, an error in what a student's function made that
 * prevents the case from continuing. Returns an error, for the case to return.
 */
ncclResult_t lab_note_wrong(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/*
 * Measure the work between the two calls. All ranks call both. lab_begin() is a
 * barrier; lab_end() blocks until this rank's device is idle. Records:
 *
 *   time_us       time on the stream, or until the device's other streams were
 *                 done if they took longer; the judge takes it from the
 *                 execution graph if there is one
 *   host_us       the same interval on the host's clock, including the calls
 *   sent_bytes, messages, rounds, collectives, comms, sent_to.R
 *                 calls of NCCL (meter.h); sent_to.R only if it isn't 0
 *   device_bytes, peak_bytes
 *                 device memory that the process holds at the end, and its peak
 *                 since lab_begin(), including the case's own buffers
 */
void lab_begin(struct lab_run *r);
void lab_end(struct lab_run *r);

/* Mark the device memory that this rank holds as not the student's. Call it
 * before lab_begin(). Enqueues an event; records before_bytes. */
void lab_given(struct lab_run *r);

/*
 * Record, as state_nbytes, how much more device memory this rank holds than at
 * lab_begin(). Call the pair once between lab_begin() and lab_end(), around at
 * least one operation of the case itself, which marks the moment in the
 * execution graph.
 */
void lab_held_begin(struct lab_run *r);
void lab_held_end(void);

/*
 * Runs one iteration of a kind of case. Called on all ranks, with their seeds.
 * The case fails if the function returns anything but ncclSuccess.
 */
struct lab_kind {
    const char *name; /* plan_case.kind */
    ncclResult_t (*run)(struct lab_run *r);
};

/*
 * A command that a lab has in addition to its cases: `lab1 --bench ...`.
 * argv[0] is the option. Returns the exit status, the same on all ranks.
 */
struct lab_command {
    const char *option, *help;
    int (*run)(struct lab_run *r, int argc, char **argv);
};

struct lab {
    const char *name; /* "lab1-collectives" */
    const char *brief;
    const struct lab_kind *kinds;       /* ended by a NULL name */
    const struct lab_command *commands; /* ended by a NULL option */
    const char *dataless; /* "128M": no case uses the contents of device memory
                             of that size or more, so simgpu need not keep them
                             (SIMGPU_DATALESS, unless already set); or NULL */
    /* The same for a command with these arguments; may be NULL. */
    const char *(*dataless_for)(int argc, char **argv);
    /* Free what a case keeps for the next one. Called when all of a run's cases
     * have ended well; may be NULL. */
    void (*release)(void);
};
extern const struct lab lab; /* defined by each lab's cases.c */

#ifdef __cplusplus
}
#endif
#endif
