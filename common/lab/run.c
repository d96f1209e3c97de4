/*
 * run.c: runs a case, and handles all ways in which student code can leave it
 *
 * Student code may return, return an error, or reach a hole, on some ranks and
 * not on others. After each iteration the ranks agree on how it ended. A rank
 * that left early waits for the others, but not forever: they may be waiting
 * for it, inside NCCL, where nothing can wake them. In that case the run is
 * aborted.
 *
 *     rank 0   begin ---- returns -------------- agree --- next iteration
 *     rank 1   begin ---- hole: longjmp -------- agree     or the end of
 *     rank 2   begin ---- waits for rank 1 ...   never     the case
 */
#define _GNU_SOURCE
#include "lab/run.h"

#include <pthread.h> /* pthread_timedjoin_np */
#include <setjmp.h>  /* longjmp */
#include <stdarg.h>  /* va_list */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* exit */
#include <string.h>  /* strrchr */
#include <unistd.h>  /* usleep */

#include "base/must.h"
#include "base/steady.h"
#include "graph/record/site.h"
#include "judge/chain.h"
#include "judge/evidence.h"
#include "lab/guard.h"
#include "lab/meter.h"

static const double LATE_SEC = 3;   /* least time to wait for other ranks */
static const double SPREAD_SEC = 1; /* added for each higher rank, so one
                                       reports first */
static const double IDLE_SEC = 2;   /* for a device to finish its work */

/* The current case: where run_leave() jumps to, how the case was
 * left, and why. */
static struct {
    jmp_buf out;
    pthread_t thread; /* the thread that calls student code */
    enum run_status status;
    int device; /* the rank's own device */
    char text[1200];
    const char *_Atomic device_hole; /* name of a hole that device code
                                        reached */
} now;

/* ---- leaving ------------------------------------------------------------- */

/* Advice on a failed call of CUDA. */
static const char *cuda_advice(cudaError_t err)
{
    switch (err) {
    case cudaErrorInvalidValue:
        return "\nIs each pointer one that cudaMalloc() returned and nothing "
               "has freed, is the size within it,\nand is the direction of a "
               "copy right?";
    case cudaErrorInvalidResourceHandle:
        return "\nIs the stream or event one of another device, or destroyed? "
               "Call cudaSetDevice() first.";
    case cudaErrorMemoryAllocation:
        return "\nFree what is no longer needed, and check the size: bytes, or "
               "elements?";
    case cudaErrorInvalidDevice:
        return "\nDevices count from 0 to cudaGetDeviceCount() - 1.";
    default:
        return "\nAn earlier kernel or copy may have failed: check what each "
               "call returns.";
    }
}

static const char *nccl_advice(ncclResult_t err)
{
    switch (err) {
    case ncclInvalidUsage:
        return "\nIs a group closed that was not opened, one device used by "
               "two ranks, or another device current\nthan the "
               "communicator's?";
    case ncclInvalidArgument:
        return "\nIs the peer or root one of the ranks, are count and type "
               "right, and do the pointers point to device memory?";
    default:
        return "\nAn earlier call may have failed: check what each call "
               "returns.";
    }
}

/* A note that the current device isn't the rank's own, which is not an error
 * but the cause of many; "" if it is. */
static void device_text(char *out, size_t nbytes)
{
    void *const address = (void *)(uintptr_t)meter_set_device();
    char at[256];
    int device;
    out[0] = 0;
    if (!address || cudaGetDevice(&device) != cudaSuccess ||
        device == now.device)
        return;
    site_of_student(&address, 1, at, sizeof at);
    snprintf(out, nbytes,
             "\nDevice %d is current, since cudaSetDevice() in %s;\nthis "
             "rank's own is device %d.",
             device, at, now.device);
}

static int is_call_of(const char *call, const struct meter_failure *f)
{
    const size_t n = f->call ? strlen(f->call) : 0;
    return n > 0 && strncmp(call, f->call, n) == 0 && call[n] == '(';
}

/* The failed call that the meter has noted, if it has the same error: the
 * latest one, if that is what is checked, else the first. */
static const struct meter_failure *same_failure(const char *error,
                                                const char *call)
{
    const struct meter_failure *const f = is_call_of(call, meter_failed_last())
                                              ? meter_failed_last()
                                              : meter_failed();
    const char *const hint = strstr(error, " (run with NCCL_DEBUG");
    const size_t n = hint ? (size_t)(hint - error) : strlen(error);
    return f->call && strncmp(f->error, error, n) == 0 ? f : NULL;
}

/*
 * Note a failed call: the innermost one whose result is checked. If that is one
 * of the student's functions, which passed on an error from an unchecked call,
 * the meter knows the call that failed first.
 */
