#include "declared.h"

#include <stdint.h>
#include <stdlib.h> /* realloc */
#include <string.h> /* memcmp */

/* ---- a view as a list of declarations ------------------------------------ */

enum kind {
    DECLARATION, /* up to its ; or the } of its body */
    OPEN,        /* the head of a namespace or class, with its { */
    CLOSE        /* the } of these; a class's up to its ; */
};

struct item {
    size_t first, end; /* tokens [first, end) */
    size_t body;       /* the { of a function's body, or end */
    size_t name;       /* the declared name's token, or end */
    enum kind kind;
    uint64_t hash; /* hash of its tokens, without a function's body */
};

struct items {
    struct item *at;
    size_t n, cap;
};

static size_t skip_template(const struct tokens *t, size_t i, size_t end)
{
    while (i + 1 < end && token_is(t, i, "template") && token_is(t, i + 1, "<"))
        i = token_close_angle(t, i + 1) + 1;
    return i < end ? i : end;
}

/* The token behind any attributes at i: __attribute__((...)),
 * alignas(...), [[...]]. */
static size_t skip_attributes(const struct tokens *t, size_t i, size_t end)
{
    while (i + 1 < end) {
        if ((token_is(t, i, "__attribute__") || token_is(t, i, "alignas")) &&
            token_is(t, i + 1, "("))
            i = token_close(t, i + 1) + 1;
        else if (token_is(t, i, "[") && token_is(t, i + 1, "["))
            i = token_close(t, i) + 1;
        else
            break;
    }
    return i < end ? i : end;
}

static const char *const class_keys[] = {"class", "struct", "union", NULL};

/* The token that names the class, struct or union in a declaration's
 * head [first, end). end if there is none, or if it declares a
 * function that returns one. */
static size_t find_class(const struct tokens *t, size_t first, size_t end)
{
    size_t key = skip_template(t, first, end);
    while (key < end && !token_is_any(t, key, class_keys))
        key = token_is(t, key, "(") ? end : key + 1;
    for (size_t k = skip_attributes(t, key + 1, end); k < end; k++) {
        if (token_is(t, k, ":"))
            break; // base classes follow
        if (token_is(t, k, "("))
            return end;
    }
    return key < end ? key : end;
}

/* True if the { at `open` starts the members of the declaration at first. */
static int is_scope(const struct tokens *t, size_t first, size_t open)
{
    const size_t k = first + (token_is(t, first, "inline") ? 1 : 0);
    if (token_is(t, k, "namespace"))
        return 1;
    if (token_is(t, first, "extern") && open == first + 2)
        return 1;
    return find_class(t, first, open) < open;
}

static size_t find_name(const struct tokens *t, const struct item *it)
{
    const size_t first = skip_template(t, it->first, it->end);
    size_t end = it->body, k;
    if (token_is(t, first, "using"))
        return first + 1;
    if (token_is(t, first, "typedef"))
        return token_is(t, it->end - 1, ";") ? it->end - 2 : it->end;
    k = it->kind == OPEN ? find_class(t, it->first, it->end) : first;
    if (it->kind == OPEN || token_is_any(t, k, class_keys) ||
        token_is(t, k, "enum")) {
        k += token_is(t, k, "enum") && token_is_any(t, k + 1, class_keys);
        k = skip_attributes(t, k + 1, it->end);
        // identified by its first member
        return token_is(t, k, "{") ? k + 1 : k;
    }
    for (k = first; k < end; k++) {
        if (token_is(t, k, "=") || token_is(t, k, "[") || token_is(t, k, ";"))
            return k > first ? k - 1 : it->end;
        if (token_is(t, k, "(") && k > first &&
            !token_is(t, k - 1, "__attribute__"))
            return k - 1;
        if (token_is(t, k, "("))
            k = token_close(t, k);
    }
    return it->end;
}

static void add_item(const struct tokens *t, struct items *v, struct item it)
{
    it.hash = 14695981039346656037u; // FNV-1a
    for (size_t k = it.first; k < it.body; k++) {
        for (size_t at = t->at[k].begin; at < t->at[k].end; at++)
            it.hash = (it.hash ^ (unsigned char)t->text[at]) * 1099511628211u;
        it.hash = (it.hash ^ ' ') * 1099511628211u;
    }
    it.name = it.kind == CLOSE ? it.end : find_name(t, &it);
    if (v->n == v->cap) {
        v->cap = v->cap ? 2 * v->cap : 1024;
        v->at = realloc(v->at, v->cap * sizeof *v->at);
        if (!v->at)
            abort();
    }
    v->at[v->n++] = it;
}

/* The declaration that starts at token `first`. */
static struct item next_item(const struct tokens *t, size_t first)
{
    static const char *const access[] = {"public", "protected", "private",
                                         NULL};
    int is_value = 0;
    size_t body = t->n;
    if (token_is_any(t, first, access) && token_is(t, first + 1, ":"))
        return (struct item){first, first + 2, first + 2, 0, DECLARATION, 0};
    for (size_t k = first; k < t->n; k++) {
        if (token_is(t, k, ";"))
            return (struct item){first, k + 1,       body < t->n ? body : k + 1,
                                 0,     DECLARATION, 0};
        if (token_is(t, k, "}")) // no declaration: the scope ends
            return (struct item){first, k, k, 0, DECLARATION, 0};
        is_value |= token_is(t, k, "=");
        if (token_is(t, k, "(") || token_is(t, k, "[")) {
            k = token_close(t, k);
            continue;
        }
        if (!token_is(t, k, "{"))
            continue;
        if (!is_value && is_scope(t, first, k))
            return (struct item){first, k + 1, k + 1, 0, OPEN, 0};
        const int is_body = !is_value && k > first &&
                            !token_is(t, skip_template(t, first, k), "enum");
        const size_t close = token_close(t, k);
        if (is_body && !token_is(t, close + 1, ";") &&
            !token_is(t, close + 1, ",") && !token_is(t, close + 1, "{"))
            return (struct item){
                first, close < t->n ? close + 1 : t->n, k, 0, DECLARATION, 0};
        k = close;
    }
    return (struct item){first, t->n, t->n, 0, DECLARATION, 0};
}

