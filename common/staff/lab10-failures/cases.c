/*
 * cases.c: runs lab 10's cases. Given: nothing to edit here.
 *
 * No process dies: a rank whose GPU fails leaves the student's function with an
 * error, and the runner has it wait for the others. It keeps its communicator
 * until then. Every case with a team makes it a
 * communicator of its own, which may be broken afterwards.
 */
#include "cases.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"
#include "judge/data.h"
#include "report.h"

extern const struct judge_lab judge_lab10;
const struct judge_lab *const judge_labs[] = {&judge_lab10, NULL};

struct team cases_team;
struct state cases_state;
static struct checkpoint checkpoint;
static int *found; /* pinned memory of a seal */

static void release(void)
{
    recover_release();
    state_release(&cases_state);
    checkpoint_release(&checkpoint);
    cudaFreeHost(found);
    found = NULL;
    if (cases_team.comm)
        ncclCommAbort(cases_team.comm);
    memset(&cases_team, 0, sizeof cases_team);
}

ncclResult_t cases_begin(struct lab_run *r)
{
    release();
    cases_team = (struct team){
        .rank = r->rank, .nranks = r->nranks, .stream = r->stream};
    float *const one = lab_buffer(r, sizeof *one);
    LAB_TRY(ncclCommSplit(r->comm, 0, r->rank, &cases_team.comm, NULL));
    LAB_TRY(ncclAllReduce(one, one, 1, ncclFloat, ncclSum, cases_team.comm,
                          r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_given(r);
    return ncclSuccess;
}

/* Draw `what` from rank 0's seed. */
static void draw(struct lab_run *r, int what, int a, int b, void *out,
                 size_t nbytes)
{
    const struct draw_ask d = {.what = what, .of_root = 1, .arg = {a, b}};
    lab_draw(r, &d, out, nbytes);
}

static float *draw_floats(struct lab_run *r, size_t count)
{
    return lab_draw_buffer(r, &(struct draw_ask){.what = DRAWN_FLOATS},
                           count * sizeof(float));
}

void cases_metric(struct lab_run *r, const char *name, int i, double value)
{
    char text[EVIDENCE_NAME];
    snprintf(text, sizeof text, "%s.%d", name, i);
    lab_metric(r, text, value);
}

/* ---- part 1 -------------------------------------------------------------- */

static int draw_calls(struct lab_run *r, int trial, int rank,
                      struct drawn_call call[DRAWN_CALLS])
{
    int n = 0;
    draw(r, DRAWN_FLIGHT, trial, rank, call, DRAWN_CALLS * sizeof *call);
    while (n < DRAWN_CALLS && call[n].op >= 0)
        n++;
    return n;
}

_Static_assert((int)DRAWN_SLOTS == (int)FLIGHT_SLOTS &&
                   (int)DRAWN_DIFFERS == (int)FLIGHT_DIFFERS &&
                   (int)DRAWN_ABSENT == (int)FLIGHT_ABSENT &&
                   (int)DRAWN_BLOCK == (int)SEAL_BLOCK &&
                   (int)DRAWN_TRIES == (int)SEAL_TRIES &&
                   (int)DRAWN_STEPS == (int)WORK_STEPS,
               "drawn.h has the numbers of lab10.h");

/* A recorder and its slots as numbers. */
static void to_slots(const struct flight *f,
                     struct drawn_call slot[DRAWN_SLOTS])
{
    for (int i = 0; i < DRAWN_SLOTS; i++)
        slot[i] = (struct drawn_call){
            .op = (int)f->slot[i].op,
            .type = (int)f->slot[i].type,
            .count = f->slot[i].count,
            .number = f->slot[i].number,
        };
}

static void from_slots(const struct drawn_call slot[DRAWN_SLOTS], int n,
                       struct flight *f)
{
    f->ncalls = (uint64_t)n;
    for (int i = 0; i < DRAWN_SLOTS; i++)
        f->slot[i] = (struct flight_call){
            .number = slot[i].number,
            .op = (enum flight_op)slot[i].op,
            .count = (size_t)slot[i].count,
            .type = (ncclDataType_t)slot[i].type,
        };
}

static ncclResult_t run_record(struct lab_run *r)
{
    struct drawn_call call[DRAWN_CALLS], slot[DRAWN_SLOTS];
    lab_share_seed(r);
    for (int i = 0; i < DRAWN_TRIALS; i++) {
        struct flight f = {0};
        const int n = draw_calls(r, i, r->rank, call);
        for (int k = 0; k < n; k++)
            flight_add(&f, (enum flight_op)call[k].op, (size_t)call[k].count,
                       (ncclDataType_t)call[k].type);
        to_slots(&f, slot);
        cases_metric(r, "digest", i, drawn_digest(slot, (int)f.ncalls));
    }
    return ncclSuccess;
}

static ncclResult_t run_diagnose(struct lab_run *r)
{
    struct flight *const all = malloc((size_t)r->nranks * sizeof *all);
    struct drawn_call call[DRAWN_CALLS], slot[DRAWN_SLOTS];
    lab_share_seed(r);
    for (int i = 0; i < DRAWN_TRIALS; i++) {
        for (int k = 0; k < r->nranks; k++) {
            const int n = draw_calls(r, i, k, call);
            drawn_record(slot, call, n);
            from_slots(slot, n, &all[k]);
        }
        const struct flight_report f = flight_diagnose(all, r->nranks);
        cases_metric(r, "fault", i, f.fault);
        cases_metric(r, "rank", i, f.rank);
        cases_metric(r, "number", i, (double)f.number);
    }
    free(all);
    return ncclSuccess;
}

/* ---- part 4 -------------------------------------------------------------- */

/* Old shares of a vector whose element i is that of rank 0's draw i. */
static void cut(const struct shares *s, const float *whole, int share,
                float *out)
{
    for (size_t i = 0; i < s->each; i++) {
        const size_t at = (size_t)share * s->each + i;
        out[i] = at < s->total ? whole[at] : 0;
    }
}

static ncclResult_t run_rebuild(struct lab_run *r)
{
    const int n = r->nranks, lost = (int)plan_int(r->c, "lost", 1) % n;
    struct shares s = {.total = (size_t)plan_int(r->c, "total", 12),
                       .rank = r->rank,
                       .nranks = n};
    s.each = (s.total + (size_t)n - 1) / (size_t)n;
    const size_t each = (s.total + (size_t)n - 2) / ((size_t)n - 1);
    float *const whole = malloc(s.total * sizeof *whole);
    float *const share = malloc(s.each * sizeof *share);
    float *out[SHARES_ARRAYS];
    LAB_TRY(cases_begin(r));
    lab_share_seed(r);
    for (int i = 0; i < SHARES_ARRAYS; i++) {
        const struct draw_ask d = {
            .what = DRAWN_FLOATS, .of_root = 1, .npath = 1, .path = {i}};
        lab_draw(r, &d, whole, s.total * sizeof *whole);
        cut(&s, whole, r->rank, share);
        s.own[i] = lab_upload(r, share, s.each * sizeof *share);
        cut(&s, whole, (r->rank + n - 1) % n, share);
        s.copy[i] = lab_upload(r, share, s.each * sizeof *share);
        out[i] = lab_buffer(r, each * sizeof *out[i]);
    }
    free(whole);
    free(share);
    int gone = lost;
    ncclComm_t smaller = NULL;
    if (r->rank != lost)
        LAB_TRY(ncclCommShrink(cases_team.comm, &gone, 1, &smaller, NULL,
                               NCCL_SHRINK_DEFAULT));
    LAB_TRY(ncclCommDestroy(cases_team.comm));
    cases_team.comm = smaller;
    cases_team.nranks = n - 1;
    cases_team.rank = r->rank - (r->rank > lost);
    lab_begin(r);
    if (r->rank != lost)
        LAB_TRY(shares_rebuild(&cases_team, &s, lost, out));
    lab_end(r);
    for (int i = 0; i < SHARES_ARRAYS; i++)
        lab_output(r, i ? "out.1" : "out.0", out[i], each * sizeof *out[i]);
    return ncclSuccess;
}

/* ---- part 5 -------------------------------------------------------------- */

static ncclResult_t run_interval(struct lab_run *r)
{
    lab_share_seed(r);
    for (int i = 0; i < DRAWN_TRIALS; i++) {
        struct drawn_rates d;
        draw(r, DRAWN_RATES, i, 0, &d, sizeof d);
        const struct rates rates = {d.step, d.save, d.restart, d.mtbf};
        cases_metric(r, "interval", i, (double)checkpoint_interval(&rates));
    }
    return ncclSuccess;
}

/* ---- part 6 -------------------------------------------------------------- */

static ncclResult_t show_files(struct lab_run *r, size_t nbytes)
{
    for (int i = 0; i < 2; i++) {
        float *const copy = lab_buffer(r, nbytes);
        CUDA_MUST(cudaMemcpyAsync(copy, checkpoint.file[i], nbytes,
                                  cudaMemcpyHostToDevice, r->stream));
        CUDA_MUST(cudaStreamSynchronize(r->stream));
        lab_output(r, i ? "file.1" : "file.0", copy, nbytes);
        cases_metric(r, "step", i, checkpoint.step[i]);
    }
    return ncclSuccess;
}

/* Train, and save every few steps. */
static ncclResult_t run_save(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1000);
    const int nsteps = (int)plan_int(r->c, "steps", 6);
    const int every = (int)plan_int(r->c, "every", 1);
    struct state *const s = &cases_state;
    LAB_TRY(cases_begin(r));
    LAB_TRY(state_init(s, count, r->stream));
    LAB_TRY(checkpoint_init(&checkpoint, count));
    for (size_t i = 0; i < 4 * count; i++) // no save leaves these
        checkpoint.file[i / (2 * count)][i % (2 * count)] = -1;
    s->pull = draw_floats(r, count);
    lab_begin(r);
    while (s->step < nsteps) {
        LAB_TRY(state_gradient(s, &cases_team));
        LAB_TRY(ncclAllReduce(s->grad, s->grad, count, ncclFloat, ncclSum,
                              cases_team.comm, r->stream));
        LAB_TRY(state_update(s, &cases_team));
        if (s->step % every == 0)
            LAB_TRY(checkpoint_save(&checkpoint, &cases_team, s));
    }
    lab_end(r);
    return show_files(r, 2 * count * sizeof(float));
}

/* Count the bytes of the files that aren't those of the step. */
static void count_wrong(struct lab_run *r, size_t nbytes)
{
    for (int i = 0; i < 2; i++) {
        const signed char *const p = (const void *)checkpoint.file[i];
        size_t n = 0;
        for (size_t k = 0; k < 2 * nbytes; k++)
            n += p[k] != (k < nbytes ? 1 : -1) * checkpoint.step[i];
        cases_metric(r, "wrong", i, (double)n);
        cases_metric(r, "step", i, checkpoint.step[i]);
    }
}

/* The same with steps that copy instead of computing. */
static ncclResult_t run_save_time(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1 << 20);
    const size_t nbytes = count * sizeof(float);
    const int nsteps = (int)plan_int(r->c, "steps", 8);
    const int every = (int)plan_int(r->c, "every", 2);
    const int busy = (int)plan_int(r->c, "busy", 4);
    struct state *const s = &cases_state;
    LAB_TRY(cases_begin(r));
    LAB_TRY(state_init(s, count, r->stream));
    LAB_TRY(checkpoint_init(&checkpoint, count));
    char *const load = lab_buffer(r, 2 * LOAD_NBYTES);
    lab_begin(r);
    for (s->step = 0; s->step < nsteps;) {
        for (int i = 0; i < busy; i++)
            LAB_TRY_CUDA(cudaMemcpyAsync(load, load + LOAD_NBYTES, LOAD_NBYTES,
                                         cudaMemcpyDeviceToDevice, r->stream));
        LAB_TRY(ncclAllReduce(s->grad, s->grad, count, ncclFloat, ncclSum,
                              cases_team.comm, r->stream));
        s->step++; // the state shows the step
        LAB_TRY_CUDA(cudaMemsetAsync(s->param, s->step, nbytes, r->stream));
        LAB_TRY_CUDA(cudaMemsetAsync(s->moment, -s->step, nbytes, r->stream));
        if (s->step % every == 0)
            LAB_TRY(checkpoint_save(&checkpoint, &cases_team, s));
    }
    lab_end(r);
    count_wrong(r, nbytes);
    return ncclSuccess;
}

