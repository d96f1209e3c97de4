/* Where bytes came from, in graphs made by hand. */
#include <check.h>
#include <stdlib.h> /* calloc */

#include "judge/origin/origin.h"
#include "suite.h"
#include "synthetic.h"

enum { RANKS = 3, MANY = 3000 };
#define ORIGIN_HOST (UINT64_C(1) << 63) /* in what origin_at() returns */

static struct synthetic s;
static struct graph *g;
static struct topo *topo;
static struct replay *replay;
static struct origins *origins;
static uint64_t nbytes = 100;       /* that operations of several ranks cost */
static uint64_t sent_nbytes;        /* on a sender's side; 0: as many */
static int reaches_peers;           /* of origins_new() */
static uint32_t judged_from[RANKS]; /* the student's operations, by index */
static const char *machine;

static void setup(void)
{
    synthetic_init(&s, RANKS);
    g = NULL;
    topo = NULL;
    replay = NULL;
    origins = NULL;
    reaches_peers = 0;
    machine = "dgx-h100";
    for (int r = 0; r < RANKS; r++)
        judged_from[r] = UINT32_MAX;
}

static void teardown(void)
{
    origins_free(origins);
    replay_free(replay);
    topo_free(topo);
    graph_free(g);
    synthetic_release(&s);
}

/* Memory number n of a rank. */
static uint64_t memory(uint32_t rank, uint32_t n)
{
    return (uint64_t)rank << 32 | n;
}

static struct graph_access touch(uint64_t alloc, uint64_t begin, uint64_t end,
                                 uint32_t how)
{
    return (struct graph_access){
        .alloc = alloc, .begin = begin, .end = end, .write = how};
}

static uint32_t operation(uint32_t rank, enum graph_kind kind,
                          struct graph_access a, struct graph_access b)
{
    return SYNTHETIC(&s, rank,
                     .node = {.kind = (uint8_t)kind,
                              .queue = 1,
                              .place = (int)rank,
                              .latency_ps = 1000},
                     .moves = {{(int)rank, (int)rank, 2 * (b.end - b.begin)}},
                     .accesses = {a, b})
        .index;
}

static void upload(uint32_t rank, uint64_t alloc, uint64_t begin, uint64_t end)
{
    operation(rank, GRAPH_COPY, touch(memory(rank, 0), 4096, 4352, GRAPH_READ),
              touch(alloc, begin, end, GRAPH_WRITE));
}

/* A copy of bytes [0, 100) to the host. */
static uint32_t download(uint32_t rank, uint64_t alloc)
{
    return operation(rank, GRAPH_COPY, touch(alloc, 0, 100, GRAPH_READ),
                     touch(memory(rank, 0), 4096, 4196, GRAPH_WRITE));
}

static void message(uint64_t key, uint32_t from, uint64_t out, uint32_t to,
                    uint64_t in)
{
    struct graph_node n = {.queue = 1,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match = key,
                           .match_size = 2,
                           .bytes = sent_nbytes ? sent_nbytes : nbytes};
    n.kind = GRAPH_SEND;
    n.place = (int)from;
    n.peer_place = (int)to;
    SYNTHETIC(&s, from, .node = n,
              .accesses = {touch(out, 0, 100, GRAPH_READ)});
    n.kind = GRAPH_RECV;
    n.bytes = nbytes;
    n.place = (int)to;
    n.peer_place = (int)from;
    n.match_rank = 1;
    SYNTHETIC(&s, to, .node = n, .accesses = {touch(in, 0, 100, GRAPH_WRITE)});
}

static void all_reduce(uint64_t key, const uint64_t in[], const uint64_t out[])
{
    for (uint32_t r = 0; r < RANKS; r++)
        SYNTHETIC(&s, r,
                  .node = {.kind = GRAPH_COLL,
                           .op = TOPO_OP_ALLREDUCE,
                           .queue = 1,
                           .place = (int)r,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match = key,
                           .match_size = RANKS,
                           .match_rank = r,
                           .bytes = nbytes},
                  .accesses = {touch(in[r], 0, 100, GRAPH_READ),
                               touch(out[r], 0, 100, GRAPH_WRITE)});
}

