/* Which lines of a log say why a run ended. */
#include <check.h>

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
};

START_TEST(a_report_begins_with_a_speaker_or_a_place)
{
    char out[200];
    const char *const found = words_find(logs[_i].log, out, sizeof out);
    ck_assert_pstr_eq(found, logs[_i].found);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("words");
    TCase *const t = tcase_create("words");
    tcase_add_loop_test(t, a_report_begins_with_a_speaker_or_a_place, 0,
                        sizeof logs / sizeof *logs);
    suite_add_tcase(s, t);
    return suite_run(s);
}
