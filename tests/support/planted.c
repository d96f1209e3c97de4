#define _GNU_SOURCE
#include "planted.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/intake/roster.h"
#include "grader/ledger/ledger.h"

static const double BENEATH = 3; // points beneath a suspicion

struct ledger *planted_ledger(const char *dir)
{
    char path[4200], err[512] = "";
    snprintf(path, sizeof path, "%s/L.db", dir);
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    return l;
}

static void append(const char *dir, struct ledger_entry e, json_t *body)
{
    struct ledger *const l = planted_ledger(dir);
    char *const text = json_dumps(body, 0);
    e.lab = PLANTED_LAB;
    e.body = text;
    ck_assert_int_gt(ledger_append(l, &e), 0);
    free(text);
    json_decref(body);
    ledger_close(l);
}

void planted_roster(const char *dir, const char *csv)
{
    char err[512] = "";
    struct roster *const r =
        roster_parse(csv, strlen(csv), PLANTED_LAB, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    append(dir,
           (struct ledger_entry){.kind = "batch", .student = "", .digest = ""},
           json_pack("{s:s, s:o}", "seed", "", "roster", roster_json(r)));
    roster_free(r);
}

/* Store a tar (ustar) of p2p.c in the ledger. */
static void keep(const char *dir, const char *text, char digest[LEDGER_DIGEST])
{
    char tar[4096] = "p2p.c";
    unsigned sum = 0;
    const size_t n = strlen(text), nblocks = 2 + (n - 1) / 512;
    ck_assert_uint_le(512 * nblocks, sizeof tar);
    memcpy(tar + 512, text, n);
    strcpy(tar + 100, "0000644");
    snprintf(tar + 124, 12, "%011o", (unsigned)n);
    strcpy(tar + 136, "00000000000");
    tar[156] = '0';
    memcpy(tar + 257,
           "ustar\0"
           "00",
           8);
    memset(tar + 148, ' ', 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)tar[i];
    snprintf(tar + 148, 8, "%06o", sum);
    struct ledger *const l = planted_ledger(dir);
    ck_assert_int_eq(ledger_keep(l, tar, 512 * nblocks, digest), 0);
    ledger_close(l);
}

void planted_source(const char *dir, const char *student, const char *text)
{
    char digest[LEDGER_DIGEST];
    keep(dir, text, digest);
    append(dir,
           (struct ledger_entry){.kind = "grading",
                                 .student = student,
                                 .attempt = 1,
                                 .digest = digest},
           json_pack("{s:{s:s, s:[]}}", "result", "outcome", "fail", "tests"));
}

void planted_body(const char *dir, const char *student, const char *bytes,
                  const char *body)
{
    char digest[LEDGER_DIGEST];
    struct ledger *const l = planted_ledger(dir);
    ck_assert_int_eq(ledger_keep(l, bytes, strlen(bytes), digest), 0);
    const struct ledger_entry e = {.kind = "grading",
                                   .student = student,
                                   .lab = PLANTED_LAB,
                                   .attempt = 1,
                                   .digest = digest,
                                   .body = body};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    ledger_close(l);
}

static json_t *case_of(const struct planted_grading *p, int i)
{
    static const char *const names[] = {"ring", "tree"};
    const int pass = strcmp(p->outcome[i], "pass") == 0;
    json_t *const j = json_pack(
        "{s:s, s:i, s:f, s:f, s:s, s:s, s:i, s:s, s:b}", "name", names[i],
        "part", 1, "score", p->score[i], "max_score", 5.0, "outcome",
        p->outcome[i], "message", !pass && p->message ? p->message : "",
        "ranks", 4, "rerun", "mpirun", "hidden", 0);
    if (strcmp(p->outcome[i], "suspected") == 0)
        json_object_set_new(
            j, "beneath",
            json_pack("{s:f, s:s}", "score", BENEATH, "message", "slow"));
    if (i == 0 && p->time_us > 0) {
        json_object_set_new(j, "time_us", json_real(p->time_us));
        json_object_set_new(j, "reference_us", json_real(100));
    }
    return j;
}

/* The overall outcome: the worst of the cases'. */
static const char *worst(const struct planted_grading *p)
{
    static const char *const order[] = {"suspected", "infra", "fail"};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2 && p->outcome[i]; i++)
            if (strcmp(p->outcome[i], order[k]) == 0)
                return order[k];
    return p->outcome[0] ? "pass" : "suspected";
}

static json_t *result_of(const struct planted_grading *p)
{
    json_t *const tests = json_array(), *j;
    for (int i = 0; i < 2 && p->outcome[i]; i++)
        json_array_append_new(tests, case_of(p, i));
    j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:o}", "lab",
                  PLANTED_LAB, "title", "Collectives", "outcome", worst(p),
                  "message",
                  p->outcome[0] ? ""
                  : p->message  ? p->message
                                : "it asks for system()",
                  "seed", "1", "score", p->score[0] + p->score[1], "max_score",
                  10.0, "tests", tests);
    if (p->view) {
        json_object_set_new(
            j, "timeline",
            json_string("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"));
        json_object_set_new(j, "view", json_string(p->view));
    }
    return j;
}

void planted_grading(const char *dir, const struct planted_grading *p)
{
    char digest[LEDGER_DIGEST], text[256];
    int64_t when = 0;
    if (p->submitted)
        ck_assert_int_eq(roster_time(p->submitted, &when), 0);
    snprintf(text, sizeof text, "/* %s */\nint attempt = %d;\n", p->student,
             p->attempt);
    keep(dir, text, digest);
    append(dir,
           (struct ledger_entry){.kind = "grading",
                                 .student = p->student,
                                 .attempt = p->attempt,
                                 .digest = digest},
           json_pack("{s:o, s:I, s:i, s:{s:s}}", "result", result_of(p),
                     "submitted", (json_int_t)when, "days_late", 0, "versions",
                     "plan", p->plan ? p->plan : "one"));
}
