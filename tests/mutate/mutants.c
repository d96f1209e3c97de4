/*
 * mutants: the mutants of a C source file
 *
 *   mutants SEED FILE          list them: number, line, kind and function
 *   mutants SEED FILE NUMBER   write the file with that one mutation to stdout
 *
 * A mutant is the file with one small change inside a function, such as a test
 * that notices nothing would let pass. The seed orders the list: first one
 * mutant for each line of code, in random order, then second ones, so that the
 * first N are a sample over the lines. The order of a line's mutants depends on
 * the text of the line only, not on where in the file it is.
 *
 * kind        change
 * relational  < <=   < >=   == !=   and so on
 * logical     && ||   drop ! or ~   choose the other branch of ?:
 * negation    the condition of an if, while or switch
 * arithmetic  + -   * /   % *   << >>   & |   ++ --   += -=   and so on
 * constant    a number or character one more or one less, a fraction doubled
 * statement   a call, an assignment or a jump deleted
 * return      another value than 0: 0
 * arguments   two neighbours in a call exchanged
 *
 * Not changed: anything outside functions, declarations (their initialisers
 * are), array sizes, strings, assertions, what only frees memory, and the order
 * of two texts that are only asked whether they are equal.
 */
#define _GNU_SOURCE
#include <ctype.h>  /* isspace */
#include <stdint.h> /* uint64_t */
#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* qsort */
#include <string.h> /* strlen */

#include "tokens.h"

struct mutant {
    size_t begin, end; /* of the text replaced */
    char *text;        /* by this */
    const char *kind;
    size_t function; /* the token that names it */
    unsigned line;
    uint64_t key; /* random: by seed, line, kind and replacement */
    size_t round; /* how many mutants of this line have smaller keys */
};

struct list {
    struct tokens t;
    uint64_t seed;
    size_t function; /* being read: the token that names it */
    struct mutant *m;
    size_t n, room;
};

static void must(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        exit(2);
    }
}

/* ---- one mutant ---------------------------------------------------------- */

/* FNV-1a */
static uint64_t hash(uint64_t h, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t key(const struct list *l, const struct mutant *m)
{
    const char *const text = l->t.text;
    size_t a = m->begin, b = m->end;
    while (a > 0 && text[a - 1] != '\n')
        a--;
    while (text[b] && text[b] != '\n')
        b++;
    const uint64_t column[3] = {m->begin - a, l->seed, 0};
    uint64_t h = hash(UINT64_C(0xcbf29ce484222325), text + a, b - a);
    h = hash(h, m->kind, strlen(m->kind));
    h = hash(h, m->text, strlen(m->text));
    return hash(h, column, sizeof column);
}

/* Tokens a to b become text, which the list then owns. */
static void add(struct list *l, size_t a, size_t b, const char *kind,
                char *text)
{
    must(text != NULL, "mutants");
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->m = realloc(l->m, l->room * sizeof *l->m);
        must(l->m != NULL, "mutants");
    }
    struct mutant *const m = &l->m[l->n++];
    *m = (struct mutant){.begin = l->t.token[a].begin,
                         .end = l->t.token[b].end,
                         .text = text,
                         .kind = kind,
                         .function = l->function,
                         .line = l->t.token[a].line};
    m->key = key(l, m);
}

/* As add(), from the text of tokens c to d between two others. */
static void wrap(struct list *l, size_t a, size_t b, const char *kind,
                 const char *before, size_t c, size_t d, const char *after)
{
    char *const inner = tokens_text(&l->t, c, d);
    char *text = NULL;
    must(inner && asprintf(&text, "%s%s%s", before, inner, after) >= 0,
         "mutants");
    add(l, a, b, kind, text);
    free(inner);
}

/* ---- expressions --------------------------------------------------------- */

