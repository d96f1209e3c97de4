/*
 * test_hang.c: what is said of a run that hangs, compared with golden.txt
 *
 * Most ranks record operations and write down waits as if they were in them.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>   /* open */
#include <pthread.h> /* pthread_create */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strstr */

#include "core/peer.h"
#include "core/site.h"
#include "core/thread.h"
#include "core/wait.h"
#include "core/watch/hang.h"
#include "golden.h"
#include "ranks.h"
#include "suite.h"

enum { MAX = 4, WORKER = -1 };
static const char golden[] = "tests/core/golden.txt#hang";

/* ---- call sites ---------------------------------------------------------- */

/* Sites in these functions are shown by their names. */
static void put(char *all, size_t nbytes, const char *is, const char *name)
{
    char rest[16384];
    for (char *at; (at = strstr(all, is));) {
        snprintf(rest, sizeof rest, "%s%s", name, at + strlen(is));
        snprintf(at, nbytes - (size_t)(at - all), "%s", rest);
    }
}

__attribute__((noinline)) static void await(_Atomic uint32_t *word,
                                            const struct wait_note *note)
{
    simgpu_wait(word, 0, note);
}

enum site { NO_SITE, HOST_SITE, OP_SITE };

static uint32_t site_of(enum site s)
{
    const void *const in[] = {NULL, (char *)&put + 1, (char *)&await + 1};
    return graph_site(simgpu_proc()->graph, in[s]);
}

static void name_sites(char *text, size_t nbytes)
{
    char site[256];
    for (int s = HOST_SITE; s <= OP_SITE; s++)
        put(text, nbytes, simgpu_site_text(site_of(s), site, sizeof site),
            s == HOST_SITE ? "HOST" : "OP");
}

/* ---- ranks as a hang leaves them ----------------------------------------- */

struct operation { /* numbered from 1 */
    const char *name;
    uint32_t queue;
    enum graph_kind kind;
    uint64_t match;
    uint32_t size, rank; /* of the match */
    int32_t peer_place;
};

struct waiting {
    const char *call; /* NULL: the end of the list */
    int thread;
    uint32_t at, node, peer;
};

static const struct hung {
    const char *name;
    uint32_t nranks; /* of which two are there */
    struct operation op[2][MAX];
    struct waiting wait[2][MAX];
    int ended; /* rank 1 has, when rank 0 looks */
    size_t nbytes;
} * hung;

#define COLL(name, queue, match, size, rank)                                   \
    {                                                                          \
        name, queue, GRAPH_COLL, match, size, rank, 0                          \
    }
#define KERNEL(name, queue) COLL(name, queue, 0, 0, 0)
#define SEND(match, size, peer)                                                \
    {                                                                          \
        "ncclSend", 1, GRAPH_SEND, match, size, 0, peer                        \
    }
#define MAIN(call, node, peer)                                                 \
    {                                                                          \
        call, 0, 0, node, peer                                                 \
    }
#define IN(at, node)                                                           \
    {                                                                          \
        "worker", WORKER, at, node, 0                                          \
    }

