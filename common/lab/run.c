#include "lab/run.h"

#include <setjmp.h> /* longjmp */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* memset */

#include "judge/data.h"
#include "lab/meter.h"
#include "must.h"

enum { MAX_BUFFERS = 64, POISON = 0xCB };

/* The case that runs: where a hole jumps to, what to say, what to free. */
static struct {
    jmp_buf hole;
    char text[256];
    char *buffer[MAX_BUFFERS];
    size_t nbytes[MAX_BUFFERS];
    int nbuffers;
    cudaEvent_t begin, end;
} now;

/* ---- for students ----------------------------------------------------------- */

static void note(const char *error, const char *call, const char *file,
                 int line)
{
    const char *const slash = strrchr(file, '/');
    if (!now.text[0]) // the innermost call is the one that failed
        snprintf(now.text, sizeof now.text, "%s:%d: %.100s: %s",
                 slash ? slash + 1 : file, line, call, error);
}

ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line)
{
    note(ncclGetErrorString(err), call, file, line);
    return err;
}

ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line)
{
    note(cudaGetErrorString(err), call, file, line);
    return ncclUnhandledCudaError;
}

void lab_hole(const char *what)
{
    snprintf(now.text, sizeof now.text, "%s", what);
    longjmp(now.hole, 1);
}

/* ---- for staff code ------------------------------------------------------------ */

