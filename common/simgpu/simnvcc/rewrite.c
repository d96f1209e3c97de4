#define _GNU_SOURCE
#include "rewrite.h"

#include <ctype.h>  /* isalnum */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "dependent.h"
#include "edit.h"
#include "kernel.h"
#include "sides.h"
#include "simnvcc/ptx/ptx.h"
#include "tokens.h"

/* ---- launches ------------------------------------------------------------ */

/*
 * The first token of the expression that ends before token i. It may contain
 * words with :: and template arguments, members, subscripts and parentheses.
 */
static size_t callee_begin(const struct tokens *t, size_t i)
{
    static const char *const statements[] = {"return", "else", "do", NULL};
    size_t at = i - 1;
    for (;;) {
        while (at > 0 && (token_is(t, at, "]") || token_is(t, at, ")"))) {
            const size_t open = token_open(t, at);
            at = open - (open > 0 && token_is(t, at, "]"));
        }
        if (token_is(t, at, "(")) {
            if (at > 0 && token_is_word(t, at - 1))
                at--;
            return at;
        }
        if (t->text[t->at[at].begin] == '>') {
            at = token_open_angle(t, at);
            if (at > 0)
                at--;
        }
        if (at > 0 && token_is(t, at - 1, "::")) {
            at--;
            if (at == 0 || token_is_any(t, at - 1, statements) ||
                (!token_is_word(t, at - 1) &&
                 t->text[t->at[at - 1].begin] != '>'))
                return at;
            at--;
        } else if (at > 1 && token_is(t, at - 1, ".")) {
            at -= 2;
        } else if (at > 2 && token_is(t, at - 1, ">") &&
                   token_is(t, at - 2, "-")) {
            at -= 3;
        } else if (at > 0 && token_is(t, at - 1, "template")) {
            at--; // the template keyword of obj.template k<T>
        } else {
            return at;
        }
    }
}

struct launch {          /* token numbers */
    size_t open, config; /* the <<<, and the token behind it */
    size_t close, args;  /* the >>>, and the ( behind it */
};

/* The token behind a <<< or >>> at token i, whose third character may stand
 * apart: << <. 0 if there is none. */
static size_t behind_three(const struct tokens *t, size_t i, const char *three)
{
    if (token_is(t, i, three))
        return i + 1;
    const char *const one = three + 2;
    return token_is(t, i, one) && token_is(t, i + 1, one) &&
                   token_is(t, i + 2, one) && t->at[i].end == t->at[i + 1].begin
               ? i + 3
               : 0;
}

/* True if a launch starts at token i. */
static int is_launch(const struct tokens *t, size_t i, struct launch *l)
{
    *l = (struct launch){.open = i, .config = behind_three(t, i, "<<<")};
    if (!l->config || i == 0 || token_is(t, i - 1, "operator"))
        return 0;
    const char before = t->text[t->at[i - 1].begin];
    if (!token_is_word(t, i - 1) && !strchr(">)]", before))
        return 0;
    for (size_t k = l->config; k < t->n; k++) {
        l->close = k;
        l->args = behind_three(t, k, ">>>");
        if (l->args && token_is(t, l->args, "("))
            return 1;
        if (token_is(t, k, ";") || token_is(t, k, ")") || token_is(t, k, "]") ||
            token_is(t, k, "}"))
            return 0;
        if (token_is(t, k, "(") || token_is(t, k, "[") || token_is(t, k, "{"))
            k = token_close(t, k);
    }
    return 0;
}

/* The name as a string literal. */
static char *quoted(char *name)
{
    for (char *p = name; *p; p++)
        if (*p == '"' || *p == '\\')
            *p = '\'';
    return name;
}

static const char *edit_launch(const struct tokens *t, const struct launch *l,
                               int nests, struct edits *e)
{
    const struct sides sides = sides_of(t, l->open);
    if (!nests && sides.device && !sides.host)
        return "a kernel launch from a __device__ or __global__ function "
               "requires separate compilation mode: compile and link with "
               "-rdc=true";
    const size_t first = callee_begin(t, l->open), begin = t->at[first].begin;
    const size_t from = t->at[l->config - 1].end, to = t->at[l->close].begin;
    const size_t args = t->at[l->args].begin, end = token_close(t, l->args);
    if (end >= t->n)
        return NULL; // the compiler will report it
    char *const name = quoted(tokens_text(t, first, l->open));
    char *const at_config = tokens_place(t, from);
    char *const at_name = tokens_place(t, begin);
    edits_addf(e, begin, begin, "(::simgpu::configure(\"%s\", %s%.*s), %s",
               name, at_config, (int)(to - from), t->text + from, at_name);
    edits_add(e, t->at[l->open].begin, args, tokens_place(t, args));
    edits_add(e, t->at[end].end, t->at[end].end, strdup(")"));
    free(at_name);
    free(at_config);
    free(name);
    return NULL;
}