static const struct swap {
    const char *from, *to, *kind;
    int binary; /* only with white space around it: not a sign or a pointer */
} swaps[] = {
    {"<", "<=", "relational", 1},    {"<", ">=", "relational", 1},
    {"<=", "<", "relational", 1},    {"<=", ">", "relational", 1},
    {">", ">=", "relational", 1},    {">", "<=", "relational", 1},
    {">=", ">", "relational", 1},    {">=", "<", "relational", 1},
    {"==", "!=", "relational", 1},   {"!=", "==", "relational", 1},
    {"&&", "||", "logical", 1},      {"||", "&&", "logical", 1},
    {"!", "", "logical", 0},         {"~", "", "logical", 0},
    {"?", "== 0 ?", "logical", 1},   {"+", "-", "arithmetic", 1},
    {"-", "+", "arithmetic", 1},     {"*", "/", "arithmetic", 1},
    {"/", "*", "arithmetic", 1},     {"%", "*", "arithmetic", 1},
    {"<<", ">>", "arithmetic", 1},   {">>", "<<", "arithmetic", 1},
    {"&", "|", "arithmetic", 1},     {"|", "&", "arithmetic", 1},
    {"^", "|", "arithmetic", 1},     {"+=", "-=", "arithmetic", 1},
    {"-=", "+=", "arithmetic", 1},   {"*=", "/=", "arithmetic", 1},
    {"/=", "*=", "arithmetic", 1},   {"%=", "*=", "arithmetic", 1},
    {"<<=", ">>=", "arithmetic", 1}, {">>=", "<<=", "arithmetic", 1},
    {"&=", "|=", "arithmetic", 1},   {"|=", "&=", "arithmetic", 1},
    {"^=", "|=", "arithmetic", 1},   {"++", "--", "arithmetic", 0},
    {"--", "++", "arithmetic", 0},
};

static void swap_operator(struct list *l, size_t i)
{
    for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++)
        if (token_is(&l->t, i, swaps[k].from) &&
            (l->t.token[i].spaced || !swaps[k].binary))
            add(l, i, i, swaps[k].kind, strdup(swaps[k].to));
}

static void change_number(struct list *l, size_t i)
{
    const char *const text = l->t.text + l->t.token[i].begin;
    const size_t n = l->t.token[i].end - l->t.token[i].begin;
    const int hex = n > 1 && (text[1] == 'x' || text[1] == 'X');
    if (strtod(text, NULL) == 0)
        add(l, i, i, "constant", strdup("1"));
    else if (memchr(text, '.', n) || (!hex && memchr(text, 'e', n)))
        wrap(l, i, i, "constant", "(2 * ", i, i, ")");
    else {
        // 2 is as true as 1, and -2 as much an error as -1.
        if (!token_is(&l->t, i, "1") || !token_is(&l->t, i + 1, ";"))
            wrap(l, i, i, "constant", "(", i, i, " + 1)");
        wrap(l, i, i, "constant", "(", i, i, " - 1)");
    }
}

static int is_one_of(const struct tokens *t, size_t i, const char *const *names)
{
    while (*names && !token_is(t, i, *names))
        names++;
    return *names != NULL;
}

/* Whether a call, at its name, does the same with its first two arguments
 * exchanged: calloc(n, size), fmin(a, b), or one that only asks if they are
 * equal: !strcmp(a, b), memcmp(a, b, n) == 0. */
static int is_symmetric(const struct tokens *t, size_t i)
{
    static const char *const any[] = {"calloc", "fmin", "fmax", NULL};
    static const char *const compare[] = {
        "strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", NULL};
    const size_t end = t->token[i + 1].partner;
    return is_one_of(t, i, any) ||
           (is_one_of(t, i, compare) &&
            ((i > 0 && token_is(t, i - 1, "!")) ||
             ((token_is(t, end + 1, "==") || token_is(t, end + 1, "!=")) &&
              token_is(t, end + 2, "0"))));
}

/* In the parentheses of a call, at its name: each argument and the next,
 * exchanged. */
static void exchange_arguments(struct list *l, size_t name)
{
    const size_t open = name + 1;
    const int same = is_symmetric(&l->t, name);
    const struct tokens *const t = &l->t;
    size_t first[2] = {open + 1, 0}, comma = 0;
    for (size_t i = open + 1; i <= t->token[open].partner; i++) {
        if (token_is(t, i, ",") || i == t->token[open].partner) {
            if (comma) {
                char *const a = tokens_text(t, first[0], comma - 1);
                char *const b = tokens_text(t, first[1], i - 1);
                char *text = NULL;
                must(a && b && asprintf(&text, "%s, %s", b, a) >= 0, "mutants");
                if (strcmp(a, b) != 0 && !(same && first[0] == open + 1))
                    add(l, first[0], i - 1, "arguments", text);
                else
                    free(text);
                free(a);
                free(b);
                first[0] = first[1];
            }
            comma = i;
            first[1] = i + 1;
        }
        i = t->token[i].partner > i ? t->token[i].partner : i;
    }
}

