/*
 * What the recorder does with each record of a rank's evidence, without its
 * thread: the test is the ranks, and calls its parts in turn.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>      /* EDOM */
#include <stdio.h>      /* open_memstream */
#include <stdlib.h>     /* calloc */
#include <string.h>     /* memcpy */
#include <sys/socket.h> /* socketpair */
#include <unistd.h>     /* close */

#include "grader/recorder/recorder_cases.h"
#include "grader/recorder/recorder_device.h"
#include "grader/recorder/recorder_evidence.h"
#include "grader/recorder/recorder_rank.h"
#include "heap.h"
#include "suite.h"

enum { NRANKS = 2, NCASES = 2, MOST = 4096 };
static const int numbers[NCASES] = {5, 3};
static struct recorder_job job;
static struct recorder *r;
static int far[NRANKS]; /* the ranks' ends of their connections */
static char *kept[NRANKS];
static size_t nkept[NRANKS];

static char *text_of(const void *arg, int rank, int i)
{
    char *text = NULL;
    (void)arg;
    ck_assert_int_ge(asprintf(&text, "rank %d case %d", rank, i), 0);
    return text;
}

static int draw(const void *arg, int rank, int i, int iteration,
                uint64_t digest, const struct draw_ask *d, void *out,
                size_t nbytes)
{
    (void)arg, (void)i, (void)iteration, (void)digest, (void)d;
    memset(out, 'a' + rank, nbytes);
    return 0;
}

static void make_recorder(void)
{
    job = (struct recorder_job){.seen = "/no/folder",
                                .nranks = NRANKS,
                                .ncases = NCASES,
                                .case_no = numbers,
                                .nonce = 77,
                                .text = text_of,
                                .draw = draw};
    // behind the last one is another, which never joins or asks
    r = calloc(1, sizeof *r + (NRANKS + 1) * sizeof *r->rank);
    ck_assert_ptr_nonnull(r);
    r->job = &job;
    r->listener = r->stop = r->now = -1;
    for (int i = 0; i < NRANKS; i++) {
        struct rank *const k = &r->rank[i];
        int ends[2];
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        *k = (struct rank){.connection = {ends[0], -1, -1},
                           .joined = {1},
                           .waits = -1,
                           .fd = -1,
                           .heap = -1,
                           .file = open_memstream(&kept[i], &nkept[i]),
                           .name = calloc(RANK_NAMES, sizeof *k->name)};
        far[i] = ends[1];
    }
}

static void release_recorder(void)
{
    for (int i = 0; i < NRANKS; i++) {
        rank_hang_up(&r->rank[i], RECORDER_EVIDENCE);
        fclose(r->rank[i].file);
        free(kept[i]);
        free(r->rank[i].name);
        close(far[i]);
    }
    free(r);
}

/* ---- records ------------------------------------------------------------- */

static char bytes[MOST]; /* of records to be sent */
static size_t nbytes;

static void put(struct record h, const char *name, const void *data)
{
    snprintf(h.name, sizeof h.name, "%s", name);
    const size_t n = h.nbytes > 512 ? 0 : (size_t)h.nbytes;
    ck_assert_uint_le(nbytes + sizeof h + n + 8, sizeof bytes);
    memcpy(bytes + nbytes, &h, sizeof h);
    nbytes += sizeof h;
    memset(bytes + nbytes, 0, n + record_padding(n));
    memcpy(bytes + nbytes, data, n);
    nbytes += n + record_padding(n);
}

#define RECORD(kind, case_no, iteration, nbytes)                               \
    (struct record)                                                            \
    {                                                                          \
        RECORD_MAGIC, kind, case_no, iteration, nbytes, ""                     \
    }

/* Rank 0 sends them, `step` bytes at a time. */
static void flow(size_t step)
{
    for (size_t at = 0, n; at < nbytes; at += n) {
        n = step < nbytes - at ? step : nbytes - at;
        recorder_evidence_take(r, &r->rank[0], bytes + at, n);
    }
    nbytes = 0;
}

/* What a rank has been told: nothing, or the next reply. */
static void told(int rank, const char *want)
{
    char text[64] = "";
    uint32_t n = 0;
    const ssize_t got = recv(far[rank], &n, sizeof n, MSG_DONTWAIT);
    ck_assert_int_eq(got, want ? (ssize_t)sizeof n : -1);
    if (!want)
        return;
    ck_assert_uint_eq(n, strlen(want));
    if (n)
        ck_assert_int_eq(recv(far[rank], text, n, MSG_DONTWAIT), n);
    ck_assert_str_eq(text, want);
}