/* ---- shared memory ------------------------------------------------------- */

struct shared {        /* tokens of a declaration with __shared__ */
    size_t begin, end; /* end: the ; */
    int is_extern;
};

static struct shared shared_at(const struct tokens *t, size_t i)
{
    struct shared s = {i, i, 0};
    while (s.begin > 0 && !token_is(t, s.begin - 1, ";") &&
           !token_is(t, s.begin - 1, "{") && !token_is(t, s.begin - 1, "}") &&
           !token_is(t, s.begin - 1, ":"))
        s.begin--;
    while (s.end < t->n && !token_is(t, s.end, ";"))
        s.end = token_is(t, s.end, "{") || token_is(t, s.end, "(")
                    ? token_close(t, s.end) + 1
                    : s.end + 1;
    for (size_t k = s.begin; k < s.end; k++)
        s.is_extern |= token_is(t, k, "extern");
    return s;
}

/* __shared__ implies static: remove a second one. */
static void drop_static(const struct tokens *t, struct shared s,
                        struct edits *e)
{
    for (size_t k = s.begin; k < s.end && !token_is(t, k, "(") &&
                             !token_is(t, k, "=") && !token_is(t, k, "{");
         k++)
        if (token_is(t, k, "static"))
            edits_add(e, t->at[k].begin, t->at[k].end, strdup("      "));
}

/* C++ requires alignas in front of the text that replaces __shared__. */
static void move_alignment(const struct tokens *t, size_t i, struct shared s,
                           struct edits *e)
{
    size_t k = i + 1;
    while (k < s.end && !token_is(t, k, "alignas"))
        k++;
    if (k >= s.end)
        return;
    const size_t close = token_close(t, k + 1);
    const size_t begin = t->at[s.begin].begin;
    char *const alignment = tokens_text(t, k, close + 1);
    edits_addf(e, begin, begin, "%s ", alignment);
    edits_add(e, t->at[k].begin, t->at[close].end,
              tokens_place(t, t->at[close].end));
    free(alignment);
}

/* The type in front of the declarator `name`, without attributes. */
static char *shared_type(const struct tokens *t, size_t begin, size_t name)
{
    static const char *const drop[] = {"extern", "static", "SIMGPU_SHARED",
                                       NULL};
    char *text;
    size_t nbytes;
    FILE *const out = open_memstream(&text, &nbytes);
    if (!out)
        abort();
    for (size_t k = begin; k < name; k++) {
        if (token_is(t, k, "__attribute__") || token_is(t, k, "alignas")) {
            k = token_close(t, k + 1);
        } else if (!token_is_any(t, k, drop)) {
            char *const word = tokens_text(t, k, k + 1);
            fprintf(out, "%s ", word);
            free(word);
        }
    }
    fclose(out);
    return text;
}

/* The token of the name in front of the declaration's first [, or s.end. */
static size_t shared_name(const struct tokens *t, struct shared s)
{
    for (size_t k = s.begin; k + 1 < s.end; k++) {
        if (token_is(t, k, "__attribute__") || token_is(t, k, "alignas"))
            k = token_close(t, k + 1);
        else if (token_is_word(t, k) && token_is(t, k + 1, "["))
            return k;
    }
    return s.end;
}

/* True if token i is inside a function. */
static int in_function(const struct tokens *t, size_t i)
{
    static const char *const scopes[] = {
        "namespace", "struct", "class", "union", "extern", "enum", NULL};
    int depth = 0;
    while (i-- > 0) {
        depth += token_is(t, i, "}");
        if (!token_is(t, i, "{") || depth-- > 0)
            continue;
        depth = 0;
        int is_scope = 0, has_call = 0;
        for (size_t k = i; k-- > 0 && !token_is(t, k, ";") &&
                           !token_is(t, k, "}") && !token_is(t, k, "{");) {
            is_scope |= token_is_any(t, k, scopes);
            has_call |= token_is(t, k, ")");
        }
        if (!is_scope || has_call)
            return 1;
    }
    return 0;
}

