#include "grader/vet/similar.h"

#include <stdint.h> /* uint64_t */
#include <stdlib.h> /* calloc */
#include <string.h> /* strncmp */

#include "base/clex.h"

struct token {
    uint64_t value;
    int line;
};

struct gram { /* a run of SIMILAR_RUN tokens */
    uint64_t hash;
    int at; /* its first token */
};

struct program {
    struct token *token;
    int n;
    struct gram *gram; /* by hash; those of the base left out */
    int ngrams;
    int own;
};

struct similar {
    struct program *p;
    int n;
    struct gram *base; /* by hash */
    int nbase;
};

static void *grown(void *p, int n, size_t size)
{
    void *const bigger =
        n & (n - 1) ? p : realloc(p, (n ? 2 * (size_t)n : 1) * size);
    if (!bigger)
        abort();
    return bigger;
}

/* ---- tokens -------------------------------------------------------------- */

static const char *const keywords[] = {
    "break",  "case",   "char",    "const", "continue", "default", "do",
    "double", "else",   "enum",    "float", "for",      "goto",    "if",
    "int",    "long",   "return",  "short", "signed",   "sizeof",  "static",
    "struct", "switch", "typedef", "union", "unsigned", "void",    "while"};

enum { NAME = 1, NUMBER, STRING, KEYWORD = 16, LETTER = 256 };

static uint64_t word(const char *text, size_t n)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == n && strncmp(keywords[i], text, n) == 0)
            return KEYWORD + i;
    return NAME;
}

static void push(struct program *p, uint64_t value, int line)
{
    p->token = grown(p->token, p->n, sizeof *p->token);
    p->token[p->n++] = (struct token){value, line};
}

/* A point at the start of a number, and each + or - in it, are tokens. */
static void push_number(struct program *p, const struct ctoken *t, int line)
{
    if (t->at[0] == '.')
        push(p, LETTER + '.', line);
    push(p, NUMBER, line);
    for (size_t i = 1; i < t->nbytes; i++)
        if (t->at[i] == '+' || t->at[i] == '-') {
            push(p, LETTER + (uint64_t)t->at[i], line);
            if (i + 1 < t->nbytes)
                push(p, NUMBER, line);
        }
}

static void read_tokens(struct program *p, const char *text, size_t nbytes)
{
    struct clex x;
    clex_init(&x, text, nbytes, 0);
    for (struct ctoken t; clex_next(&x, &t);) {
        const int line = t.line - 1;
        if (t.begins && *t.at == '#')
            clex_skip_line(&x);
        else if (t.kind == CTOKEN_NUMBER)
            push_number(p, &t, line);
        else if (t.kind == CTOKEN_WORD)
            push(p, word(t.at, t.nbytes), line);
        else
            push(p,
                 t.kind == CTOKEN_MARK ? LETTER + (unsigned char)*t.at : STRING,
                 line);
    }
}

/* ---- runs ---------------------------------------------------------------- */

static int by_hash(const void *x, const void *y)
{
    const struct gram *const a = x, *const b = y;
    if (a->hash == b->hash)
        return 0;
    return a->hash < b->hash ? -1 : 1;
}

static const struct gram *find(const struct gram *grams, int n, uint64_t hash)
{
    int low = 0;
    while (low < n) {
        const int middle = low + (n - low) / 2;
        if (grams[middle].hash < hash)
            low = middle + 1;
        else
            n = middle;
    }
    return &grams[low];
}

static int has(const struct gram *grams, int n, uint64_t hash)
{
    const struct gram *const g = n ? find(grams, n, hash) : NULL;
    return g && g < grams + n && g->hash == hash;
}

static uint64_t hash_at(const struct program *p, int at)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a, of 64 bits
    for (int i = 0; i < SIMILAR_RUN; i++)
        hash = (hash ^ p->token[at + i].value) * 0x100000001b3u;
    return hash;
}

static int has_break(const struct program *p, int at)
{
    for (int i = 0; i < SIMILAR_RUN; i++)
        if (p->token[at + i].value == LETTER + SIMILAR_BREAK)
            return 1;
    return 0;
}

static void add_grams(struct gram **grams, int *n, const struct program *p,
                      const struct similar *without)
{
    for (int i = 0; i + SIMILAR_RUN <= p->n; i++) {
        const uint64_t hash = hash_at(p, i);
        if (has_break(p, i) ||
            (without && has(without->base, without->nbase, hash)))
            continue;
        *grams = grown(*grams, *n, sizeof **grams);
        (*grams)[(*n)++] = (struct gram){hash, i};
    }
    if (*n)
        qsort(*grams, (size_t)*n, sizeof **grams, by_hash);
}

/* Mark the tokens of runs of a that b has too (b NULL: all runs). */
static unsigned char *mark(const struct program *a, const struct program *b)
{
    unsigned char *const in = calloc((size_t)a->n + 1, 1);
    if (!in)
        abort();
    for (int i = 0; i < a->ngrams; i++)
        if (!b || has(b->gram, b->ngrams, a->gram[i].hash))
            memset(in + a->gram[i].at, 1, SIMILAR_RUN);
    return in;
}

static int count(const struct program *a, const struct program *b)
{
    unsigned char *const in = mark(a, b);
    int n = 0;
    for (int i = 0; i < a->n; i++)
        n += in[i];
    free(in);
    return n;
}

/* ---- programs ------------------------------------------------------------ */

struct similar *similar_new(void)
{
    struct similar *const s = calloc(1, sizeof *s);
    if (!s)
        abort();
    return s;
}

void similar_free(struct similar *s)
{
    for (int i = 0; s && i < s->n; i++) {
        free(s->p[i].token);
        free(s->p[i].gram);
    }
    if (s) {
        free(s->p);
        free(s->base);
    }
    free(s);
}

void similar_base(struct similar *s, const char *text, size_t nbytes)
{
    struct program p = {.n = 0};
    read_tokens(&p, text, nbytes);
    add_grams(&s->base, &s->nbase, &p, NULL);
    free(p.token);
}

int similar_add(struct similar *s, const char *text, size_t nbytes)
{
    s->p = grown(s->p, s->n, sizeof *s->p);
    struct program *const p = &s->p[s->n];
    *p = (struct program){.n = 0};
    read_tokens(p, text, nbytes);
    add_grams(&p->gram, &p->ngrams, p, s);
    p->own = count(p, NULL);
    return s->n++;
}

int similar_own(const struct similar *s, int a)
{
    return s->p[a].own;
}

int similar_shared(const struct similar *s, int a, int b)
{
    return count(&s->p[a], &s->p[b]);
}

void similar_lines(const struct similar *s, int a, int b, unsigned char *lines,
                   int nlines)
{
    const struct program *const p = &s->p[a];
    unsigned char *const in = mark(p, &s->p[b]);
    for (int i = 0; i < p->n; i++)
        if (in[i] && p->token[i].line < nlines)
            lines[p->token[i].line] = 1;
    free(in);
}
