#include "conform.h"

#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"

const char *const conform_schedules[] = {"eager", "late", "random:1",
                                         "random:2"};

void conform_run(const char *environment, const char *program, int nranks)
{
    char mpirun[32] = "";
    if (nranks)
        snprintf(mpirun, sizeof mpirun, "mpirun -n %d", nranks);
    struct child c = child_run(120, "%s %s %s/tests/simgpu/%s", environment,
                               mpirun, child_build(), program);
    char *const bad = strstr(c.out, "FAILED");
    ck_assert_msg(!bad && c.status == 0 && !c.timed_out,
                  "%s %s %s: status %d%s\n%.300s\n%.2000s", environment, mpirun,
                  program, c.status, c.timed_out ? ", timed out" : "",
                  bad ? bad : "", c.err);
    ck_assert_msg(strstr(c.out, "ok    ") != NULL, "no rule was checked");
    child_clear(&c);
}

void conform_schedule(int schedule, const char *program, int nranks)
{
    char environment[64];
    snprintf(environment, sizeof environment, "SIMGPU_SCHEDULE=%s",
             conform_schedules[schedule]);
    conform_run(environment, program, nranks);
}
