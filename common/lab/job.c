#include "lab/job.h"

#include <errno.h>   /* errno */
#include <jansson.h> /* json_load_file */
#include <limits.h>  /* PATH_MAX */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* strtoull */
#include <string.h>  /* strerror */
#include <unistd.h>  /* unlink */

#include "base/must.h"
#include "lab/run.h"

static uint64_t hex(const json_t *j)
{
    const char *const text = json_string_value(j);
    return text ? strtoull(text, NULL, 16) : 0;
}

/* A case of the job, in the form of a plan's; valid while j is. */
static struct plan_case case_of(json_t *j)
{
    struct plan_case c = {
        .name = (char *)json_string_value(json_object_get(j, "name")),
        .kind = (char *)json_string_value(json_object_get(j, "kind")),
    };
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(j, "with"), key, value)
    {
        if (c.nwith < PLAN_MAX_PARAMS)
            c.with[c.nwith++] = (struct plan_param){
                (char *)key, (char *)json_string_value(value)};
    }
    return c;
}

/* Read this rank's job and open its evidence file. Stops the run if the grader
 * did not provide them properly. */
static json_t *open_job(struct lab_run *r, const char *dir)
{
    char path[PATH_MAX];
    json_error_t error;
    snprintf(path, sizeof path, "%s/rank-%d.job", dir, r->rank);
    json_t *const job = json_load_file(path, 0, &error);
    if (!job)
        must_stop(__FILE__, __LINE__, path, error.text);
    unlink(path); // it has seeds in it
    const char *const evidence =
        json_string_value(json_object_get(job, "evidence"));
    const uint64_t nonce = hex(json_object_get(job, "nonce"));
    r->evidence = evidence ? evidence_create(evidence, nonce) : NULL;
    if (!r->evidence)
        must_stop(__FILE__, __LINE__, "evidence", strerror(errno));
    return job;
}

static int run_one(struct lab_run *r, json_t *j)
{
    const struct plan_case c = case_of(j);
    return run_case(
        r, &c, (unsigned)json_integer_value(json_object_get(j, "no")),
        hex(json_object_get(j, "seed")),
        (int)json_integer_value(json_object_get(j, "iterations")),
        (int)json_integer_value(json_object_get(j, "warmup")), NULL, NULL);
}

int job_run(struct lab_run *r, const char *dir)
{
    size_t i;
    json_t *j;
    int go_on = 1;
    json_t *const job = open_job(r, dir);
    unsetenv("COMMLAB_JOB");
    if (run_setup(r, MPI_COMM_WORLD) != 0)
        return 1;
    if (json_is_true(json_object_get(job, "modelled")))
        lab_leave_times_to_judge();
    json_t *const cases = json_object_get(job, "cases");
    json_array_foreach(cases, i, j)
    {
        if (!go_on)
            break;
        go_on = run_one(r, j);
    }
    json_decref(job);
    if (!go_on) { // cleaning up could block; the evidence has been written
        MPI_Finalize();
        exit(1);
    }
    run_teardown(r);
    return evidence_finish(r->evidence) != 0;
}
