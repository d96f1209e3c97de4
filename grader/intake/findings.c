#define _GNU_SOURCE
#include "grader/intake/findings.h"

#include <dirent.h> /* scandir */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/base/text.h"
#include "grader/intake/copy.h"
#include "grader/intake/encoding.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"

/* A submission whose files are shown. */
struct shown {
    const struct plan *plan;
    const char *key; /* begins each line */
    struct unpack_file file[SUBMISSION_MAX_NAMES];
    int nfiles; /* the plan's and the work log */
    int nothers;
};

/* True if the student is told what to call this file. */
static int is_advised(const struct shown *s, const char *name)
{
    for (int i = 0; i < s->nfiles; i++)
        if (strcmp(s->file[i].misnamed, name) == 0)
            return 1;
    return 0;
}

/* List the first few of the folder's files that the plan does not ask for. */
static void show_others(struct shown *s, const char *dir, int depth)
{
    enum { MOST = 5 };
    struct dirent **entry = NULL;
    const int n = scandir(dir, &entry, copy_is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        const char *const name = entry[i]->d_name;
        if (entry[i]->d_type == DT_DIR && depth < COPY_DEPTH &&
            snprintf(path, sizeof path, "%s/%s", dir, name) < PATH_MAX) {
            show_others(s, path, depth + 1);
        } else if (entry[i]->d_type != DT_DIR && s->nothers < MOST &&
                   !submission_is_planned(s->plan, name) &&
                   !is_advised(s, name)) {
            char *const clean = text_clean(name, TEXT_NAME);
            if (s->nothers++ == 0)
                printf("  %s: other files: %s", s->key, clean);
            else
                printf(", %s", clean);
            free(clean);
        }
        free(entry[i]);
    }
    free(entry);
}

/* Print what the grading will note about a student's file. */
static void show_file(const struct unpack_file *f, const char *key)
{
    if (f->state == UNPACK_TWICE)
        printf("  %s: %s is there twice: remove one\n", key, f->name);
    else if (unpack_is_empty(f))
        printf("  %s: %s is empty: its parts will have no points\n", key,
               f->name);
    else if (f->data && strcmp(f->name, "answers.txt") != 0 &&
             encoding_fault(f->data, f->nbytes))
        printf("  %s: %s is %s: its parts will have no points\n", key, f->name,
               encoding_fault(f->data, f->nbytes));
    else if (f->wrong_case)
        printf("  %s: %s is there in another case: it is taken\n", key,
               f->name);
}

/* Print which files are missing, then which other files were handed in: one of
 * them may be a missing file under another name. */
static void show_missing(struct shown *s, const char *dir)
{
    const int nplanned = s->plan->nfiles;
    int n = 0;
    for (int i = 0; i < nplanned; i++)
        n += s->file[i].state == UNPACK_MISSING;
    for (int i = 0; i < nplanned && n < nplanned; i++)
        if (s->file[i].state == UNPACK_MISSING)
            printf("  %s: %s is missing: its parts will have no points\n",
                   s->key, s->file[i].name);
    if (n == nplanned)
        printf("  %s: none of the lab's files is in it\n", s->key);
    for (int i = 0; i < s->nfiles; i++)
        if (s->file[i].misnamed[0])
            printf("  %s: %s will be left out: rename it to %s\n", s->key,
                   s->file[i].misnamed, s->file[i].name);
    if (n > 0)
        show_others(s, dir, 0);
    if (s->nothers)
        printf("\n");
}

void findings_print(const struct plan *p, const char *dir, const char *key)
{
    struct shown s = {.plan = p, .key = key};
    const char *names[SUBMISSION_MAX_NAMES];
    char why[256] = "";
    size_t nbytes;
    void *const data = submission_read(dir, p, &nbytes);
    s.nfiles = submission_names(p, names);
    for (int i = 0; i < s.nfiles; i++)
        s.file[i].name = names[i];
    const int refused =
        data && unpack_files(data, nbytes, s.file, s.nfiles,
                             SUBMISSION_MAX_FILE, why, sizeof why) != 0;
    if (why[0])
        printf("  %s: %s\n", key, why);
    for (int i = 0; i < p->nfiles && !refused; i++)
        show_file(&s.file[i], key);
    if (!refused)
        show_missing(&s, dir);
    for (int i = 0; i < s.nfiles; i++)
        free(s.file[i].data);
    free(data);
}
