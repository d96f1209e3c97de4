#define _GNU_SOURCE
#include "arch.h"

#include <ctype.h>  /* isspace */
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "declared.h"
#include "edit.h"
#include "line.h"
#include "task.h"
#include "tokens.h"

int arch_matters(const char *text)
{
    char file[4096], seen[4096] = "", copy[LINE_NBYTES];
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        int line, n = 0;
        if (*p != '#' ||
            sscanf(line_copy(p, copy), "# %d \"%4095[^\"]\"%n", &line, file,
                   &n) != 2 ||
            !n)
            continue;
        const size_t eol = strcspn(p + n, "\n");
        if (memchr(p + n, '3', eol) || !strcmp(file, seen) || file[0] == '<')
            continue; // a system header
        strcpy(seen, file);
        char *const source = file_read(file);
        const int found = source && strstr(source, "__CUDA_ARCH__") &&
                          !strstr(file, "/simgpu/include/");
        free(source);
        if (found)
            return 1;
    }
    return 0;
}

/* ---- where the views differ ---------------------------------------------- */

/* The words in a function's declaration, which ends before the { at i. */
struct words {
    int device, host, is_function, is_constexpr;
};

static struct words words_before(const struct tokens *t, size_t i)
{
    struct words w = {0};
    for (size_t k = i; k-- > 0;) {
        if (token_is(t, k, ";") || token_is(t, k, "{") || token_is(t, k, "}"))
            break;
        w.device |=
            token_is(t, k, "SIMGPU_DEVICE") || token_is(t, k, "SIMGPU_GLOBAL");
        w.host |= token_is(t, k, "SIMGPU_HOST");
        w.is_function |= token_is(t, k, ")");
        w.is_constexpr |= token_is(t, k, "constexpr");
    }
    return w;
}

/*
 * A device function's body, with its declaration. The bodies of both views are
 * matched by the text before them; where only the device's view has the
 * function, it is the one that counts.
 */
struct body {
    size_t first, open, close; /* tokens; its declaration begins at first */
    struct words words;
    char *name; /* text of the declaration, from the last ; { } on */
};

struct bodies {
    struct body *at;
    size_t n;
};

static struct bodies find_bodies(const struct tokens *t)
{
    struct bodies b = {calloc(t->n + 1, sizeof(struct body)), 0};
    if (!b.at)
        abort();
    for (size_t i = 0; i < t->n; i++) {
        if (!token_is(t, i, "{"))
            continue;
        const struct words w = words_before(t, i);
        if (!w.device || !w.is_function)
            continue;
        size_t first = i;
        while (first > 0 && !token_is(t, first - 1, ";") &&
               !token_is(t, first - 1, "{") && !token_is(t, first - 1, "}"))
            first--;
        const size_t close = token_close(t, i);
        if (close >= t->n)
            break;
        b.at[b.n++] =
            (struct body){first, i, close, w, tokens_text(t, first, i)};
        i = close;
    }
    return b;
}

static void release(struct bodies *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->at[i].name);
    free(b->at);
}

/* True if both bodies have the same tokens. */
static int same_body(const struct tokens *x, const struct body *a,
                     const struct tokens *y, const struct body *b)
{
    if (a->close - a->open != b->close - b->open)
        return 0;
    for (size_t i = 0; i <= a->close - a->open; i++) {
        const struct token p = x->at[a->open + i], q = y->at[b->open + i];
        if (p.end - p.begin != q.end - q.begin ||
            memcmp(x->text + p.begin, y->text + q.begin, p.end - p.begin))
            return 0;
    }
    return 1;
}

/* The text of a body with its braces, starting at its original line. */
static char *body_text(const struct tokens *t, const struct body *b)
{
    char *const place = tokens_place(t, t->at[b->open].begin);
    char *text;
    if (asprintf(&text, "%s%.*s", place,
                 (int)(t->at[b->close].end - t->at[b->open].begin),
                 t->text + t->at[b->open].begin) < 0)
        abort();
    free(place);
    return text;
}

