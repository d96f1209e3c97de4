/* What MPICH's PMIx says to Hydra, which is played here: its replies wait in a
 * socket before they are asked for. */
#define _GNU_SOURCE
#include <check.h>
#include <stdint.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* setenv */
#include <string.h>
#include <sys/socket.h> /* socketpair */
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

enum { STRING = 3, UINT32 = 14, BYTES = 27 }; /* types of values */
enum {
    ERROR = -1,
    UNREACHABLE = -25,
    NOT_FOUND = -46,
    NOT_SUPPORTED = -47,
};

struct name { /* pmix_proc_t */
    char job[256];
    uint32_t rank;
};

struct value { /* pmix_value_t */
    uint16_t type;
    union {
        char *string;
        uint32_t number;
        struct {
            char *bytes;
            size_t nbytes;
        } bo;
    } data;
    char more[64];
};

extern int PMIx_Init(struct name *self, void *info, size_t ninfo);
extern int PMIx_Finalize(const void *info, size_t ninfo);
extern int PMIx_Abort(int status, const char *why, void *procs, size_t n);
extern int PMIx_Put(uint8_t scope, const char *key, struct value *value);
extern int PMIx_Commit(void);
extern int PMIx_Fence(const struct name *procs, size_t nprocs, const void *info,
                      size_t ninfo);
extern int PMIx_Get(const struct name *proc, const char *key, const void *info,
                    size_t ninfo, struct value **value);

static int hydra = -1; /* its end of the socket */

static void replies(const char *lines)
{
    ck_assert_int_eq(write(hydra, lines, strlen(lines)), strlen(lines));
}

/* Exactly these lines have been sent since. */
static void was_asked(const char *lines)
{
    static char got[1 << 14];
    const ssize_t n = recv(hydra, got, sizeof got - 1, MSG_DONTWAIT);
    got[n > 0 ? n : 0] = 0;
    ck_assert_str_eq(got, lines);
}

/* A rank finds its end of a new socket. */
static void connect_to_hydra(void)
{
    static int ends[2] = {-1, -1};
    char number[16];
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    hydra = ends[0];
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("PMI_FD", number, 1);
    setenv("PMI_RANK", "3", 1);
    setenv("PMI_SIZE", "7", 1);
}

#define INIT "cmd=init pmi_version=1 pmi_subversion=1\n"

static void introduce(void)
{
    struct name self;
    memset(&self, 0xff, sizeof self);
    replies("cmd=response_to_init rc=0\ncmd=my_kvsname kvsname=job7\n");
    ck_assert_int_eq(PMIx_Init(&self, NULL, 0), 0);
    was_asked(INIT "cmd=get_my_kvsname\n");
    ck_assert_str_eq(self.job, "job7");
    ck_assert_int_eq(self.job[sizeof self.job - 1], 0);
    ck_assert_uint_eq(self.rank, 3);
}

static void begin(void)
{
    connect_to_hydra();
    introduce();
}

/* ---- beginning and ending ------------------------------------------------ */

static const struct {
    const char *replies, *asked;
} failures[] = {{"cmd=response_to_init rc=-1\n", INIT},
                {"cmd=response_to_init rc=0\ncmd=my_kvsname rc=2\n",
                 INIT "cmd=get_my_kvsname\n"},
                {"cmd=response_to_init rc=0\ncmd=my_kvsname name=job7\n",
                 INIT "cmd=get_my_kvsname\n"},
                {"cmd=response_to_init rc=0 with no end", INIT}};

START_TEST(a_rank_without_hydra_is_told)
{
    struct name self;
    connect_to_hydra();
    replies(failures[_i].replies);
    shutdown(hydra, SHUT_WR);
    ck_assert_int_eq(PMIx_Init(&self, NULL, 0), UNREACHABLE);
    was_asked(failures[_i].asked);
}
END_TEST

/* It started neither a rank nor a process with just one of its settings, and
 * this program has no other PMIx. */
START_TEST(a_process_that_hydra_did_not_start_needs_another_pmix)
{
    struct name self;
    struct value *v = NULL;
    for (int i = 0; i < 3; i++) {
        connect_to_hydra();
        if (i != 1)
            unsetenv("PMI_FD");
        if (i != 2)
            unsetenv("PMI_RANK");
        ck_assert_int_eq(PMIx_Init(&self, NULL, 0), UNREACHABLE);
        ck_assert_int_eq(PMIx_Put(0, "key", v), UNREACHABLE);
        ck_assert_int_eq(PMIx_Commit(), UNREACHABLE);
        ck_assert_int_eq(PMIx_Fence(NULL, 0, NULL, 0), UNREACHABLE);
        ck_assert_int_eq(PMIx_Get(NULL, "key", NULL, 0, &v), UNREACHABLE);
        ck_assert_int_eq(PMIx_Abort(5, "why", NULL, 0), 0);
        ck_assert_int_eq(PMIx_Finalize(NULL, 0), 0);
        was_asked("");
    }
}
END_TEST

