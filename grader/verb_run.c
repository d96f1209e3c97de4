/*
 * verb_run.c: grade run
 *
 * Exit status: 0 full marks, 1 not full, 2 usage, 3 this machine's fault.
 */
#define _GNU_SOURCE
#include <getopt.h>     /* getopt_long */
#include <signal.h>     /* SIGKILL */
#include <stdlib.h>     /* strtoull */
#include <sys/prctl.h>  /* prctl */
#include <sys/random.h> /* getrandom */
#include <unistd.h>     /* access, getppid */

#include "grade.h"
#include "verb.h"

static int usage(FILE *out)
{
    fprintf(
        out,
        "usage: grade run --lab LAB [options] SUBMISSION\n\n"
        "Grade a submission: a folder, or an archive (tar, tar.gz, zip).\n\n"
        "  --lab LAB         lab1, or its full name\n"
        "  --json FILE       write the result there as well\n"
        "  --timeline        with a timeline of one of its cases in it\n"
        "  --case NAME       only this case, or these: A,B\n"
        "  --seed S          inputs from this seed, not from a secret one\n"
        "  --student NAME    whose machines \"me\" are (default: "
        "$COMMLAB_STUDENT,\n"
        "                    or your login)\n"
        "  --backend B       sim, or cuda: this machine's GPUs (default: what "
        "the\n                    kit was built for)\n"
        "  --measured        take simgpu for such a machine (SIMGPU_TOPO): no "
        "graph\n"
        "  --schedule S      late (default), eager or random:SEED (simgpu)\n"
        "  --isolation N     0 limits, 1 Landlock and seccomp, 2 namespaces\n"
        "                    (default), 3 own user and control group\n"
        "  --quiet           no table\n"
        "  --help            this text\n\n"
        "Exit status: 0 full marks, 1 not full, 2 usage, 3 this machine's "
        "fault.\n");
    return out == stdout ? EXIT_FULL : EXIT_USAGE;
}

static const struct option known[] = {{"lab", 1, NULL, 'l'},
                                      {"json", 1, NULL, 'j'},
                                      {"case", 1, NULL, 'c'},
                                      {"seed", 1, NULL, 's'},
                                      {"schedule", 1, NULL, 'd'},
                                      {"help", 0, NULL, 'h'},
                                      {"isolation", 1, NULL, 'i'},
                                      {"timeline", 0, NULL, 't'},
                                      {"quiet", 0, NULL, 'q'},
                                      {"work", 1, NULL, 'w'},
                                      {"with-parent", 1, NULL, 'p'},
                                      {"student", 1, NULL, 'S'},
                                      {"backend", 1, NULL, 'b'},
                                      {"measured", 0, NULL, 'm'},
                                      {NULL, 0, NULL, 0}};

/* One option; -1 when it is wrong, 1 for --help. */
static int take(struct grade *g, int k)
{
    char *end = "";
    switch (k) {
    case 'l': g->lab_arg = optarg; break;
    case 'j': g->json = optarg; break;
    case 'c': g->only_case = optarg; break;
    case 'd': g->schedule = optarg; break;
    case 't': g->timeline = 1; break;
    case 'w': g->work_arg = optarg; break;
    case 'q': g->quiet = 1; break;
    case 'b':
        g->backend = optarg;
        if (backend_find(optarg))
            break;
        verb_wrong("run", "--backend is sim or cuda, not %s", optarg);
        return -1;
    case 'm': g->measured = 1; break;
    case 'p': // a batch's child: ends when the batch does
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return getppid() == atoi(optarg) ? 0 : -1;
    case 's':
        g->seed = strtoull(optarg, &end, 0);
        g->seed_given = 1;
        if (*end)
            verb_wrong("run", "--seed %s is not a number", optarg);
        break;
    case 'S': return setenv("COMMLAB_STUDENT", optarg, 1);
    case 'i':
        if (verb_number(optarg, 0, SANDBOX_MAX_LEVEL, &g->isolation) == 0)
            break;
        verb_wrong("run", "--isolation is 0 to 3, not %s", optarg);
        return -1;
    default: return k == 'h' ? 1 : -1;
    }
    return *end ? -1 : 0;
}

static int parse(int argc, char **argv, struct grade *g)
{
    g->isolation = SANDBOX_LEVEL;
    for (int k; (k = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        const int taken = take(g, k);
        if (taken != 0)
            return taken;
    }
    if (g->lab_arg && optind == argc - 1) {
        g->dir = argv[optind];
        return 0;
    }
    verb_wrong("run", "name one lab with --lab, and one submission");
    return -1;
}

static int status_of(const struct grade *g)
{
    if (g->outcome == OUTCOME_INFRA)
        return EXIT_INFRA;
    return g->outcome == OUTCOME_PASS ? EXIT_FULL : EXIT_NOT_FULL;
}

int verb_run(int argc, char **argv)
{
    static struct grade g;
    const int parsed = parse(argc, argv, &g);
    if (parsed != 0)
        return usage(parsed > 0 ? stdout : stderr);
    if (!g.seed_given &&
        getrandom(&g.seed, sizeof g.seed, 0) != sizeof g.seed) {
        perror("grade run: no random seed");
        return EXIT_INFRA;
    }
    if (grade_find_kit(&g) != 0) {
        verb_wrong("run", "%s", g.message);
        return g.outcome == OUTCOME_INFRA ? EXIT_INFRA : EXIT_USAGE;
    }
    if (access(g.dir, R_OK) != 0)
        return verb_wrong("run", "%s cannot be read: is it there?", g.dir);
    const char *left = g.only_case;
    for (char name[GRADE_NAME]; grade_next_name(&left, name);)
        if (!plan_find(g.plan, name))
            return verb_wrong("run", "%s has no case \"%s\"", g.lab, name);
    grade_submission(&g);
    if (!g.quiet)
        grade_report(&g);
    if (g.json && grade_write_json(&g) != 0)
        return EXIT_INFRA;
    return status_of(&g);
}