static const size_t steps[] = {1, 3, 8, 56, 57, MOST};

START_TEST(records_are_kept_wherever_they_are_cut)
{
    static const uint32_t missing = RUN_MISSING, ok = RUN_OK;
    const uint64_t nonce = job.nonce;
    r->now = 0;
    put(RECORD(EVIDENCE_STATUS, 5, 0, sizeof missing), "status", &missing);
    put(RECORD(EVIDENCE_OUTPUT, 5, 0, 11), "out", "hello world");
    put(RECORD(EVIDENCE_OUTPUT, 5, 1, 8), "out", "12345678");
    put(RECORD(EVIDENCE_METRIC, 5, 1, 0), "out", "");
    put(RECORD(EVIDENCE_STATUS, 5, 0, sizeof ok), "status", &ok);
    const size_t n = nbytes;
    char *const want = malloc(n);
    memcpy(want, bytes, n);
    flow(steps[_i]);
    ck_assert_str_eq(r->end.forged, "");
    ck_assert_int_eq(r->rank[0].ended, 1);
    ck_assert_uint_eq(r->rank[0].nbytes, n);
    ck_assert_uint_eq(r->rank[0].chain.digest,
                      chain_digest(CHAIN_NOTHING, "12345678", 8));
    ck_assert_uint_eq(r->rank[0].before,
                      chain_digest(CHAIN_NOTHING, "hello world", 11));
    put(RECORD(EVIDENCE_NEXT, 0, 0, 0), "next", ""); // is not kept
    flow(steps[_i]);
    fflush(r->rank[0].file);
    ck_assert_uint_eq(nkept[0], n);
    ck_assert_int_eq(memcmp(kept[0], want, n), 0);
    r->now = NCASES;
    put(RECORD(EVIDENCE_DONE, 0, 0, sizeof nonce), "done", &nonce);
    flow(steps[_i]);
    ck_assert_str_eq(r->end.forged, "");
    ck_assert_int_eq(r->rank[0].done, 1);
    fflush(r->rank[0].file);
    ck_assert_uint_eq(nkept[0], n + sizeof(struct record) + sizeof nonce);
    free(want);
}
END_TEST

#define NONE    "sent what is no record"
#define MORE    "sent more than it may"
#define ANOTHER "sent evidence of another case than the current one"
#define ASKED   "asked for a case before the end of the one before"
#define FINAL   "sent its final record before its last case"
#define OVER    "sent evidence of an iteration that is over"
#define TWICE   "sent two outputs or metrics of one name"
enum { CAP = RECORDER_EVIDENCE_CAP };