static void trace(void)
{
    uint32_t *const judged = calloc(g->nnodes, sizeof *judged);
    for (uint32_t r = 0; r < RANKS; r++) // the others' are all the staff's
        for (uint32_t at = g->first[r]; at < g->first[r + 1]; at++)
            judged[at] = g->nodes[at].node.index >= judged_from[r];
    origins = origins_new(g, replay_times(replay), judged, reaches_peers, 0);
    free(judged);
    ck_assert(origins != NULL);
}

/* Follow what was recorded. */
static void follow(void)
{
    char err[256] = "";
    g = synthetic_load(&s);
    topo = topo_load(machine, err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
    replay = replay_run(g, topo, NULL, err, sizeof err);
    ck_assert_msg(replay != NULL, "%s", err);
    trace();
}

/* The origin of byte i of what a rank's operation took to the host: a bit for
 * each rank, and one for the host. */
static uint64_t origin_at(uint32_t rank, uint32_t index, uint64_t i)
{
    size_t n;
    const struct origin *o =
        origins_of(origins, g->first[rank] + index - 1, &n);
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_eq(o[0].begin, 0);
    ck_assert_uint_eq(o[n - 1].end, 100);
    for (size_t k = 1; k < n; k++)
        ck_assert_uint_eq(o[k].begin, o[k - 1].end);
    while (o->end <= i)
        o++;
    return o->from ? o->from->ranks.word[0] | (o->from->host ? ORIGIN_HOST : 0)
                   : 0;
}

START_TEST(an_upload_comes_from_its_rank)
{
    upload(1, memory(1, 1), 0, 100);
    const uint32_t taken = download(1, memory(1, 1));
    follow();
    ck_assert_uint_eq(origin_at(1, taken, 50), 2);
}
END_TEST

START_TEST(an_upload_of_as_many_bytes_comes_from_its_rank)
{
    upload(1, memory(1, 1), 0, 256); // what upload() reads
    const uint32_t taken = download(1, memory(1, 1));
    follow();
    ck_assert_uint_eq(origin_at(1, taken, 50), 2);
}
END_TEST

START_TEST(an_upload_by_the_student_comes_from_the_host)
{
    upload(0, memory(0, 1), 0, 100);
    judged_from[0] = 2;
    upload(0, memory(0, 1), 20, 30);
    const uint32_t taken = download(0, memory(0, 1));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 19), 1);
    ck_assert_uint_eq(origin_at(0, taken, 20), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken, 29), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken, 30), 1);
}
END_TEST

START_TEST(bytes_that_no_operation_wrote_have_no_origin)
{
    upload(0, memory(0, 1), 0, 40);
    upload(0, memory(0, 1), 60, 100);
    const uint32_t taken = download(0, memory(0, 1));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 39), 1);
    ck_assert_uint_eq(origin_at(0, taken, 40), 0);
    ck_assert_uint_eq(origin_at(0, taken, 59), 0);
    ck_assert_uint_eq(origin_at(0, taken, 60), 1);
}
END_TEST

START_TEST(a_part_that_is_taken_counts_from_its_own_begin)
{
    upload(0, memory(0, 1), 0, 140);
    judged_from[0] = 2;
    upload(0, memory(0, 1), 60, 140);
    const uint32_t taken =
        operation(0, GRAPH_COPY, touch(memory(0, 1), 50, 150, GRAPH_READ),
                  touch(memory(0, 0), 4096, 4196, GRAPH_WRITE));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 9), 1);
    ck_assert_uint_eq(origin_at(0, taken, 10), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken, 89), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken, 90), 0);
}
END_TEST

START_TEST(a_message_carries_its_senders_bytes)
{
    upload(0, memory(0, 1), 0, 50);
    message(77, 0, memory(0, 1), 1, memory(1, 1));
    message(78, 1, memory(1, 1), 2, memory(2, 1));
    const uint32_t taken = download(2, memory(2, 1));
    follow();
    ck_assert_uint_eq(origin_at(2, taken, 10), 1);
    ck_assert_uint_eq(origin_at(2, taken, 80), 0); // as at the sender
}
END_TEST

START_TEST(a_collective_mixes_all_that_it_reads)
{
    uint64_t in[RANKS], out[RANKS];
    for (uint32_t r = 0; r < RANKS; r++) {
        in[r] = memory(r, 1);
        out[r] = memory(r, 2);
        if (r != 1)
            upload(r, in[r], 0, 100);
    }
    all_reduce(5, in, out);
    uint32_t taken = 0;
    for (uint32_t r = 0; r < RANKS; r++)
        taken = download(r, out[r]);
    follow();
    ck_assert_uint_eq(origin_at(2, taken, 99), 1 | 4); // not 1's: it had none
}
END_TEST

