/*
 * export_moss.c: submissions as folders, and the list that MOSS takes
 *
 * MOSS is a service of Stanford: what is uploaded there is the course's
 * decision, so this writes the files and the command line, and sends nothing.
 */
#define _GNU_SOURCE
#include <stdlib.h> /* free */

#include "export.h"
#include "place.h"
#include "submission.h"
#include "unpack.h"
#include "verb.h"

/* Write the plan's files of one submission to OUT/KEY/; how many, or -1. */
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

int export_moss(const struct export *e)
{
    const struct request q = {.lab = e->lab};
    struct place p;
    char err_text[512];
    if (place_find(&p, &q, err_text, sizeof err_text) != 0) {
        verb_wrong("export", "%s", err_text);
        place_release(&p);
        return -1;
    }
    FILE *const list = export_file_in(e, "moss.txt");
    int err = list ? 0 : -1;
    for (int i = 0; i < e->nrows && !err; i++) {
        const int n =
            e->row[i].attempt ? write_files(e, &e->row[i], p.plan) : 0;
        err = n < 0 ? -1 : 0;
        if (n > 0)
            fprintf(list, "%s/*.c\n", e->row[i].student->key);
    }
    if (list) {
        if (export_close(e, list) != 0)
            err = -1;
        printf("moss -l c -d $(cat moss.txt)   # in %s; sends them to "
               "Stanford\n",
               e->out);
    }
    place_release(&p);
    return err;
}
