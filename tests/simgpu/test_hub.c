/* What the ranks of a communicator share, as two or three ranks in turn. */
#include <check.h>
#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <sys/mman.h> /* msync */
#include <unistd.h>   /* getpid */

#include "nccl/hub.h"
#include "suite.h"

enum { MAX = 3 }; /* ranks */

static struct hub_view ranks[MAX];
static struct proc_id me;
static uint64_t nonce;
static int fd = -1;

/* Ranks 0..n-1 of a new hub, each with a mapping of its own. */
static void join(int n)
{
    me.pid = getpid();
    fd = hub_make(&nonce);
    ck_assert_int_ge(fd, 0);
    for (int r = 0; r < n; r++) {
        ranks[r] = (struct hub_view){.rank = r, .nranks = n};
        ck_assert_int_eq(hub_map(&ranks[r], &me, fd, nonce), 0);
    }
}

static void leave(void)
{
    for (int r = 0; r < MAX; r++)
        hub_unmap(&ranks[r]);
    close(fd);
}

static int lowest_fd(void)
{
    const int lowest = open("/dev/null", O_RDONLY);
    close(lowest);
    return lowest;
}

/* ---- mapping and layout -------------------------------------------------- */

START_TEST(a_hub_is_mapped_by_its_nonce)
{
    join(1);
    struct hub_view other = {.nranks = 1};
    const int lowest = lowest_fd();
    ck_assert_int_eq(hub_map(&other, &me, fd, nonce + 1), -1);
    ck_assert_ptr_null(other.hub);
    ck_assert_int_eq(hub_map(&other, &me, lowest, nonce), -1);
    ck_assert_int_eq(hub_map(&other, &me, fd, nonce), 0);
    ck_assert_uint_eq(other.hub->nonce, nonce);
    ck_assert_int_eq(lowest_fd(), lowest);
    void *const at = other.hub;
    hub_unmap(&other);
    ck_assert_ptr_null(other.hub);
    ck_assert_int_eq(msync(at, 1, MS_ASYNC), -1);
    ck_assert_int_eq(errno, ENOMEM);
    hub_unmap(&other);
    leave();
}
END_TEST

/* In a program that has closed its input. */
START_TEST(a_hub_may_be_the_first_file)
{
    close(STDIN_FILENO);
    join(1);
    ck_assert_int_eq(fd, STDIN_FILENO);
    leave();
}
END_TEST

/* Each part begins where the one before it ends, and the last ends with the
 * hub. */
START_TEST(parts_lie_behind_each_other)
{
    const int n = _i;
    join(n);
    const struct hub_view *const v = &ranks[n - 1];
    char *at = (char *)&v->hub->member[n];
    ck_assert_uint_eq((uintptr_t)hub_slot(v, 0) % 64, 0);
    ck_assert((char *)hub_slot(v, 0) - at < 64 && (char *)hub_slot(v, 0) >= at);
    at = (char *)hub_slot(v, 0);
    for (uint64_t seq = 0; seq < HUB_SLOTS; seq++) {
        ck_assert_ptr_eq(hub_slot(v, seq), at + seq * sizeof(struct hub_slot));
        ck_assert_ptr_eq(hub_slot(v, seq + HUB_SLOTS), hub_slot(v, seq));
    }
    at += HUB_SLOTS * sizeof(struct hub_slot);
    for (uint64_t seq = 0; seq < HUB_SLOTS; seq++)
        for (int r = 0; r < n; r++, at += sizeof(struct hub_post)) {
            ck_assert_ptr_eq(hub_post(v, seq, r), at);
            ck_assert_ptr_eq(hub_post(v, seq + HUB_SLOTS, r), at);
        }
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++, at += sizeof(struct hub_channel)) {
            struct hub_channel *const c = (struct hub_channel *)at;
            ck_assert_ptr_eq(hub_message(v, from, to, 0), c->ring);
            ck_assert_ptr_eq(hub_message(v, from, to, 2 * HUB_DEPTH - 1),
                             &c->ring[HUB_DEPTH - 1]);
            ck_assert_ptr_eq(hub_end(v, from, to, 0), &c->end[0]);
            ck_assert_ptr_eq(hub_end(v, from, to, 1), &c->end[1]);
        }
    const struct hub_signal *const signal = (struct hub_signal *)at;
    const size_t nsignals = (size_t)n * n * HUB_SIGNALS * HUB_SIGNAL_DEPTH;
    ck_assert_uint_eq(v->nbytes,
                      (size_t)((char *)&signal[nsignals] - (char *)v->hub));
    hub_post_signal(v, n - 1, HUB_SIGNALS - 1, HUB_SIGNAL_DEPTH - 1,
                    (struct graph_ref){0});
    ck_assert_uint_eq(signal[nsignals - 1].number, HUB_SIGNAL_DEPTH);
    hub_post_signal(&ranks[0], 0, 0, 0, (struct graph_ref){0});
    ck_assert_uint_eq(signal[0].number, 1);
    leave();
}
END_TEST

/* ---- words --------------------------------------------------------------- */