static const struct hung cases[] = {
    {.name = "nobody waits", .nranks = 2},
    {.name = "nobody's main thread waits",
     .nranks = 2,
     .op = {{SEND(1, 2, 1)}},
     .wait = {{IN(1, 1), {"cudaMemcpy", 3, 0, 1, 0}}}},
    {.name = "two receives",
     .nranks = 2,
     .wait = {{MAIN("MPI_Recv", 0, 2)}, {MAIN("MPI_Ssend", 0, 1)}}},
    {.name = "a receive from itself",
     .nranks = 2,
     .wait = {{MAIN("MPI_Recv", 0, 1)}}},
    {.name = "rank 1 waits for who does not",
     .nranks = 2,
     .wait = {{MAIN(NULL, 0, 0)}, {MAIN("MPI_Recv", 0, 1)}}},
    {.name = "for nobody that is known",
     .nranks = 2,
     .wait = {{MAIN("MPI_Waitall", 0, 0)}}},
    {.name = "for who has ended",
     .nranks = 2,
     .wait = {{MAIN("MPI_Recv", 0, 2)}},
     .ended = 1},
    {.name = "for a call of MPI",
     .nranks = 2,
     .op = {{COLL("MPI_Bcast", 0, 5, 2, 0)}},
     .wait = {{MAIN("MPI_Bcast", 1, 0)}, {MAIN("MPI_Barrier", 0, 0)}}},
    {.name = "for a message that the other does not take",
     .nranks = 3,
     .op = {{KERNEL("k", 2), SEND(1, 2, 1)}, {KERNEL("k", 1)}},
     .wait = {{MAIN("cudaStreamSynchronize", 2, 0), IN(1, 1), IN(2, 2)},
              {MAIN("MPI_Barrier", 0, 0)}}},
    {.name = "for a message to nobody",
     .nranks = 3,
     .op = {{SEND(1, 2, 9)}},
     .wait = {{MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)}}},
    {.name = "for a stream that does nothing",
     .nranks = 2,
     .op = {{SEND(1, 2, 1)}},
     .wait = {{MAIN("cudaStreamSynchronize", 1, 0)}}},
    {.name = "for an operation that is not there",
     .nranks = 2,
     .wait = {{MAIN("cudaStreamSynchronize", 7, 0)}}},
    {.name = "for another operation",
     .nranks = 2,
     .op = {{KERNEL("k", 1), KERNEL("late", 2)}},
     .wait = {{MAIN("cudaDeviceSynchronize", 2, 0), IN(2, 1), IN(1, 1)}}},
    {.name = "for a collective that a rank has not called",
     .nranks = 2,
     .op = {{COLL("ncclBroadcast", 1, 4, 2, 0)}},
     .wait = {{MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)},
              {MAIN("MPI_Recv", 0, 1)}}},
    {.name = "collectives in another order",
     .nranks = 2,
     .op = {{COLL("ncclAllReduce", 1, 1, 2, 0),
             COLL("ncclBroadcast", 1, 2, 2, 0)},
            {COLL("ncclBroadcast", 1, 2, 2, 1),
             COLL("ncclAllReduce", 1, 1, 2, 1)}},
     .wait = {{MAIN("cudaStreamSynchronize", 2, 0), IN(1, 1)},
              {MAIN("cudaStreamSynchronize", 2, 0), IN(1, 1)}}},
    {.name = "of three ranks one is unknown",
     .nranks = 3,
     .op = {{COLL("ncclAllReduce", 1, 1, 3, 0)},
            {COLL("ncclAllReduce", 1, 1, 3, 1)}},
     .wait = {{MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)},
              {MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)}}},
    {.name = "of a part of the ranks",
     .nranks = 3,
     .op = {{COLL("ncclAllReduce", 1, 1, 2, 0)}},
     .wait = {{MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)}}},
    {.name = "nobody is missing",
     .nranks = 2,
     .op = {{COLL("ncclAllReduce", 1, 1, 2, 0)},
            {COLL("ncclAllReduce", 1, 1, 2, 1)}},
     .wait = {{MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)},
              {MAIN("cudaStreamSynchronize", 1, 0), IN(1, 1)}}},
    {.name = "no room",
     .nranks = 2,
     .wait = {{MAIN("MPI_Recv", 0, 2)}, {MAIN("MPI_Ssend", 0, 1)}},
     .nbytes = 60},
};

static void record(const struct operation *o, int32_t place)
{
    struct graph_segment *const g = simgpu_proc()->graph;
    const struct graph_node n = {.kind = o->kind,
                                 .queue = o->queue,
                                 .name = graph_string(g, o->name),
                                 .site = site_of(OP_SITE),
                                 .place = place,
                                 .peer_place = o->peer_place,
                                 .match_kind = o->kind == GRAPH_SEND
                                                   ? GRAPH_MATCH_PAIR
                                               : o->match ? GRAPH_MATCH_ALL
                                                          : GRAPH_MATCH_NONE,
                                 .match = o->match,
                                 .match_size = o->size,
                                 .match_rank = o->rank};
    graph_add(g, &n, NULL, NULL, NULL);
}

/* What the rank has recorded, and waits for. */
static void leave(int rank)
{
    struct control *const own = control_own();
    for (uint32_t q = 1; q <= 2; q++)
        graph_note_queue(simgpu_proc()->graph, q, rank, "stream");
    for (const struct operation *o = hung->op[rank]; o->name; o++)
        record(o, rank);
    for (const struct waiting *w = hung->wait[rank]; w->call; w++) {
        struct control_wait *const out = &own->wait[own->nwaits++];
        *out = (struct control_wait){.thread = (uint32_t)w->thread,
                                     .at = w->at,
                                     .node = w->node,
                                     .peer = w->peer,
                                     .site = site_of(HOST_SITE)};
        snprintf(out->call, sizeof out->call, "%s", w->call);
    }
}

static void is_waited_for(struct shared *s)
{
    leave(1);
    meet(s);
    if (!hung->ended)
        spin(&s->ping);
}

static int next_file(void)
{
    const int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

static void looks(struct shared *s)
{
    char text[4096];
    leave(0);
    meet(s);
    while (hung->ended && peer_alive(peer_find(1)))
        usleep(1000);
    const int file = next_file();
    const size_t n =
        hang_explain(text, hung->nbytes ? hung->nbytes : sizeof text);
    MUST(n == strlen(text) && next_file() == file);
    name_sites(text, sizeof text);
    fprintf(stderr, hung->nbytes ? "%s\n" : "%s", text);
    set(&s->ping);
}

START_TEST(a_chain_of_waits_is_followed_to_its_end)
{
    char text[2][8192];
    struct shared *const s = shared_new();
    hung = &cases[_i];
    const struct rank r0 = rank_start(0, (int)hung->nranks, looks, s);
    const struct rank r1 = rank_start(1, (int)hung->nranks, is_waited_for, s);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), 0);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), 0);
    golden_expect_part(golden, hung->name, text[0]);
}
END_TEST