/* What the tokens from a to before b compute. */
static void expression(struct list *l, size_t a, size_t b)
{
    static const char *const not_computed[] = {
        "sizeof", "_Alignof", "offsetof", "__attribute__", "__builtin_offsetof",
        "assert", NULL};
    const struct tokens *const t = &l->t;
    for (size_t i = a; i < b; i++) {
        const int call = token_is(t, i + 1, "(");
        if (is_one_of(t, i, not_computed) && call)
            i = t->token[i + 1].partner;
        else if (token_is(t, i, "{") && token_is(t, i + 1, "0") &&
                 token_is(t, i + 2, "}"))
            i += 2; // {0}, which clears a variable
        else if (t->token[i].kind == TOKEN_NAME && call)
            exchange_arguments(l, i);
        else if (t->token[i].kind == TOKEN_NUMBER)
            change_number(l, i);
        else if (t->token[i].kind == TOKEN_CHAR)
            wrap(l, i, i, "constant", "(", i, i, " + 1)");
        else if (t->token[i].kind == TOKEN_PUNCTUATOR)
            swap_operator(l, i);
    }
}

/* ---- statements ---------------------------------------------------------- */

/* A name and then another, perhaps behind * and const: "struct a *b". */
static int is_declaration(const struct tokens *t, size_t i)
{
    static const char *const begins[] = {"const",    "static", "struct",
                                         "union",    "extern", "unsigned",
                                         "volatile", NULL};
    static const char *const jumps[] = {"return", "goto", NULL};
    if (is_one_of(t, i, begins))
        return 1;
    if (t->token[i].kind != TOKEN_NAME || is_one_of(t, i, jumps))
        return 0;
    i++;
    while (token_is(t, i, "*") && !t->token[i].spaced)
        i++;
    return i < t->n && t->token[i].kind == TOKEN_NAME;
}

/* Initialisers only, and no array sizes: [ ] before = is left alone. */
static void declaration(struct list *l, size_t a, size_t b)
{
    const struct tokens *const t = &l->t;
    int in_value = 0;
    for (size_t i = a; i < b; i++) {
        const size_t end = t->token[i].partner > i ? t->token[i].partner : i;
        if (token_is(t, i, "=") || token_is(t, i, ","))
            in_value = token_is(t, i, "=");
        else if (in_value) {
            size_t last = i; // up to the next declarator
            while (last < b && !token_is(t, last, ","))
                last = (t->token[last].partner > last ? t->token[last].partner
                                                      : last) +
                       1;
            expression(l, i, last);
            i = last - 1;
        } else
            i = end;
    }
}

static void delete_statement(struct list *l, size_t a, size_t b)
{
    size_t nlines = 0;
    for (size_t p = l->t.token[a].begin; p < l->t.token[b].end; p++)
        nlines += l->t.text[p] == '\n';
    char *const text = malloc(nlines + 2);
    must(text != NULL, "mutants");
    memset(text, '\n', nlines);
    strcpy(text + nlines, ";");
    add(l, a, b, "statement", text);
}

/* True for what leaves no trace but memory: free(x), x_free(x),
 * x_release(x). */
static int only_frees(const struct tokens *t, size_t i)
{
    char *const name = tokens_text(t, i, i);
    must(name != NULL, "mutants");
    const size_t n = strlen(name);
    const int frees = strcmp(name, "free") == 0 ||
                      (n > 5 && strcmp(name + n - 5, "_free") == 0) ||
                      (n > 8 && strcmp(name + n - 8, "_release") == 0);
    free(name);
    return frees && token_is(t, i + 1, "(");
}

/* Tokens a to b, of which b is the semicolon. */
static void simple_statement(struct list *l, size_t a, size_t b)
{
    static const char *const untouched[] = {
        "assert", "_Static_assert", "enum", "static_assert", "typedef", NULL};
    const struct tokens *const t = &l->t;
    if (a == b || is_one_of(t, a, untouched) || only_frees(t, a))
        return;
    if (is_declaration(t, a)) {
        declaration(l, a, b);
        return;
    }
    if (!token_is(t, a, "return"))
        delete_statement(l, a, b);
    else if (b > a + 2)
        add(l, a + 1, b - 1, "return", strdup("0"));
    expression(l, a, b);
}

/* True for if (...), while (...), and a macro used as such: what comes behind
 * the parentheses is a statement. */