START_TEST(calls_are_lines_and_return_what_hydra_says)
{
    begin();
    ck_assert_int_eq(PMIx_Commit(), 0);
    was_asked("");
    replies("cmd=barrier_out no=1 rcs=1\n");
    ck_assert_int_eq(PMIx_Fence(NULL, 0, NULL, 0), 0);
    was_asked("cmd=barrier_in\n");
    replies("cmd=barrier_out xrc=0 rc=1 rc=0\n");
    ck_assert_int_eq(PMIx_Fence(NULL, 0, NULL, 0), NOT_FOUND);
    was_asked("cmd=barrier_in\n");
    ck_assert_int_eq(PMIx_Abort(5, "why", NULL, 0), 0);
    was_asked("cmd=abort exitcode=5\n");
    replies("cmd=finalize_ack rc=0\n");
    ck_assert_int_eq(PMIx_Finalize(NULL, 0), 0);
    was_asked("cmd=finalize\n");
    shutdown(hydra, SHUT_WR);
    ck_assert_int_eq(PMIx_Fence(NULL, 0, NULL, 0), UNREACHABLE);
}
END_TEST

START_TEST(a_reply_has_room_for_4095_characters)
{
    char line[4097];
    begin();
    memset(line, 'x', sizeof line);
    snprintf(line + 4095, 2, "\n");
    replies(line);
    ck_assert_int_eq(PMIx_Fence(NULL, 0, NULL, 0), 0);
    memset(line, 'x', sizeof line);
    snprintf(line + 4095, 2, "x");
    replies(line);
    ck_assert_int_eq(PMIx_Fence(NULL, 0, NULL, 0), ERROR);
}
END_TEST

/* ---- values -------------------------------------------------------------- */

enum { PIECE = 250 };

/* n bytes from the first-th of "abcdefghijabc...", as Hydra gets them. */
static void put_line(FILE *f, const char *key, int piece, char type, size_t n)
{
    fprintf(f, "cmd=put kvsname=job7 key=%s.%d value=%c", key, piece, type);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%02x", (unsigned)('a' + (PIECE * piece + (int)i) % 10));
    fputc('\n', f);
}

static void get_reply(FILE *f, int piece, char type, size_t n)
{
    fprintf(f, "cmd=get_result rc=0 value=%c", type);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%02x", (unsigned)('a' + (PIECE * piece + (int)i) % 10));
    fputc('\n', f);
}

static const struct {
    int nbytes, type, npieces;
} values[] = {{0, BYTES, 1},      {3, STRING, 1},        {PIECE - 1, BYTES, 1},
              {PIECE, STRING, 2}, {PIECE + 1, BYTES, 2}, {2 * PIECE, BYTES, 3}};

static size_t piece_nbytes(int i, int piece)
{
    const int left = values[i].nbytes - PIECE * piece;
    return (size_t)(left < PIECE ? left : PIECE);
}

START_TEST(values_are_put_in_pieces)
{
    char text[3 * PIECE], *lines;
    size_t length;
    struct value v = {.type = (uint16_t)values[_i].type};
    FILE *const f = open_memstream(&lines, &length);
    begin();
    for (int i = 0; i < values[_i].nbytes; i++)
        text[i] = (char)('a' + i % 10);
    text[values[_i].nbytes] = 0;
    v.data.bo.bytes = text; // where a string is, too
    v.data.bo.nbytes = v.type == BYTES ? (size_t)values[_i].nbytes : 9999;
    for (int p = 0; p < values[_i].npieces; p++) {
        put_line(f, "key", p, v.type == BYTES ? 'b' : 's', piece_nbytes(_i, p));
        replies("cmd=put_result rc=0\n");
    }
    ck_assert_int_eq(PMIx_Put(0, "key", &v), 0);
    fclose(f);
    was_asked(lines);
    free(lines);
}
END_TEST

START_TEST(values_that_are_refused_are_not_put_on)
{
    char text[2 * PIECE] = "";
    struct value v = {.type = UINT32};
    begin();
    ck_assert_int_eq(PMIx_Put(0, "key", &v), NOT_SUPPORTED);
    was_asked("");
    v.type = BYTES;
    v.data.bo.bytes = text;
    v.data.bo.nbytes = 1;
    text[0] = (char)0xfe;
    replies("cmd=put_result rc=-1\n");
    ck_assert_int_eq(PMIx_Put(0, "key", &v), NOT_FOUND);
    was_asked("cmd=put kvsname=job7 key=key.0 value=bfe\n");
}
END_TEST

