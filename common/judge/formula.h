/*
 * formula.h: the right answer to a question, as a formula
 *
 *     2 * (ranks - 1) / ranks * GiB * 2^30 / GBps / 1e6
 *
 * Operators, from those that bind loosest: < and > (1 if true, else 0), + and
 * -, * and /, a sign, ^ (right-associative). Functions: min(a, b), max(a, b),
 * ceil(a), floor(a), sqrt(a). Names stand for numbers that the caller knows. A
 * result that isn't finite, as after a division by zero, is an error.
 */
#ifndef COMMLAB_JUDGE_FORMULA_H
#define COMMLAB_JUDGE_FORMULA_H

#include <stddef.h>

enum { FORMULA_NAME = 32 }; /* bytes of a name, its NUL included */

/* Look up the number that a name stands for. Returns 0, or -1 if the
 * name is unknown. */
typedef int formula_name_fn(void *arg, const char *name, double *value);

/*
 * Evaluate `text`, calling `names` with `arg` for each name in it. Returns 0,
 * or -1 with the reason in err: "at column 7: ...".
 */
int formula_value(const char *text, formula_name_fn *names, void *arg,
                  double *value, char *err, size_t err_nbytes);

#endif
