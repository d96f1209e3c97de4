#include "judge/formula.h"

#include <ctype.h>  /* isalpha */
#include <math.h>   /* pow */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

enum { DEEPEST = 32 }; /* nested parentheses and signs */

struct reader {
    const char *text, *at;
    formula_name_fn *names;
    void *arg;
    char *err;
    size_t err_nbytes;
    int failed, depth;
};

static void fail(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Report an error; only the first one counts. */
static void fail(struct reader *r, const char *format, ...)
{
    va_list args;
    if (r->failed)
        return;
    r->failed = 1;
    const int n = snprintf(r->err, r->err_nbytes,
                           "at column %d: ", (int)(r->at - r->text) + 1);
    va_start(args, format);
    if (n > 0 && (size_t)n < r->err_nbytes)
        vsnprintf(r->err + n, r->err_nbytes - (size_t)n, format, args);
    va_end(args);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

/* Consume c if it is the next character. */
static int take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return 0;
    r->at++;
    return 1;
}

static void expect(struct reader *r, char c)
{
    if (!take(r, c))
        fail(r, "'%c' is missing", c);
}

/* ---- operands ------------------------------------------------------------ */

static double comparison(struct reader *r);

static double minimum(double a, double b)
{
    return fmin(a, b);
}

static double maximum(double a, double b)
{
    return fmax(a, b);
}

static const struct {
    const char *name;
    double (*of1)(double);
    double (*of2)(double, double);
} functions[] = {
    {"ceil", ceil, NULL},   {"floor", floor, NULL}, {"sqrt", sqrt, NULL},
    {"min", NULL, minimum}, {"max", NULL, maximum},
};

static void no_function(struct reader *r, const char *name)
{
    char all[128] = "";
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                 i ? ", " : "", functions[i].name);
    fail(r, "there is no function \"%s\": there are %s", name, all);
}

static double call(struct reader *r, const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        const double a = comparison(r);
        double value = 0;
        if (functions[i].of1) {
            value = functions[i].of1(a);
        } else {
            expect(r, ',');
            value = functions[i].of2(a, comparison(r));
        }
        expect(r, ')');
        return value;
    }
    no_function(r, name);
    return 0;
}

static double named(struct reader *r)
{
    char name[FORMULA_NAME];
    size_t n = 0;
    double value = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    if (n >= sizeof name) {
        fail(r, "a name has fewer than %d letters", FORMULA_NAME);
        return 0;
    }
    memcpy(name, r->at, n);
    name[n] = 0;
    if (r->at[n] == '(') {
        r->at += n + 1;
        return call(r, name);
    }
    if (r->names(r->arg, name, &value) != 0)
        fail(r, "there is no number \"%s\"", name);
    r->at += n;
    return value;
}

static double operand(struct reader *r)
{
    skip_blanks(r);
    if (take(r, '(')) {
        const double value = comparison(r);
        expect(r, ')');
        return value;
    }
    if (isalpha((unsigned char)*r->at))
        return named(r);
    char *end;
    const double value = strtod(r->at, &end);
    if (end == r->at || !isdigit((unsigned char)*r->at))
        fail(r, *r->at ? "a number, a name or '(' is missing"
                       : "the formula ends too early");
    r->at = end;
    return value;
}

/* ---- operators, those that bind tightest first --------------------------- */

/* -a^b is -(a^b), and 2^-1 has its own sign. */
static double signed_power(struct reader *r)
{
    double value = 0;
    if (++r->depth > DEEPEST)
        fail(r, "this is nested too deeply");
    if (r->failed) {
        // the exponent ends here
    } else if (take(r, '-')) {
        value = -signed_power(r);
    } else {
        value = operand(r);
        if (take(r, '^'))
            value = pow(value, signed_power(r));
    }
    r->depth--;
    return value;
}

static double product(struct reader *r)
{
    double value = signed_power(r);
    while (!r->failed) {
        if (take(r, '*')) {
            value *= signed_power(r);
        } else if (take(r, '/')) {
            const double by = signed_power(r);
            if (by == 0)
                fail(r, "this divides by zero");
            value /= by;
        } else {
            break;
        }
    }
    return value;
}

static double sum(struct reader *r)
{
    double value = product(r);
    while (!r->failed) {
        if (take(r, '+'))
            value += product(r);
        else if (take(r, '-'))
            value -= product(r);
        else
            break;
    }
    return value;
}

static double comparison(struct reader *r)
{
    const double value = sum(r);
    if (take(r, '<'))
        return value < sum(r);
    if (take(r, '>'))
        return value > sum(r);
    return value;
}

int formula_value(const char *text, formula_name_fn *names, void *arg,
                  double *value, char *err, size_t err_nbytes)
{
    struct reader r = {.text = text,
                       .at = text,
                       .names = names,
                       .arg = arg,
                       .err = err,
                       .err_nbytes = err_nbytes};
    *value = comparison(&r);
    skip_blanks(&r);
    if (!r.failed && *r.at)
        fail(&r, "an operator is missing");
    if (!r.failed && !isfinite(*value))
        fail(&r, "the result is not a finite number");
    return r.failed ? -1 : 0;
}