/* ---- part 7 -------------------------------------------------------------- */

static ncclResult_t run_straggler(struct lab_run *r)
{
    struct load load = {.run = r, .nbytes = LOAD_NBYTES / LOAD_COPIES};
    struct work w = {.count = 1024, .load = &load};
    int slow[DRAWN_HUNTS];
    LAB_TRY(cases_begin(r));
    lab_share_seed(r);
    load.from = lab_buffer(r, LOAD_MOST * load.nbytes);
    load.to = lab_buffer(r, LOAD_MOST * load.nbytes);
    w.grad = draw_floats(r, w.count);
    w.room = lab_buffer(r, (size_t)(1 + r->nranks) * sizeof *w.room);
    lab_begin(r);
    for (load.trial = 0; load.trial < DRAWN_HUNTS; load.trial++) {
        slow[load.trial] = -2;
        LAB_TRY(straggler_find(&cases_team, &w, &slow[load.trial]));
    }
    lab_end(r);
    for (int i = 0; i < DRAWN_HUNTS; i++)
        cases_metric(r, "slow", i, slow[i]);
    return ncclSuccess;
}

/* ---- part 8 -------------------------------------------------------------- */

enum { NEVER = 1000 }; /* more rounds than a sum has */

/* A sum that ends, or should. */
static ncclResult_t sum_once(struct lab_run *r, struct seal *s,
                             const float *grad, float *sum)
{
    const int begin = s->transit->round;
    const ncclResult_t err = seal_sum(&cases_team, s, grad, sum);
    if (err != ncclRemoteError)
        return err;
    size_t nbad = 0;
    for (size_t i = 0; i < s->nblocks; i++)
        nbad += s->found[i] != 0;
    return lab_note_wrong("seal_sum() gives up after %d rounds on rank %d, "
                          "though summing the bad\nblocks again from grad "
                          "mends them. s->found has %zu of %zu blocks as "
                          "bad:\nare the seals those of each rank's grad, "
                          "summed as doubles, and is found read when it is "
                          "there?",
                          s->transit->round - begin, r->rank, nbad, s->nblocks);
}

