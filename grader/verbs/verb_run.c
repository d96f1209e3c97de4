/*
 * verb_run.c: grade run
 *
 * Exit status: 0 full marks, 1 fewer, 2 usage, 3 this machine's fault.
 */
#define _GNU_SOURCE
#include <signal.h>     /* SIGKILL */
#include <stdio.h>      /* perror */
#include <stdlib.h>     /* setenv */
#include <string.h>     /* strcmp */
#include <sys/prctl.h>  /* prctl */
#include <sys/random.h> /* getrandom */
#include <unistd.h>     /* access, getppid */

#include "grader/build/objects.h"
#include "grader/run/grade.h"
#include "grader/sandbox/stopped.h"
#include "grader/verbs/verbs.h"

struct options {
    struct request request;
    const char *json, *student, *members;
    int quiet;
    int parent; /* process to die with; 0: none */
};

#define AT(member) offsetof(struct options, member)
static const char *const backends[] = {"sim", "cuda", NULL};
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(request.lab),
                "lab1, or its full name", .required = 1),
    VERB_OPTION(VERB_TEXT, "json", "FILE", AT(json),
                "write the result there as well"),
    VERB_OPTION(VERB_FLAG, "timeline", NULL, AT(request.timeline),
                "include a timeline of one of its cases"),
    VERB_OPTION(VERB_TEXT, "case", "NAME", AT(request.cases),
                "only this case, or these: A,B"),
    VERB_OPTION(VERB_SEED, "seed", "S", AT(request.seed),
                "derive inputs from this seed, not from a secret one"),
    VERB_OPTION(VERB_TEXT, "student", "NAME", AT(student),
                "whose questions and machines these are (default:\n"
                "$COMMLAB_STUDENT, or your login)"),
    VERB_OPTION(VERB_TEXT, "members", "A,B", AT(members),
                "who handed in with the student: answers to their numbers\n"
                "count, too"),
    VERB_OPTION(VERB_TEXT, "backend", "B", AT(request.backend),
                "sim, or cuda: this machine's GPUs (default: what the\n"
                "kit was built for)",
                .words = backends),
    VERB_OPTION(VERB_FLAG, "measured", NULL, AT(request.measured),
                "treat simgpu as a real machine, the one that SIMGPU_TOPO\n"
                "names: measured times, no execution graph"),
    VERB_OPTION(VERB_TEXT, "schedule", "S", AT(request.schedule),
                "late (default), eager or random:SEED (simgpu only)"),
    VERB_OPTION(VERB_NUMBER, "isolation", "N", AT(request.isolation),
                "0 limits, 1 Landlock and seccomp, 2 namespaces (default),\n"
                "3 its own user and cgroup",
                .most = SANDBOX_MAX_LEVEL),
    VERB_OPTION(VERB_TEXT, "objects", "DIR", AT(request.objects),
                "compile files that are the kit's own once for many\n"
                "gradings, and keep the objects in this private folder"),
    VERB_OPTION(VERB_FLAG, "quiet", NULL, AT(quiet), "print no table"),
    VERB_OPTION(VERB_TEXT, "work", "DIR", AT(request.work), NULL),
    VERB_OPTION(VERB_NUMBER, "with-parent", "PID", AT(parent), NULL, .least = 1,
                .most = INT_MAX),
    {.name = NULL}};
static const struct verb run_verb = {
    .name = "run",
    .intro = "Grade a submission: a folder, or an archive (tar, tar.gz, zip).",
    .options = known,
    .operand = "SUBMISSION",
    .outro = "Exit status: 0 full marks, 1 not full, 2 usage, 3 this machine's "
             "fault."};

/* True for a schedule that simgpu accepts: the student would be blamed for
 * a misspelt one. */
static int is_schedule(const char *text)
{
    static const char random[] = "random:";
    const size_t n = sizeof random - 1;
    char *end;
    if (strncmp(text, random, n) != 0)
        return strcmp(text, "eager") == 0 || strcmp(text, "late") == 0;
    strtoull(text + n, &end, 0);
    return end > text + n && !*end;
}

/* True if the submission can be read, the lab has the cases, and the folder of
 * objects is private. */
static int is_possible(const struct request *q, const struct place *p)
{
    char err[512];
    if (access(q->submission, R_OK) != 0) {
        verb_wrong("run", "%s cannot be read: is it there?", q->submission);
        return 0;
    }
    if (q->objects && !objects_is_folder(q->objects)) {
        verb_wrong("run",
                   "--objects %s is not a folder that only you can enter",
                   q->objects);
        return 0;
    }
    if (q->schedule && !is_schedule(q->schedule)) {
        verb_wrong("run",
                   "--schedule is eager, late or random:SEED with a number, "
                   "not %s",
                   q->schedule);
        return 0;
    }
    if (place_has_cases(p, q->cases, err, sizeof err) == 0)
        return 1;
    verb_wrong("run", "%s", err);
    return 0;
}

static int status_of(enum outcome o)
{
    return o == OUTCOME_INFRA  ? EXIT_INFRA
           : o == OUTCOME_PASS ? EXIT_FULL
                               : EXIT_NOT_FULL;
}

static int run(const struct options *o, struct place *p)
{
    struct result r;
    if (!is_possible(&o->request, p))
        return EXIT_USAGE;
    grade_submission(&o->request, p, &r);
    if (!o->quiet)
        grade_print(&o->request, p, &r);
    int status = status_of(r.outcome);
    if (o->json && grade_write_json(o->json, &o->request, p, &r) != 0)
        status = EXIT_INFRA;
    result_release(&r);
    return status;
}

/* Make a batch's child end when the batch does, even if that has
 * just happened. */
static int follow_parent(int pid)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == pid ? 0 : -1;
}

int verb_run(int argc, char **argv)
{
    struct options o = {.request.isolation = SANDBOX_LEVEL};
    struct place p;
    char err[512];
    int status;
    uint64_t *const seed = &o.request.seed;
    if (getrandom(seed, sizeof *seed, 0) != sizeof *seed) {
        perror("grade run: no random seed");
        return EXIT_INFRA;
    }
    const int operand = verb_parse(&run_verb, argc, argv, &o, &status);
    if (operand < 0)
        return status;
    if (o.parent && follow_parent(o.parent) != 0)
        return EXIT_INFRA;
    stopped_listen();
    if (o.student)
        setenv("COMMLAB_STUDENT", o.student, 1);
    o.request.submission = argv[operand];
    const int found = place_find(&p, &o.request, err, sizeof err);
    if (found != 0)
        verb_wrong("run", "%s", err);
    else if (o.members)
        plan_draw_also(p.plan, o.members);
    status = found == 0 ? run(&o, &p) : found > 0 ? EXIT_USAGE : EXIT_INFRA;
    place_release(&p);
    return status;
}
