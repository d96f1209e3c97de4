#define _GNU_SOURCE
#include "direct.h"

#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "sides.h"
#include "tokens.h"

enum { MAX_SCOPES = 32, MAX_VARIABLES = 1024 };

struct variable {
    size_t name, scope; /* tokens; scope: the { of its namespace, 0: none */
    int is_constant;
};

struct reader {
    struct tokens t;
    const char *folder;
    FILE *warnings, *list;    /* NULL: none */
    size_t scope[MAX_SCOPES]; /* open namespaces, the { of each */
    int nscopes;
    struct variable variable[MAX_VARIABLES];
    int nvariables, nlisted;
};

/* ---- a declaration of a namespace ---------------------------------------- */

struct item { /* tokens of a declaration */
    size_t first, end;
    size_t brace;  /* the { of a function's body, or end */
    size_t called; /* the ( of a function's parameters, or end */
    int is_device, is_constant, is_kernel;
    int is_other; /* if a variable, has no second copy */
    int is_typed; /* may define a type, or a template */
};

static int is_attribute(const struct tokens *t, size_t open)
{
    static const char *const words[] = {
        "__attribute__",  "alignas",  "decltype", "SIMGPU_BOUNDS",
        "SIMGPU_CLUSTER", "noexcept", "__asm__",  NULL};
    return open > 0 && token_is_any(t, open - 1, words);
}

static void note_word(const struct tokens *t, size_t i, struct item *d)
{
    static const char *const others[] = {
        "SIMGPU_MANAGED", "SIMGPU_SHARED", "const", "constexpr",
        "using",          "typedef",       NULL};
    static const char *const types[] = {"template", "struct", "class",
                                        "union",    "enum",   "extern",
                                        "operator", NULL};
    d->is_device |= token_is(t, i, "SIMGPU_DEVICE");
    d->is_constant |= token_is(t, i, "SIMGPU_CONSTANT");
    d->is_kernel |= token_is(t, i, "SIMGPU_GLOBAL");
    d->is_other |= token_is_any(t, i, others);
    d->is_typed |= token_is_any(t, i, types);
}

/* Read the declaration that begins at token i. */
static struct item read_item(const struct tokens *t, size_t i)
{
    struct item d = {.first = i, .brace = t->n, .called = t->n};
    int has_value = 0;
    for (; i < t->n && !token_is(t, i, ";") && !token_is(t, i, "}"); i++) {
        note_word(t, i, &d);
        has_value |= token_is(t, i, "=") && d.called == t->n;
        if (token_is(t, i, "(") && !has_value && d.called == t->n &&
            !is_attribute(t, i))
            d.called = i;
        if (token_is(t, i, "{") && d.called < t->n) {
            d.brace = i;
            i = token_close(t, i);
            break;
        }
        if (token_is(t, i, "(") || token_is(t, i, "[") || token_is(t, i, "{"))
            i = token_close(t, i);
        else if (token_is(t, i, "<") && token_close_angle(t, i) < t->n)
            i = token_close_angle(t, i);
    }
    d.end = i < t->n ? i : t->n;
    d.brace = d.brace < d.end ? d.brace : d.end;
    d.called = d.called < d.end ? d.called : d.end;
    return d;
}

/* The innermost open namespace that has a name, 0: none. What is in others, or
 * in extern "C", is also visible behind them. */
static size_t named_scope(const struct reader *r)
{
    int s = r->nscopes;
    while (s > 0 && (!token_is_word(&r->t, r->scope[s - 1] - 1) ||
                     token_is(&r->t, r->scope[s - 1] - 1, "namespace")))
        s--;
    return s > 0 ? r->scope[s - 1] : 0;
}

static int is_in_folder(const struct reader *r, size_t i)
{
    char *const origin = tokens_origin(&r->t, r->t.at[i].begin);
    const int is = strncmp(origin, r->folder, strlen(r->folder)) == 0;
    free(origin);
    return is;
}

