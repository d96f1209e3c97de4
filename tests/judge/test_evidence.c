/* Evidence: valid records are read, and everything else is rejected. */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>       /* isnan */
#include <stdio.h>      /* snprintf */
#include <stdlib.h>     /* mkdtemp */
#include <string.h>     /* memcpy */
#include <sys/socket.h> /* listen */
#include <sys/stat.h>   /* mkfifo */
#include <sys/un.h>     /* sockaddr_un */
#include <unistd.h>     /* unlink */

#include "base/recorder.h"
#include "fds.h"
#include "judge/chain.h"
#include "judge/judge.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { NONCE = 7, CAP = 1 << 20 };

/* One case on one rank, in memory. */
static char *show(size_t *nbytes)
{
    const double us = 12.5;
    char *data;
    struct evidence_out *const e = evidence_memory(&data, nbytes, NONCE);
    ck_assert(e != NULL);
    evidence_put_status(e, 3, RUN_MISSING, NULL);
    evidence_put(e, EVIDENCE_OUTPUT, 3, 1, "recvbuf", "hello", 5);
    evidence_put(e, EVIDENCE_METRIC, 3, 1, "time_us", &us, sizeof us);
    evidence_put_status(e, 3, RUN_ERROR, "a reason");
    ck_assert_int_eq(evidence_finish(e), 0);
    return data;
}

static struct evidence *read_back(char *data, size_t nbytes)
{
    struct evidence *const e = evidence_new(1, NONCE);
    evidence_give(e, 0, data, nbytes);
    return e;
}

START_TEST(what_is_shown_is_read)
{
    size_t nbytes, n;
    char *const data = show(&nbytes);
    struct evidence *const e = read_back(data, nbytes);
    ck_assert(evidence_done(e, 0) && !evidence_problem(e, 0));
    ck_assert(evidence_began(e, 0, 3) && !evidence_began(e, 0, 4));
    ck_assert_int_eq(evidence_status(e, 0, 3), RUN_ERROR);
    ck_assert_int_eq(evidence_status(e, 0, 4), RUN_MISSING);
    ck_assert_str_eq(evidence_text(e, 0, 3), "a reason");
    ck_assert_mem_eq(evidence_output(e, 0, 3, 1, "recvbuf", &n), "hello", 5);
    ck_assert_int_eq(n, 5);
    ck_assert(evidence_output(e, 0, 3, 0, "recvbuf", &n) == NULL);
    ck_assert(evidence_metric(e, 0, 3, 1, "time_us") == 12.5);
    ck_assert(isnan(evidence_metric(e, 0, 3, 1, "recvbuf")));
    evidence_free(e);
}
END_TEST

START_TEST(outputs_of_one_length_are_numbered)
{
    char *data;
    size_t nbytes;
    struct evidence_out *const out = evidence_memory(&data, &nbytes, NONCE);
    ck_assert(out != NULL);
    evidence_put(out, EVIDENCE_OUTPUT, 3, 0, "earlier", "12345", 5);
    evidence_put(out, EVIDENCE_OUTPUT, 3, 1, "y", "12345", 5);
    evidence_put(out, EVIDENCE_OUTPUT, 3, 1, "longer", "123456", 6);
    evidence_put(out, EVIDENCE_OUTPUT, 3, 1, "a", "12345", 5);
    ck_assert_int_eq(evidence_finish(out), 0);
    struct evidence *const e = read_back(data, nbytes);
    ck_assert_int_eq(evidence_output_number(e, 0, 3, 1, "y"), 0);
    ck_assert_int_eq(evidence_output_number(e, 0, 3, 1, "longer"), 0);
    ck_assert_int_eq(evidence_output_number(e, 0, 3, 1, "a"), 1);
    ck_assert_int_eq(evidence_output_number(e, 0, 3, 1, "none"), 0);
    evidence_free(e);
}
END_TEST

START_TEST(another_runs_evidence_is_not_done)
{
    size_t nbytes;
    char *const data = show(&nbytes);
    struct evidence *const e = evidence_new(1, NONCE + 1);
    evidence_give(e, 0, data, nbytes);
    ck_assert(!evidence_done(e, 0) && evidence_problem(e, 0));
    evidence_free(e);
}
END_TEST

