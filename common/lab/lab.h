/*
 * lab.h: what a lab's code, the student's and the staff's, runs in
 *
 * Student code uses three macros:
 *
 *   LAB_TRY(call)       a NCCL call; its error is returned to the caller
 *   LAB_TRY_CUDA(call)  a CUDA call, likewise, as ncclUnhandledCudaError
 *   LAB_HOLE("what")    stands where something has to be written: ends the
 *                       case as NOT IMPLEMENTED
 *
 * Device code has lab/hole.cuh.
 *
 * Staff code (cases.c) defines `lab`: a function for each kind of case in the
 * lab's plan. It fills inputs from the rank's seed, calls the student's
 * function, and shows what came out; the judge, here or in the grader, decides.
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

/* ---- for students ---------------------------------------------------------- */

#define LAB_TRY(call)                                                          \
    do {                                                                       \
        const ncclResult_t lab_try_ = (call);                                  \
        if (lab_try_ != ncclSuccess)                                           \
            return lab_note_error(lab_try_, #call, __FILE__, __LINE__);        \
    } while (0)

#define LAB_TRY_CUDA(call)                                                     \
    do {                                                                       \
        const cudaError_t lab_try_ = (call);                                   \
        if (lab_try_ != cudaSuccess)                                           \
            return lab_note_cuda_error(lab_try_, #call, __FILE__, __LINE__);   \
    } while (0)

#define LAB_HOLE(what) lab_hole(what)

/* Keep the error's text for the report; returns what the function returns. */
ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line);
ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line);
void lab_hole(const char *what) __attribute__((noreturn));

/* What a kernel of simgpu says of a hole, on the thread that runs it. */
void lab_device_hole(const char *what);

/* ---- for staff code -------------------------------------------------------- */

struct lab_run { /* one iteration of one case, on this rank */
    int rank, nranks;
    int local_rank; /* number within its node */
    int device;     /* its GPU: that number, unless ranks share GPUs */
    int ranks_per_node;
    MPI_Comm mpi_comm;
    ncclComm_t comm;     /* of all ranks, made by the runner; NULL where ranks
                            share a GPU, which NCCL doesn't allow */
    cudaStream_t stream; /* non-blocking */
    const struct plan_case *c;
    unsigned case_no;
    int iteration; /* below 0: warm-up, which shows nothing */
    uint64_t seed; /* this rank's, of this iteration (judge_input_seed) */
    struct evidence_out *evidence;
};

/*
 * Device memory of nbytes, poisoned, between red zones of JUDGE_RED_ZONE bytes.
 * The runner frees it when the iteration ends.
 */
void *lab_buffer(struct lab_run *r, size_t nbytes);

/* A lab_buffer() with nbytes from the host, which are there when it returns. */
void *lab_upload(struct lab_run *r, const void *host, size_t nbytes);

/* A lab_buffer() with count elements of this rank's input (judge/data.h, whose
 * types are numbered as NCCL's). */
void *lab_input(struct lab_run *r, size_t count, int type);

/* The same for sums over all ranks: data_fill_sum(). */
void *lab_input_sum(struct lab_run *r, size_t count, int type);

/*
 * Show the nbytes of a lab_buffer(), with its red zones. Call after lab_end(),
 * when no work is left on the device.
 */
void lab_output(struct lab_run *r, const char *name, const void *buffer,
                size_t nbytes);

/* A command frees the buffers that it has made, devices idle; for cases the runner
 * does. */
void lab_free_buffers(void);

/* Show a number. */
void lab_metric(struct lab_run *r, const char *name, double value);

/*
 * Measure what lies between. All ranks call both; lab_begin() waits for all,
 * lab_end() until this rank's device has nothing left to do. Shown:
 *
 *   time_us       on the stream; or, when other streams of the device worked on
 *                 behind it, until they were done
 *   host_us       the same by the host's clock, calls included
 *   sent_bytes, messages, rounds, collectives, comms, largest_bytes, sent_to.R
 *                 what was asked of NCCL (meter.h), to rank R what isn't 0
 *   device_bytes, peak_bytes
 *                 device memory that the process holds at the end, and at most
 *                 in between; the case's own buffers included
 */
void lab_begin(struct lab_run *r);
void lab_end(struct lab_run *r);

/*
 * One iteration of a kind of case. All ranks are called, with their seeds; what
 * it returns, if it isn't ncclSuccess, fails the case.
 */
struct lab_kind {
    const char *name; /* plan_case.kind */
    ncclResult_t (*run)(struct lab_run *r);
};

/*
 * What a lab does beside its cases: `lab1 --bench ...`. argv[0] is the option.
 * Returns the exit status, the same on all ranks.
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
    const char *dataless; /* "128M": what is in device memory from that size on
                             matters to nobody, so simgpu need not keep it
                             (SIMGPU_DATALESS, unless that is set); or NULL */
};
extern const struct lab lab; /* defined by each lab's cases.c */

#ifdef __cplusplus
}
#endif
#endif