START_TEST(a_kernel_adds_what_it_reads_to_what_it_leaves)
{
    upload(0, memory(0, 1), 0, 100);
    judged_from[0] = 2;
    upload(0, memory(0, 2), 0, 100);
    operation(0, GRAPH_KERNEL, touch(memory(0, 2), 0, 8, GRAPH_READ),
              touch(memory(0, 1), 0, 10, GRAPH_WRITE));
    operation(0, GRAPH_KERNEL, touch(memory(0, 2), 0, 8, GRAPH_READ),
              touch(memory(0, 1), 10, 20, GRAPH_ATOMIC));
    operation(0, GRAPH_KERNEL, touch(memory(0, 2), 0, 8, GRAPH_READ),
              touch(memory(0, 1), 20, 30, GRAPH_WRITE | GRAPH_ROUGH));
    const uint32_t taken = download(0, memory(0, 1));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 5), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken, 15), ORIGIN_HOST | 1);
    ck_assert_uint_eq(origin_at(0, taken, 25), ORIGIN_HOST | 1);
    ck_assert_uint_eq(origin_at(0, taken, 35), 1);
}
END_TEST

START_TEST(what_is_copied_in_one_allocation_moves)
{
    upload(0, memory(0, 1), 0, 10);
    operation(0, GRAPH_COPY, touch(memory(0, 1), 5, 25, GRAPH_READ),
              touch(memory(0, 1), 50, 70, GRAPH_WRITE));
    const uint32_t taken = download(0, memory(0, 1));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 54), 1);
    ck_assert_uint_eq(origin_at(0, taken, 55), 0);
}
END_TEST

START_TEST(pinned_memory_may_hold_anything)
{
    graph_note_alloc(s.rank[0], memory(0, 2), -1, 100, 0);
    upload(0, memory(0, 1), 0, 100);
    operation(0, GRAPH_COPY, touch(memory(0, 2), 0, 50, GRAPH_READ),
              touch(memory(0, 1), 0, 50, GRAPH_WRITE));
    const uint32_t taken = download(0, memory(0, 1));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 10), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken, 60), 1);
}
END_TEST

/* NCCL's flags lie in a device's memory, but count as the host's in sums of
 * what a program holds there (HEAP_ZEROED). */
START_TEST(a_devices_memory_is_not_the_hosts)
{
    graph_note_placed(s.rank[0], memory(0, 2), -1, 100, 0, 0, 0);
    upload(0, memory(0, 1), 0, 100);
    operation(0, GRAPH_KERNEL, touch(memory(0, 2), 0, 4, GRAPH_READ),
              touch(memory(0, 3), 0, 100, GRAPH_WRITE));
    const uint32_t taken = download(0, memory(0, 3));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 10), 0);
}
END_TEST