START_TEST(what_follows_the_final_record_is_void)
{
    size_t nbytes, n;
    char *const data = show(&nbytes);
    char *const twice = malloc(2 * nbytes);
    memcpy(twice, data, nbytes);
    memcpy(twice + nbytes, data, nbytes);
    free(data);
    struct evidence *const e = read_back(twice, 2 * nbytes);
    ck_assert_str_eq(evidence_problem(e, 0),
                     "rank 0: the evidence is damaged at byte 392");
    ck_assert(evidence_output(e, 0, 3, 1, "recvbuf", &n) != NULL);
    evidence_free(e);
}
END_TEST

/* Cut at every length, and with every byte changed: never a crash, never
 * an access out of bounds (run it under valgrind to check that). */
START_TEST(damaged_evidence_is_survived)
{
    size_t nbytes;
    char *const good = show(&nbytes);
    for (size_t i = 0; i < nbytes; i++)
        for (int cut = 0; cut < 2; cut++) {
            size_t n;
            const size_t left = cut ? i : nbytes;
            char *const bad = malloc(left + 1); // no room after it
            memcpy(bad, good, left);
            if (!cut)
                bad[i] = (char)(bad[i] ^ 0x5a);
            struct evidence *const e = read_back(bad, left);
            evidence_status(e, 0, 3);
            evidence_metric(e, 0, 3, 1, "time_us");
            evidence_text(e, 0, 3);
            evidence_output(e, 0, 3, 1, "recvbuf", &n);
            ck_assert(n <= nbytes);
            ck_assert(!cut || !evidence_done(e, 0));
            evidence_free(e);
        }
    free(good);
}
END_TEST

START_TEST(a_length_beyond_the_file_is_damage)
{
    static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 7, 1u << 31};
    size_t nbytes;
    char *const data = show(&nbytes);
    memcpy(data + 16, &lengths[_i], sizeof lengths[_i]); // record.nbytes
    struct evidence *const e = read_back(data, nbytes);
    ck_assert_str_eq(evidence_problem(e, 0),
                     "rank 0: the evidence is damaged at byte 0");
    ck_assert_int_eq(evidence_status(e, 0, 3), RUN_MISSING);
    evidence_free(e);
}
END_TEST

/* A million records, looked up a thousand times. */
START_TEST(many_small_records_are_no_burden)
{
    char *data;
    size_t nbytes;
    const double v = 1;
    struct evidence_out *const o = evidence_memory(&data, &nbytes, NONCE);
    for (unsigned i = 0; i < 1000000; i++)
        evidence_put(o, EVIDENCE_METRIC, i / 1000, i % 1000, "m", &v, sizeof v);
    ck_assert_int_eq(evidence_finish(o), 0);
    struct evidence *const e = read_back(data, nbytes);
    for (unsigned i = 0; i < 1000; i++)
        ck_assert(evidence_metric(e, 0, i, i, "m") == 1);
    evidence_free(e);
}
END_TEST

/* The recorder's socket in a folder: it listens, and takes nothing. */
static int listen_in(const char *dir)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s/%s", dir, RECORDER_NAME);
    ck_assert(bind(s, (struct sockaddr *)&name, sizeof name) == 0);
    ck_assert(listen(s, 1) == 0);
    return s;
}

START_TEST(evidence_that_the_recorder_does_not_take_is_a_failure)
{
    char dir[] = "/tmp/commlab-recorder-XXXXXX", path[64];
    ck_assert(mkdtemp(dir) != NULL);
    const int s = listen_in(dir);
    struct evidence_out *const e = evidence_join(dir, 0);
    close(s);
    snprintf(path, sizeof path, "%s/%s", dir, RECORDER_NAME);
    unlink(path);
    rmdir(dir);
    ck_assert(e != NULL);
    ck_assert_int_eq(evidence_finish(e), -1);
}
END_TEST

