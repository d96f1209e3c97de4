#define _GNU_SOURCE
#include "unsupported.h"

#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */

#include "sides.h"
#include "tokens.h"

/* True if the attribute at token i marks a lambda: [...] __device__ (...). */
static int marks_lambda(const struct tokens *t, size_t i)
{
    static const char *const marks[] = {"SIMGPU_DEVICE", "SIMGPU_HOST", NULL};
    if (i == 0 || !token_is_any(t, i, marks) || !token_is(t, i - 1, "]"))
        return 0;
    return !token_is(t, token_open(t, i - 1) + 1, "["); // not [[attribute]]
}

/* True if the declaration at token i is a member of a class, and no friend. */
static int is_member(const struct tokens *t, size_t i)
{
    static const char *const classes[] = {"struct", "class", "union", NULL};
    size_t k = i;
    for (; k > 0 && !token_is(t, k - 1, ";") && !token_is(t, k - 1, "{") &&
           !token_is(t, k - 1, "}");
         k--)
        if (token_is(t, k - 1, "friend"))
            return 0;
    while (k > 0 && !token_is(t, k - 1, "{"))
        k = token_is(t, k - 1, "}") ? token_open(t, k - 1) : k - 1;
    int is_class = 0;
    for (k = k > 0 ? k - 1 : 0;
         k > 0 && !token_is(t, k - 1, ";") && !token_is(t, k - 1, "{") &&
         !token_is(t, k - 1, "}");
         k--) {
        if (token_is(t, k - 1, ")")) // a function's body
            return 0;
        is_class |= token_is_any(t, k - 1, classes);
    }
    return is_class;
}

static int is_on_device_alone(const struct tokens *t, size_t i)
{
    const struct sides s = sides_of(t, i);
    return s.device && !s.host;
}

/* What nvcc says of token i; NULL: nothing. */
static const char *wrong_with(const struct tokens *t, size_t i, int lambdas)
{
    if (!lambdas && marks_lambda(t, i))
        return "__host__ or __device__ annotation on lambda requires "
               "--extended-lambda nvcc flag";
    if (token_is(t, i, "SIMGPU_GLOBAL") && is_member(t, i))
        return "A __global__ function or function template cannot be a member "
               "function";
    if (token_is(t, i, "dynamic_cast") && is_on_device_alone(t, i))
        return "The operator 'dynamic_cast' is not allowed in device code";
    if (token_is(t, i, "typeid") && is_on_device_alone(t, i))
        return "The operator 'typeid' is not allowed in device code";
    return NULL;
}

char *unsupported(const char *text, int lambdas)
{
    struct tokens t;
    char *message = NULL;
    tokens_init(&t, text);
    for (size_t i = 0; i < t.n && !message; i++) {
        const char *const wrong = wrong_with(&t, i, lambdas);
        char *const origin = wrong ? tokens_origin(&t, t.at[i].begin) : NULL;
        if (wrong && asprintf(&message, "%s: error: %s", origin, wrong) < 0)
            abort();
        free(origin);
    }
    tokens_release(&t);
    return message;
}
