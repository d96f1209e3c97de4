/*
 * verb_ledger.c: grade status, verify and replay
 */
#define _GNU_SOURCE
#include <getopt.h>   /* getopt_long */
#include <inttypes.h> /* PRId64 */
#include <limits.h>   /* PATH_MAX */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */

#include "grade.h"
#include "grading.h"
#include "ledger.h"
#include "temp.h"
#include "text.h"
#include "topo/topo.h"
#include "verb.h"

struct options {
    const char *ledger, *key, *lab, *student, *head;
    int64_t id;
};

static const struct option known[] = {
    {"ledger", 1, NULL, 'l'},  {"key", 1, NULL, 'k'},  {"lab", 1, NULL, 'L'},
    {"student", 1, NULL, 's'}, {"head", 1, NULL, 'e'}, {"help", 0, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* 0, or -1 when it is wrong, or 1 for --help. More: how many arguments there are
 * to be behind the options. */
static int parse(int argc, char **argv, struct options *o, int more)
{
    *o = (struct options){0};
    for (int k; (k = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (k) {
        case 'l': o->ledger = optarg; break;
        case 'k': o->key = optarg; break;
        case 'L': o->lab = optarg; break;
        case 's': o->student = optarg; break;
        case 'e': o->head = optarg; break;
        default: return k == 'h' ? 1 : -1;
        }
    if (!o->ledger || argc - optind != more) {
        verb_wrong(argv[0], "needs --ledger%s", more ? " and one ID" : "");
        return -1;
    }
    o->id = more ? strtoll(argv[optind], NULL, 10) : 0;
    return 0;
}

static struct ledger *open_ledger(const char *verb, const struct options *o)
{
    char err[512];
    struct ledger *const l =
        ledger_open(o->ledger, o->key, LEDGER_READ, err, sizeof err);
    if (!l)
        verb_wrong(verb, "%s", err);
    return l;
}

/* ---- status ----------------------------------------------------------------------- */

struct status {
    const struct options *o;
    int n, outcomes[4];
};

static int show(const struct ledger_entry *e, void *arg)
{
    struct status *const s = arg;
    struct grading g;
    if (s->o->lab && strncmp(e->lab, s->o->lab, strlen(s->o->lab)) != 0)
        return 0;
    if (s->o->student && strcmp(e->student, s->o->student) != 0)
        return 0;
    if (grading_parse(&g, e->body) == 0) {
        char *const message = text_clean(g.message, 60);
        printf("%6" PRId64 "  %-20s %-20s @%-2d %-9s %6g/%-6g %s\n", e->id,
               e->student, e->lab, e->attempt, outcome_name[g.outcome], g.score,
               g.max_score, message);
        free(message);
        s->n++;
        s->outcomes[g.outcome]++;
    }
    grading_release(&g);
    return 0;
}

int verb_status(int argc, char **argv)
{
    struct options o;
    const int parsed = parse(argc, argv, &o, 0);
    if (parsed != 0) {
        FILE *const out = parsed > 0 ? stdout : stderr;
        fprintf(out, "usage: grade status --ledger FILE [--lab LAB] [--student "
                     "KEY] [--key FILE]\n\nList gradings, oldest first.\n");
        return parsed > 0 ? EXIT_FULL : EXIT_USAGE;
    }
    struct ledger *const l = open_ledger("status", &o);
    if (!l)
        return EXIT_USAGE;
    struct status s = {.o = &o};
    ledger_each(l, "grading", NULL, show, &s);
    printf("%d gradings: %d pass, %d fail, %d suspected, %d infra\n", s.n,
           s.outcomes[0], s.outcomes[1], s.outcomes[3], s.outcomes[2]);
    ledger_close(l);
    return EXIT_FULL;
}

/* ---- verify ------------------------------------------------------------------------ */

int verb_verify(int argc, char **argv)
{
    struct options o;
    char head[LEDGER_DIGEST];
    const int parsed = parse(argc, argv, &o, 0);
    if (parsed != 0) {
        FILE *const out = parsed > 0 ? stdout : stderr;
        fprintf(
            out,
            "usage: grade verify --ledger FILE [--key FILE] [--head HEX]\n\n"
            "Check every entry. The head that is printed is the ledger's "
            "state: who noted it down\ncan ask later whether it is still "
            "part of the ledger (--head).\n\n"
            "Exit status: 0 whole, 1 tampered with, 2 usage.\n");
        return parsed > 0 ? EXIT_FULL : EXIT_USAGE;
    }
    struct ledger *const l = open_ledger("verify", &o);
    if (!l)
        return EXIT_USAGE;
    int faults = ledger_verify(l, stdout, head);
    if (o.head && !ledger_has_head(l, o.head)) {
        printf("no entry has the head %s: this is another ledger, or an older "
               "one\n",
               o.head);
        faults++;
    }
    if (faults == 0)
        printf("whole; head %s\n", head);
    ledger_close(l);
    return faults ? EXIT_NOT_FULL : EXIT_FULL;
}

/* ---- replay ------------------------------------------------------------------------- */

struct wanted {
    int64_t id;
    char digest[LEDGER_DIGEST], student[TOPO_ME];
    struct grading g;
    int found;
};

static int find(const struct ledger_entry *e, void *arg)
{
    struct wanted *const w = arg;
    if (e->id != w->id)
        return 0;
    snprintf(w->digest, sizeof w->digest, "%s", e->digest);
    snprintf(w->student, sizeof w->student, "%s", e->student);
    w->found = grading_parse(&w->g, e->body) == 0;
    return 1;
}

/* Print each verdict that is another one now; returns how many. */
static int compare(const struct grading *before, const struct grade *now)
{
    int differ = 0;
    if (before->outcome != (int)now->outcome || before->score != now->score) {
        printf("was %s with %g points, is %s with %g: %s\n",
               outcome_name[before->outcome], before->score,
               outcome_name[now->outcome], now->score, now->message);
        differ++;
    }
    for (int i = 0; i < before->ncases && !now->message[0]; i++) {
        const struct grading_case *const c = &before->cases[i];
        const struct plan_case *const p = plan_find(now->plan, c->name);
        const struct result *const r =
            p ? &now->result[p - now->plan->cases] : NULL;
        if (r && r->score == c->score &&
            strcmp(outcome_name[r->outcome], c->outcome) == 0)
            continue;
        printf("%s: was %s with %g points, is %s with %g: %s\n", c->name,
               c->outcome, c->score, r ? outcome_name[r->outcome] : "gone",
               r ? r->score : 0, r ? r->verdict.message : "");
        differ++;
    }
    return differ;
}

/* Grade kept bytes again as they were graded then. */
static int again(const struct wanted *w, const void *data, size_t nbytes)
{
    static struct grade g;
    char path[PATH_MAX];
    const int fd = mkstemp(temp_path(path, sizeof path, "commlab-replay"));
    FILE *const f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f || fwrite(data, 1, nbytes, f) != nbytes || fclose(f) != 0) {
        verb_wrong("replay", "cannot write %s: %m", path);
        return EXIT_INFRA;
    }
    setenv("COMMLAB_STUDENT", w->student, 1);
    g.lab_arg = w->g.lab;
    g.dir = path;
    g.seed = strtoull(w->g.seed, NULL, 10);
    g.isolation = w->g.isolation;
    g.backend = backend_find(w->g.backend) ? w->g.backend : NULL;
    g.measured = w->g.measured;
    int status = EXIT_INFRA;
    if (grade_find_kit(&g) != 0) {
        verb_wrong("replay", "%s", g.message);
    } else {
        grade_submission(&g);
        const int differ = compare(&w->g, &g);
        if (!differ)
            printf("the same: %s, %g of %g points\n", outcome_name[g.outcome],
                   g.score, g.max_score);
        status = differ ? EXIT_NOT_FULL : EXIT_FULL;
    }
    remove(path);
    return status;
}

int verb_replay(int argc, char **argv)
{
    struct options o;
    const int parsed = parse(argc, argv, &o, 1);
    if (parsed != 0) {
        FILE *const out = parsed > 0 ? stdout : stderr;
        fprintf(out, "usage: grade replay --ledger FILE [--key FILE] ID\n\n"
                     "Run a grading again, with its submission, its seeds, its "
                     "isolation, and compare.\n\n"
                     "Exit status: 0 the same verdicts, 1 not, 2 usage, 3 this "
                     "machine's fault.\n");
        return parsed > 0 ? EXIT_FULL : EXIT_USAGE;
    }
    struct ledger *const l = open_ledger("replay", &o);
    if (!l)
        return EXIT_USAGE;
    struct wanted w = {.id = o.id};
    size_t nbytes = 0;
    ledger_each(l, "grading", NULL, find, &w);
    void *const data = w.found ? ledger_kept(l, w.digest, &nbytes) : NULL;
    const int status =
        data ? again(&w, data, nbytes)
             : verb_wrong("replay",
                          "no grading with a submission has the ID "
                          "%" PRId64 " (grade status lists them)",
                          o.id);
    free(data);
    grading_release(&w.g);
    ledger_close(l);
    return status;
}