START_TEST(many_allocations_are_told_apart)
{
    uint32_t taken[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        if (i % 2)
            upload(i % RANKS, memory(i % RANKS, i + 1), 0, 100);
    for (uint32_t i = 0; i < MANY; i++)
        taken[i] = download(i % RANKS, memory(i % RANKS, i + 1));
    follow();
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(origin_at(i % RANKS, taken[i], 0),
                          i % 2 ? UINT64_C(1) << i % RANKS : 0);
}
END_TEST

/* A chain of messages through all ranks, each of which adds what it has. */
START_TEST(a_hundred_ranks_are_told_apart)
{
    enum { LAST = 99 };
    size_t n;
    synthetic_release(&s);
    synthetic_init(&s, LAST + 1);
    machine = "13x:dgx-h100@ndr";
    for (uint32_t r = 0; r <= LAST; r++)
        if (r != 70)
            upload(r, memory(r, 1), 0, 100);
    for (uint32_t r = 0; r < LAST; r++) {
        message(r + 1, r, memory(r, 1), r + 1, memory(r + 1, 2));
        operation(r + 1, GRAPH_KERNEL,
                  touch(memory(r + 1, 2), 0, 100, GRAPH_READ),
                  touch(memory(r + 1, 1), 0, 100, GRAPH_ATOMIC));
    }
    const uint32_t taken = download(LAST, memory(LAST, 1));
    const uint32_t early = download(63, memory(63, 2));
    follow();
    const struct origin *o =
        origins_of(origins, g->first[LAST] + taken - 1, &n);
    ck_assert(n == 1 && o->from && !o->from->host);
    for (int r = 0; r <= LAST; r++)
        ck_assert_int_eq(rank_set_has(&o->from->ranks, r), r != 70);
    o = origins_of(origins, g->first[63] + early - 1, &n);
    ck_assert(n == 1 && o->from && !o->from->host);
    ck_assert_int_eq(rank_set_count(&o->from->ranks), 63);
    ck_assert(!rank_set_has(&o->from->ranks, 63));
}
END_TEST

START_TEST(what_is_no_copy_to_the_host_has_no_list)
{
    size_t n = 7;
    upload(0, memory(0, 1), 0, 100);
    follow();
    ck_assert_ptr_null(origins_of(origins, g->first[0], &n));
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* What follow() does, for a recorder that saw only these begin: bits of the
 * numbers of each rank's operations. */
static void follow_witnessed(const uint64_t begun[RANKS])
{
    if (!g)
        follow();
    g->is_witnessed = 1;
    for (uint32_t at = 0; at < g->nnodes; at++)
        g->nodes[at].begun =
            begun[g->nodes[at].node.rank] >> g->nodes[at].node.index & 1;
    origins_free(origins);
    trace();
}

START_TEST(a_copy_that_has_not_begun_was_the_hosts_work)
{
    upload(0, memory(0, 1), 0, 100);
    operation(0, GRAPH_COPY, touch(memory(0, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 2), 0, 100, GRAPH_WRITE));
    const uint32_t taken = download(0, memory(0, 2));
    follow_witnessed((uint64_t[RANKS]){0});
    ck_assert_uint_eq(origin_at(0, taken, 50), ORIGIN_HOST);
    follow_witnessed((uint64_t[RANKS]){1 << 2});
    ck_assert_uint_eq(origin_at(0, taken, 50), 1);
}
END_TEST

START_TEST(a_copy_of_a_few_bytes_need_not_have_begun)
{
    upload(0, memory(0, 1), 0, 100);
    operation(0, GRAPH_COPY, touch(memory(0, 1), 0, 8, GRAPH_READ),
              touch(memory(0, 2), 0, 8, GRAPH_WRITE));
    const uint32_t taken = download(0, memory(0, 2));
    follow_witnessed((uint64_t[RANKS]){0});
    ck_assert_uint_eq(origin_at(0, taken, 7), 1);
}
END_TEST

START_TEST(a_receive_that_has_not_begun_was_the_hosts_work)
{
    upload(0, memory(0, 1), 0, 100);
    message(77, 0, memory(0, 1), 1, memory(1, 1));
    const uint32_t taken = download(1, memory(1, 1));
    follow_witnessed((uint64_t[RANKS]){1 << 2, 0, 0});
    ck_assert_uint_eq(origin_at(1, taken, 50), ORIGIN_HOST);
    follow_witnessed((uint64_t[RANKS]){0, 1 << 1, 0}); // the sender need not
    ck_assert_uint_eq(origin_at(1, taken, 50), 1);
}
END_TEST

START_TEST(a_member_of_a_collective_begins_for_itself)
{
    const uint64_t in[] = {memory(0, 1), memory(1, 1), memory(2, 1)},
                   out[] = {memory(0, 2), memory(1, 2), memory(2, 2)};
    uint32_t taken = 0;
    for (uint32_t r = 0; r < RANKS; r++)
        upload(r, in[r], 0, 100);
    all_reduce(5, in, out);
    for (uint32_t r = 0; r < RANKS; r++)
        taken = download(r, out[r]);
    follow_witnessed((uint64_t[RANKS]){1 << 2, 0, 1 << 2});
    ck_assert_uint_eq(origin_at(0, taken, 50), 7);
    ck_assert_uint_eq(origin_at(1, taken, 50), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(2, taken, 50), 7);
}
END_TEST

/* A recorder cannot spoil what a collective also reads. */
START_TEST(in_place_the_hosts_bytes_stay_the_hosts)
{
    const uint64_t in[] = {memory(0, 1), memory(1, 1), memory(2, 1)};
    uint32_t taken = 0;
    for (uint32_t r = 0; r < RANKS; r++)
        upload(r, in[r], 0, 100);
    judged_from[0] = 2;
    upload(0, in[0], 0, 100);
    operation(1, GRAPH_MARK, touch(0, 0, 0, 0), touch(0, 0, 0, 0));
    operation(2, GRAPH_MARK, touch(0, 0, 0, 0), touch(0, 0, 0, 0));
    all_reduce(5, in, in);
    for (uint32_t r = 0; r < RANKS; r++)
        taken = download(r, in[r]);
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 50), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(1, taken, 50), ORIGIN_HOST | 6);
}
END_TEST

