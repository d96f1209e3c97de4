/*
 * Modelled times are the same, to the last digit, as when they were last looked
 * at: times.txt has a line "machine op ranks bytes: algorithm protocol, ps" for
 * each collective, over two GPUs and over all, small, middling and large. Where
 * a change of the model is meant, the test leaves the new file in the build
 * folder.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h> /* PRIu64 */
#include <stdio.h>    /* open_memstream */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */

#include "child.h"
#include "machine.h"
#include "suite.h"

static const char *const machines[] = {"a100-cubemesh",
                                       "dgx-1v",
                                       "dgx-a100",
                                       "dgx-h100",
                                       "pcie-4090",
                                       "2x-dgx-h100",
                                       "2x:dgx-1v",
                                       "gh200",
                                       "hgx-b300",
                                       "2x:dgx-h100@efa",
                                       "4x:gh200@slingshot,fat-tree:2"};
enum { NMACHINES = sizeof machines / sizeof *machines, MAX_RANKS = 16 };

static void print_times(FILE *out, const struct topo *t, const char *machine,
                        enum topo_op op, int n)
{
    static const uint64_t sizes[] = {8, 3000000, 1 << 30};
    int32_t place[MAX_RANKS];
    char err[400] = "";
    for (int i = 0; i < n; i++)
        place[i] = i;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct topo_coll c;
        ck_assert_msg(topo_collective(t, op, place, n, sizes[i], TOPO_ANY,
                                      TOPO_ANY, &c, err, sizeof err) == 0,
                      "%s", err);
        fprintf(out, "%s %d %d %" PRIu64 ": %s %s, %" PRIu64 "\n", machine, op,
                n, sizes[i], topo_algo_name(c.algo), topo_proto_name(c.proto),
                c.time_ps);
        topo_coll_release(&c);
    }
}

/* The file beside this one, to be freed. */
static char *expected(void)
{
    char path[4096], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%.*stimes.txt",
             (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__);
    FILE *const f = fopen(path, "r");
    ck_assert_msg(f && getdelim(&text, &room, 0, f) > 0, "%s", path);
    fclose(f);
    return text;
}

static void keep(const char *text)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/tests/topo/times.txt", child_build());
    FILE *const f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

START_TEST(modelled_times_are_what_they_were)
{
    char *now = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&now, &nbytes);
    for (int m = 0; m < NMACHINES; m++) {
        struct topo *const t = machine_load(machines[m]);
        for (int op = TOPO_OP_NONE + 1; op < TOPO_OPS; op++)
            for (int n = 2; n <= topo_ngpus(t) && op != TOPO_OP_BARRIER;
                 n += topo_ngpus(t) - 2)
                print_times(out, t, machines[m], (enum topo_op)op, n);
        topo_free(t);
    }
    fclose(out);
    char *const then = expected();
    size_t same = 0, line = 0;
    while (now[same] && now[same] == then[same])
        if (now[same++] == '\n')
            line = same;
    if (now[same] != then[same])
        keep(now);
    ck_assert_msg(now[same] == then[same], "%.*s was: %.*s",
                  (int)strcspn(now + line, "\n"), now + line,
                  (int)strcspn(then + line, "\n"), then + line);
    free(then);
    free(now);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: times");
    TCase *const t = tcase_create("times");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, modelled_times_are_what_they_were);
    suite_add_tcase(s, t);
    return suite_run(s);
}
