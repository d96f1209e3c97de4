#define _GNU_SOURCE
#include "lab/lab.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* explicit_bzero */

#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */

#include "base/must.h"
#include "base/part.h"
#include "base/steady.h"
#include "judge/data.h"
#include "judge/evidence.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "lab/backing.h"
#include "lab/meter.h"
#include "lab/run.h"

enum { MAX_BUFFERS = 64, POISON = 0xCB };

/* Work on other streams counts if it ends later than the timed stream by more
 * than this: waiting for an idle device costs the host up to that much. */
static const float SLACK_MS = 0.05f;

/* The buffers of the current iteration. */
static struct {
    char *base[MAX_BUFFERS];
    int n;
} buffers;

/* Events that measure an iteration, created on first use. */
static struct {
    cudaEvent_t begin, end, idle;
} events;
static double host_begin_sec;
static uint64_t begun_nbytes; /* device memory held at lab_begin() */
static int judge_times;       /* lab_end() leaves times to the judge */

static void *host_memory(size_t nbytes)
{
    void *const h = malloc(nbytes + 1);
    if (!h)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    return h;
}

/* ---- buffers ------------------------------------------------------------- */

void *lab_buffer(struct lab_run *r, size_t nbytes)
{
    char *base, mark[128];
    if (buffers.n == MAX_BUFFERS)
        must_stop(__FILE__, __LINE__, "lab_buffer", "too many buffers");
    const size_t whole = nbytes + 2 * JUDGE_RED_ZONE;
    CUDA_MUST(cudaMalloc((void **)&base, whole));
    buffers.base[buffers.n++] = base;
    CUDA_MUST(cudaMemsetAsync(base, JUDGE_RED, whole, r->stream));
    if (nbytes)
        CUDA_MUST(
            cudaMemsetAsync(base + JUDGE_RED_ZONE, POISON, nbytes, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    snprintf(mark, sizeof mark, PART_BUFFER, (void *)(base + JUDGE_RED_ZONE),
             nbytes);
    nvtxMarkA(mark);
    return base + JUDGE_RED_ZONE;
}

void lab_free_buffers(void)
{
    while (buffers.n > 0)
        CUDA_MUST(cudaFree(buffers.base[--buffers.n]));
}

static void upload(struct lab_run *r, void *d, const void *host, size_t nbytes)
{
    if (nbytes)
        CUDA_MUST(cudaMemcpyAsync(d, host, nbytes, cudaMemcpyHostToDevice,
                                  r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
}

void *lab_upload(struct lab_run *r, const void *host, size_t nbytes)
{
    void *const d = lab_buffer(r, nbytes);
    upload(r, d, host, nbytes);
    return d;
}

void lab_share_seed(struct lab_run *r)
{
    r->root_seed = r->seed;
    MPI_MUST(MPI_Bcast(&r->root_seed, 1, MPI_UINT64_T, 0, r->mpi_comm));
}

static void draw_here(const struct lab_run *r, const struct draw_ask *d,
                      void *out, size_t nbytes)
{
    const struct draw_from from = {.c = r->c,
                                   .rank = d->of_root ? 0 : r->rank,
                                   .nranks = r->nranks,
                                   .seed = d->of_root ? r->root_seed : r->seed};
    if (draw_make(judge_labs[0], from, d, out, nbytes) != 0)
        must_stop(__FILE__, __LINE__, "lab_draw", "no generator makes that");
}

static int has_recorder(const struct lab_run *r)
{
    return r->evidence && evidence_has_recorder(r->evidence);
}

void lab_draw(struct lab_run *r, const struct draw_ask *d, void *out,
              size_t nbytes)
{
    const struct evidence_ask ask = {.draw = *d, .nbytes = nbytes};
    if (!has_recorder(r))
        draw_here(r, d, out, nbytes);
    else if (nbytes > 0)
        evidence_draw(r->evidence, r->case_no, r->iteration, &ask, -1, out);
}

/*
 * Every input is uploaded, so that the execution graph has the upload. If the
 * recorder can write to the device's memory, the upload carries zeros and the
 * recorder overwrites them.
 */
void lab_fill(struct lab_run *r, const struct draw_ask *d, void *buffer,
              size_t nbytes)
{
    struct evidence_ask ask = {.draw = *d, .nbytes = nbytes, .to_file = 1};
    const int file = has_recorder(r) ? backing_of(buffer, &ask.offset) : -1;
    void *const h = calloc(1, nbytes + 1);
    if (!h)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    if (file < 0)
        lab_draw(r, d, h, nbytes);
    upload(r, buffer, h, nbytes);
    if (file >= 0 && nbytes > 0 &&
        !backing_is_empty(nbytes + 2 * JUDGE_RED_ZONE))
        evidence_draw(r->evidence, r->case_no, r->iteration, &ask, file, NULL);
    explicit_bzero(h, nbytes); // only the device keeps the values
    free(h);
}

void *lab_draw_buffer(struct lab_run *r, const struct draw_ask *d,
                      size_t nbytes)
{
    void *const buffer = lab_buffer(r, nbytes);
    lab_fill(r, d, buffer, nbytes);
    return buffer;
}

void *lab_input(struct lab_run *r, size_t count, int type)
{
    return lab_draw_buffer(r,
                           &(struct draw_ask){.what = DRAW_DATA, .arg = {type}},
                           count * data_size((enum data_type)type));
}

void *lab_input_sum(struct lab_run *r, size_t count, int type)
{
    return lab_draw_buffer(r,
                           &(struct draw_ask){.what = DRAW_SUMS, .arg = {type}},
                           count * data_size((enum data_type)type));
}

/* ---- recording ----------------------------------------------------------- */

void lab_output(struct lab_run *r, const char *name, const void *buffer,
                size_t nbytes)
{
    const size_t whole = nbytes + 2 * JUDGE_RED_ZONE;
    void *const h = host_memory(whole);
    CUDA_MUST(cudaMemcpyAsync(h, (const char *)buffer - JUDGE_RED_ZONE, whole,
                              cudaMemcpyDeviceToHost, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    if (r->iteration >= 0)
        evidence_put(r->evidence, EVIDENCE_OUTPUT, r->case_no,
                     (unsigned)r->iteration, name, h, whole);
    free(h);
}

void lab_metric(struct lab_run *r, const char *name, double value)
{
    if (r->iteration >= 0)
        evidence_put(r->evidence, EVIDENCE_METRIC, r->case_no,
                     (unsigned)r->iteration, name, &value, sizeof value);
}

/* ---- measuring ----------------------------------------------------------- */

/*
 * The range that identifies an iteration in the graph (judge/graph/spans.h).
 * lab_end() reopens it, in case student code left ranges open or closed one too
 * many.
 */
static struct {
    int is_open, depth;
} range;

void lab_leave_range(void)
{
    while (range.is_open && nvtxRangePop() > range.depth)
        ;
    range.is_open = 0;
}

static void open_range(const struct lab_run *r)
{
    char name[SPANS_NAME];
    lab_leave_range();
    range.depth = nvtxRangePushA(spans_name(r->c->name, r->iteration, name));
    range.is_open = 1;
}

static void make_events(void)
{
    if (events.begin)
        return;
    CUDA_MUST(cudaEventCreate(&events.begin));
    CUDA_MUST(cudaEventCreate(&events.end));
    CUDA_MUST(cudaEventCreate(&events.idle));
}

void lab_begin(struct lab_run *r)
{
    make_events();
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    meter = (struct meter){0};
    meter_memory_begin();
    begun_nbytes = meter_memory().live;
    open_range(r);
    host_begin_sec = steady_sec();
    CUDA_MUST(cudaEventRecord(events.begin, r->stream));
    nvtxMarkA(PART_BEGINS);
}

/* Close all ranges: a mark would be lost in a deep stack. */
static void close_ranges(void)
{
    while (nvtxRangePop() >= 0)
        ;
}

static void mark(struct lab_run *r, const char *name, void *buffer,
                 size_t nbytes)
{
    if (nbytes == 0)
        return;
    close_ranges();
    nvtxRangePushA(name);
    CUDA_MUST(cudaMemsetAsync(buffer, 0, nbytes, r->stream));
    nvtxRangePop();
    CUDA_MUST(cudaStreamSynchronize(r->stream));
}

void lab_source(struct lab_run *r, const char *name, void *buffer,
                size_t nbytes)
{
    char text[ORIGIN_NAME];
    mark(r, origin_source_name(r->c->name, name, r->iteration, text), buffer,
         nbytes);
}

void lab_result(struct lab_run *r, const char *name, void *buffer,
                size_t nbytes)
{
    char text[ORIGIN_NAME];
    mark(r, origin_result_name(r->c->name, name, r->iteration, text), buffer,
         nbytes);
}

void lab_given(struct lab_run *r)
{
    char name[SPANS_NAME];
    close_ranges();
    make_events();
    nvtxRangePushA(judge_given_name(r->c->name, r->iteration, name));
    // lab_end() records it again
    CUDA_MUST(cudaEventRecord(events.idle, r->stream));
    nvtxRangePop();
    lab_metric(r, "before_bytes", (double)meter_memory().live);
}

void lab_held_begin(struct lab_run *r)
{
    char name[SPANS_NAME];
    open_range(r); // student code may have left ranges open
    nvtxRangePushA(judge_held_name(r->c->name, r->iteration, name));
    lab_metric(r, "state_nbytes",
               (double)meter_memory().live - (double)begun_nbytes);
}

void lab_held_end(void)
{
    nvtxRangePop();
}

void lab_leave_times_to_judge(void)
{
    judge_times = 1;
}

void lab_free_events(void)
{
    if (!events.begin)
        return;
    CUDA_MUST(cudaEventDestroy(events.begin));
    CUDA_MUST(cudaEventDestroy(events.end));
    CUDA_MUST(cudaEventDestroy(events.idle));
    events.begin = NULL;
}

static void show_meter(struct lab_run *r, const struct meter *m)
{
    const struct meter_memory memory = meter_memory();
    lab_metric(r, "sent_bytes", (double)m->sent_bytes);
    lab_metric(r, "messages", (double)m->messages);
    lab_metric(r, "rounds", (double)m->rounds);
    lab_metric(r, "collectives", (double)m->collectives);
    lab_metric(r, "comms", (double)m->comms);
    lab_metric(r, "device_bytes", (double)memory.live);
    lab_metric(r, "peak_bytes", (double)memory.peak);
    for (int peer = 0; peer < r->nranks && peer < METER_PEERS; peer++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "sent_to.%d", peer);
        if (m->sent_to[peer])
            lab_metric(r, name, (double)m->sent_to[peer]);
    }
}

void lab_end(struct lab_run *r)
{
    float ms, idle_ms;
    const struct meter m = meter;
    open_range(r);
    RUN_TRY(cudaSetDevice(r->device)); // student code may have changed it
    RUN_TRY(cudaEventRecord(events.end, r->stream));
    RUN_TRY(cudaDeviceSynchronize());
    RUN_TRY(cudaEventRecord(events.idle, r->stream));
    RUN_TRY(cudaEventSynchronize(events.idle));
    const double host_sec = steady_sec() - host_begin_sec;
    lab_leave_range();
    nvtxMarkA(PART_ENDS);
    if (!judge_times) {
        RUN_TRY(cudaEventElapsedTime(&ms, events.begin, events.end));
        RUN_TRY(cudaEventElapsedTime(&idle_ms, events.begin, events.idle));
        if (idle_ms > ms + SLACK_MS)
            ms = idle_ms;
        lab_metric(r, "time_us", ms * 1000.0);
    }
    lab_metric(r, "host_us", host_sec * 1e6);
    show_meter(r, &m);
}
