#define _GNU_SOURCE
#include "batches.h"

#include <check.h>
#include <dirent.h>   /* opendir */
#include <stdarg.h>   /* va_list */
#include <stdio.h>    /* snprintf */
#include <string.h>   /* strncmp */
#include <sys/stat.h> /* chmod */
#include <unistd.h>   /* unlink */
#include <unistd.h>   /* UNISTD */

struct batches batches;

void batches_sh(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct child c = child_run(20, "cd %s && %s", batches.dir, line);
    ck_assert_msg(c.status == 0, "%s: %s", line, c.err);
    child_clear(&c);
}

void batches_setup(void)
{
    struct batches *const b = &batches;
    child_folder(b->dir, "batch");
    snprintf(b->roster, sizeof b->roster, "%s/r.csv", b->dir);
    snprintf(b->in, sizeof b->in, "%s/in", b->dir);
    snprintf(b->ledger, sizeof b->ledger, "%s/L.db", b->dir);
    snprintf(b->spool, sizeof b->spool, "%s/L.db.spool", b->dir);
    batches_sh(
        "mkdir in; printf 'student,deadline,submitted@2\\nada,2026-03-01T12:00,"
        "2026-03-04T12:00\\nbob,,\\ncyd,,\\n' > r.csv; printf a1 > in/ada; "
        "printf a2 > in/ada@2; printf b1 > in/bob; touch -d "
        "2026-03-01T13:00Z in/*");
    b->options = (struct batch_options){.roster = b->roster,
                                        .submissions = b->in,
                                        .ledger = b->ledger,
                                        .lab = "lab1",
                                        .seed = BATCHES_SEED,
                                        .jobs = 1,
                                        .retries = 1};
}

void batches_teardown(void)
{
    child_remove(batches.dir);
}

void batches_open(void)
{
    struct batch *const b = &batches.batch;
    ck_assert_msg(batch_open(b, &batches.options) == 0, "%s", b->err);
}

int batches_nfiles(const char *path)
{
    int n = -2; // don't count . and ..
    DIR *const d = opendir(path);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

void batches_says(const char *err, const char *want)
{
    const size_t n = strlen(batches.dir);
    for (const char *c = want; *c; c++) {
        const int is_dir = strncmp(c, "DIR", 3) == 0;
        ck_assert_msg(strncmp(err, is_dir ? batches.dir : c, is_dir ? n : 1) ==
                          0,
                      "not %s, but %s", want, err);
        err += is_dir ? n : 1;
        c += is_dir ? 2 : 0;
    }
    ck_assert_str_eq(err, "");
}

const char *batches_text(const json_t *j, const char *key)
{
    return json_string_value(json_object_get(j, key));
}

static int note(const struct ledger_entry *e, void *arg)
{
    json_t **const last = arg;
    const json_int_t n = json_integer_value(json_object_get(*last, "n"));
    json_decref(*last);
    *last = json_loads(e->body, 0, NULL);
    json_object_set_new(*last, "student", json_string(e->student));
    json_object_set_new(*last, "attempt", json_integer(e->attempt));
    json_object_set_new(*last, "digest", json_string(e->digest));
    json_object_set_new(*last, "n", json_integer(n + 1));
    return 0;
}

json_t *batches_last_grading(void)
{
    json_t *last = json_object();
    ledger_each(batches.batch.ledger, "grading", BATCHES_LAB, note, &last);
    return last;
}

void batches_lose_ledger(void)
{
    char err[256];
    struct batch *const b = &batches.batch;
    ledger_close(b->ledger);
    b->ledger = ledger_open(batches.ledger, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_ptr_nonnull(b->ledger);
}

void batches_answer(const char *program, const char *script)
{
    char path[CHILD_FOLDER + 64];
    batches_sh("mkdir -p bin");
    snprintf(path, sizeof path, "%s/bin/%s", batches.dir, program);
    FILE *const f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f,
            "#!/bin/bash\ncd %s; echo \"%s $*\" >> log\n"
            "n=$(grep -c '^%s ' log); spool=L.db.spool\n%s\n",
            batches.dir, program, program, script);
    fclose(f);
    ck_assert_int_eq(chmod(path, 0755), 0);
}

void batches_asked(const char *want)
{
    char path[CHILD_FOLDER + 16], text[8192];
    snprintf(path, sizeof path, "%s/log", batches.dir);
    FILE *const f = fopen(path, "r");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
    if (f)
        fclose(f);
    unlink(path);
    batches_says(text, want);
}
