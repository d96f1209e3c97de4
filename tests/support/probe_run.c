#include "probe_run.h"

#include <check.h>  /* ck_assert_str_eq */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "child.h"

int probe_count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

/* The graph's report of a run's modelled times. */
static char *times_of(const char *schedule, const char *start,
                      const char *probes, const char *folder)
{
    struct child c = child_run(
        120,
        "cd %s && SIMGPU_SCHEDULE=%s SIMGPU_GRAPH=run %s %s/tests/%s > "
        "out.txt 2>&1 < /dev/null && %s/commgraph time run && rm -rf run",
        folder, schedule, start, child_build(), probes, child_build());
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", schedule, c.status,
                  c.out, c.err);
    char *const text = strdup(c.out);
    child_clear(&c);
    return text;
}

void probe_times(const char *start, const char *probes, const char *operation)
{
    static const char *const schedules[] = {"late", "random:1", "random:2"};
    char folder[CHILD_FOLDER];
    child_folder(folder, "probe");
    char *const eager = times_of("eager", start, probes, folder);
    ck_assert(strstr(eager, operation) != NULL);
    for (int i = 0; i < 3; i++) {
        char *const other = times_of(schedules[i], start, probes, folder);
        ck_assert_str_eq(eager, other);
        free(other);
    }
    free(eager);
    child_remove(folder);
}