static int is_header(const struct tokens *t, size_t i)
{
    static const char *const keywords[] = {"if", "for", "while", "switch",
                                           NULL};
    if (!token_is(t, i + 1, "("))
        return 0;
    const size_t behind = t->token[i + 1].partner + 1;
    return is_one_of(t, i, keywords) || token_is(t, behind, "{") ||
           (t->token[i].kind == TOKEN_NAME && behind < t->n &&
            t->token[behind].kind == TOKEN_NAME);
}

static void header(struct list *l, size_t i)
{
    const struct tokens *const t = &l->t;
    const size_t open = i + 1, close = t->token[open].partner;
    const size_t before = l->n;
    expression(l, open + 1, close);
    if (!token_is(t, i, "for")) {
        wrap(l, open, close, "negation", "(!", open, close, ")");
        return;
    }
    // A loop that counts the other way only runs for ever, or crashes.
    size_t kept = before;
    for (size_t k = before; k < l->n; k++)
        if (strcmp(l->m[k].text, "--") == 0 || strcmp(l->m[k].text, "++") == 0)
            free(l->m[k].text);
        else
            l->m[kept++] = l->m[k];
    l->n = kept;
}

static size_t find(const struct tokens *t, size_t i, size_t end,
                   const char *text)
{
    while (i < end && !token_is(t, i, text))
        i = t->token[i].partner + 1;
    return i;
}

/* The statements from token i to before end. */
static void statements(struct list *l, size_t i, size_t end)
{
    const struct tokens *const t = &l->t;
    static const char *const words[] = {"else", "do", ";", "}", NULL};
    while (i < end) {
        if (token_is(t, i, "{")) {
            statements(l, i + 1, t->token[i].partner);
            i = t->token[i].partner + 1;
        } else if (is_one_of(t, i, words)) {
            i++;
        } else if (token_is(t, i, "case")) {
            const size_t colon = find(t, i, end, ":");
            expression(l, i, colon);
            i = colon + 1;
        } else if (token_is(t, i + 1, ":")) {
            i += 2;
        } else if (is_header(t, i)) {
            header(l, i);
            i = t->token[i + 1].partner + 1;
        } else {
            const size_t semicolon = find(t, i, end, ";");
            if (semicolon < end)
                simple_statement(l, i, semicolon);
            i = semicolon + 1;
        }
    }
}

/* A function's body is what stands in { } right behind a ); its name is the
 * token before the matching (. */
static void functions(struct list *l)
{
    const struct tokens *const t = &l->t;
    size_t open = 0;
    for (size_t i = 1; i < t->n; i = t->token[i].partner + 1) {
        if (token_is(t, i, "("))
            open = i;
        if (token_is(t, i, "{") && token_is(t, i - 1, ")")) {
            l->function = open - 1;
            statements(l, i + 1, t->token[i].partner);
        }
    }
}

/* ---- the list ------------------------------------------------------------ */

static int by_line(const void *a, const void *b)
{
    const struct mutant *const x = a, *const y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_round(const void *a, const void *b)
{
    const struct mutant *const x = a, *const y = b;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void order(struct list *l)
{
    if (l->n == 0)
        return;
    qsort(l->m, l->n, sizeof *l->m, by_line);
    for (size_t i = 1; i < l->n; i++)
        if (l->m[i].line == l->m[i - 1].line)
            l->m[i].round = l->m[i - 1].round + 1;
    qsort(l->m, l->n, sizeof *l->m, by_round);
}

static void show(const struct list *l, size_t i)
{
    const struct mutant *const m = &l->m[i];
    char *const name = tokens_text(&l->t, m->function, m->function);
    must(name != NULL, "mutants");
    printf("%zu %u %s %s\n", i + 1, m->line, m->kind, name);
    free(name);
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: mutants SEED FILE [NUMBER]\n");
        return 2;
    }
    struct list l = {.seed = strtoull(argv[1], NULL, 10)};
    must(tokens_read(&l.t, argv[2]) == 0, argv[2]);
    functions(&l);
    order(&l);
    const size_t number = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    if (argc == 3)
        for (size_t i = 0; i < l.n; i++)
            show(&l, i);
    else if (number >= 1 && number <= l.n)
        printf("%.*s%s%s", (int)l.m[number - 1].begin, l.t.text,
               l.m[number - 1].text, l.t.text + l.m[number - 1].end);
    else
        fprintf(stderr, "mutants: %s has %zu\n", argv[2], l.n);
    for (size_t i = 0; i < l.n; i++)
        free(l.m[i].text);
    free(l.m);
    tokens_release(&l.t);
    return argc > 3 && (number < 1 || number > l.n) ? 2 : 0;
}