/* A sum whose bad blocks stay bad for longer than seal_sum() may try: then the
 * rounds end, so that an endless loop ends, too. */
static ncclResult_t sum_hopeless(struct lab_run *r, struct seal *s,
                                 const float *grad, float *sum)
{
    s->transit->stays = 2 * SEAL_TRIES;
    const ncclResult_t err = seal_sum(&cases_team, s, grad, sum);
    cases_metric(r, "gave_up", 0, err == ncclRemoteError);
    cases_metric(r, "rounds", 0, s->transit->round);
    return err == ncclRemoteError ? ncclSuccess : err;
}

/* Sums without damage, then one that is damaged, then one that stays so, if the
 * case has it. */
static ncclResult_t run_seal(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 5000);
    const int nclean = (int)plan_int(r->c, "clean", 0);
    const int hopeless = plan_int(r->c, "hopeless", 0) != 0;
    struct drawn_flip flip[DRAWN_FLIPS_MOST];
    struct seal s = {.count = count,
                     .nblocks = (count + SEAL_BLOCK - 1) / SEAL_BLOCK};
    LAB_TRY(cases_begin(r));
    lab_share_seed(r);
    draw(r, DRAWN_FLIPS, 0, 0, flip, sizeof flip);
    CUDA_MUST(cudaMallocHost((void **)&found, s.nblocks * sizeof *found));
    s.found = found;
    s.seal = lab_buffer(r, s.nblocks * sizeof *s.seal);
    s.total = lab_buffer(r, s.nblocks * sizeof *s.total);
    s.bad = lab_buffer(r, s.nblocks * sizeof *s.bad);
    const float *const grad = draw_floats(r, count);
    float *const sum =
        lab_buffer(r, (size_t)(nclean + 1) * count * sizeof *sum);
    float *const bad_sum = lab_buffer(r, count * sizeof *bad_sum);
    lab_begin(r);
    for (int i = 0; i <= nclean + hopeless; i++) {
        struct transit transit = {.rank = r->rank,
                                  .round = i < nclean ? -NEVER : 0};
        memcpy(transit.flip, flip, sizeof flip);
        s.transit = &transit;
        if (i > nclean)
            LAB_TRY(sum_hopeless(r, &s, grad, bad_sum));
        else
            LAB_TRY(sum_once(r, &s, grad, sum + (size_t)i * count));
    }
    lab_end(r);
    lab_output(r, "sum", sum, (size_t)(nclean + 1) * count * sizeof *sum);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"record", run_record},       {"diagnose", run_diagnose},
    {"wait", run_wait},           {"shrink", run_shrink},
    {"agree", run_agree},         {"train", run_train},
    {"rebuild", run_rebuild},     {"interval", run_interval},
    {"save", run_save},           {"save_time", run_save_time},
    {"straggler", run_straggler}, {"leave", run_leave_out},
    {"seal", run_seal},           {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--goodput",
     "[--save S --mtbf S --restart S --hours N]: the share of time that "
     "trains, for each interval between checkpoints, computed and simulated",
     report_goodput},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab10-failures",
    .brief = "failures: found, survived, and paid for",
    .kinds = kinds,
    .commands = commands,
    .dataless = "16M", // loads, whose contents no case uses
    .release = release,
};