static void note(const char *error, const char *advice, const char *call,
                 const char *file, int line)
{
    const char *const slash = strrchr(file, '/');
    const struct meter_failure *const f = same_failure(error, call);
    void *const address = f ? (void *)(uintptr_t)f->address : NULL;
    char device[400], at[256];
    if (now.text[0])
        return;
    device_text(device, sizeof device);
    if (f && !is_call_of(call, f))
        snprintf(now.text, sizeof now.text, "%s in %s: %s%s%s", f->call,
                 site_of_student(&address, 1, at, sizeof at), f->error, advice,
                 device);
    else
        snprintf(now.text, sizeof now.text, "%s:%d: %.100s: %s%s%s",
                 slash ? slash + 1 : file, line, call, f ? f->error : error,
                 advice, device);
}

ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line)
{
    note(ncclGetErrorString(err), nccl_advice(err), call, file, line);
    return err;
}

ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line)
{
    note(cudaGetErrorString(err), cuda_advice(err), call, file, line);
    return ncclUnhandledCudaError;
}

ncclResult_t lab_note_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!now.text[0])
        vsnprintf(now.text, sizeof now.text, format, args);
    va_end(args);
    return ncclInvalidArgument;
}

void run_leave(enum run_status status, const char *text)
{
    if (!pthread_equal(pthread_self(), now.thread))
        must_stop("a thread", 0, "left from inside", text);
    now.status = status;
    if (!now.text[0])
        snprintf(now.text, sizeof now.text, "%s", text);
    longjmp(now.out, 1);
}

void lab_hole(const char *what)
{
    now.text[0] = 0;
    run_leave(RUN_NOT_IMPLEMENTED, what);
}

void lab_device_hole(const char *what)
{
    now.device_hole = what;
}

/* The status of a case that returned or failed. If device code reached a hole,
 * that is the reason. */
static enum run_status with_device_hole(enum run_status status)
{
    const char *const what = now.device_hole;
    if (!what)
        return status;
    snprintf(now.text, sizeof now.text, "%s", what);
    return RUN_NOT_IMPLEMENTED;
}

/* ---- agreeing ------------------------------------------------------------ */

/* Ranks agree on a communicator that no other code knows: on r->mpi_comm, the
 * call of a rank that left early would meet a collective of the student's on
 * the others. */
static MPI_Comm own_comm = MPI_COMM_NULL;

void run_own_comm(MPI_Comm comm)
{
    if (own_comm != MPI_COMM_NULL)
        MPI_MUST(MPI_Comm_free(&own_comm));
    if (comm != MPI_COMM_NULL)
        MPI_MUST(MPI_Comm_dup(comm, &own_comm));
}

struct lost { /* what to call if the other ranks don't arrive */
    run_lost_fn *fn;
    void *arg;
};

/*
 * The worst status of all ranks. A rank with RUN_OK waits without a limit, a
 * rank that left early waits for a limited time.
 */
static enum run_status agree(const struct lab_run *r, enum run_status mine,
                             const struct lost *lost)
{
    const double deadline =
        steady_sec() + LATE_SEC + SPREAD_SEC * r->rank / r->nranks;
    const int status = (int)mine;
    int worst, done = 0;
    MPI_Request request;
    MPI_MUST(MPI_Iallreduce(&status, &worst, 1, MPI_INT, MPI_MAX, own_comm,
                            &request));
    if (mine == RUN_OK) {
        MPI_MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
        return (enum run_status)worst;
    }
    while (!done && steady_sec() < deadline) {
        MPI_MUST(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        usleep(1000);
    }
    if (!done) {
        if (lost->fn)
            lost->fn(lost->arg, mine, now.text);
        must_abort(1);
    }
    return (enum run_status)worst;
}

/* ---- after leaving early ------------------------------------------------- */

static void *synchronise(void *arg)
{
    const struct lab_run *const r = arg;
    return cudaSetDevice(r->device) == cudaSuccess &&
                   cudaDeviceSynchronize() == cudaSuccess
               ? arg
               : NULL;
}

/* True if the device becomes idle soon, without an error. CUDA's calls have no
 * timeouts, so a thread makes the call and this one waits for the thread. */
static int comes_to_rest(struct lab_run *r)
{
    struct timespec until;
    pthread_t thread;
    void *fine = NULL;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)IDLE_SEC;
    if (pthread_create(&thread, NULL, synchronise, r) != 0)
        return 0;
    if (pthread_timedjoin_np(thread, &fine, &until) != 0)
        pthread_detach(thread);
    return fine != NULL;
}

/*
 * True if other cases can run after one that a rank left early. If an NCCL call
 * failed in a group, the group is closed, and NCCL drops it. A group with a
 * hole in it stays open: closing would start it.
 */
static int can_go_on(struct lab_run *r, enum run_status mine)
{
    while (mine == RUN_ERROR && meter_open_groups() > 0)
        ncclGroupEnd();
    const int fine = meter_open_groups() == 0 && comes_to_rest(r);
    int all;
    MPI_MUST(MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, own_comm));
    return all;
}

/* ---- a case -------------------------------------------------------------- */

/* Nothing to run: the judge reads answers from answers.txt. */
static ncclResult_t run_answer(struct lab_run *r)
{
    (void)r;
    return ncclSuccess;
}