START_TEST(words_reach_numbers_that_wrap_around)
{
    static const struct {
        uint32_t seen, enough;
        int is;
    } words[] = {{0, 0, 1},
                 {0, 1, 0},
                 {1, 0, 1},
                 {0x7ffffffe, 0x7fffffff, 0},
                 {0, 0x7fffffff, 1},
                 {0x7fffffff, 0, 0},
                 {HUB_LOST, 0, 1},
                 {HUB_LOST, 1, -1},
                 {HUB_LOST | 7, 7, 1},
                 {HUB_LOST | 6, 7, -1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        _Atomic uint32_t word = words[i].seen;
        ck_assert_int_eq(hub_reached(&word, words[i].enough), words[i].is);
        if (words[i].is)
            ck_assert_int_eq(hub_wait(&word, words[i].enough, NULL),
                             words[i].is < 0 ? -1 : 0);
    }
}
END_TEST

/* Every word that somebody may wait for is lost, and bells ring for those who
 * listen. */
START_TEST(whoever_waits_gives_up_when_a_rank_aborts)
{
    enum { N = 3 };
    join(N);
    ck_assert_uint_eq(hub_listen(&ranks[1]), 0);
    ck_assert_int_eq(hub_lost(&ranks[0]), 0);
    hub_abort(&ranks[2], "called f", 0);
    const struct hub_view *const v = &ranks[0];
    ck_assert_int_eq(hub_lost(v), 1);
    ck_assert_int_eq(hub_wait(&v->hub->joined, 1, NULL), -1);
    for (uint64_t seq = HUB_SLOTS; seq < 2 * HUB_SLOTS; seq++) {
        ck_assert_int_eq(hub_enter(v, seq, NULL), -1);
        ck_assert_int_eq(hub_wait_open(v, seq, NULL), -1);
        ck_assert_int_eq(hub_is_open(v, seq), 0);
    }
    for (int from = 0; from < N; from++)
        for (int to = 0; to < N; to++) {
            for (uint32_t i = 0; i < HUB_DEPTH; i++)
                ck_assert_uint_eq(hub_message(v, from, to, i)->turn, HUB_LOST);
            ck_assert_uint_eq(*hub_end(v, from, to, 0), HUB_LOST);
            ck_assert_uint_eq(*hub_end(v, from, to, 1), HUB_LOST);
        }
    for (int r = 0; r < N; r++) {
        ck_assert_uint_eq(v->hub->member[r].signals, HUB_LOST);
        for (int a = 0; a < HUB_ALGORITHMS; a++)
            ck_assert_uint_eq(v->hub->member[r].connects[a], HUB_LOST);
        ck_assert_int_eq(*hub_bell(&ranks[r]) != 0, r == 1);
    }
    leave();
}
END_TEST

/* ---- rendezvous ---------------------------------------------------------- */

/* One of two ranks and three pieces. */
static void meet(uint64_t seq)
{
    const struct hub_view *const v = &ranks[0], *const w = &ranks[1];
    ck_assert_int_eq(hub_enter(v, seq, NULL), 0);
    ck_assert_int_eq(hub_enter(w, seq, NULL), 0);
    ck_assert_int_eq(hub_arrive(v, seq), 0);
    ck_assert_int_eq(hub_is_open(v, seq), 0);
    ck_assert_int_eq(hub_arrive(w, seq), 1);
    hub_open(w, seq, 1);
    ck_assert_int_eq(hub_wait_open(v, seq, NULL), 0);
    ck_assert_int_eq(hub_is_open(v, seq), 1);
    ck_assert_int_eq(hub_is_open(v, seq + HUB_SLOTS), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(hub_claim(i % 2 ? v : w, seq, 3), i);
    ck_assert_int_eq(hub_claim(v, seq, 3), -1);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(hub_slot(v, seq)->state % 2, 1);
        hub_done(v, seq, 3);
    }
    hub_wait_end(v, seq, NULL);
    hub_wait_end(w, seq, NULL);
    ck_assert_int_eq(hub_is_open(v, seq), 1); // it has been
    ck_assert_uint_eq(hub_slot(v, seq)->state, 2 * (seq / HUB_SLOTS) + 2);
}

START_TEST(ranks_meet_again_and_again)
{
    join(2);
    for (uint64_t seq = 0; seq < 3 * HUB_SLOTS + 1; seq++)
        meet(seq);
    // late: the slot is another rendezvous's by now
    ck_assert_int_eq(hub_claim(&ranks[0], 2 * HUB_SLOTS, 100), -1);
    leave();
}
END_TEST

START_TEST(an_open_rendezvous_ends_though_it_is_lost)
{
    join(1);
    ck_assert_int_eq(hub_enter(ranks, 0, NULL), 0);
    ck_assert_int_eq(hub_arrive(ranks, 0), 1);
    hub_open(ranks, 0, 0);
    hub_abort(ranks, "called f", 0);
    ck_assert_int_eq(hub_wait_open(ranks, 0, NULL), 0);
    ck_assert_int_eq(hub_claim(ranks, 0, 1), 0);
    hub_done(ranks, 0, 1);
    hub_wait_end(ranks, 0, NULL);
    leave();
}
END_TEST

/* ---- messages, offers, signals ------------------------------------------- */

START_TEST(a_bell_rings_for_those_who_listen)
{
    join(2);
    struct hub_message *const m = hub_message(&ranks[0], 0, 1, 0);
    hub_advance(&ranks[0], m, 1);
    ck_assert_uint_eq(m->turn, hub_turn(0, HUB_POSTED));
    ck_assert_uint_eq(*hub_bell(&ranks[1]), 0);
    const uint32_t heard = hub_listen(&ranks[1]);
    hub_advance(&ranks[0], m, 1);
    ck_assert_uint_eq(m->turn, hub_turn(HUB_DEPTH, HUB_FREE));
    ck_assert_uint_ne(*hub_bell(&ranks[1]), heard);
    ck_assert_uint_eq(*hub_bell(&ranks[0]), 0);
    const uint32_t again = hub_listen(&ranks[1]);
    ck_assert_uint_eq(again, *hub_bell(&ranks[1]));
    hub_ignore(&ranks[1]);
    hub_advance(&ranks[0], m, 1); // one still listens
    ck_assert_uint_ne(*hub_bell(&ranks[1]), again);
    const uint32_t last = *hub_bell(&ranks[1]);
    hub_ignore(&ranks[1]);
    hub_advance(&ranks[0], m, 1);
    ck_assert_uint_eq(*hub_bell(&ranks[1]), last);
    leave();
}
END_TEST

START_TEST(offers_are_found_by_their_keys)
{
    struct hub_offer out = {0};
    join(3);
    for (int r = 1; r < 3; r++)
        hub_make_offer(&ranks[r], 40 + (uint64_t)r,
                       &(struct hub_offer){.owner.pid = 50 + r,
                                           .fd = 60 + r,
                                           .nonce = 70 + (uint64_t)r});
    ck_assert_uint_eq(ranks[0].hub->offers, 2);
    ck_assert_int_eq(hub_find_offer(&ranks[0], 40, &out), 0);
    for (int r = 1; r < 3; r++) {
        ck_assert_int_eq(hub_find_offer(&ranks[0], 40 + (uint64_t)r, &out), 1);
        ck_assert_int_eq(out.owner.pid, 50 + r);
        ck_assert_int_eq(out.fd, 60 + r);
        ck_assert_uint_eq(out.nonce, 70 + (uint64_t)r);
    }
    leave();
}
END_TEST

/* Whether a signal from rank 0 has come to rank 1, and which node sent it. */
static void has_come(int kind, uint32_t number, int come, uint32_t index)
{
    struct graph_ref sender = {.index = 99};
    ck_assert_int_eq(hub_find_signal(&ranks[1], 0, kind, number, &sender),
                     come);
    ck_assert_uint_eq(sender.index, come ? index : 99);
}

START_TEST(signals_are_kept_apart_and_forgotten_in_turn)
{
    join(2);
    const uint32_t n = HUB_SIGNAL_DEPTH + 1;
    has_come(3, 0, 0, 0);
    for (uint32_t k = 0; k < n; k++)
        hub_post_signal(&ranks[0], 1, 3, k, (struct graph_ref){.index = 7 + k});
    ck_assert_uint_eq(ranks[1].hub->member[1].signals, n);
    ck_assert_uint_eq(ranks[1].hub->member[0].signals, 0);
    has_come(3, 0, 1, 0); // another took its place
    has_come(3, 1, 1, 8);
    has_come(3, n - 1, 1, 7 + n - 1);
    has_come(3, n, 0, 0);
    has_come(2, 0, 0, 0);
    has_come(4, 0, 0, 0);
    struct graph_ref none;
    ck_assert_int_eq(hub_find_signal(&ranks[1], 1, 3, 0, &none), 0);
    ck_assert_int_eq(hub_find_signal(&ranks[0], 0, 3, 0, &none), 0);
    ck_assert_int_eq(hub_find_signal(&ranks[0], 1, 3, 0, &none), 0);
    leave();
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("hub");
    TCase *const t = tcase_create("hub");
    tcase_add_test(t, a_hub_is_mapped_by_its_nonce);
    tcase_add_test(t, a_hub_may_be_the_first_file);
    tcase_add_loop_test(t, parts_lie_behind_each_other, 1, MAX + 1);
    tcase_add_test(t, words_reach_numbers_that_wrap_around);
    tcase_add_test(t, whoever_waits_gives_up_when_a_rank_aborts);
    tcase_add_test(t, ranks_meet_again_and_again);
    tcase_add_test(t, an_open_rendezvous_ends_though_it_is_lost);
    tcase_add_test(t, a_bell_rings_for_those_who_listen);
    tcase_add_test(t, offers_are_found_by_their_keys);
    tcase_add_test(t, signals_are_kept_apart_and_forgotten_in_turn);
    suite_add_tcase(s, t);
    return suite_run(s);
}