/* The } at token `first`. For a class it includes what
 * follows, like x in } x; */
static struct item next_close(const struct tokens *t, size_t first)
{
    size_t end = first + 1;
    const size_t open = token_open(t, first);
    size_t head = open;
    while (head > 0 && !token_is(t, head - 1, ";") &&
           !token_is(t, head - 1, "{") && !token_is(t, head - 1, "}"))
        head--;
    if (find_class(t, head, open) < open) {
        while (end < t->n && !token_is(t, end, ";"))
            end++;
        end += end < t->n;
    }
    return (struct item){first, end, end, 0, CLOSE, 0};
}

static struct items list_items(const struct tokens *t)
{
    struct items v = {0};
    for (size_t i = 0; i < t->n; i = v.at[v.n - 1].end)
        add_item(t, &v,
                 token_is(t, i, "}") ? next_close(t, i) : next_item(t, i));
    return v;
}

/* ---- where the lists differ ---------------------------------------------- */

enum { FAR = 400 }; /* declarations between one #if and #endif */

static int same_item(const struct item *x, const struct item *y)
{
    return x->kind == y->kind && x->hash == y->hash;
}

/* True if the lists agree from here on: in one declaration that
 * isn't short, or in two. */
static int meet(const struct items *a, size_t i, const struct items *b,
                size_t j)
{
    if (i == a->n || j == b->n)
        return i == a->n && j == b->n;
    const struct item *const x = &a->at[i], *const y = &b->at[j];
    return same_item(x, y) && (x->end - x->first > 3 || i + 1 == a->n ||
                               j + 1 == b->n || same_item(x + 1, y + 1));
}

/* Advance to where the lists agree again. Returns 0 if they never do. */
static int meet_again(const struct items *a, size_t *i, const struct items *b,
                      size_t *j)
{
    for (size_t far = 1; far <= FAR; far++)
        for (size_t x = 0; x <= far; x++)
            if (*i + x <= a->n && *j + far - x <= b->n &&
                meet(a, *i + x, b, *j + far - x)) {
                *i += x;
                *j += far - x;
                return 1;
            }
    return 0;
}

/* The index of the item behind the one at j; for a class, behind its }. 0 if
 * that item does not end before `end`. */
static size_t behind_unit(const struct items *b, size_t j, size_t end)
{
    int depth = 0;
    for (; j < end; j++) {
        depth += b->at[j].kind == OPEN;
        depth -= b->at[j].kind == CLOSE;
        if (depth < 0)
            return 0;
        if (depth == 0)
            return j + 1;
    }
    return 0;
}

/* True if item x declares the same name as item y of the other view. */
static int same_name(const struct tokens *h, const struct item *x,
                     const struct tokens *d, const struct item *y)
{
    if (x->name >= x->end)
        return 0;
    const struct token p = h->at[x->name], q = d->at[y->name];
    return p.end - p.begin == q.end - q.begin &&
           !memcmp(h->text + p.begin, d->text + q.begin, p.end - p.begin);
}

/* True if device code needs item y of the device's view and adding
 * it does no harm (see declared_add()). The host's view has items
 * [i, i_end) in its place. */
static int is_needed(const struct tokens *h, const struct items *a, size_t i,
                     size_t i_end, const struct tokens *d, const struct item *y)
{
    if (y->name >= y->end || !token_is_word(d, y->name) ||
        token_is(d, y->name - 1, "::"))
        return 0;
    if (token_is(d, y->first, "template") && token_is(d, y->first + 2, ">"))
        return 0;
    const int is_function = token_is(d, y->name + 1, "(");
    for (size_t k = is_function ? 0 : i; k < (is_function ? a->n : i_end); k++)
        if (same_name(h, &a->at[k], d, y))
            return 0;
    return 1;
}

/* Add items [j, j_end) of the device's view, for which the
 * host's has [i, i_end). */
static void add_missing(const struct tokens *h, const struct items *a, size_t i,
                        size_t i_end, const struct tokens *d,
                        const struct items *b, size_t j, size_t j_end,
                        struct edits *e)
{
    if (i == a->n)
        return;
    const size_t at = h->at[a->at[i].first].begin;
    for (size_t next; j < j_end && (next = behind_unit(b, j, j_end));
         j = next) {
        if (!is_needed(h, a, i, i_end, d, &b->at[j]))
            continue;
        const size_t first = d->at[b->at[j].first].begin;
        char *const place = tokens_place(d, first);
        char *const back = tokens_place(h, at);
        edits_addf(e, at, at, "%s%.*s%s", place,
                   (int)(d->at[b->at[next - 1].end - 1].end - first),
                   d->text + first, back);
        free(place);
        free(back);
    }
}

void declared_add(const struct tokens *host, const struct tokens *device,
                  struct edits *e)
{
    struct items a = list_items(host), b = list_items(device);
    size_t i = 0, j = 0;
    while (i < a.n && j < b.n) {
        if (same_item(&a.at[i], &b.at[j])) {
            i++;
            j++;
            continue;
        }
        const size_t from = i, other = j;
        if (!meet_again(&a, &i, &b, &j))
            break;
        add_missing(host, &a, from, i, device, &b, other, j, e);
    }
    free(a.at);
    free(b.at);
}