// clang-format off
#define HEAD(kind, case_no, iteration, nbytes) \
    {RECORD_MAGIC, EVIDENCE_##kind, case_no, iteration, nbytes, "x"}
#define NAMED(name) {RECORD_MAGIC, EVIDENCE_OUTPUT, 5, 4, 8, name}
// clang-format on

/* The head of a record, what the recorder knew then, and its reason. */
static const struct {
    struct record h;
    int now, ended, asks, done;
    const char *says;
} heads[] = {
    {HEAD(OUTPUT, 5, 4, 8), 0, 0, 0, 0, NULL},
    {{RECORD_MAGIC + 1, EVIDENCE_OUTPUT, 5, 4, 8, "x"}, 0, 0, 0, 0, NONE},
    {{RECORD_MAGIC, EVIDENCE_DRAW + 1, 5, 4, 8, "x"}, 0, 0, 0, 0, NONE},
    {HEAD(OUTPUT, 5, 4, 8), 0, 0, 0, 1, NONE},
    {NAMED("0123456789012345678901234567890"), 0, 0, 0, 0, NULL},
    {NAMED({[EVIDENCE_NAME - 1] = 'x'}), 0, 0, 0, 0, NONE},
    {HEAD(OUTPUT, 5, 4, CAP), 0, 0, 0, 0, NULL},
    {HEAD(OUTPUT, 5, 4, CAP + 1LL), 0, 0, 0, 0, MORE},
    // of the current case, while it runs
    {HEAD(OUTPUT, 5, 4, 8), -1, 0, 0, 0, ANOTHER},
    {HEAD(OUTPUT, 3, 4, 8), 1, 0, 0, 0, NULL},
    {HEAD(OUTPUT, 5, 4, 8), 1, 0, 0, 0, ANOTHER},
    {HEAD(OUTPUT, 3, 4, 8), 2, 0, 0, 0, ANOTHER},
    {HEAD(OUTPUT, 5, 4, 8), 0, 1, 0, 0, ANOTHER},
    {HEAD(OUTPUT, 5, 4, 8), 0, 0, 1, 0, ANOTHER},
    {HEAD(TEXT, 5, 4, 8), 0, 0, 0, 0, NULL},
    {HEAD(TEXT, 5, 4, 8), 0, 1, 0, 0, ANOTHER},
    {HEAD(DRAW, 5, 4, 8), 0, 0, 0, 0, NULL},
    {HEAD(DRAW, 5, 4, 8), 0, 1, 0, 0, ANOTHER},
    // the next case, behind the end of this one
    {HEAD(NEXT, 0, 0, 8), -1, 0, 0, 0, NULL},
    {HEAD(NEXT, 0, 0, 8), -1, 0, 1, 0, ASKED},
    {HEAD(NEXT, 0, 0, 8), 0, 0, 0, 0, ASKED},
    {HEAD(NEXT, 0, 0, 8), 0, 1, 0, 0, NULL},
    {HEAD(NEXT, 0, 0, 8), 0, 1, 1, 0, ASKED},
    // the key, behind the last case
    {HEAD(DONE, 0, 0, 8), 2, 0, 0, 0, NULL},
    {HEAD(DONE, 0, 0, 8), 1, 1, 0, 0, FINAL},
    {HEAD(DONE, 0, 0, 7), 2, 0, 0, 0, FINAL},
    // iterations only count up: now it is the fourth, which has a metric m
    {HEAD(METRIC, 5, 3, 8), 0, 0, 0, 0, OVER},
    {HEAD(DRAW, 5, 3, 8), 0, 0, 0, 0, OVER},
    {HEAD(DRAW, 5, UINT32_MAX, 8), 0, 0, 0, 0, NULL},
    {HEAD(DRAW, 5, INT32_MAX, 8), 0, 0, 0, 0, NULL},
    {HEAD(STATUS, 5, 3, 8), 0, 0, 0, 0, NULL},
    {HEAD(TEXT, 5, 3, 8), 0, 0, 0, 0, NULL},
    {{RECORD_MAGIC, EVIDENCE_METRIC, 5, 4, 8, "m"}, 0, 0, 0, 0, TWICE},
    {{RECORD_MAGIC, EVIDENCE_OUTPUT, 5, 4, 8, "m"}, 0, 0, 0, 0, NULL},
    {{RECORD_MAGIC, EVIDENCE_METRIC, 5, 5, 8, "m"}, 0, 0, 0, 0, NULL},
    {{RECORD_MAGIC, EVIDENCE_TEXT, 5, 4, 8, "m"}, 0, 0, 0, 0, NULL},
    {{RECORD_MAGIC, EVIDENCE_DRAW, 5, 4, 8, "m"}, 0, 0, 0, 0, NULL},
};

START_TEST(a_record_that_may_not_come_now_is_refused)
{
    char want[128] = "";
    struct rank *const k = &r->rank[0];
    r->now = 0;
    put(RECORD(EVIDENCE_METRIC, 5, 4, 0), "m", "");
    flow(MOST);
    r->now = heads[_i].now;
    k->ended = heads[_i].ended;
    k->asks = heads[_i].asks;
    k->done = heads[_i].done;
    recorder_evidence_take(r, k, (const char *)&heads[_i].h,
                           sizeof heads[_i].h);
    if (heads[_i].says)
        snprintf(want, sizeof want, "a rank %s", heads[_i].says);
    ck_assert_str_eq(r->end.forged, want);
    ck_assert_int_eq(k->connection[RECORDER_EVIDENCE] < 0, want[0] != 0);
}
END_TEST

START_TEST(an_iteration_has_so_many_names)
{
    char name[16];
    r->now = 0;
    for (int i = 0; i <= RANK_NAMES; i++) {
        ck_assert_str_eq(r->end.forged, "");
        snprintf(name, sizeof name, "%d", i);
        put(RECORD(EVIDENCE_OUTPUT, 5, 0, 0), name, "");
        flow(MOST);
    }
    ck_assert_str_eq(r->end.forged, "a rank " TWICE);
}
END_TEST

static const struct {
    uint32_t status;
    uint64_t nbytes;
    int ended;
} statuses[] = {
    {RUN_MISSING, 4, 0}, {RUN_OK, 4, 1},      {RUN_ERROR, 4, 1},
    {RUN_MISSING, 3, 1}, {RUN_MISSING, 5, 1}, {RUN_MISSING, 0, 1},
};

START_TEST(a_status_ends_a_case_unless_it_is_missing)
{
    const uint32_t words[2] = {statuses[_i].status, 0};
    r->now = 0;
    put(RECORD(EVIDENCE_STATUS, 5, 0, statuses[_i].nbytes), "status", words);
    flow(MOST);
    ck_assert_int_eq(r->rank[0].ended, statuses[_i].ended);
}
END_TEST

START_TEST(the_key_has_to_be_the_runs)
{
    const uint64_t nonce = job.nonce + (UINT64_C(1) << 63);
    r->now = NCASES;
    put(RECORD(EVIDENCE_DONE, 0, 0, sizeof nonce), "done", &nonce);
    flow(MOST);
    ck_assert_str_eq(r->end.forged,
                     "a rank sent a final record without its key");
}
END_TEST

/* Bytes beyond what a rank may show: it is hung up on, but has forged nothing,
 * and what else has come is not taken. */
START_TEST(a_rank_may_show_so_much)
{
    struct rank *const k = &r->rank[0];
    r->now = 0;
    k->nbytes = CAP - sizeof(struct record);
    put(RECORD(EVIDENCE_TEXT, 5, 0, 0), "x", "");
    flow(MOST);
    ck_assert_int_ge(k->connection[RECORDER_EVIDENCE], 0);
    put(RECORD(EVIDENCE_TEXT, 5, 0, 1), "x", "y");
    put(RECORD(EVIDENCE_TEXT, 3, 0, 1), "x", "y"); // would be refused
    flow(MOST);
    ck_assert_int_eq(k->connection[RECORDER_EVIDENCE], -1);
    ck_assert_str_eq(r->end.forged, "");
}
END_TEST

/* Whatever errno was before. Without bytes nothing happens, and at the end the
 * recorder hangs up, too. */
START_TEST(what_has_come_is_taken)
{
    struct rank *const k = &r->rank[0];
    r->now = 0;
    put(RECORD(EVIDENCE_OUTPUT, 5, 0, 8), "out", "12345678");
    ck_assert_int_eq(write(far[0], bytes, nbytes), (ssize_t)nbytes);
    ck_assert_int_eq(rank_is_due(k, RECORDER_EVIDENCE), 1);
    errno = EAGAIN;
    recorder_evidence_read(r, k);
    ck_assert_uint_eq(k->nbytes, nbytes);
    ck_assert_int_eq(rank_is_due(k, RECORDER_EVIDENCE), 0);
    recorder_evidence_read(r, k);
    ck_assert_int_ge(k->connection[RECORDER_EVIDENCE], 0);
    shutdown(far[0], SHUT_WR);
    ck_assert_int_eq(rank_is_due(k, RECORDER_EVIDENCE), 1);
    errno = EAGAIN;
    recorder_evidence_read(r, k);
    ck_assert_int_eq(k->connection[RECORDER_EVIDENCE], -1);
    ck_assert_int_eq(rank_is_due(k, RECORDER_EVIDENCE), 0);
    nbytes = 0;
}
END_TEST

START_TEST(what_has_come_of_a_note_is_taken)
{
    static const uint32_t kind = RECORDER_BEGIN;
    struct rank *const k = &r->rank[0];
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    k->connection[RECORDER_MEMORY] = ends[0];
    ck_assert_int_eq(write(ends[1], &kind, sizeof kind), sizeof kind);
    errno = EAGAIN;
    recorder_device_take(r, k);
    ck_assert_uint_eq(k->nnote, sizeof kind);
    recorder_device_take(r, k);
    ck_assert_int_eq(k->connection[RECORDER_MEMORY], ends[0]);
    close(ends[1]);
    errno = EAGAIN;
    recorder_device_take(r, k);
    ck_assert_int_eq(k->connection[RECORDER_MEMORY], -1);
}
END_TEST

/* A request that draws from rank 0's seed depends on what rank 0 has sent. */
START_TEST(a_request_takes_all_that_is_due_from_rank_0)
{
    static const struct evidence_ask ask = {.draw = {.of_root = 1},
                                            .nbytes = 3};
    r->now = 0;
    for (int i = 0; i < 20; i++)
        put(RECORD(EVIDENCE_TEXT, 5, 0, 64), "text",
            "0123456789012345678901234567890123456789012345678901234567890123");
    for (int i = 0; i < 40; i++) // more than are read at a time
        ck_assert_int_eq(write(far[0], bytes, nbytes), (ssize_t)nbytes);
    const size_t n = nbytes;
    nbytes = 0;
    put(RECORD(EVIDENCE_DRAW, 5, 0, sizeof ask), "draw", &ask);
    recorder_evidence_take(r, &r->rank[1], bytes, nbytes);
    ck_assert_uint_eq(r->rank[0].nbytes, 40 * n);
    ck_assert_str_eq(r->end.forged, "");
    told(1, "aaa");
    nbytes = 0;
}
END_TEST

/* ---- ranks --------------------------------------------------------------- */

START_TEST(the_first_that_is_forged_is_told_and_hung_up_on)
{
    struct rank *const k = &r->rank[1];
    int graph[2], waits[2];
    ck_assert_int_eq(pipe(graph) | pipe(waits), 0);
    k->connection[RECORDER_GRAPH] = graph[0];
    k->waits = waits[1];
    rank_forged(r, k, "said %d", 1);
    rank_forged(r, &r->rank[0], "said %d", 2);
    ck_assert_str_eq(r->end.forged, "a rank said 1");
    for (int i = 0; i < RECORDER_ROLES; i++)
        ck_assert_int_eq(k->connection[i], -1);
    ck_assert_int_eq(k->waits, -1);
    ck_assert_int_eq(recv(far[1], graph, 1, MSG_DONTWAIT), 0);
    ck_assert_int_eq(recv(far[0], graph, 1, MSG_DONTWAIT), 0);
    ck_assert_int_eq(read(waits[0], graph, 1), 0);
}
END_TEST

START_TEST(evidence_that_ends_leaves_the_graph)
{
    struct rank *const k = &r->rank[0];
    k->waits = dup(far[0]);
    rank_hang_up(k, RECORDER_EVIDENCE);
    ck_assert_int_ge(k->waits, 0);
    rank_hang_up(k, RECORDER_GRAPH);
    ck_assert_int_eq(k->waits, -1);
}
END_TEST

START_TEST(the_first_failure_is_told)
{
    errno = EDOM;
    rank_failed(r, "one");
    errno = ERANGE;
    rank_failed(r, "two");
    ck_assert_str_eq(r->end.failed, "one: Numerical argument out of domain");
}
END_TEST

/* ---- cases --------------------------------------------------------------- */

START_TEST(a_case_comes_when_all_ask_for_it)
{
    r->rank[0].asks = 1;
    recorder_cases_go_on(r);
    ck_assert_int_eq(r->now, -1);
    r->rank[1].asks = 1;
    r->rank[1].joined[RECORDER_EVIDENCE] = 0;
    recorder_cases_go_on(r);
    told(0, NULL);
    r->rank[1].joined[RECORDER_EVIDENCE] = 1;
    for (int i = 0; i <= NCASES; i++) {
        for (int k = 0; k < NRANKS; k++) {
            r->rank[k].asks = r->rank[k].ended = 1;
            r->rank[k].before = r->rank[k].iteration = 9;
            r->rank[k].nnames = 9;
        }
        recorder_cases_go_on(r);
        ck_assert_int_eq(r->now, i);
        for (int k = 0; k < NRANKS; k++) {
            char want[32];
            snprintf(want, sizeof want, "rank %d case %d", k, i);
            told(k, want);
            ck_assert(!r->rank[k].asks && !r->rank[k].ended);
            ck_assert(!r->rank[k].iteration && !r->rank[k].nnames);
            ck_assert_uint_eq(r->rank[k].before, CHAIN_NOTHING);
        }
    }
    r->rank[0].asks = r->rank[1].asks = 1; // there is no other
    recorder_cases_go_on(r);
    ck_assert_int_eq(r->now, NCASES);
}
END_TEST

/* On simgpu, two more connections. */
START_TEST(a_rank_has_joined_with_all_it_has)
{
    job.graphs = 1;
    for (int i = 0; i < NRANKS; i++) {
        r->rank[i].asks = 1;
        r->rank[i].joined[RECORDER_GRAPH] = 1;
        r->rank[i].joined[RECORDER_MEMORY] = 1;
    }
    for (int role = 0; role < RECORDER_ROLES; role++) {
        r->rank[1].joined[role] = 0;
        recorder_cases_go_on(r);
        ck_assert_int_eq(r->now, -1);
        r->rank[1].joined[role] = 1;
    }
    recorder_cases_go_on(r);
    ck_assert_int_eq(r->now, 0);
}
END_TEST

START_TEST(it_listens_no_more_when_the_first_case_is_out)
{
    r->listener = dup(far[0]);
    const int was = r->listener;
    r->rank[0].asks = 1;
    recorder_cases_go_on(r);
    ck_assert_int_eq(r->listener, was);
    r->rank[1].asks = 1;
    recorder_cases_go_on(r);
    ck_assert_int_eq(r->listener, -1);
    ck_assert_int_eq(close(was), -1); // it is closed
}
END_TEST

START_TEST(only_the_iteration_before_counts)
{
    struct rank *const k = &r->rank[0];
    for (uint32_t next = 2; next < 5; next++) {
        k->iteration = 2;
        k->chain = (struct chain){.digest = 42, .at = 1};
        recorder_cases_iteration(k, next);
        ck_assert_uint_eq(k->before, next == 3 ? 42 : CHAIN_NOTHING);
        ck_assert_uint_eq(k->chain.digest, CHAIN_NOTHING);
        ck_assert_uint_eq(k->chain.at, 0);
        ck_assert_uint_eq(k->iteration, next);
    }
}
END_TEST

/* ---- values -------------------------------------------------------------- */

static const struct {
    uint64_t head, nbytes, drawn; /* bytes of the request, and before it */
    int forged;
} asks[] = {
    {sizeof(struct evidence_ask), 3, 0, 0},
    {sizeof(struct evidence_ask) - 1, 3, 0, 1},
    {sizeof(struct evidence_ask) + 1, 3, 0, 1},
    {sizeof(struct evidence_ask), RECORDER_DRAW_CAP + 1LL, 0, 1},
    {sizeof(struct evidence_ask), 3, RECORDER_DRAWN_CAP - 3, 0},
    {sizeof(struct evidence_ask), 3, RECORDER_DRAWN_CAP - 2, 1},
};

START_TEST(values_are_sent_up_to_a_limit)
{
    struct evidence_ask ask[2] = {{.nbytes = asks[_i].nbytes}};
    struct rank *const k = &r->rank[0];
    r->now = 0;
    k->drawn = asks[_i].drawn;
    put(RECORD(EVIDENCE_DRAW, 5, 0, asks[_i].head), "draw", ask);
    flow(MOST);
    ck_assert_str_eq(
        r->end.forged,
        asks[_i].forged ? "a rank asked for values that there are not" : "");
    ck_assert_int_eq(r->answered, 1);
    if (asks[_i].forged)
        return;
    told(0, "aaa");
    ck_assert_uint_eq(k->drawn, asks[_i].drawn + 3);
    fflush(k->file);
    ck_assert_uint_eq(nkept[0], 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("records");
    TCase *const t = tcase_create("records");
    heap_watch(t);
    tcase_add_checked_fixture(t, make_recorder, release_recorder);
    SUITE_LOOP(t, records_are_kept_wherever_they_are_cut, steps);
    SUITE_LOOP(t, a_record_that_may_not_come_now_is_refused, heads);
    tcase_add_test(t, an_iteration_has_so_many_names);
    SUITE_LOOP(t, a_status_ends_a_case_unless_it_is_missing, statuses);
    tcase_add_test(t, the_key_has_to_be_the_runs);
    tcase_add_test(t, a_rank_may_show_so_much);
    tcase_add_test(t, what_has_come_is_taken);
    tcase_add_test(t, what_has_come_of_a_note_is_taken);
    tcase_add_test(t, a_request_takes_all_that_is_due_from_rank_0);
    tcase_add_test(t, the_first_that_is_forged_is_told_and_hung_up_on);
    tcase_add_test(t, evidence_that_ends_leaves_the_graph);
    tcase_add_test(t, the_first_failure_is_told);
    tcase_add_test(t, a_case_comes_when_all_ask_for_it);
    tcase_add_test(t, a_rank_has_joined_with_all_it_has);
    tcase_add_test(t, it_listens_no_more_when_the_first_case_is_out);
    tcase_add_test(t, only_the_iteration_before_counts);
    SUITE_LOOP(t, values_are_sent_up_to_a_limit, asks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
