#include "lab/job.h"

#include <errno.h>   /* errno */
#include <jansson.h> /* json_load_file */
#include <limits.h>  /* PATH_MAX */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* strtoull */
#include <string.h>  /* strerror */
#include <unistd.h>  /* unlink */

#include "lab/run.h"
#include "must.h"

static uint64_t hex(const json_t *j)
{
    const char *const text = json_string_value(j);
    return text ? strtoull(text, NULL, 16) : 0;
}

/* A case of the job as the plan would have it; valid while j is. */
static struct plan_case case_of(json_t *j)
{
    struct plan_case c = {
        .name = (char *)json_string_value(json_object_get(j, "name")),
        .kind = (char *)json_string_value(json_object_get(j, "kind")),
    };
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(j, "with"), key,
                        value) if (c.nwith < PLAN_MAX_PARAMS)
        c.with[c.nwith++] =
        (struct plan_param){(char *)key, (char *)json_string_value(value)};
    return c;
}

int job_run(struct lab_run *r, const char *dir)
{
    char path[PATH_MAX];
    json_error_t error;
    snprintf(path, sizeof path, "%s/rank-%d.job", dir, r->rank);
    json_t *const job = json_load_file(path, 0, &error);
    if (!job)
        must_stop(__FILE__, __LINE__, path, error.text);
    unlink(path);
    const char *const evidence =
        json_string_value(json_object_get(job, "evidence"));
    r->evidence =
        evidence ? evidence_create(evidence, hex(json_object_get(job, "nonce")))
                 : NULL;
    if (!r->evidence)
        must_stop(__FILE__, __LINE__, "evidence", strerror(errno));
    run_setup(r, MPI_COMM_WORLD);
    size_t i;
    json_t *j;
    json_array_foreach(json_object_get(job, "cases"), i, j)
    {
        const struct plan_case c = case_of(j);
        run_case(r, &c, (unsigned)json_integer_value(json_object_get(j, "no")),
                 hex(json_object_get(j, "seed")),
                 (int)json_integer_value(json_object_get(j, "iterations")),
                 (int)json_integer_value(json_object_get(j, "warmup")));
    }
    run_teardown(r);
    const int failed = evidence_finish(r->evidence) != 0;
    json_decref(job);
    return failed;
}
