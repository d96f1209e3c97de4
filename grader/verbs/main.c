/*
 * main.c: build/grade
 */
#include <locale.h> /* setlocale */
#include <stdio.h>  /* printf */
#include <string.h> /* strcmp */

#include "verb.h"

static const struct {
    const char *name;
    int (*verb)(int argc, char **argv);
    const char *help; /* NULL: not for people */
} verbs[] = {
    {"run", verb_run, "grade one submission"},
    {"intake", verb_intake, "sort a download of submissions by student"},
    {"batch", verb_batch, "grade a roster's submissions into a ledger"},
    {"status", verb_status, "what a ledger holds"},
    {"serve", verb_serve, "how far a batch is, and a leaderboard, live"},
    {"export", verb_export, "grades as Canvas, Moodle, HTML ... want them"},
    {"regrade", verb_regrade, "grade again after a change of the plan"},
    {"override", verb_override, "set the points of an attempt or a case"},
    {"clear", verb_clear, "a suspicion is unfounded"},
    {"excuse", verb_excuse, "ask no score of a student"},
    {"extend", verb_extend, "give a student another deadline"},
    {"comment", verb_comment, "tell a student something with the grade"},
    {"verify", verb_verify, "has a ledger been tampered with?"},
    {"replay", verb_replay, "run a grading of a ledger again, and compare"},
    {"similarity", verb_similarity, "who has the same code as whom?"},
    {"audit", verb_audit, "what an object file defines and asks for"},
    {"doctor", verb_doctor, "what a machine, or a compute node, lacks"},
    {"work", verb_work, NULL}, // what Slurm's jobs do
    {NULL, NULL, NULL}};

static int usage(FILE *out)
{
    fprintf(out, "usage: grade VERB ... (grade VERB --help says more)\n\n");
    for (int i = 0; verbs[i].name; i++)
        if (verbs[i].help)
            fprintf(out, "  %-11s %s\n", verbs[i].name, verbs[i].help);
    return out == stdout ? EXIT_FULL : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    // In the C locale libarchive has no characters for the names in UTF-8 that
    // archives hold, and gives none.
    setlocale(LC_CTYPE, "C.UTF-8");
    for (int i = 0; argc >= 2 && verbs[i].name; i++)
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].verb(argc - 1, argv + 1);
    return usage(argc >= 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
}