START_TEST(the_last_of_two_records_counts)
{
    char *data;
    size_t nbytes;
    struct evidence_out *const o = evidence_memory(&data, &nbytes, NONCE);
    for (double v = 1; v <= 3; v++)
        evidence_put(o, EVIDENCE_METRIC, 0, 0, "m", &v, sizeof v);
    ck_assert_int_eq(evidence_finish(o), 0);
    struct evidence *const e = read_back(data, nbytes);
    ck_assert(evidence_metric(e, 0, 0, 0, "m") == 3);
    evidence_free(e);
}
END_TEST

/* ---- files --------------------------------------------------------------- */

static char dir[] = "/tmp/commlab-evidence-XXXXXX", path[64], format[64];

static void make_dir(void)
{
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/rank-0", dir);
    snprintf(format, sizeof format, "%s/rank-%%d", dir);
}

static void remove_dir(void)
{
    unlink(path);
    rmdir(dir);
}

static void expect_problem(const char *says)
{
    struct evidence *const e = evidence_load(format, 1, NONCE, CAP);
    const char *const problem = evidence_problem(e, 0);
    ck_assert_msg(problem && strstr(problem, says), "\"%s\"",
                  problem ? problem : "nothing");
    evidence_free(e);
}

START_TEST(only_a_regular_file_of_bounded_size_is_read)
{
    make_dir();
    expect_problem("no evidence: No such file");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_problem("no evidence");
    unlink(path);
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    expect_problem("no evidence");
    unlink(path);
    fclose(fopen(path, "w"));
    ck_assert_int_eq(truncate(path, CAP + 1), 0);
    expect_problem("File too large");
    ck_assert_int_eq(truncate(path, CAP), 0); // zeros
    expect_problem("damaged at byte 0");
    remove_dir();
}
END_TEST

START_TEST(what_is_missing_is_said)
{
    size_t nbytes, n;
    char *const data = show(&nbytes);
    struct evidence *const e = evidence_new(2, NONCE);
    ck_assert_str_eq(evidence_problem(e, 1), "rank 1: no evidence");
    ck_assert(evidence_status(e, 1, 3) == RUN_MISSING);
    ck_assert(evidence_output(e, 1, 3, 1, "recvbuf", &n) == NULL && n == 0);
    // without its last record, of a head of 56 bytes and the nonce
    evidence_give(e, 1, data, nbytes - 64);
    ck_assert_str_eq(evidence_problem(e, 1), "rank 1: the run ended early");
    ck_assert(!evidence_done(e, 1) && evidence_began(e, 1, 3));
    evidence_free(e);
    evidence_free(NULL);
}
END_TEST

START_TEST(records_that_are_no_such_thing_count_as_missing)
{
    char *data;
    size_t nbytes;
    const uint32_t beyond = RUN_ERROR + 1;
    struct evidence_out *const o = evidence_memory(&data, &nbytes, NONCE);
    evidence_put(o, EVIDENCE_STATUS, 0, 0, "status", &beyond, sizeof beyond);
    evidence_put(o, EVIDENCE_STATUS, 1, 0, "status", &beyond, 3);
    evidence_put(o, EVIDENCE_TEXT, 0, 0, "text", "no end", 6);
    evidence_put(o, EVIDENCE_TEXT, 1, 0, "text", "", 0);
    evidence_put(o, EVIDENCE_METRIC, 0, 0, "m", "1234567", 7);
    evidence_put(o, EVIDENCE_OUTPUT, 0, 0, "empty", "", 0);
    ck_assert_int_eq(evidence_finish(o), 0);
    struct evidence *const e = read_back(data, nbytes);
    ck_assert(evidence_done(e, 0));
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(evidence_status(e, 0, i), RUN_MISSING);
        ck_assert(evidence_began(e, 0, i) && !evidence_text(e, 0, i));
    }
    ck_assert(isnan(evidence_metric(e, 0, 0, 0, "m")));
    ck_assert(evidence_output(e, 0, 0, 0, "empty", &nbytes) && nbytes == 0);
    evidence_free(e);
}
END_TEST