/* Write the variable of this name, a token, in the open namespaces. */
static void list_variable(struct reader *r, size_t name)
{
    char path[1024] = "";
    size_t n = 0;
    for (int s = 0; s < r->nscopes; s++) {
        const size_t i = r->scope[s] - 1;
        const struct token *const of = &r->t.at[i];
        if (token_is_word(&r->t, i) && !token_is(&r->t, i, "namespace") &&
            n + of->end - of->begin + 3 < sizeof path)
            n += (size_t)snprintf(path + n, sizeof path - n, "::%.*s",
                                  (int)(of->end - of->begin),
                                  r->t.text + of->begin);
    }
    char *const text = tokens_text(&r->t, name, name + 1);
    if (r->nlisted++ == 0)
        fprintf(r->list,
                "\nnamespace { struct simgpu_own { const volatile void "
                "*at; unsigned long nbytes; }; "
                "__attribute__((used, section(\"simgpu_own\"))) "
                "simgpu_own simgpu_own_list[] = {");
    fprintf(r->list, "\n{__builtin_addressof(%s::%s), sizeof %s::%s},", path,
            text, path, text);
    free(text);
}

/* Note the variables of a declaration. */
static void add_variables(struct reader *r, const struct item *d)
{
    static const char *const behind[] = {";", "=", "[", ",", "{", NULL};
    const struct tokens *const t = &r->t;
    for (size_t i = d->first; i < d->end; i++) {
        if (token_is_word(t, i) && token_is_any(t, i + 1, behind) &&
            r->nvariables < MAX_VARIABLES) {
            r->variable[r->nvariables++] =
                (struct variable){i, named_scope(r), d->is_constant};
            if (r->list && !d->is_typed && !token_is(t, i - 1, "::") &&
                !is_in_folder(r, i))
                list_variable(r, i);
        }
        if (token_is(t, i, "="))
            while (i < d->end && !token_is(t, i, ","))
                i = token_is(t, i, "{") || token_is(t, i, "(") ||
                            token_is(t, i, "[")
                        ? token_close(t, i) + 1
                        : i + 1;
        else if (token_is(t, i, "[") || token_is(t, i, "{") ||
                 token_is(t, i, "("))
            i = token_close(t, i);
        else if (token_is(t, i, "<") && token_close_angle(t, i) < t->n)
            i = token_close_angle(t, i);
    }
}

/* ---- uses ---------------------------------------------------------------- */

static int is_same(const struct tokens *t, size_t a, size_t b)
{
    const size_t n = t->at[a].end - t->at[a].begin;
    return t->at[b].end - t->at[b].begin == n &&
           memcmp(t->text + t->at[a].begin, t->text + t->at[b].begin, n) == 0;
}

/* The variable that token i names in the scopes that are open, or NULL. */
static const struct variable *find(const struct reader *r, size_t i)
{
    for (int v = r->nvariables; v-- > 0;) {
        int s = 0;
        if (!is_same(&r->t, r->variable[v].name, i))
            continue;
        while (s < r->nscopes && r->scope[s] != r->variable[v].scope)
            s++;
        return s < r->nscopes || !r->variable[v].scope ? &r->variable[v] : NULL;
    }
    return NULL;
}

/* True if token i may be a declarator, of a local variable or parameter: a
 * type, perhaps with * or &, is in front. */
static int may_declare(const struct tokens *t, size_t i)
{
    static const char *const words[] = {
        "return", "else", "do",  "case",   "throw",    "delete",  "and",
        "or",     "not",  "new", "sizeof", "decltype", "alignof", NULL};
    size_t k = i - 1;
    while (token_is(t, k, "*") || token_is(t, k, "&"))
        k--;
    if (k < i - 1 && !token_is_word(t, k) && !token_is(t, k, ">"))
        return 0;
    return token_is(t, k, ">") || token_is(t, k, "[") ||
           (token_is_word(t, k) && !token_is_any(t, k, words));
}

static int declares(const struct tokens *t, const struct item *f, size_t name)
{
    for (size_t i = f->called; i < f->end; i++)
        if (token_is_word(t, i) && is_same(t, i, name) && may_declare(t, i))
            return 1;
    return 0;
}

