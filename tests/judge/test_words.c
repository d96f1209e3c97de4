/* Which lines of a log say why a run ended. */
#include <check.h>
#include <string.h> /* memset */

#include "judge/words.h"
#include "suite.h"

static const struct {
    const char *log, *found; /* NULL: nothing */
} logs[] = {
    {"simgpu: rank 12: a kernel reads freed memory\n",
     "a kernel reads freed memory"},
    {"commlab: rank 0: the run was ended\n", "the run was ended"},
    {"rank 2: lab.c:40: cudaFree(p): out of memory\n",
     "lab.c:40: cudaFree(p): out of memory"},
    {"simgpu: rank 1: warning: a stream is never used\n", NULL},
    {"rank 2: lab.c: done\n", NULL},
    {"rank 2: lab.c:40 done\n", NULL},
    {"rank 2: done\n", NULL},
    {"rank 2 is done\n", NULL},
    {"rank 2: loss 0.5\nrank 2: lab.c:40: f(): failed\n",
     "lab.c:40: f(): failed"},
    // what is chance is left out
    {"simgpu: rank 1: kernel k on device 3 at 0x7f00ab reads (process 12).\n",
     "kernel k reads."},
    {"simgpu: rank 1: frees memory 0x7f12 twice\n", "frees memory twice"},
    {"simgpu: rank 1: it accesses 0x12ab, or buff 0x9\n",
     "it accesses, or buff"},
    {"simgpu: rank 1: x (processes 12)\n", "x (processes 12)"},
    // more lines of the same speaker, up to another
    {"simgpu: rank 1: a\nsimgpu: rank 1: b\nsimgpu: rank 2: c\n", "a\nb"},
    {"simgpu: rank 1: a\nprinted\nsimgpu: rank 1: b\n", "a"},
    {"simgpu: rank 1: a\nsimgpu: rank 1: warning: b\n", "a"},
    {"simgpu: rank 1: a\nsimgpu: rank 1: b has crashed, or was killed\n", "a"},
    {"simgpu: rank 0: rank 1 (process 7) was killed by SIGKILL (signal 9).\n"
     "simgpu: rank 0: Its last call was c at a.c:1.\n"
     "simgpu: rank 2: a\n",
     "a"},
    {"simgpu: rank 0: rank 1 (process 7) was killed by SIGTERM (signal 15).\n"
     "simgpu: rank 0: Its last call was c at a.c:1.\n",
     "rank 1 was killed by SIGTERM (signal 15).\n"
     "Its last call was c at a.c:1."},
    // a consequence, if there is nothing else
    {"commlab: rank 0: rank 1 has crashed, or was killed\n",
     "rank 1 has crashed, or was killed"},
    {"commlab: rank 0: rank 1 has crashed, or was killed\n"
     "commlab: rank 2: rank 1 has crashed, or was killed by it\n",
     "rank 1 has crashed, or was killed"},
    {"commlab: rank 0: rank 1 has crashed, or was killed\n"
     "simgpu: rank 1: a\n",
     "a"},
    {"simgpu: rank 1: a\nrank 1 has crashed, or was killed", "a"},
    {"printed simgpu: rank 1: a\nsimgpu: rank 1: b\n", "a\nb"},
    {"simgpu: rank 1: warning: a\n.commlab: rank 2: b\n", "b"},
    {"simgpu: rank : a\n", NULL},
    {"simgpu: rank 1 a\n", NULL},
    {"rank 2: :40: f\n", NULL},
    {"rank 2: lab.c:: f\n", NULL},
    {"", NULL},
};

START_TEST(a_report_begins_with_a_speaker_or_a_place)
{
    char out[200];
    const char *const found = words_find(logs[_i].log, out, sizeof out);
    ck_assert_pstr_eq(found, logs[_i].found);
}
END_TEST

START_TEST(a_report_is_cut_where_its_room_ends)
{
    static const char log[] = "simgpu: rank 1: abc\nsimgpu: rank 1: de\n";
    static const char *const cut[] = {"",      "a",      "ab",     "abc",
                                      "abc\n", "abc\nd", "abc\nde"};
    for (size_t n = 1; n <= sizeof cut / sizeof *cut; n++) {
        char out[8];
        memset(out, '#', sizeof out);
        words_find(log, out, n);
        ck_assert_str_eq(out, cut[n - 1]);
        ck_assert_int_eq(out[n], '#');
    }
}
END_TEST

START_TEST(reports_are_told_from_what_programs_print)
{
    static const char *const reports[] = {
        "====================\n",
        "=   BAD TERMINATION\n",
        "YOUR APPLICATION TERMINATED WITH\n",
        "This typically refers to\n",
        "Please see the FAQ\n",
        "[proxy:0] x\n",
        "[mpiexec@node] x\n",
        "Abort: application called MPI_Abort(1)\n",
        "simgpu: rank 1: a\n",
        "commlab: rank 1: a\n"};
    static const char *const printed[] = {"===\n", "rank 1: lab.c:4: f: no\n",
                                          "simgpu: rank 1: warning: a\n",
                                          "loss 3\n", ""};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        ck_assert_msg(words_is_report(reports[i]), "%s", reports[i]);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        ck_assert_msg(!words_is_report(printed[i]), "%s", printed[i]);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("words");
    TCase *const t = tcase_create("words");
    tcase_add_loop_test(t, a_report_begins_with_a_speaker_or_a_place, 0,
                        sizeof logs / sizeof *logs);
    tcase_add_test(t, a_report_is_cut_where_its_room_ends);
    tcase_add_test(t, reports_are_told_from_what_programs_print);
    suite_add_tcase(s, t);
    return suite_run(s);
}
