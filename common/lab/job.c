#define _GNU_SOURCE
#include "lab/job.h"

#include <errno.h>   /* errno */
#include <jansson.h> /* json_loads */
#include <malloc.h>  /* malloc_usable_size */
#include <stdlib.h>  /* strtoull */
#include <string.h>  /* strerror */

#include "base/must.h"
#include "base/recorder.h"
#include "lab/run.h"

static uint64_t hex(const json_t *j)
{
    const char *const text = json_string_value(j);
    return text ? strtoull(text, NULL, 16) : 0;
}

/* A case of the job as one of a plan; valid while j exists. */
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

/* Connect to the recorder. Ends the run if the grader has not provided one. */
static void join(struct lab_run *r, const char *dir)
{
    r->evidence = evidence_join(dir, (uint32_t)r->rank);
    if (!r->evidence)
        must_stop(dir, 0, RECORDER_NAME, strerror(errno));
}

/* Free memory after clearing it, so that no later allocation can
 * read a secret. */
static void wipe(void *secret)
{
    if (secret)
        explicit_bzero(secret, malloc_usable_size(secret));
    free(secret);
}

/* Wait for the next case, or for what follows the last one. The
 * caller releases it. */
static json_t *next(struct lab_run *r)
{
    json_error_t error;
    char *const text = evidence_next(r->evidence);
    json_t *const j = json_loads(text, 0, &error);
    if (!j)
        must_stop(RECORDER_NAME, error.line, "the next case", error.text);
    wipe(text);
    return j;
}

static int run_one(struct lab_run *r, json_t *j)
{
    const struct plan_case c = case_of(j);
    if (json_is_true(json_object_get(j, "modelled")))
        lab_leave_times_to_judge();
    return run_case(
        r, &c, (unsigned)json_integer_value(json_object_get(j, "no")),
        0, // the recorder has the seed
        (int)json_integer_value(json_object_get(j, "iterations")),
        (int)json_integer_value(json_object_get(j, "warmup")), NULL, NULL);
}

int job_run(struct lab_run *r, const char *dir)
{
    json_t *j;
    int go_on = 1;
    join(r, dir);
    unsetenv("COMMLAB_JOB");
    json_set_alloc_funcs(malloc, wipe);
    if (run_setup(r, MPI_COMM_WORLD) != 0)
        return 1;
    unsetenv("SIMGPU_TOPO"); // simgpu has read it: a machine may be a secret
    while (go_on && json_object_get(j = next(r), "name")) {
        go_on = run_one(r, j);
        r->c = NULL;
        r->seed = 0;
        json_decref(j);
    }
    if (!go_on) { // cleaning up could block; the evidence has been written
        MPI_Finalize();
        exit(1);
    }
    evidence_key(r->evidence, hex(json_object_get(j, "nonce")));
    json_decref(j);
    run_teardown(r);
    return evidence_finish(r->evidence) != 0;
}