/* The ( around token i in the function, or its brace. */
static size_t around(const struct tokens *t, const struct item *f, size_t i)
{
    while (--i > f->brace && !token_is(t, i, "(") && !token_is(t, i, "{") &&
           !token_is(t, i, ";"))
        if (token_is(t, i, ")") || token_is(t, i, "]") || token_is(t, i, "}"))
            i = token_open(t, i) > f->brace ? token_open(t, i) : f->brace + 1;
    return i > f->brace && token_is(t, i, "(") ? i : f->brace;
}

static int begins_with(const struct tokens *t, size_t i, const char *prefix)
{
    return strncmp(t->text + t->at[i].begin, prefix, strlen(prefix)) == 0;
}

/* True if the function that is called at this ( takes values, or addresses as
 * host code has them. */
static int takes_values(const struct tokens *t, size_t open)
{
    static const char *const words[] = {"if",     "while",    "switch",
                                        "for",    "printf",   "fprintf",
                                        "return", "snprintf", NULL};
    if (token_is(t, open - 1, ">")) // f<T>(x)
        return 0;
    return !token_is_word(t, open - 1) || token_is_any(t, open - 1, words) ||
           begins_with(t, open - 1, "cudaMemcpy") ||
           begins_with(t, open - 1, "cudaMemset");
}

/* True if the variable may stand for itself there, as a symbol or a type. */
static int is_symbol(const struct tokens *t, const struct item *f, size_t i)
{
    static const char *const types[] = {"sizeof", "decltype", "alignof",
                                        "typeid", "noexcept", "__typeof__",
                                        "typeof", NULL};
    size_t first = i - 1, last = i + 1;
    while (token_is(t, first, "&") || token_is(t, first, "*"))
        first--;
    size_t open = around(t, f, i);
    const int is_whole = (token_is(t, first, "(") || token_is(t, first, ",")) &&
                         (token_is(t, last, ")") || token_is(t, last, ","));
    if (open > f->brace && is_whole && !takes_values(t, open))
        return 1;
    for (; open > f->brace; open = around(t, f, open)) {
        char *const callee = tokens_text(t, open - 1, open);
        const int stands = token_is_any(t, open - 1, types) ||
                           strstr(callee, "Symbol") != NULL;
        free(callee);
        if (stands)
            return 1;
    }
    return token_is_any(t, first, types);
}

enum how { READS, WRITES, TAKES_ADDRESS };

/* True if token k is an operator's first character, and the next one its
 * second: twice(t, k, "+-") for ++ and --. */
static int is_twice(const struct tokens *t, size_t k, const char *any)
{
    return k + 1 < t->n && strchr(any, t->text[t->at[k].begin]) &&
           is_same(t, k, k + 1);
}

/* What the function does with the variable at token i. */
static enum how how_of(const struct tokens *t, const struct variable *v,
                       size_t i)
{
    size_t k = i + 1;
    if (token_is(t, i - 1, "&") && !token_is_word(t, i - 2) &&
        !token_is(t, i - 2, ")") && !token_is(t, i - 2, "&"))
        return TAKES_ADDRESS;
    if (token_is(t, v->name + 1, "[") && !token_is(t, k, "["))
        return TAKES_ADDRESS; // an array, as a whole
    while (token_is(t, k, "[") || token_is(t, k, "."))
        k = token_is(t, k, "[") ? token_close(t, k) + 1 : k + 2;
    if (is_twice(t, k, "+-") || is_twice(t, i - 2, "+-"))
        return WRITES;
    if (token_is(t, k, "="))
        return token_is(t, k + 1, "=") ? READS : WRITES;
    return k < t->n && strchr("+-*/%&|^", t->text[t->at[k].begin]) &&
                   token_is(t, k + 1, "=")
               ? WRITES
               : READS;
}

