/*
 * verb_similarity.c: grade similarity
 *
 * Who has the same code as whom: each student's latest submission as one file,
 * compared by Debian's similarity-tester (sim_c), which compares tokens, not
 * letters: other names and other layout don't hide a copy. What the lab gave to
 * everybody is the same in all; so pairs are listed by how much more than the
 * class' usual they share.
 */
#define _GNU_SOURCE
#include <stdio.h>  /* popen */
#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */
#include <unistd.h> /* access */

#include "base/temp.h"
#include "class.h"
#include "folder.h"
#include "place.h"
#include "submission.h"
#include "unpack.h"
#include "verb.h"

struct options {
    const char *ledger, *key, *lab;
    int least; /* percent */
};

#define AT(member) offsetof(struct options, member)
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),
                "what grade batch has written", .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_NUMBER, "least", "PERCENT", AT(least),
                "how much two students have to share (default 50)", .least = 1,
                .most = 100),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledger's key, if it is elsewhere"),
    {.name = NULL}};
static const struct verb similarity_verb = {
    .name = "similarity",
    .intro = "List pairs of students whose latest submissions share code.",
    .options = known};

struct pair {
    char a[96], b[96];
    int percent; /* of a's tokens that are in b */
};

struct pairs {
    struct pair *p;
    int n;
};

/* All files of a submission behind each other. */
static void write_one(const struct export *e, const struct row *r,
                      const struct plan *p, FILE *f)
{
    struct unpack_file file[PLAN_MAX_FILES] = {{0}};
    char why[128];
    size_t nbytes;
    void *const data = ledger_kept(e->ledger, r->digest, &nbytes);
    for (int i = 0; i < p->nfiles; i++)
        file[i].name = p->file[i];
    if (data)
        unpack_files(data, nbytes, file, p->nfiles, SUBMISSION_MAX_FILE, why,
                     sizeof why);
    for (int i = 0; i < p->nfiles; i++) {
        if (file[i].state == UNPACK_FILE)
            fwrite(file[i].data, 1, file[i].nbytes, f);
        fputc('\n', f);
        free(file[i].data);
    }
    free(data);
}

static int write_all(struct export *e, const struct plan *p, const char *dir)
{
    e->out = dir;
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        FILE *const f =
            r->attempt ? export_file_in(e, "%s.c", r->student->key) : NULL;
        if (f)
            write_one(e, r, p, f);
        if (r->attempt && (!f || export_close(e, f) != 0))
            return -1;
    }
    return 0;
}

static int by_percent(const void *x, const void *y)
{
    const struct pair *const a = x, *const b = y;
    if (a->percent != b->percent)
        return b->percent - a->percent;
    const int order = strcmp(a->a, b->a);
    return order ? order : strcmp(a->b, b->b);
}

/* "./ada.c consists for 87 % of ./bob.c material" */
static void take_lines(FILE *f, struct pairs *all)
{
    char line[1024];
    while (fgets(line, sizeof line, f)) {
        struct pair p;
        if (sscanf(line, "./%95s consists for %d %% of ./%95s", p.a, &p.percent,
                   p.b) != 3)
            continue;
        p.a[strlen(p.a) - 2] = p.b[strlen(p.b) - 2] = 0; // ".c"
        all->p = realloc(all->p, ((size_t)all->n + 1) * sizeof *all->p);
        if (!all->p)
            abort();
        all->p[all->n++] = p;
    }
    qsort(all->p, (size_t)all->n, sizeof *all->p, by_percent);
}

static int compare(const char *dir, int least, struct pairs *all)
{
    char command[300];
    snprintf(
        command, sizeof command,
        "cd '%s' && find . -name '*.c' | LC_ALL=C sort | sim_c -p -t %d -r "
        "12 -i",
        dir, least);
    FILE *const f = popen(command, "re");
    if (!f)
        return -1;
    take_lines(f, all);
    return pclose(f) == 0 ? 0 : -1;
}

static void print(const struct pairs *all)
{
    if (all->n == 0) {
        printf("no two students share that much (--least)\n");
        return;
    }
    const int usual = all->p[all->n / 2].percent;
    printf("%-24s %-24s %8s %8s\n", "student", "has code of", "shared",
           "above");
    for (int i = 0; i < all->n; i++)
        printf("%-24s %-24s %6d %% %+6d %%\n", all->p[i].a, all->p[i].b,
               all->p[i].percent, all->p[i].percent - usual);
    printf(
        "\n%d pairs; half of them share %d %% or more, part of which the lab "
        "gave to all. sim_c finds copies; who copied, and whether it "
        "matters, is for a person.\n",
        all->n, usual);
}

static int similarity(const struct options *o, struct export *e,
                      const struct plan *p)
{
    char dir[200];
    struct pairs all = {NULL, 0};
    int status = EXIT_INFRA;
    if (!mkdtemp(temp_path(dir, sizeof dir, "commlab-similar")) ||
        write_all(e, p, dir) != 0)
        verb_wrong("similarity", "cannot write %s: %m", dir);
    else if (compare(dir, o->least, &all) != 0)
        verb_wrong("similarity", "sim_c failed: is similarity-tester "
                                 "installed? (make deps)");
    else
        status = EXIT_FULL;
    if (status == EXIT_FULL)
        print(&all);
    folder_remove(dir);
    free(all.p);
    return status;
}

/* The lab's plan names the files; lab becomes its full name. */
static int of_lab(const struct options *o, struct export *e, char lab[64])
{
    const struct request q = {.lab = lab};
    struct place p;
    char err[512];
    if (class_load(e, lab, 0, err, sizeof err) != 0)
        return verb_wrong("similarity", "%s", err);
    const int status = place_find(&p, &q, err, sizeof err) == 0
                           ? similarity(o, e, p.plan)
                           : verb_wrong("similarity", "%s", err);
    place_release(&p);
    return status;
}

int verb_similarity(int argc, char **argv)
{
    struct options o = {.least = 50};
    struct export e = {.nrows = 0};
    char lab[64], err[512];
    int status;
    if (verb_parse(&similarity_verb, argc, argv, &o, &status) < 0)
        return status;
    snprintf(lab, sizeof lab, "%s", o.lab);
    e.ledger = ledger_open(o.ledger, o.key, LEDGER_READ, err, sizeof err);
    if (!e.ledger)
        return verb_wrong("similarity", "%s", err);
    status = of_lab(&o, &e, lab);
    class_release(&e);
    ledger_close(e.ledger);
    return status;
}
