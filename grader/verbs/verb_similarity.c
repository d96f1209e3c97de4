/*
 * verb_similarity.c: grade similarity
 *
 * Shows which students have the same code. It compares each student's latest
 * submission, kernels included, without the code that the lab gives to everyone
 * (similar.h). Submissions of earlier terms are compared with this term's, but
 * not with each other. With --out, a page for each pair shows the lines side by
 * side.
 */
#define _GNU_SOURCE
#include <stdio.h>  /* printf */
#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

#include "grader/base/folder.h"
#include "grader/export/class.h"
#include "grader/export/page.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"
#include "grader/job/place.h"
#include "grader/verbs/verbs.h"
#include "grader/vet/similar.h"

struct options {
    const char *ledger, *key, *lab, *out, *earlier;
    int least; /* percent */
};

#define AT(member) offsetof(struct options, member)
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),
                "what grade batch has written", .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "earlier", "FILES", AT(earlier),
                "ledgers of earlier terms, A.db,B.db, with their keys beside\n"
                "them"),
    VERB_OPTION(VERB_TEXT, "out", "DIR", AT(out),
                "also pages: each pair's lines side by side", .letter = 'o'),
    VERB_OPTION(VERB_NUMBER, "least", "PERCENT", AT(least),
                "how much two students have to share (default 50)", .least = 1,
                .most = 100),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledger's key, if it is elsewhere"),
    {.name = NULL}};
static const struct verb similarity_verb = {
    .name = "similarity",
    .intro = "List pairs of students whose latest submissions share code, and "
             "clusters of\nthem. Names, layout and comments do not matter; "
             "what the lab gave to all is\nleft out.",
    .options = known};

struct program {
    char name[160]; /* KEY; FILE:KEY if it is from an earlier term */
    char *text;     /* all files, one after another */
    size_t nbytes;
    int id;      /* similar_add() */
    int earlier; /* from an earlier term */
    int cluster; /* index of a program in the same cluster; itself: the first */
};

struct pair {
    int a, b;
    int percent[2]; /* share of a's own tokens that b has; of b's that a has */
};

struct comparison {
    const struct options *o;
    struct similar *similar;
    struct program *p;
    int n;
    struct pair *pair;
    int npairs, usual; /* usual: a pair's share, in the median */
};

static void *grow(void *p, int n, size_t size)
{
    void *const bigger = realloc(p, ((size_t)n + 1) * size);
    if (!bigger)
        abort();
    return bigger;
}

/* ---- programs ------------------------------------------------------------ */

/* All of the plan's files but the answers, each with its name above it. */
static char *text_of(const struct export *e, const struct row *r,
                     const struct plan *p, size_t *n)
{
    struct unpack_file file[PLAN_MAX_FILES] = {{0}};
    char why[128], *text = NULL;
    size_t nbytes;
    void *const data = ledger_kept(e->ledger, r->digest, &nbytes);
    FILE *const f = open_memstream(&text, n);
    for (int i = 0; i < p->nfiles; i++)
        file[i].name = p->file[i];
    if (data)
        unpack_files(data, nbytes, file, p->nfiles, SUBMISSION_MAX_FILE, why,
                     sizeof why);
    for (int i = 0; i < p->nfiles; i++) {
        const char *const dot = strrchr(p->file[i], '.');
        if (file[i].state == UNPACK_FILE && dot && strcmp(dot, ".txt") != 0) {
            fprintf(f, "%c// ---- %s\n", SIMILAR_BREAK, p->file[i]);
            fwrite(file[i].data, 1, file[i].nbytes, f);
            fputc('\n', f);
        }
        free(file[i].data);
    }
    fclose(f);
    free(data);
    return text;
}

static void add_class(struct comparison *c, const struct export *e,
                      const struct plan *p, const char *term)
{
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        // a group's submission is one: its first student's
        if (!r->attempt || strcmp(r->counts->student, r->student->key) != 0)
            continue;
        c->p = grow(c->p, c->n, sizeof *c->p);
        struct program *const new = &c->p[c->n];
        *new = (struct program){.earlier = term != NULL, .cluster = c->n};
        snprintf(new->name, sizeof new->name, "%.80s%s%s", term ? term : "",
                 term ? ":" : "", r->student->key);
        new->text = text_of(e, r, p, &new->nbytes);
        new->id = similar_add(c->similar, new->text, new->nbytes);
        c->n++;
    }
}