static void warn(const struct reader *r, const struct variable *v, size_t i)
{
    static const char *const words[][3] = {
        [READS] = {"", "read", "cudaMemcpyFromSymbol"},
        [WRITES] = {"", "written", "cudaMemcpyToSymbol"},
        [TAKES_ADDRESS] = {"address of ", "taken", "cudaGetSymbolAddress"},
    };
    char *const origin = tokens_origin(&r->t, r->t.at[i].begin);
    char *const name = tokens_text(&r->t, i, i + 1);
    const char *const *const w = words[how_of(&r->t, v, i)];
    if (strncmp(origin, r->folder, strlen(r->folder)) != 0)
        fprintf(r->warnings,
                "%s: warning: %sa %s variable \"%s\" cannot be directly %s in "
                "a host function: nvcc gives host code another variable of "
                "that name, which kernels do not see. Call %s()\n",
                origin, w[0], v->is_constant ? "__constant__" : "__device__",
                name, w[1], w[2]);
    free(name);
    free(origin);
}

/* True if token i, in a function, can only be the variable of this name. */
static int is_use(const struct tokens *t, size_t i)
{
    const int is_part = token_is(t, i - 1, ".") || token_is(t, i - 1, "::") ||
                        (token_is(t, i - 1, "<") && !token_is(t, i - 2, "<")) ||
                        (token_is(t, i - 1, ">") && token_is(t, i - 2, "-"));
    return !is_part && !token_is(t, i + 1, "::") && !token_is(t, i + 1, "(") &&
           !token_is(t, i + 1, ":");
}

/* True if the function is defined outside its class: X::f(), X::~X(). */
static int is_member(const struct tokens *t, const struct item *f)
{
    const size_t k = f->called - 2;
    return token_is(t, k, "::") ||
           ((token_is(t, k, "~") || token_is(t, k, "operator")) &&
            token_is(t, k - 1, "::"));
}

static void read_function(const struct reader *r, const struct item *f)
{
    const struct tokens *const t = &r->t;
    if (r->nvariables == 0 || is_member(t, f))
        return;
    for (size_t i = f->brace; i < f->end; i++) {
        const struct variable *const v =
            token_is_word(t, i) && is_use(t, i) ? find(r, i) : NULL;
        if (v && !declares(t, f, i) && !is_symbol(t, f, i) &&
            !sides_of(t, i).device)
            warn(r, v, i);
    }
}

/* ---- a whole text -------------------------------------------------------- */

/* The { of the namespace, or of the extern "C", that begins at token i; t->n if
 * something else does. */
static size_t opened_at(const struct tokens *t, size_t i)
{
    if (token_is(t, i, "inline"))
        i++;
    if (token_is(t, i, "extern") && token_is(t, i + 2, "{"))
        return i + 2;
    if (!token_is(t, i, "namespace"))
        return t->n;
    while (i < t->n && !token_is(t, i, "{") && !token_is(t, i, ";") &&
           !token_is(t, i, "="))
        i = token_is(t, i, "(") ? token_close(t, i) + 1 : i + 1;
    return token_is(t, i, "{") ? i : t->n;
}

void direct_read(const char *text, const char *folder, FILE *warnings,
                 FILE *list)
{
    struct reader *const r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->folder = folder;
    r->warnings = warnings;
    r->list = list;
    tokens_init(&r->t, text);
    for (size_t i = 0; i < r->t.n; i++) {
        const size_t brace = opened_at(&r->t, i);
        if (brace < r->t.n) {
            if (r->nscopes < MAX_SCOPES)
                r->scope[r->nscopes++] = brace;
            i = brace;
            continue;
        }
        if (token_is(&r->t, i, "}")) {
            r->nscopes -= r->nscopes > 0;
            continue;
        }
        const struct item d = read_item(&r->t, i);
        if (d.called == d.end && (d.is_device || d.is_constant) && !d.is_other)
            add_variables(r, &d);
        else if (r->warnings && d.brace < d.end && !d.is_device && !d.is_kernel)
            read_function(r, &d);
        i = d.end;
    }
    if (r->nlisted)
        fprintf(list, "\n}; }\n");
    tokens_release(&r->t);
    free(r);
}