static const struct lab_kind *find_kind(const char *name)
{
    static const struct lab_kind answer = {JUDGE_ANSWER, run_answer};
    if (strcmp(name, answer.name) == 0)
        return &answer;
    for (const struct lab_kind *k = lab.kinds; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

static _Noreturn void leave_group_open(void)
{
    void *const address = (void *)(uintptr_t)meter_group_opened();
    char at[256], text[512];
    site_of_student(&address, 1, at, sizeof at);
    snprintf(text, sizeof text,
             "returned with an open group: ncclGroupEnd() is missing\nfor the "
             "ncclGroupStart() in %s",
             at);
    run_leave(RUN_ERROR, text);
}

/* Run one iteration. run_leave() jumps back here. */
static enum run_status iterate(struct lab_run *r, const struct lab_kind *k)
{
    now.thread = pthread_self();
    now.device = r->device;
    now.text[0] = 0;
    now.device_hole = NULL;
    if (setjmp(now.out) != 0) {
        guard_end();
        return with_device_hole(now.status);
    }
    (void)cudaGetLastError(); // clear the error of an earlier case
    guard_begin(r->rank, r->c->name);
    const ncclResult_t err = k->run(r);
    if (err == ncclSuccess && meter_open_groups() > 0)
        leave_group_open();
    if (err != ncclSuccess && !now.text[0])
        snprintf(now.text, sizeof now.text, "returned an error: %s",
                 ncclGetErrorString(err));
    guard_end();
    return with_device_hole(err == ncclSuccess ? RUN_OK : RUN_ERROR);
}

/* The first failed call of student code, or NULL. It matters if the
 * result is wrong. */
static const char *failure_text(char *out, size_t nbytes)
{
    const struct meter_failure *const f = meter_failed();
    void *const address = (void *)(uintptr_t)f->address;
    char at[256];
    if (!f->call)
        return NULL;
    site_of_student(&address, 1, at, sizeof at);
    snprintf(out, nbytes,
             "%s in %s failed (%s), and\nthe program went on. Check what each "
             "call returns: LAB_TRY(), LAB_TRY_CUDA().",
             f->call, at, f->error);
    return out;
}

int run_case(struct lab_run *r, const struct plan_case *c, unsigned case_no,
             uint64_t seed, int iterations, int warmup, run_lost_fn *lost,
             void *arg)
{
    const struct lab_kind *const k = find_kind(c->kind);
    enum run_status worst = RUN_OK, mine = RUN_OK;
    char failure[700];
    meter_forget_failure();
    r->c = c;
    r->case_no = case_no;
    evidence_take_digest(r->evidence);
    evidence_put_status(r->evidence, case_no, RUN_MISSING, NULL);
    if (!k) {
        evidence_put_status(r->evidence, case_no, RUN_ERROR,
                            "this lab has no such kind of case");
        return 1;
    }
    for (int i = -warmup; i < iterations && worst == RUN_OK; i++) {
        r->iteration = i;
        const uint64_t digest = evidence_take_digest(r->evidence);
        if (!evidence_has_recorder(r->evidence)) // a recorder has the seed
            r->seed = chain_seed(seed, i, digest);
        mine = iterate(r, k);
        if (mine != RUN_OK) // record it now: agree() may end this process
            evidence_put_status(r->evidence, case_no, mine, now.text);
        worst = agree(r, mine, &(struct lost){lost, arg});
        if (worst == RUN_OK)
            lab_free_buffers();
    }
    if (mine == RUN_OK)
        evidence_put_status(r->evidence, case_no, RUN_OK,
                            failure_text(failure, sizeof failure));
    if (worst == RUN_OK)
        return 1;
    lab_leave_range();
    if (!can_go_on(r, mine))
        return 0;
    lab_free_buffers();
    return 1;
}

/* ---- a command ----------------------------------------------------------- */

static void say_left(void *arg, enum run_status status, const char *text)
{
    const struct lab_run *const r = arg;
    fprintf(stderr, "%s: rank %d: %s%s\n", lab.name, r->rank,
            status == RUN_NOT_IMPLEMENTED ? "not implemented: " : "", text);
}

int run_command(struct lab_run *r, const struct lab_command *c, int argc,
                char **argv)
{
    volatile int status = 1;
    volatile enum run_status mine = RUN_OK;
    now.thread = pthread_self();
    now.device = r->device;
    now.text[0] = 0;
    if (setjmp(now.out) == 0)
        status = c->run(r, argc, argv);
    else
        mine = now.status;
    if (agree(r, mine, &(struct lost){say_left, r}) == RUN_OK)
        return status;
    const int left = mine == RUN_OK ? r->nranks : r->rank;
    int first;
    MPI_MUST(MPI_Allreduce(&left, &first, 1, MPI_INT, MPI_MIN, own_comm));
    if (r->rank == first)
        say_left(r, mine, now.text);
    MPI_Finalize();
    exit(1); // cleaning up could wait for work that never completes
}