/* Add the code that the lab gives to everyone: its files with empty holes. */
static void add_base(struct comparison *c, const struct place *p)
{
    for (int i = 0; i < p->plan->nfiles; i++) {
        char path[2 * PATH_MAX], *text = NULL;
        size_t room = 0;
        snprintf(path, sizeof path, "%s/labs/%s/%s", p->kit, p->lab,
                 p->plan->file[i]);
        FILE *const f = fopen(path, "re");
        const ssize_t n = f ? getdelim(&text, &room, 0, f) : 0;
        if (n > 0)
            similar_base(c->similar, text, (size_t)n);
        free(text);
        if (f)
            fclose(f);
    }
}

/* Add the submissions of earlier ledgers. Returns -1 after printing why. */
static int add_earlier(struct comparison *c, const struct plan *p)
{
    char all[4096], err[512];
    snprintf(all, sizeof all, "%s", c->o->earlier ? c->o->earlier : "");
    for (char *rest, *path = strtok_r(all, ",", &rest); path;
         path = strtok_r(NULL, ",", &rest)) {
        struct export e = {.nrows = 0};
        char lab[64];
        const char *const slash = strrchr(path, '/');
        snprintf(lab, sizeof lab, "%s", c->o->lab);
        e.ledger = ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
        const int failed =
            !e.ledger || class_load(&e, lab, 0, err, sizeof err) != 0;
        if (failed)
            verb_wrong("similarity", "%s: %s", path, err);
        else
            add_class(c, &e, p, slash ? slash + 1 : path);
        class_release(&e);
        ledger_close(e.ledger);
        if (failed)
            return -1;
    }
    return 0;
}

/* ---- pairs --------------------------------------------------------------- */

static int most(const struct pair *p)
{
    return p->percent[0] > p->percent[1] ? p->percent[0] : p->percent[1];
}

static int by_percent(const void *x, const void *y)
{
    const struct pair *const a = x, *const b = y;
    if (most(a) != most(b))
        return most(b) - most(a);
    return a->a != b->a ? a->a - b->a : a->b - b->b;
}

static int percent(const struct comparison *c, int a, int b)
{
    const int own = similar_own(c->similar, c->p[a].id);
    return own < SIMILAR_RUN
               ? 0
               : 100 * similar_shared(c->similar, c->p[a].id, c->p[b].id) / own;
}

static int first_of(const struct comparison *c, int i)
{
    while (c->p[i].cluster != i)
        i = c->p[i].cluster;
    return i;
}

static void join(struct comparison *c, int a, int b)
{
    const int x = first_of(c, a), y = first_of(c, b);
    c->p[x > y ? x : y].cluster = x > y ? y : x;
}

static void compare(struct comparison *c)
{
    for (int a = 0; a < c->n; a++)
        for (int b = a + 1; b < c->n && !c->p[a].earlier; b++) {
            c->pair = grow(c->pair, c->npairs, sizeof *c->pair);
            c->pair[c->npairs++] =
                (struct pair){a, b, {percent(c, a, b), percent(c, b, a)}};
        }
    if (c->npairs == 0)
        return;
    qsort(c->pair, (size_t)c->npairs, sizeof *c->pair, by_percent);
    c->usual = most(&c->pair[c->npairs / 2]);
    int n = 0;
    while (n < c->npairs && most(&c->pair[n]) >= c->o->least) {
        join(c, c->pair[n].a, c->pair[n].b);
        n++;
    }
    c->npairs = n;
}

/* ---- as text ------------------------------------------------------------- */

static int cluster_size(const struct comparison *c, int first)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += first_of(c, i) == first;
    return n;
}

static void print_clusters(const struct comparison *c)
{
    for (int first = 0; first < c->n; first++) {
        if (first_of(c, first) != first || cluster_size(c, first) < 3)
            continue;
        printf("cluster:");
        for (int i = 0; i < c->n; i++)
            if (first_of(c, i) == first)
                printf(" %s", c->p[i].name);
        printf("\n");
    }
}

static void print(const struct comparison *c)
{
    if (c->npairs == 0) {
        printf("no two students share that much (--least)\n");
        return;
    }
    printf("%-24s %-24s %8s %8s %8s\n", "student", "and", "shares", "of that",
           "above");
    for (int i = 0; i < c->npairs; i++) {
        const struct pair *const p = &c->pair[i];
        printf("%-24s %-24s %6d %% %6d %% %+6d %%\n", c->p[p->a].name,
               c->p[p->b].name, p->percent[0], p->percent[1],
               most(p) - c->usual);
    }
    printf("\n");
    print_clusters(c);
    printf("%d pairs; half of all pairs share %d %% or less. What the lab gave "
           "to all is not\ncounted. This finds the same code; who copied, and "
           "whether it matters, is for a\nperson.\n",
           c->npairs, c->usual);
}

