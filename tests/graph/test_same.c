/*
 * Modelled times are the same to the last digit: on every run, under every
 * schedule, on one core and on two, on a busy machine, and with other
 * compilers.
 *
 *   COMMLAB_REPEAT=20     number of runs of each combination (default 1)
 *   COMMLAB_OTHER=DIR     the same again with the programs of another build
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

/* The programs, and the part of their output that must be the same. */
static const struct program {
    const char *path;
    int nranks;
} programs[] = {
    {"tests/graph/prog_clock", 1},
    {"tests/graph/prog_clock", 2},
    {"tests/graph/prog_clock", 3},
    {"tests/graph/prog_clock", 4},
    {"solutions/lab1", 4},
    // a kernel that has counted far ahead of the one that waits for it
    {"solutions/lab5 --case ring --json", 4},
    // ranks that compete for the slots of a hash map
    {"solutions/lab5 --case hash-map --json", 4},
};
enum { NPROGRAMS = sizeof programs / sizeof *programs };

static const char *const schedules[] = {"eager", "late", "random:1"};

static const struct place {
    const char *name, *prefix, *load;
} places[] = {
    {"one core", "taskset -c 0", ""},
    {"two cores", "taskset -c 0,1", ""},
    {"busy cores", "nice",
     "while :; do :; done & a=$!; while :; do :; done & b=$!;"},
};

enum {
    NSCHEDULES = sizeof schedules / sizeof *schedules,
    NPLACES = sizeof places / sizeof *places,
};

/* Lines in an order that doesn't depend on which rank printed first, without
 * the path of the build and the schedule that a command to repeat names. */
static struct child run(const struct program *p, const char *build,
                        const char *schedule, const struct place *place)
{
    return child_run(
        600,
        "f=$(mktemp); %s SIMGPU_SCHEDULE=%s %s mpirun -n %d %s/%s > "
        "$f; s=$?; kill $a $b 2> /dev/null; "
        "sed 's|%s/||; s|SIMGPU_SCHEDULE=[^ ]* ||' $f | sort -s -k1,2; rm -f "
        "$f; exit $s",
        place->load, schedule, place->prefix, p->nranks, build, p->path, build);
}

/* The first line in which two outputs differ, of the second. */
static const char *difference(const char *a, const char *b, char *out,
                              size_t nbytes)
{
    size_t line = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n')
            line = i + 1;
    snprintf(out, nbytes, "%.*s\n  %.*s", (int)strcspn(a + line, "\n"),
             a + line, (int)strcspn(b + line, "\n"), b + line);
    return out;
}

/* Run once more and compare with *first, which the first run fills. */
static void compare(const struct program *p, const char *build, int schedule,
                    int place, char **first)
{
    struct child c = run(p, build, schedules[schedule], &places[place]);
    char what[1024];
    ck_assert_msg(c.status == 0 && c.out[0], "%s, %s: status %d: %.2000s",
                  schedules[schedule], places[place].name, c.status, c.err);
    if (!*first)
        *first = strdup(c.out);
    ck_assert_msg(strcmp(*first, c.out) == 0,
                  "%s of %s, schedule %s, %s: these differ:\n  %s", p->path,
                  build, schedules[schedule], places[place].name,
                  difference(*first, c.out, what, sizeof what));
    child_clear(&c);
}

static int repeats(void)
{
    const char *const n = getenv("COMMLAB_REPEAT");
    return n ? atoi(n) : 0;
}

/* All combinations as often as asked; by default each schedule and each place
 * once. */
START_TEST(times_are_the_same_on_every_run)
{
    const struct program *const p = &programs[_i];
    const char *const other = getenv("COMMLAB_OTHER");
    const int n = repeats();
    char *first = NULL;
    int nruns = 0;
    for (int s = 0; s < NSCHEDULES; s++)
        for (int place = 0; place < NPLACES; place++)
            for (int i = 0; i < (n ? n : s == place); i++, nruns++)
                compare(p, child_build(), s, place, &first);
    for (int s = 0; other && s < NSCHEDULES; s++, nruns++)
        compare(p, other, s, s, &first);
    printf("%s, %d ranks: %d runs alike\n", p->path, p->nranks, nruns);
    free(first);
}
END_TEST

START_TEST(saving_the_graph_changes_no_time)
{
    const struct program *const p = &programs[1];
    const struct place plain = {"", "", ""};
    char dir[CHILD_FOLDER], prefix[CHILD_FOLDER + 32];
    child_folder(dir, "commlab-same");
    snprintf(prefix, sizeof prefix, "env SIMGPU_GRAPH=%s/run", dir);
    const struct place saves = {"", prefix, ""};
    struct child a = run(p, child_build(), "eager", &plain);
    struct child b = run(p, child_build(), "eager", &saves);
    ck_assert_msg(a.status == 0 && b.status == 0, "%s%s", a.err, b.err);
    ck_assert_str_eq(a.out, b.out);
    child_clear(&a);
    child_clear(&b);
    struct child c = child_run(10, "ls %s/run", dir);
    ck_assert_msg(c.status == 0 && c.out[0], "it saved no graph: %s", c.err);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("same times");
    TCase *const t = tcase_create("same times");
    tcase_add_loop_test(t, times_are_the_same_on_every_run, 0, NPROGRAMS);
    tcase_add_test(t, saving_the_graph_changes_no_time);
    tcase_set_timeout(t, repeats() ? 36000 : 900);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
