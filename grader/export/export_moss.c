/*
 * export_moss.c: submissions as folders, and a list for MOSS
 *
 * MOSS is a service of Stanford. Whether to upload anything there is the
 * course's decision, so this writes the files and the command line but sends
 * nothing.
 */
#define _GNU_SOURCE
#include <stdlib.h> /* free */
#include <string.h> /* strrchr */
#include <unistd.h> /* access */

#include "grader/base/file.h"
#include "grader/base/verb.h"
#include "grader/export/export.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"
#include "grader/job/place.h"

/* Write the plan's files of one submission to OUT/KEY/. Returns their
 * number, or -1. */
static int write_files(const struct export *e, const struct row *r,
                       const struct plan *p)
{
    struct unpack_file file[PLAN_MAX_FILES] = {{0}};
    char why[128];
    size_t nbytes;
    int n = 0;
    void *const data = ledger_kept(e->ledger, r->digest, &nbytes);
    for (int i = 0; i < p->nfiles; i++)
        file[i].name = p->file[i];
    if (data)
        unpack_files(data, nbytes, file, p->nfiles, SUBMISSION_MAX_FILE, why,
                     sizeof why);
    for (int i = 0; i < p->nfiles; i++) {
        if (file[i].state == UNPACK_FILE && n >= 0) {
            FILE *const f =
                export_file_in(e, "%s/%s", r->student->key, file[i].name);
            if (f)
                fwrite(file[i].data, 1, file[i].nbytes, f);
            n = f && export_close(e, f) == 0 ? n + 1 : -1;
        }
        free(file[i].data);
    }
    free(data);
    return n;
}

static int is_code(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && strcmp(dot, ".txt") != 0;
}

/* List each kind of file that the lab has: *.c, *.cu. */
static void put_files(FILE *list, const char *key, const struct plan *p, int n)
{
    for (int i = 0; i < p->nfiles && n > 0; i++) {
        int again = !is_code(p->file[i]);
        for (int k = 0; k < i && !again; k++)
            again =
                is_code(p->file[k]) &&
                strcmp(strrchr(p->file[k], '.'), strrchr(p->file[i], '.')) == 0;
        if (!again)
            fprintf(list, "%s/*%s\n", key, strrchr(p->file[i], '.'));
    }
}

/* Write the lab's own files, which MOSS should ignore, to OUT/base/. */
static int write_base(const struct export *e, const struct place *p,
                      char options[2048])
{
    options[0] = 0;
    for (int i = 0; i < p->plan->nfiles; i++) {
        const char *const name = p->plan->file[i];
        char from[2 * PATH_MAX], to[2 * PATH_MAX];
        snprintf(from, sizeof from, "%s/labs/%s/%s", p->kit, p->lab, name);
        snprintf(to, sizeof to, "%s/base/%s", e->out, name);
        if (!is_code(name) || access(from, R_OK) != 0)
            continue;
        // creates the folder, too
        FILE *const f = export_file_in(e, "base/%s", name);
        if (!f || export_close(e, f) != 0)
            return -1;
        if (file_copy(from, to) != 0)
            return export_failed(e, to);
        const size_t n = strlen(options);
        snprintf(options + n, 2048 - n, " -b base/%s", name);
    }
    return 0;
}

int export_moss(const struct export *e)
{
    const struct request q = {.lab = e->lab};
    struct place p;
    char err_text[512], base[2048] = "";
    if (place_find(&p, &q, err_text, sizeof err_text) != 0) {
        verb_wrong("export", "%s", err_text);
        place_release(&p);
        return -1;
    }
    FILE *const list = export_file_in(e, "moss.txt");
    int err = list ? write_base(e, &p, base) : -1;
    for (int i = 0; i < e->nrows && !err; i++) {
        const int n =
            e->row[i].attempt ? write_files(e, &e->row[i], p.plan) : 0;
        err = n < 0 ? -1 : 0;
        put_files(list, e->row[i].student->key, p.plan, n);
    }
    if (list && export_close(e, list) != 0)
        err = -1;
    if (!err)
        printf("moss -l c -d%s $(cat moss.txt)   # in %s; sends them to "
               "Stanford\n",
               base, e->out);
    place_release(&p);
    return err;
}