START_TEST(values_are_put_together)
{
    char *lines, asked[256] = "";
    size_t length, at = 0;
    struct value *v = NULL;
    const int n = values[_i].nbytes;
    FILE *const f = open_memstream(&lines, &length);
    begin();
    for (int p = 0; p < values[_i].npieces; p++) {
        get_reply(f, p, values[_i].type == BYTES ? 'b' : 's',
                  piece_nbytes(_i, p));
        at += (size_t)snprintf(asked + at, sizeof asked - at,
                               "cmd=get kvsname=job7 key=their.%d\n", p);
    }
    fclose(f);
    replies(lines);
    free(lines);
    ck_assert_int_eq(PMIx_Get(NULL, "their", NULL, 0, &v), 0);
    was_asked(asked);
    ck_assert_int_eq(v->type, values[_i].type);
    if (v->type == BYTES)
        ck_assert_uint_eq(v->data.bo.nbytes, (size_t)n);
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(v->data.bo.bytes[i], 'a' + i % 10);
    ck_assert_int_eq(v->data.bo.bytes[n], 0);
    free(v->data.bo.bytes);
    free(v);
}
END_TEST

START_TEST(what_is_not_there_is_not_found)
{
    struct value *v = NULL;
    begin();
    ck_assert_int_eq(PMIx_Get(NULL, "pmix.other", NULL, 0, &v), NOT_FOUND);
    was_asked("");
    replies("cmd=get_result rc=-1 value=s61\n");
    ck_assert_int_eq(PMIx_Get(NULL, "key", NULL, 0, &v), NOT_FOUND);
    replies("cmd=get_result rc=0\n");
    ck_assert_int_eq(PMIx_Get(NULL, "key", NULL, 0, &v), ERROR);
    ck_assert_ptr_null(v);
}
END_TEST

START_TEST(the_job_is_known_without_hydra)
{
    struct value *v = NULL;
    begin();
    ck_assert_int_eq(PMIx_Get(NULL, "pmix.job.size", NULL, 0, &v), 0);
    ck_assert_int_eq(v->type, UINT32);
    ck_assert_uint_eq(v->data.number, 7);
    free(v);
    ck_assert_int_eq(PMIx_Get(NULL, "pmix.appnum", NULL, 0, &v), 0);
    ck_assert_int_eq(v->type, UINT32);
    ck_assert_uint_eq(v->data.number, 0);
    free(v);
    was_asked("");
}
END_TEST

/* ---- a rank's status ----------------------------------------------------- */

enum end { EXITS, FINALIZES, ABORTS, IS_A_CHILD };

static const struct {
    enum end end;
    int status;
    const char *asked;
} ends[] = {{EXITS, 0, ""},
            {EXITS, 4, "cmd=abort exitcode=4\n"},
            {FINALIZES, 4, "cmd=finalize\n"},
            {ABORTS, 4, "cmd=abort exitcode=9\n"},
            {IS_A_CHILD, 4, ""}};

/* In a child, which is a rank unless its parent is. */
static _Noreturn void run_child(enum end end, int status)
{
    if (end != IS_A_CHILD)
        introduce();
    replies("cmd=finalize_ack rc=0\n");
    if (end == FINALIZES)
        PMIx_Finalize(NULL, 0);
    if (end == ABORTS)
        PMIx_Abort(9, "why", NULL, 0);
    exit(status);
}

START_TEST(a_rank_that_fails_says_its_status)
{
    int status = -1;
    connect_to_hydra();
    if (ends[_i].end == IS_A_CHILD)
        introduce();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        run_child(ends[_i].end, ends[_i].status);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), ends[_i].status);
    was_asked(ends[_i].asked);
}
END_TEST

#define ROWS(table) (sizeof table / sizeof *table)

int main(void)
{
    Suite *const s = suite_create("pmix");
    TCase *const t = tcase_create("pmix");
    // first: no test has found Hydra yet, even if all share a process
    tcase_add_test(t, a_process_that_hydra_did_not_start_needs_another_pmix);
    tcase_add_loop_test(t, a_rank_without_hydra_is_told, 0, ROWS(failures));
    tcase_add_test(t, calls_are_lines_and_return_what_hydra_says);
    tcase_add_test(t, a_reply_has_room_for_4095_characters);
    tcase_add_loop_test(t, values_are_put_in_pieces, 0, ROWS(values));
    tcase_add_test(t, values_that_are_refused_are_not_put_on);
    tcase_add_loop_test(t, values_are_put_together, 0, ROWS(values));
    tcase_add_test(t, what_is_not_there_is_not_found);
    tcase_add_test(t, the_job_is_known_without_hydra);
    tcase_add_loop_test(t, a_rank_that_fails_says_its_status, 0, ROWS(ends));
    suite_add_tcase(s, t);
    return suite_run(s);
}