/* Other programs read evidence, too: its bytes do not change. */
START_TEST(digests_and_seeds_never_change)
{
    static const struct {
        const char *data;
        uint64_t digest;
    } digests[] = {{"", UINT64_C(0xe220a8397b1dcdaf)},
                   {"a", UINT64_C(0x7171fd973fbae05c)},
                   {"12345678", UINT64_C(0xfb0429a15a6aae6a)},
                   {"123456789", UINT64_C(0x4fd2f3884022a46a)}};
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        ck_assert_uint_eq(chain_digest(CHAIN_NOTHING, digests[i].data,
                                       strlen(digests[i].data)),
                          digests[i].digest);
    ck_assert_uint_eq(chain_seed(99, 2, 7), UINT64_C(0x3e540f97fbd2e5cd));
    // in pieces of any length
    for (size_t cut = 0; cut <= 9; cut++) {
        struct chain c = {.digest = CHAIN_NOTHING};
        chain_begin(&c, 9);
        chain_add(&c, "123456789", cut);
        chain_add(&c, &"123456789"[cut], 20 - cut);
        ck_assert_uint_eq(c.digest, digests[3].digest);
    }
}
END_TEST

/* ---- the chain ----------------------------------------------------------- */

START_TEST(the_judge_recomputes_each_ranks_seeds)
{
    const uint64_t case_seed = 99;
    uint64_t seed[3];
    char *data;
    size_t nbytes;
    struct evidence_out *const o = evidence_memory(&data, &nbytes, NONCE);
    for (int i = 0; i < 3; i++) { // as in a rank
        seed[i] = chain_seed(case_seed, i, evidence_take_digest(o));
        evidence_put(o, EVIDENCE_OUTPUT, 0, (unsigned)i, "b", &seed[i], 8);
        evidence_put(o, EVIDENCE_OUTPUT, 0, (unsigned)i, "a", "odd", 3);
    }
    ck_assert_int_eq(evidence_finish(o), 0);
    struct evidence *const e = read_back(data, nbytes);
    const struct judge_task t = {
        .nranks = 1, .iterations = 3, .seed = &case_seed, .evidence = e};
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(judge_input_seed(&t, 0, i), seed[i]);
    ck_assert_uint_ne(seed[1], chain_seed(case_seed, 1, CHAIN_NOTHING));
    evidence_free(e);
}
END_TEST

START_TEST(a_digest_knows_order_length_and_every_bit)
{
    char a[20] = "twenty bytes of data";
    const uint64_t whole = chain_digest(CHAIN_NOTHING, a, sizeof a);
    ck_assert_uint_ne(whole, chain_digest(CHAIN_NOTHING, a, sizeof a - 1));
    ck_assert_uint_ne(chain_digest(chain_digest(0, "a", 1), "b", 1),
                      chain_digest(chain_digest(0, "b", 1), "a", 1));
    for (size_t bit = 0; bit < 8 * sizeof a; bit++) {
        a[bit / 8] = (char)(a[bit / 8] ^ 1 << bit % 8);
        ck_assert_uint_ne(whole, chain_digest(CHAIN_NOTHING, a, sizeof a));
        a[bit / 8] = (char)(a[bit / 8] ^ 1 << bit % 8);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("evidence");
    TCase *const t = tcase_create("evidence");
    fds_watch(t);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, what_is_shown_is_read);
    tcase_add_test(t, outputs_of_one_length_are_numbered);
    tcase_add_test(t, another_runs_evidence_is_not_done);
    tcase_add_test(t, what_follows_the_final_record_is_void);
    tcase_add_test(t, damaged_evidence_is_survived);
    tcase_add_loop_test(t, a_length_beyond_the_file_is_damage, 0, 3);
    tcase_add_test(t, many_small_records_are_no_burden);
    tcase_add_test(t, evidence_that_the_recorder_does_not_take_is_a_failure);
    tcase_add_test(t, the_last_of_two_records_counts);
    tcase_add_test(t, what_is_missing_is_said);
    tcase_add_test(t, records_that_are_no_such_thing_count_as_missing);
    tcase_add_test(t, digests_and_seeds_never_change);
    tcase_add_test(t, only_a_regular_file_of_bounded_size_is_read);
    tcase_add_test(t, the_judge_recomputes_each_ranks_seeds);
    tcase_add_test(t, a_digest_knows_order_length_and_every_bit);
    suite_add_tcase(s, t);
    return suite_run(s);
}