void *lab_buffer(struct lab_run *r, size_t nbytes)
{
    char *base;
    if (now.nbuffers == MAX_BUFFERS)
        must_stop(__FILE__, __LINE__, "lab_buffer", "too many buffers");
    const size_t whole = nbytes + 2 * JUDGE_RED_ZONE;
    CUDA_MUST(cudaMalloc((void **)&base, whole));
    CUDA_MUST(cudaMemsetAsync(base, JUDGE_RED, whole, r->stream));
    if (nbytes)
        CUDA_MUST(
            cudaMemsetAsync(base + JUDGE_RED_ZONE, POISON, nbytes, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    now.buffer[now.nbuffers] = base;
    now.nbytes[now.nbuffers++] = nbytes;
    return base + JUDGE_RED_ZONE;
}

static void free_buffers(void)
{
    while (now.nbuffers > 0)
        CUDA_MUST(cudaFree(now.buffer[--now.nbuffers]));
}

void *lab_input(struct lab_run *r, size_t count, int type)
{
    const size_t nbytes = count * data_size((enum data_type)type);
    void *const d = lab_buffer(r, nbytes);
    void *const h = malloc(nbytes + 1);
    data_fill(h, count, (enum data_type)type, r->seed);
    CUDA_MUST(cudaMemcpyAsync(d, h, nbytes, cudaMemcpyHostToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    free(h);
    return d;
}

void lab_output(struct lab_run *r, const char *name, const void *buffer,
                size_t nbytes)
{
    const size_t whole = nbytes + 2 * JUDGE_RED_ZONE;
    void *const h = malloc(whole);
    CUDA_MUST(cudaMemcpyAsync(h, (const char *)buffer - JUDGE_RED_ZONE, whole,
                              cudaMemcpyDeviceToHost, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    if (r->evidence && r->iteration >= 0)
        evidence_put(r->evidence, EVIDENCE_OUTPUT, r->case_no,
                     (unsigned)r->iteration, name, h, whole);
    free(h);
}

void lab_metric(struct lab_run *r, const char *name, double value)
{
    if (r->evidence && r->iteration >= 0)
        evidence_put(r->evidence, EVIDENCE_METRIC, r->case_no,
                     (unsigned)r->iteration, name, &value, sizeof value);
}

void lab_begin(struct lab_run *r)
{
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    meter = (struct meter){0};
    CUDA_MUST(cudaEventRecord(now.begin, r->stream));
}

void lab_end(struct lab_run *r)
{
    float ms;
    const struct meter m = meter;
    CUDA_MUST(cudaEventRecord(now.end, r->stream));
    CUDA_MUST(cudaEventSynchronize(now.end));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, now.begin, now.end));
    lab_metric(r, "time_us", ms * 1000.0);
    lab_metric(r, "sent_bytes", (double)m.sent_bytes);
    lab_metric(r, "messages", (double)m.messages);
    lab_metric(r, "rounds", (double)m.rounds);
    lab_metric(r, "collectives", (double)m.collectives);
}

/* ---- the runner ------------------------------------------------------------------ */

void run_setup(struct lab_run *r, MPI_Comm comm)
{
    MPI_Comm node;
    int ndevices;
    ncclUniqueId id;
    r->mpi_comm = comm;
    MPI_MUST(MPI_Comm_rank(comm, &r->rank));
    MPI_MUST(MPI_Comm_size(comm, &r->nranks));
    MPI_MUST(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, r->rank,
                                 MPI_INFO_NULL, &node));
    MPI_MUST(MPI_Comm_rank(node, &r->local_rank));
    MPI_MUST(MPI_Comm_size(node, &r->ranks_per_node));
    MPI_MUST(MPI_Comm_free(&node));
    CUDA_MUST(cudaGetDeviceCount(&ndevices));
    if (r->local_rank >= ndevices) {
        char text[128];
        snprintf(text, sizeof text,
                 "%d ranks on a node with %d GPUs: start at most %d a node",
                 r->ranks_per_node, ndevices, ndevices);
        must_stop(__FILE__, __LINE__, "devices", text);
    }
    CUDA_MUST(cudaSetDevice(r->local_rank));
    CUDA_MUST(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    CUDA_MUST(cudaEventCreate(&now.begin));
    CUDA_MUST(cudaEventCreate(&now.end));
    if (r->rank == 0)
        NCCL_MUST(ncclGetUniqueId(&id));
    MPI_MUST(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm));
    NCCL_MUST(ncclCommInitRank(&r->comm, r->nranks, id, r->rank));
}

void run_teardown(struct lab_run *r)
{
    NCCL_MUST(ncclCommDestroy(r->comm));
    CUDA_MUST(cudaEventDestroy(now.begin));
    CUDA_MUST(cudaEventDestroy(now.end));
    CUDA_MUST(cudaStreamDestroy(r->stream));
}

static const struct lab_kind *find_kind(const char *name)
{
    for (const struct lab_kind *k = lab.kinds; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

/* One iteration; holes end it here. */
static enum run_status iterate(struct lab_run *r, const struct lab_kind *k)
{
    enum run_status status = RUN_OK;
    if (setjmp(now.hole) != 0)
        return RUN_NOT_IMPLEMENTED;
    if (k->run(r) != ncclSuccess)
        status = RUN_ERROR;
    return status;
}

/* The worst status of all ranks: they go on, or stop, together. */
static enum run_status agree(struct lab_run *r, enum run_status status)
{
    int mine = (int)status, worst;
    MPI_MUST(MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, r->mpi_comm));
    return (enum run_status)worst;
}

void run_case(struct lab_run *r, const struct plan_case *c, unsigned case_no,
              uint64_t seed, int iterations, int warmup)
{
    const struct lab_kind *const k = find_kind(c->kind);
    enum run_status status = RUN_OK, mine = RUN_OK;
    now.text[0] = 0;
    r->c = c;
    r->case_no = case_no;
    if (!k) {
        snprintf(now.text, sizeof now.text, "this lab has no kind \"%s\"",
                 c->kind);
        status = mine = RUN_ERROR;
    }
    for (int i = -warmup; i < iterations && status == RUN_OK; i++) {
        r->iteration = i;
        // Warm-up looks like the rest: the same code, seeds of its own.
        r->seed = judge_seed(seed, (uint64_t)(int64_t)i);
        mine = iterate(r, k);
        status = agree(r, mine);
        CUDA_MUST(cudaStreamSynchronize(r->stream));
        free_buffers();
    }
    if (!r->evidence)
        return;
    const uint32_t shown = mine;
    if (now.text[0])
        evidence_put(r->evidence, EVIDENCE_TEXT, case_no, 0, "text", now.text,
                     strlen(now.text) + 1);
    evidence_put(r->evidence, EVIDENCE_STATUS, case_no, 0, "status", &shown,
                 sizeof shown);
}
