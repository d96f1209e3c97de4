/*
 * main.c: build/grade
 *
 *     grade run --lab lab1 [--json FILE] DIR
 *
 * Exit status: 0 full marks, 1 not full, 2 usage, 3 this machine's fault.
 */
#define _GNU_SOURCE
#include <ftw.h>        /* nftw */
#include <getopt.h>     /* getopt_long */
#include <stdio.h>      /* printf */
#include <stdlib.h>     /* mkdtemp */
#include <string.h>     /* strcmp */
#include <sys/random.h> /* getrandom */

#include "grade.h"

enum { EXIT_FULL = 0, EXIT_NOT_FULL = 1, EXIT_USAGE = 2, EXIT_INFRA = 3 };

static int usage(FILE *out)
{
    fprintf(out,
            "usage: grade run --lab LAB [options] DIR\n\n"
            "Grade the submission in folder DIR.\n\n"
            "  --lab LAB         lab1, or its full name\n"
            "  --json FILE       write the result there as well\n"
            "  --case NAME       only this case\n"
            "  --seed S          inputs from this seed, not from a secret one\n"
            "  --schedule S      eager, late or random:SEED (simgpu)\n"
            "  --help            this text\n\n"
            "Exit status: 0 full marks, 1 not full, 2 usage, 3 this machine's "
            "fault.\n");
    return out == stdout ? EXIT_FULL : EXIT_USAGE;
}

static int parse(int argc, char **argv, struct grade *g)
{
    static const struct option known[] = {
        {"lab", 1, NULL, 'l'},      {"json", 1, NULL, 'j'},
        {"case", 1, NULL, 'c'},     {"seed", 1, NULL, 's'},
        {"schedule", 1, NULL, 'd'}, {"help", 0, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    for (int k; (k = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        char *end = "";
        if (k == 'l')
            g->lab_arg = optarg;
        else if (k == 'j')
            g->json = optarg;
        else if (k == 'c')
            g->only_case = optarg;
        else if (k == 'd')
            g->schedule = optarg;
        else if (k == 's') {
            g->seed = strtoull(optarg, &end, 0);
            g->seed_given = 1;
        } else
            return k == 'h' ? 1 : -1;
        if (*end) {
            fprintf(stderr, "grade: --seed %s is not a number\n", optarg);
            return -1;
        }
    }
    if (!g->lab_arg || optind != argc - 1) {
        fprintf(stderr, "grade: name one lab with --lab, and one folder\n");
        return -1;
    }
    g->dir = argv[optind];
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

/* From the folder to points, in a work folder that is gone afterwards. */
static void grade(struct grade *g)
{
    char work[] = "/tmp/commlab-grade-XXXXXX";
    if (!mkdtemp(work)) {
        grade_stop(g, OUTCOME_INFRA, "cannot make a folder in /tmp: %m");
        return;
    }
    snprintf(g->work, sizeof g->work, "%s", work);
    if (grade_intake(g) == 0 && grade_build(g) == 0)
        grade_run(g);
    nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What could not be judged scores nothing, but counts. */
static void count_unjudged(struct grade *g)
{
    if (!g->message[0])
        return;
    g->score = g->max_score = 0;
    for (int i = 0; i < g->plan->ncases; i++)
        g->max_score += g->plan->cases[i].points;
}

static int status_of(const struct grade *g)
{
    if (g->outcome == OUTCOME_INFRA)
        return EXIT_INFRA;
    return g->outcome == OUTCOME_PASS ? EXIT_FULL : EXIT_NOT_FULL;
}

static int run(int argc, char **argv)
{
    static struct grade g;
    const int parsed = parse(argc, argv, &g);
    if (parsed != 0)
        return usage(parsed > 0 ? stdout : stderr);
    if (!g.seed_given &&
        getrandom(&g.seed, sizeof g.seed, 0) != sizeof g.seed) {
        perror("grade: no random seed");
        return EXIT_INFRA;
    }
    if (grade_find_kit(&g) != 0) {
        fprintf(stderr, "grade: %s\n", g.message);
        return g.outcome == OUTCOME_INFRA ? EXIT_INFRA : EXIT_USAGE;
    }
    struct stat st;
    if (stat(g.dir, &st) != 0 || !S_ISDIR(st.st_mode)) {
        fprintf(stderr, "grade: %s is not a folder\n", g.dir);
        return EXIT_USAGE;
    }
    if (g.only_case && !plan_find(g.plan, g.only_case)) {
        fprintf(stderr, "grade: %s has no case \"%s\"\n", g.lab, g.only_case);
        return EXIT_USAGE;
    }
    grade(&g);
    count_unjudged(&g);
    grade_report(&g);
    if (g.json && grade_write_json(&g) != 0)
        return EXIT_INFRA;
    return status_of(&g);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "run") == 0)
        return run(argc - 1, argv + 1);
    return usage(argc >= 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
}
