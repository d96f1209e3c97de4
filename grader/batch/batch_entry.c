#define _GNU_SOURCE
#include "grader/batch/batch_entry.h"

#include <sodium.h> /* sodium_hex2bin */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/ledger/pending.h"

int batch_fail(struct batch *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(b->err, sizeof b->err, format, args);
    va_end(args);
    return -1;
}

static int keep_last(const struct ledger_entry *e, void *arg)
{
    struct batch_last *const last = arg;
    pending_take(last->pending, e);
    if (strcmp(e->kind, "batch") != 0)
        return 0;
    json_t *const j = json_loads(e->body, 0, NULL);
    const char *const seed = json_string_value(json_object_get(j, "seed"));
    const char *const zone = json_string_value(json_object_get(j, "timezone"));
    snprintf(last->seed, sizeof last->seed, "%s", seed ? seed : "");
    snprintf(last->timezone, sizeof last->timezone, "%s", zone ? zone : "");
    last->grace = (int)json_integer_value(json_object_get(j, "grace"));
    free(last->roster);
    last->roster =
        json_dumps(json_object_get(j, "roster"), JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(j);
    return 0;
}

static int keep_timezone(const struct ledger_entry *e, void *arg)
{
    struct batch *const b = arg;
    json_t *const j = json_loads(e->body, 0, NULL);
    const char *const zone = json_string_value(json_object_get(j, "timezone"));
    snprintf(b->timezone, sizeof b->timezone, "%s", zone ? zone : "");
    json_decref(j);
    return 0;
}

int batch_find_timezone(struct batch *b)
{
    const char *const plans = b->plan->timezone;
    snprintf(b->timezone, sizeof b->timezone, "%s", plans ? plans : "");
    ledger_each(b->ledger, "batch", NULL, keep_timezone, b);
    if (b->o->timezone)
        snprintf(b->timezone, sizeof b->timezone, "%s", b->o->timezone);
    return roster_timezone(b->timezone) == 0
               ? 0
               : batch_fail(b, "there is no time zone %s", b->timezone);
}

static int append_batch(struct batch *b, const char *seed, json_t *roster,
                        json_t *pending)
{
    json_t *const j =
        json_pack("{s:s, s:O, s:s, s:O}", "seed", seed, "roster", roster,
                  "timezone", b->timezone, "versions", b->versions);
    if (b->plan->grace)
        json_object_set_new(j, "grace", json_integer(b->plan->grace));
    if (json_object_size(pending))
        json_object_set(j, "pending", pending);
    char *const body = json_dumps(j, JSON_SORT_KEYS | JSON_COMPACT);
    const struct ledger_entry e = {.kind = "batch",
                                   .student = "",
                                   .lab = b->lab,
                                   .digest = "",
                                   .body = body};
    const int64_t id = ledger_append(b->ledger, &e);
    json_decref(j);
    free(body);
    return id < 0 ? batch_fail(b, "%s", ledger_error(b->ledger)) : 0;
}

void batch_last_read(const struct batch *b, struct batch_last *last)
{
    *last = (struct batch_last){.pending = json_object()};
    ledger_each(b->ledger, NULL, b->lab, keep_last, last);
}

void batch_last_release(struct batch_last *last)
{
    free(last->roster);
    json_decref(last->pending);
}

int batch_find_seed(struct batch *b, const struct batch_last *last)
{
    const char *const want = b->o->seed ? b->o->seed : last->seed;
    size_t n = 0;
    if (*want)
        sodium_hex2bin(b->seed, sizeof b->seed, want, strlen(want), NULL, &n,
                       NULL);
    else
        randombytes_buf(b->seed, n = sizeof b->seed);
    return n == sizeof b->seed
               ? 0
               : batch_fail(b, "a seed is 64 hexadecimal digits, not \"%s\"",
                            want);
}

/* What differs from what the ledger takes for pending: the tasks whose bytes
 * were never graded, and the submissions that are no longer there. */
static json_t *new_pending(const struct batch *b, const json_t *last)
{
    json_t *const all = json_object();
    for (int i = 0; i < b->roster->n; i++)
        if (pending_attempt(last, b->roster->student[i].key))
            json_object_set_new(all, b->roster->student[i].key, json_null());
    for (int i = 0; i < b->submissions->n; i++)
        json_object_del(all, b->submissions->s[i].student->key);
    for (int i = 0; i < b->ntasks; i++) {
        const struct task *const t = &b->task[i];
        const char *const key = t->submission->student->key;
        if (t->fresh)
            json_object_set_new(all, key,
                                json_pack("{s:i, s:s}", "attempt",
                                          t->submission->attempt, "digest",
                                          t->digest));
        if (json_equal(json_object_get(all, key), json_object_get(last, key)))
            json_object_del(all, key);
    }
    return all;
}

int batch_record(struct batch *b, const struct batch_last *last)
{
    char seed[65];
    sodium_bin2hex(seed, sizeof seed, b->seed, sizeof b->seed);
    json_t *const roster = roster_json(b->roster);
    json_t *const pending = new_pending(b, last->pending);
    char *const text = json_dumps(roster, JSON_SORT_KEYS | JSON_COMPACT);
    const int is_new = strcmp(seed, last->seed) != 0 || !last->roster ||
                       strcmp(text, last->roster) != 0 ||
                       strcmp(b->timezone, last->timezone) != 0 ||
                       b->plan->grace != last->grace ||
                       json_object_size(pending) > 0;
    const int err = is_new ? append_batch(b, seed, roster, pending) : 0;
    json_decref(roster);
    json_decref(pending);
    free(text);
    return err;
}
