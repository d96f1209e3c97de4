#include "lab/questions.h"

#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */

#include "judge/answers.h"
#include "judge/judge.h" /* JUDGE_ANSWER */
#include "lab/kit.h"

/* Say whose numbers these are, and what to do if the course knows the student
 * by another name. */
static void print_head(const struct plan *p)
{
    const char *const set = getenv("COMMLAB_STUDENT");
    printf("# The questions of %s with the numbers of %s%s.\n"
           "# You get the numbers of the name that your course grades you "
           "under: if it is\n"
           "# another one, set COMMLAB_STUDENT=NAME. Write your answers in "
           "answers.txt.\n\n",
           p->title, p->student,
           set && *set ? " (COMMLAB_STUDENT)" : " (your login name)");
}

/* True if the lab asks any question. */
static int asks(const struct plan *p)
{
    for (int i = 0; i < p->ncases; i++)
        if (strcmp(p->cases[i].kind, JUDGE_ANSWER) == 0)
            return 1;
    return 0;
}

int questions_print(const struct plan *p)
{
    char path[2 * PATH_MAX], err[256];
    kit_answers(path, sizeof path);
    char *const text = answers_load(path);
    if (!text && !asks(p)) {
        printf("%s has no questions.\n", p->lab);
        return 0;
    }
    if (!text) {
        fprintf(stderr, "%s: there is no answers.txt with questions (%s)\n",
                p->lab, path);
        return -1;
    }
    char *const words = (char *)answers_after(text, ANSWERS_IN_WORDS);
    if (words) // which may have braces of their own
        snprintf(words, strlen(words) + 1, "\n");
    char *const filled =
        numbers_fill(&p->numbers, &p->draw, text, err, sizeof err);
    if (filled) {
        print_head(p);
        fputs(filled, stdout);
    } else {
        fprintf(stderr, "%s: answers.txt: %s\n", p->lab, err);
    }
    free(text);
    free(filled);
    return filled ? 0 : -1;
}