/* ---- as pages ------------------------------------------------------------ */

/* A program's lines, and the numbers of those that the other program shares. */
static json_t *side(const struct comparison *c, int a, int b)
{
    const struct program *const p = &c->p[a];
    json_t *const lines = json_array(), *const numbers = json_array();
    int nlines = 1, line = 0;
    for (size_t i = 0; i < p->nbytes; i++)
        nlines += p->text[i] == '\n';
    unsigned char *const shared = calloc((size_t)nlines, 1);
    if (!shared)
        abort();
    similar_lines(c->similar, p->id, c->p[b].id, shared, nlines);
    for (char *at = p->text; *at; line++) {
        char *const end = at + strcspn(at, "\n");
        const char last = *end;
        *end = 0;
        json_array_append_new(lines, page_text(at));
        if (shared[line])
            json_array_append_new(numbers, json_integer(line + 1));
        *end = last;
        at = end + (last != 0);
    }
    free(shared);
    return json_pack("{s:o, s:o, s:o}", "name", page_text(p->name), "shared",
                     numbers, "lines", lines);
}

static int pair_page(const struct comparison *c, const struct export *e, int i)
{
    const struct pair *const p = &c->pair[i];
    FILE *const f = export_file_in(e, "pair-%d.html", i + 1);
    if (!f)
        return -1;
    page_write(f, PAGE_PAIR, "Shared code", 0,
               json_pack("{s:[i,i], s:[o,o]}", "percent", p->percent[0],
                         p->percent[1], "sides", side(c, p->a, p->b),
                         side(c, p->b, p->a)));
    return export_close(e, f);
}

static json_t *clusters(const struct comparison *c)
{
    json_t *const all = json_array();
    for (int first = 0; first < c->n; first++) {
        if (first_of(c, first) != first || cluster_size(c, first) < 3)
            continue;
        json_t *const names = json_array();
        for (int i = 0; i < c->n; i++)
            if (first_of(c, i) == first)
                json_array_append_new(names, page_text(c->p[i].name));
        json_array_append_new(all, names);
    }
    return all;
}

static int write_pages(const struct comparison *c, struct export *e)
{
    enum { MOST_PAGES = 200 };
    e->out = c->o->out;
    e->verb = "similarity";
    if (folder_make(e->out) != 0) {
        verb_wrong("similarity", "%s: %m", e->out);
        return -1;
    }
    FILE *const f = export_file_in(e, "index.html");
    if (!f)
        return -1;
    int err = 0;
    json_t *const pairs = json_array();
    for (int i = 0; i < c->npairs && i < MOST_PAGES && !err; i++) {
        const struct pair *const p = &c->pair[i];
        json_array_append_new(pairs,
                              json_pack("{s:[o,o], s:[i,i]}", "names",
                                        page_text(c->p[p->a].name),
                                        page_text(c->p[p->b].name), "percent",
                                        p->percent[0], p->percent[1]));
        err = pair_page(c, e, i);
    }
    page_write(
        f, PAGE_SIMILAR, "Shared code", 0,
        json_pack("{s:o, s:o}", "pairs", pairs, "clusters", clusters(c)));
    return export_close(e, f) != 0 ? -1 : err;
}

/* ---- all of it ----------------------------------------------------------- */

static int similarity(const struct options *o, struct export *e,
                      const struct place *p)
{
    struct comparison c = {.o = o, .similar = similar_new()};
    int status = EXIT_USAGE;
    add_base(&c, p);
    add_class(&c, e, p->plan, NULL);
    if (add_earlier(&c, p->plan) == 0) {
        compare(&c);
        print(&c);
        status = o->out && write_pages(&c, e) != 0 ? EXIT_INFRA : EXIT_FULL;
    }
    for (int i = 0; i < c.n; i++)
        free(c.p[i].text);
    free(c.p);
    free(c.pair);
    similar_free(c.similar);
    return status;
}

/* Compare a lab's submissions. Sets lab, which may be short, to the full
 * name. */
static int of_lab(const struct options *o, struct export *e, char lab[64])
{
    const struct request q = {.lab = lab};
    struct place p;
    char err[512];
    if (class_load(e, lab, 0, err, sizeof err) != 0)
        return verb_wrong("similarity", "%s", err);
    const int status = place_find(&p, &q, err, sizeof err) == 0
                           ? similarity(o, e, &p)
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