START_TEST(no_ranks_bytes_pass_a_kernel_to_another_rank)
{
    for (uint32_t r = 0; r < 2; r++)
        upload(r, memory(r, 1), 0, 100);
    operation(0, GRAPH_KERNEL, touch(memory(1, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 2), 0, 100, GRAPH_WRITE));
    operation(1, GRAPH_KERNEL, touch(memory(1, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 3), 0, 100, GRAPH_WRITE));
    const uint32_t read = download(0, memory(0, 2)),
                   written = download(0, memory(0, 3));
    follow();
    ck_assert_uint_eq(origin_at(0, read, 50), 0);
    ck_assert_uint_eq(origin_at(0, written, 50), 0);
}
END_TEST

START_TEST(bytes_that_cost_nothing_were_the_hosts_work)
{
    const uint64_t in[] = {memory(0, 1), memory(1, 1), memory(2, 1)},
                   out[] = {memory(0, 2), memory(1, 2), memory(2, 2)};
    uint32_t taken[3];
    upload(0, in[0], 0, 100);
    nbytes = 99;
    all_reduce(5, in, out);
    message(77, 0, in[0], 1, memory(1, 3));
    nbytes = 100;
    SYNTHETIC(&s, 0,
              .node = {.kind = GRAPH_COPY, .queue = 1, .latency_ps = 1000},
              .moves = {{0, 0, 99}},
              .accesses = {touch(in[0], 0, 100, GRAPH_READ),
                           touch(memory(0, 3), 0, 100, GRAPH_WRITE)});
    taken[0] = download(0, out[0]);
    taken[1] = download(1, memory(1, 3));
    taken[2] = download(0, memory(0, 3));
    follow();
    ck_assert_uint_eq(origin_at(0, taken[0], 50), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(1, taken[1], 50), ORIGIN_HOST);
    ck_assert_uint_eq(origin_at(0, taken[2], 50), ORIGIN_HOST);
}
END_TEST

/* A receiver does not pay for a message. */
START_TEST(both_sides_of_a_message_have_its_bytes)
{
    upload(0, memory(0, 1), 0, 100);
    sent_nbytes = 4;
    message(77, 0, memory(0, 1), 1, memory(1, 1));
    sent_nbytes = 0;
    const uint32_t taken = download(1, memory(1, 1));
    follow();
    ck_assert_uint_eq(origin_at(1, taken, 50), ORIGIN_HOST);
}
END_TEST

/* Else one that moves bytes could be said to be a memset. */
START_TEST(what_is_no_kernel_passes_nothing_on)
{
    upload(0, memory(0, 1), 0, 100);
    operation(0, GRAPH_MEMSET, touch(memory(0, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 2), 0, 100, GRAPH_WRITE));
    const uint32_t taken = download(0, memory(0, 2));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 50), 0);
}
END_TEST

START_TEST(rows_with_gaps_leave_what_was_there)
{
    upload(0, memory(0, 1), 0, 100);
    judged_from[0] = 2;
    upload(0, memory(0, 2), 0, 100);
    operation(0, GRAPH_COPY, touch(memory(0, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 2), 0, 100, GRAPH_WRITE | GRAPH_ROUGH));
    const uint32_t taken = download(0, memory(0, 2));
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 50), ORIGIN_HOST | 1);
}
END_TEST

/* A kernel's threads keep what they have read while they wait. */
START_TEST(a_kernel_knows_what_its_earlier_parts_read)
{
    upload(0, memory(0, 1), 0, 100);
    const uint32_t kernel =
        operation(0, GRAPH_KERNEL, touch(memory(0, 1), 0, 8, GRAPH_READ),
                  touch(memory(0, 3), 0, 4, GRAPH_WRITE));
    graph_part(s.rank[0], kernel, NULL, 0, 1000);
    const struct graph_access late = touch(memory(0, 2), 0, 100, GRAPH_WRITE);
    graph_amend(s.rank[0], kernel, 0, NULL, 0, &late, 1);
    const uint32_t taken = download(0, memory(0, 2)) + 1; // behind both parts
    follow();
    ck_assert_uint_eq(origin_at(0, taken, 50), 1);
}
END_TEST

