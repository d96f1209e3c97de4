/*
 * main.c: build/grade
 */
#include <locale.h> /* setlocale */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* unsetenv */
#include <string.h> /* strcmp */

#include "base/version.h"
#include "grader/sandbox/limits.h"
#include "grader/verbs/verbs.h"

static const struct {
    const char *name;
    int (*verb)(int argc, char **argv);
    const char *help; /* NULL: not meant for people */
} verbs[] = {
    {"run", verb_run, "grade one submission"},
    {"predict", verb_predict, "ask for a prediction, before the code"},
    {"intake", verb_intake, "sort a download of submissions by student"},
    {"batch", verb_batch, "grade a roster's submissions into a ledger"},
    {"status", verb_status, "summarise a ledger"},
    {"serve", verb_serve, "show a batch's progress and a leaderboard, live"},
    {"export", verb_export,
     "write grades as Canvas, Moodle, HTML ... want them"},
    {"course", verb_course, "write one gradebook over the ledgers of all labs"},
    {"regrade", verb_regrade, "grade again after a change of the plan"},
    {"override", verb_override, "set the points of an attempt or a case"},
    {"clear", verb_clear, "record that a suspicion is unfounded"},
    {"excuse", verb_excuse, "excuse a student from the lab"},
    {"extend", verb_extend, "give a student another deadline"},
    {"comment", verb_comment, "show a student a comment with the grade"},
    {"verify", verb_verify, "check that a ledger has not been changed"},
    {"replay", verb_replay, "repeat a grading of a ledger and compare"},
    {"key", verb_key, "tell where a ledger's key is, or move it away"},
    {"backup", verb_backup, "copy a ledger, and verify the copy"},
    {"delete", verb_delete, "delete a term: a ledger with all it keeps"},
    {"similarity", verb_similarity, "list students who share code"},
    {"audit", verb_audit, "list what an object file defines and uses"},
    {"doctor", verb_doctor, "list what a machine, or a compute node, lacks"},
    {"work", verb_work, NULL}, // run by Slurm's jobs
    {NULL, NULL, NULL}};

static int usage(FILE *out)
{
    fprintf(out, "usage: grade VERB ... (grade VERB --help says more)\n"
                 "       grade --version\n\n");
    for (int i = 0; verbs[i].name; i++)
        if (verbs[i].help)
            fprintf(out, "  %-11s %s\n", verbs[i].name, verbs[i].help);
    return out == stdout ? EXIT_FULL : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    limits_raise();
    // Options may follow operands: a batch's own commands have some there.
    unsetenv("POSIXLY_CORRECT");
    // In the C locale, libarchive has no characters for the UTF-8 names in
    // archives, and returns no names.
    setlocale(LC_CTYPE, "C.UTF-8");
    for (int i = 0; argc >= 2 && verbs[i].name; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return limits_run(verbs[i].verb, argc - 1, argv + 1);
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        char version[32];
        version_get(version, sizeof version);
        printf("commlab %s\n", version);
        return EXIT_FULL;
    }
    return usage(argc >= 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
}
