/*
 * verb_predict.c: grade predict
 *
 * Asks the question above "prediction =" in a lab's answers.txt and writes the
 * answer there, with its time and a seal (judge/prediction.h). A prediction
 * that exists stays.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <math.h>   /* isfinite */
#include <stdio.h>  /* getline */
#include <stdlib.h> /* strtod */
#include <string.h> /* strerror */
#include <unistd.h> /* unlink */

#include "grader/verbs/verbs.h"
#include "judge/answers.h"
#include "judge/prediction.h"

static const struct verb predict_verb = {
    .name = "predict",
    .intro = "Ask for a prediction before any code is written, and keep it in "
             "answers.txt\nwith its time. grade run shows it next to what the "
             "code measures.",
    .options = (const struct verb_option[]){{.name = NULL}},
    .operand = "ANSWERS.TXT"};

/* Ask until there is a number. Returns 0, or -1 at the end of the input. */
static int ask(const char *question, double *number)
{
    char *line = NULL, *end;
    size_t room = 0;
    int found = -1;
    printf("%s\n", question);
    while (found != 0) {
        printf("prediction = ");
        fflush(stdout);
        if (getline(&line, &room, stdin) < 0)
            break;
        *number = strtod(line, &end);
        found = end != line && isfinite(*number) && !end[strspn(end, " \n")]
                    ? 0
                    : 1;
        if (found != 0)
            printf("%.*s is not a number: write digits, with a point if "
                   "needed\n",
                   (int)strcspn(line, "\n"), line);
    }
    free(line);
    return found == 0 ? 0 : -1;
}

/* Replace the file by the text, as a whole or not at all. */
static int write_file(const char *path, const char *text)
{
    char fresh[4096];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *const f = fopen(fresh, "we");
    const int bad = !f || fputs(text, f) < 0;
    if ((f && fclose(f) != 0) || bad || rename(fresh, path) != 0) {
        const int why = errno;
        unlink(fresh);
        verb_wrong("predict", "cannot write %s: %s", path, strerror(why));
        return -1;
    }
    return 0;
}

/* Ask, and write the answer with its time into the file of this text. */
static int make(const char *path, const char *text)
{
    double number;
    char *const question = answers_question(text, PREDICTION);
    const int asked = ask(question, &number);
    free(question);
    if (asked != 0) {
        verb_wrong("predict", "no number was given: nothing is written");
        return EXIT_NOT_FULL;
    }
    char *const made = prediction_write(text, number, time(NULL));
    const int written = write_file(path, made);
    free(made);
    if (written != 0)
        return EXIT_INFRA;
    printf("%s has it, with its time. Now find out.\n", path);
    return EXIT_FULL;
}

/* Tell what the file has already. */
static int keep(const char *path, const struct prediction *p)
{
    if (p->state == PREDICTION_MADE)
        printf("%s has your prediction of %s: %g. It stays.\n", path, p->when,
               p->number);
    else
        printf("%s has a prediction that was changed or written by hand.\n"
               "Remove what follows the \"=\" to make one.\n",
               path);
    return p->state == PREDICTION_MADE ? EXIT_FULL : EXIT_NOT_FULL;
}

int verb_predict(int argc, char **argv)
{
    struct prediction p;
    int unused, status;
    const int operand = verb_parse(&predict_verb, argc, argv, &unused, &status);
    if (operand < 0)
        return status;
    const char *const path = argv[operand];
    char *const text = answers_load(path);
    prediction_read(text, &p);
    if (!text || !answers_after(text, PREDICTION))
        status = verb_wrong("predict", "%s %s", path,
                            text ? "asks for no prediction: it has no line "
                                   "\"" PREDICTION " =\""
                                 : "cannot be read: is it there?");
    else
        status = p.state == PREDICTION_NONE ? make(path, text) : keep(path, &p);
    free(text);
    return status;
}