START_TEST(kernels_that_have_to_reach_peers_pass_their_bytes_on)
{
    for (uint32_t r = 0; r < 2; r++)
        upload(r, memory(r, 1), 0, 100);
    operation(0, GRAPH_KERNEL, touch(memory(1, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 2), 0, 100, GRAPH_WRITE));
    operation(1, GRAPH_KERNEL, touch(memory(1, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 3), 0, 100, GRAPH_WRITE));
    const uint32_t read = download(0, memory(0, 2)),
                   written = download(0, memory(0, 3));
    reaches_peers = 1;
    follow();
    ck_assert_uint_eq(origin_at(0, read, 50), 2);
    ck_assert_uint_eq(origin_at(0, written, 50), 2);
}
END_TEST

/* A kernel that touches only its own rank's memory reaches no other. */
static uint64_t reached(uint32_t section, int rank)
{
    return origins_reached(origins, section, rank).word[0];
}

START_TEST(what_kernels_of_a_section_read_may_be_at_their_peers)
{
    for (uint32_t r = 0; r < RANKS; r++)
        upload(r, memory(r, 1), 0, 100);
    judged_from[0] = judged_from[2] = 2;
    operation(0, GRAPH_KERNEL, touch(memory(1, 1), 0, 100, GRAPH_READ),
              touch(memory(0, 2), 0, 4, GRAPH_WRITE));
    operation(2, GRAPH_KERNEL, touch(memory(2, 1), 0, 100, GRAPH_READ),
              touch(memory(2, 2), 0, 4, GRAPH_WRITE));
    reaches_peers = 1;
    follow();
    ck_assert_uint_eq(reached(1, 0), 2);
    ck_assert_uint_eq(reached(1, 1), 2);
    ck_assert_uint_eq(reached(1, 2), 2 | 4);
    ck_assert_uint_eq(reached(2, 2), 0);
    origins_free(origins);
    reaches_peers = 0;
    trace();
    ck_assert_uint_eq(reached(1, 2), 0);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("origin");
    TCase *const t = tcase_create("origin");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_upload_comes_from_its_rank);
    tcase_add_test(t, an_upload_of_as_many_bytes_comes_from_its_rank);
    tcase_add_test(t, an_upload_by_the_student_comes_from_the_host);
    tcase_add_test(t, bytes_that_no_operation_wrote_have_no_origin);
    tcase_add_test(t, a_part_that_is_taken_counts_from_its_own_begin);
    tcase_add_test(t, a_message_carries_its_senders_bytes);
    tcase_add_test(t, a_collective_mixes_all_that_it_reads);
    tcase_add_test(t, a_kernel_adds_what_it_reads_to_what_it_leaves);
    tcase_add_test(t, what_is_copied_in_one_allocation_moves);
    tcase_add_test(t, pinned_memory_may_hold_anything);
    tcase_add_test(t, a_devices_memory_is_not_the_hosts);
    tcase_add_test(t, many_allocations_are_told_apart);
    tcase_add_test(t, a_hundred_ranks_are_told_apart);
    tcase_add_test(t, what_is_no_copy_to_the_host_has_no_list);
    tcase_add_test(t, a_copy_that_has_not_begun_was_the_hosts_work);
    tcase_add_test(t, a_copy_of_a_few_bytes_need_not_have_begun);
    tcase_add_test(t, a_receive_that_has_not_begun_was_the_hosts_work);
    tcase_add_test(t, a_member_of_a_collective_begins_for_itself);
    tcase_add_test(t, in_place_the_hosts_bytes_stay_the_hosts);
    tcase_add_test(t, no_ranks_bytes_pass_a_kernel_to_another_rank);
    tcase_add_test(t, bytes_that_cost_nothing_were_the_hosts_work);
    tcase_add_test(t, both_sides_of_a_message_have_its_bytes);
    tcase_add_test(t, what_is_no_kernel_passes_nothing_on);
    tcase_add_test(t, rows_with_gaps_leave_what_was_there);
    tcase_add_test(t, a_kernel_knows_what_its_earlier_parts_read);
    tcase_add_test(t, kernels_that_have_to_reach_peers_pass_their_bytes_on);
    tcase_add_test(t, what_kernels_of_a_section_read_may_be_at_their_peers);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
