/*
 * numbers.h: the numbers in questions, drawn for each student
 *
 * A plan lists choices for each number. A hash of student, lab and name picks
 * one of them, the same on every machine and in the grader.
 *
 *     numbers:
 *       ring_ranks: [4, 6, 12, 16, 32]
 *       machine: [dgx-a100, dgx-h100]      # words, too
 *       claims:                            # drawn together: both first, or
 *         claim_1_ms: [2.5, 1.9]           # both second
 *         claim_2_ms: [7, 5]
 *
 * answers.txt names them in braces, "{ring_ranks} ranks all-reduce ...", and
 * `labN --questions` fills them in. The right answers are formulas (formula.h)
 * over these numbers, in the hidden plan. In a formula, a word stands for its
 * position among the choices, from 0. Measured values have no formula; they are
 * listed by word:
 *
 *     answers:
 *       floor_ms: 2 * (ring_ranks - 1) / ring_ranks
 *       alpha_us: {dgx-a100: 26.75, dgx-h100: 24.1}
 */
#ifndef COMMLAB_JUDGE_NUMBERS_H
#define COMMLAB_JUDGE_NUMBERS_H

#include <stddef.h>

enum { NUMBERS_MAX = 48, NUMBERS_CHOICES = 16 };

struct number {
    char *name;
    char *group; /* numbers of one group are drawn together */
    char *choice[NUMBERS_CHOICES];
    int nchoices;
};

struct numbers {
    struct number of[NUMBERS_MAX];
    int n;
};

struct answer {                     /* to a question */
    char *formula[NUMBERS_CHOICES]; /* by choice of `by`, or a single one */
    int n;
    const struct number *by; /* NULL: there is a single formula */
};

/* One choice for each number. */
struct draw {
    int choice[NUMBERS_MAX];
};

void numbers_release(struct numbers *n);
void answer_free(struct answer *a);

/* The number with this name; NULL if there is none. */
const struct number *numbers_find(const struct numbers *n, const char *name);

struct draw numbers_draw(const struct numbers *n, const char *lab,
                         const char *student);

/*
 * The text with each {name} replaced by the draw's choice. Braces around
 * anything other than letters, digits and _ stay. The caller frees the text.
 * NULL with a line in err if there is no such number.
 */
char *numbers_fill(const struct numbers *n, const struct draw *d,
                   const char *text, char *err, size_t err_nbytes);

/* The right answer for a draw. 0, or -1 with the reason in err. */
int answer_value(const struct numbers *n, const struct answer *a,
                 const struct draw *d, double *value, char *err,
                 size_t err_nbytes);

/*
 * Check that an answer has a value for all draws of the numbers that it uses.
 * Returns 0, or -1 with the reason in err.
 */
int answer_check(const struct numbers *n, const struct answer *a, char *err,
                 size_t err_nbytes);

/*
 * Check that a neighbour's answer fails, for all draws of the numbers that an
 * answer uses. With a tolerance, any two draws must give answers further apart
 * than twice that. Whole numbers (tolerance 0) can't differ that much; no more
 * than half of the draws may share one. Returns 0, or -1 with two draws in err.
 */
int answer_differs(const struct numbers *n, const struct answer *a,
                   double tolerance, char *err, size_t err_nbytes);

#endif