static const char *edit_extern_shared(const struct tokens *t, struct shared s,
                                      struct edits *e)
{
    const size_t name = shared_name(t, s);
    if (name == s.end)
        return "extern __shared__ is followed by a type and name[]";
    const size_t first = token_close(t, name + 1) + 1;
    char *const type = shared_type(t, s.begin, name);
    char *const word = tokens_text(t, name, name + 1);
    char *const more = tokens_text(t, first, s.end); // [32] in s[][32]
    const size_t begin = t->at[s.begin].begin, end = t->at[s.end - 1].end;
    char *const place = tokens_place(t, end);
    if (!in_function(t, s.begin))
        edits_addf(e, begin, end,
                   "extern __thread %s %s[] %s "
                   "__asm__(\"simgpu_dynamic_memory\")%s",
                   type, word, first < s.end ? more : "", place);
    else if (first < s.end)
        edits_addf(e, begin, end,
                   "%s (*const %s)%s = (%s (*)%s)simgpu_dynamic_shared()%s",
                   type, word, more, type, more, place);
    else
        edits_addf(e, begin, end,
                   "%s *const %s = (%s *)simgpu_dynamic_shared()%s", type, word,
                   type, place);
    free(place);
    free(more);
    free(word);
    free(type);
    return NULL;
}

static const char *edit_shared(const struct tokens *t, size_t i,
                               struct edits *e)
{
    const struct shared s = shared_at(t, i);
    if (s.end >= t->n)
        return NULL;
    if (s.is_extern)
        return edit_extern_shared(t, s, e);
    drop_static(t, s, e);
    move_alignment(t, i, s, e);
    return NULL;
}

/* ---- rewriting a whole text ---------------------------------------------- */

/* True if token i is the last one of "__attribute__((noinline".
 * Functions of simgpu's headers that also have no_sanitize stay
 * separate: they contain no hooks. */
static int is_in_attribute(const struct tokens *t, size_t i)
{
    return i >= 3 && token_is(t, i - 1, "(") && token_is(t, i - 2, "(") &&
           token_is(t, i - 3, "__attribute__") &&
           !(i + 2 < t->n && token_is(t, i + 2, "no_sanitize"));
}

/* Remove requests not to inline a function: g++ inserts no hook for storing
 * what a call returns (compile_rewritten()). __noinline__ is a word of CUDA,
 * except in C++'s headers, where it is an attribute's name. */
static void drop_noinline(const struct tokens *t, size_t i, struct edits *e)
{
    const char *instead = NULL;
    if (is_in_attribute(t, i))
        instead = "";
    else if (i >= 2 && token_is(t, i - 1, "::") && token_is(t, i - 2, "gnu"))
        instead = "unused"; // [[gnu::]] alone would be wrong
    else if (token_is(t, i, "__noinline__") &&
             !(i > 0 && (token_is(t, i - 1, "(") || token_is(t, i - 1, ","))))
        instead = "";
    if (instead)
        edits_add(e, t->at[i].begin, t->at[i].end, strdup(instead));
}

/* Remove a kernel's launch bounds, which its prologue contains. */
static void drop_bounds(const struct tokens *t, size_t i, struct edits *e)
{
    const size_t close = token_close(t, i + 1);
    if (close < t->n)
        edits_add(e, t->at[i].begin, t->at[close].end,
                  tokens_place(t, t->at[close].end));
}

char *rewrite(const char *text, FILE *out, int nests)
{
    static const char *const assembly[] = {"asm", "__asm__", "__asm", NULL};
    struct tokens t;
    struct edits e = {0};
    const char *wrong = NULL;
    char *message = NULL, *ptx = NULL;
    struct launch launch;
    tokens_init(&t, text);
    for (size_t i = 0; i < t.n && !message; i++) {
        const char c = text[t.at[i].begin];
        if (c == '<' && is_launch(&t, i, &launch))
            wrong = edit_launch(&t, &launch, nests, &e);
        else if (c == '<')
            dependent_edit(&t, i, &e);
        else if (c == 'S' && token_is(&t, i, "SIMGPU_SHARED"))
            wrong = edit_shared(&t, i, &e);
        else if (c == 'S' && token_is(&t, i, "SIMGPU_GLOBAL"))
            wrong = kernel_edit(&t, i, &e);
        else if (c == 'S' && (token_is(&t, i, "SIMGPU_BOUNDS") ||
                              token_is(&t, i, "SIMGPU_CLUSTER")))
            drop_bounds(&t, i, &e);
        else if (token_is(&t, i, "__noinline__") || token_is(&t, i, "noinline"))
            drop_noinline(&t, i, &e);
        else if (token_is_any(&t, i, assembly))
            wrong = ptx = ptx_edit(&t, i, &e);
        if (wrong) {
            char *const origin = tokens_origin(&t, t.at[i].begin);
            if (asprintf(&message, "%s: error: %s", origin, wrong) < 0)
                abort();
            free(origin);
        }
        free(ptx);
        ptx = NULL;
    }
    edits_write(&e, text, out);
    tokens_release(&t);
    return message;
}