/* ---- reports of real hangs ----------------------------------------------- */

static const struct report {
    const char *name, *call[2];  /* that each rank is in; NULL: it ends */
    int other_threads, nworkers; /* of rank 0, that wait, too */
    int nranks;                  /* of which two are there */
} * report;

static const struct report reports[] = {
    {"report", {"ncclRecv", "ncclCommInitRank"}, 0, 0, 2},
    {"report of ranks that join",
     {"ncclCommInitRankConfig", "ncclCommInitRank"},
     0,
     0,
     2},
    {"report of ranks that join, but one",
     {"ncclCommInitRank", "ncclCommInitRank"},
     0,
     0,
     3},
    {"report of a value", {"cuStreamWaitValue32", "cudaFree"}, 0, 0, 2},
    {"report of threads", {"cudaFree", "cudaMalloc"}, 1, 0, 2},
    {"report of workers", {"cudaFree", "cudaMalloc"}, 1, 2, 2},
    {"report of many threads", {"cudaFree", "cudaMalloc"}, 33, 0, 2},
    {"report of a rank that has ended", {"ncclRecv", NULL}, 0, 0, 2},
};

static void describe(const void *arg, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "waits for %s", (const char *)arg);
}

static void hangs(struct shared *s, const char *call, const char *arg)
{
    await(&s->pong, &(struct wait_note){.call = call,
                                        .site = site_of(HOST_SITE),
                                        .describe = arg ? describe : NULL,
                                        .arg = arg,
                                        .peer = 1});
}

static struct shared *beside; /* what the other threads wait on */

static void *hangs_beside(void *number)
{
    thread_number();
    hangs(beside, "cudaEventSynchronize", number);
    return NULL;
}

/* Operations 3 and 4 of streams, in this order. */
static void *works(void *number)
{
    thread_become_worker();
    control_active(+1);
    const int first = *(const char *)number == '0';
    wait_running(first ? 3 : 4);
    hangs(beside, first ? "early" : "late", NULL);
    return NULL;
}

static void count_wait(void *n, const struct wait_entry *e)
{
    (void)e;
    ++*(int *)n;
}

/* One after the other: threads are numbered and listed in this order. */
static void begin_waits(void *(*body)(void *), int n, int before)
{
    static char number[64][12];
    pthread_t thread;
    for (int i = 0; i < n; i++) {
        int waiting = 0;
        snprintf(number[i], sizeof number[i], "%d", i);
        MUST(pthread_create(&thread, NULL, body, number[i]) == 0);
        while (waiting != before + i + 1) {
            usleep(1000);
            waiting = 0;
            wait_each(count_wait, &waiting);
        }
    }
}

static void hangs_as_0(struct shared *s)
{
    meet(s);
    beside = s;
    begin_waits(hangs_beside, report->other_threads, 0);
    begin_waits(works, report->nworkers, report->other_threads);
    hangs(s, report->call[0], "the other");
}

static void hangs_as_1(struct shared *s)
{
    meet(s);
    if (report->call[1])
        hangs(s, report->call[1], NULL);
}

/* Cut these letters after each of this word. */
static void cut(char *text, const char *word, const char *letters)
{
    for (char *at = text; (at = strstr(at, word));) {
        at += strlen(word);
        char *const end = at + strspn(at, letters);
        memmove(at, end, strlen(end) + 1);
    }
}

START_TEST(a_report_has_the_chain_and_all_waits)
{
    char text[2][8192], all[2 * 8192];
    struct shared *const s = shared_new();
    report = &reports[_i];
    setenv("SIMGPU_HANG_SEC", "0.3", 1);
    const struct rank r0 = rank_start(0, report->nranks, hangs_as_0, s);
    const struct rank r1 = rank_start(1, report->nranks, hangs_as_1, s);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), PROC_EXIT_FAULT);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]),
                     report->call[1] ? PROC_EXIT_FAULT : 0);
    snprintf(all, sizeof all, "%s%s", text[0], text[1]);
    cut(all, "test_hang.c:", "0123456789");
    cut(all, "simgpu: rank ", "0123456789"); // whoever noticed first
    golden_expect_part(golden, report->name, all);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("hang");
    TCase *const t = tcase_create("hang");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_chain_of_waits_is_followed_to_its_end, 0,
                        sizeof cases / sizeof *cases);
    tcase_add_loop_test(t, a_report_has_the_chain_and_all_waits, 0,
                        sizeof reports / sizeof *reports);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