static void merge_body(const struct tokens *h, const struct body *a,
                       const struct tokens *d, const struct body *b,
                       struct edits *e)
{
    if (same_body(h, a, d, b))
        return;
    const size_t begin = h->at[a->open].begin, end = h->at[a->close].end;
    char *const device = body_text(d, b), *const host = body_text(h, a);
    char *const place = tokens_place(h, end);
    if (a->words.host)
        edits_addf(e, begin, end, "{ if (%sSIMGPU_OUTSIDE) %s else %s }%s",
                   a->words.is_constexpr
                       ? "__builtin_is_constant_evaluated() || "
                       : "",
                   host, device, place);
    else
        edits_addf(e, begin, end, "%s%s", device, place);
    free(place);
    free(host);
    free(device);
}

/*
 * Add template specializations among functions [from, to) of the device's view,
 * which the host's view does not have; without them, a call would reach the
 * general template. declared.c adds the other functions. A specialization is
 * inserted at `end` of the host's text, which is behind the preceding function
 * of both views, unless a brace lies between that function and the
 * specialization.
 */
static void add_specializations(const struct tokens *d, const struct bodies *b,
                                size_t from, size_t to, size_t end,
                                const char *place, struct edits *e)
{
    for (size_t i = from; i < to && i > 0; i++) {
        const struct body *const s = &b->at[i];
        if (!token_is(d, s->first, "template") ||
            !token_is(d, s->first + 1, "<") || !token_is(d, s->first + 2, ">"))
            continue;
        for (size_t k = b->at[i - 1].close + 1; k < s->first; k++)
            if (token_is(d, k, "{") || token_is(d, k, "}"))
                return;
        char *const at = tokens_place(d, d->at[s->first].begin);
        edits_addf(e, end, end, "%s%.*s%s", at,
                   (int)(d->at[s->close].end - d->at[s->first].begin),
                   d->text + d->at[s->first].begin, place);
        free(at);
    }
}

/* Insert them behind function a of the host's view. */
static void add_behind(const struct tokens *h, const struct body *a,
                       const struct tokens *d, const struct bodies *b,
                       size_t from, size_t to, struct edits *e)
{
    const size_t end = h->at[a->close].end;
    char *const place = tokens_place(h, end);
    add_specializations(d, b, from, to, end, place, e);
    free(place);
}

/* The index, from `from` on, of the same function's body in the other view. */
static size_t find_same(const struct bodies *b, size_t from, const char *name)
{
    for (size_t i = from; i < b->n; i++)
        if (!strcmp(b->at[i].name, name))
            return i;
    return b->n;
}

char *arch_merge(const char *host_path, const char *device_path)
{
    char *const host = file_read(host_path), *const device =
                                                 file_read(device_path);
    struct tokens h, d;
    struct edits e = {0};
    char *text = NULL;
    size_t nbytes = 0;
    if (!host || !device)
        abort();
    tokens_init(&h, host);
    tokens_init(&d, device);
    struct bodies a = find_bodies(&h), b = find_bodies(&d);
    size_t at = 0;
    for (size_t i = 0; i < a.n; i++) {
        const size_t other = find_same(&b, at, a.at[i].name);
        if (other < b.n) {
            merge_body(&h, &a.at[i], &d, &b.at[other], &e);
            at = other + 1;
            while (at < b.n && find_same(&a, i + 1, b.at[at].name) == a.n)
                at++;
            add_behind(&h, &a.at[i], &d, &b, other + 1, at, &e);
        }
    }
    declared_add(&h, &d, &e);
    FILE *const out = open_memstream(&text, &nbytes);
    edits_write(&e, host, out);
    fclose(out);
    release(&a);
    release(&b);
    tokens_release(&h);
    tokens_release(&d);
    free(host);
    free(device);
    return text;
}
