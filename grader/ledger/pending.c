#include "grader/ledger/pending.h"

#include <string.h> /* strcmp */

static void take_batch(json_t *pending, const struct ledger_entry *e)
{
    const char *student;
    json_t *of, *const body = json_loads(e->body, 0, NULL);
    json_object_foreach(json_object_get(body, "pending"), student, of)
    {
        if (json_is_object(of))
            json_object_set(pending, student, of);
        else
            json_object_del(pending, student);
    }
    json_decref(body);
}

void pending_take(json_t *pending, const struct ledger_entry *e)
{
    if (strcmp(e->kind, "batch") == 0) {
        take_batch(pending, e);
        return;
    }
    const int attempt = pending_attempt(pending, e->student);
    if (strcmp(e->kind, "grading") != 0 || !attempt || e->attempt < attempt)
        return;
    const char *const digest = json_string_value(
        json_object_get(json_object_get(pending, e->student), "digest"));
    if (e->attempt > attempt || (digest && strcmp(digest, e->digest) == 0))
        json_object_del(pending, e->student);
}

int pending_attempt(const json_t *pending, const char *student)
{
    return (int)json_integer_value(
        json_object_get(json_object_get(pending, student), "attempt"));
}
