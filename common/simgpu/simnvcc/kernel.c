#define _GNU_SOURCE
#include "kernel.h"

#include <stdlib.h> /* free */
#include <string.h> /* strlen */

struct list { /* a growing text */
    char *text;
    size_t nbytes;
    FILE *out;
};

static void list_init(struct list *l)
{
    l->out = open_memstream(&l->text, &l->nbytes);
    if (!l->out)
        abort();
}

static const char *list_text(struct list *l)
{
    fflush(l->out);
    return l->text;
}

static void list_release(struct list *l)
{
    fclose(l->out);
    free(l->text);
}

/* replaces a parameter's name that is also its kernel's */
#define OWN_NAME "simgpu_own"

struct definition {
    size_t name, name_end; /* tokens, template arguments included */
    size_t open, close;    /* parentheses of the parameters */
    size_t brace;
    int is_template;
    struct list template_args; /* "T, N, Ts..." */
    struct list types;         /* "parameter<decltype(p)>, ..." */
    struct list values;        /* "p, args..." */
    struct list bounds;        /* ".bounds(256).cluster(2)" */
};

/* ---- items between commas ------------------------------------------------ */

/* The end of the item that starts at i: a comma outside of brackets, or end. */
static size_t item_end(const struct tokens *t, size_t i, size_t end)
{
    while (i < end && !token_is(t, i, ",")) {
        if (token_is(t, i, "(") || token_is(t, i, "[") || token_is(t, i, "{"))
            i = token_close(t, i) + 1;
        else if (token_is(t, i, "<")) {
            const size_t close = token_close_angle(t, i);
            i = close < end ? close + 1 : i + 1;
        } else
            i++;
    }
    return i < end ? i : end;
}

/* The = before a default value in [i, end), or end. */
static size_t default_of(const struct tokens *t, size_t i, size_t end)
{
    for (; i < end && !token_is(t, i, "="); i++) {
        if (token_is(t, i, "(") || token_is(t, i, "[") || token_is(t, i, "{"))
            i = token_close(t, i);
        else if (token_is(t, i, "<")) {
            const size_t close = token_close_angle(t, i);
            i = close < end ? close : i;
        }
    }
    return i < end ? i : end;
}

static int has_ellipsis(const struct tokens *t, size_t i, size_t end)
{
    for (; i + 2 < end; i++)
        if (token_is(t, i, ".") && token_is(t, i + 1, ".") &&
            token_is(t, i + 2, "."))
            return 1;
    return 0;
}

/* Words that complete a type, so that no parameter's name can follow. */
static const char *const type_words[] = {
    "void",    "bool",     "char",     "short",        "int",        "long",
    "float",   "double",   "signed",   "unsigned",     "const",      "volatile",
    "auto",    "typename", "class",    "__restrict__", "__restrict", "struct",
    "wchar_t", "char16_t", "char32_t", "size_t",       NULL};

/* The token in [i, end) that is a parameter's name, or end if it has none. */
static size_t name_in(const struct tokens *t, size_t i, size_t end)
{
    while (end > i && token_is(t, end - 1, "]"))
        end = token_open(t, end - 1);
    for (size_t k = i; k + 2 < end; k++) // T (*name)(...), T (&name)[...]
        if (token_is(t, k, "(") &&
            (token_is(t, k + 1, "*") || token_is(t, k + 1, "&"))) {
            while (token_is(t, ++k, "*") || token_is(t, k, "&"))
                ;
            return token_is_word(t, k) ? k : end;
        }
    const size_t last = end - 1;
    if (last <= i || !token_is_word(t, last) ||
        token_is_any(t, last, type_words) || token_is(t, last - 1, "::"))
        return end;
    // `const T` and `struct T` are types without a name
    static const char *const before[] = {"const",    "volatile", "struct",
                                         "typename", "class",    "enum",
                                         "union",    NULL};
    if (token_is_any(t, last - 1, before) && last - 1 == i)
        return end;
    return last;
}

/* ---- template <...> ------------------------------------------------------ */

static void read_template(const struct tokens *t, size_t open, size_t close,
                          struct definition *d)
{
    const char *comma = "";
    for (size_t i = open + 1, end; i < close; i = end + 1) {
        end = item_end(t, i, close);
        const size_t stop = default_of(t, i, end);
        size_t name = stop - 1;
        while (name > i && !token_is_word(t, name))
            name--;
        if (name != stop - 1 || name == i ||
            token_is_any(t, name, type_words) || token_is(t, name - 1, "::"))
            return; // a parameter without a name must have a default
        char *const word = tokens_text(t, name, name + 1);
        fprintf(d->template_args.out, "%s%s%s", comma, word,
                has_ellipsis(t, i, stop) ? "..." : "");
        free(word);
        comma = ", ";
    }
}

/* True if no brace stands between the two tokens. */
static int is_one_declaration(const struct tokens *t, size_t from, size_t to)
{
    while (from < to && !token_is(t, from, "{") && !token_is(t, from, "}"))
        from++;
    return from >= to;
}

/* Find the template <...> of the declaration that contains token i. Its list
 * may contain braces: int N = int{3}. */
static void find_template(const struct tokens *t, size_t i,
                          struct definition *d)
{
    size_t found = t->n;
    for (size_t k = i; k-- > 0 && !token_is(t, k, ";");)
        if (token_is(t, k, "template") &&
            is_one_declaration(t, token_close_angle(t, k + 1), i))
            found = k;
    if (found == t->n || !token_is(t, found + 1, "<"))
        return;
    const size_t close = token_close_angle(t, found + 1);
    d->is_template = 1;
    if (close < t->n)
        read_template(t, found + 1, close, d);
}

/* ---- parameters ---------------------------------------------------------- */

/* True if token i is the name `own` and not a member's name. */
static int is_own_name(const struct tokens *t, const char *own, size_t i)
{
    return token_is(t, i, own) && !token_is(t, i - 1, ".") &&
           !token_is(t, i - 1, "::") &&
           !(token_is(t, i - 1, ">") && token_is(t, i - 2, "-"));
}

/* A parameter with the kernel's name would hide the kernel from its prologue.
 * Give the parameter another name throughout the definition. */
static void rename_own(const struct tokens *t, const struct definition *d,
                       const char *own, struct edits *e)
{
    const size_t end = token_close(t, d->brace);
    for (size_t i = d->open + 1; i < end; i++)
        if (is_own_name(t, own, i))
            edits_add(e, t->at[i].begin, t->at[i].end, strdup(OWN_NAME));
}

/* The name of the parameter at token i, allocated with malloc. */
static char *name_parameter(const struct tokens *t, const struct definition *d,
                            size_t i, struct edits *e)
{
    char *const own = tokens_text(t, d->name, d->name + 1);
    const int is_own = is_own_name(t, own, i);
    if (is_own)
        rename_own(t, d, own, e);
    free(own);
    return is_own ? strdup(OWN_NAME) : tokens_text(t, i, i + 1);
}

static const char *read_parameters(const struct tokens *t, struct definition *d,
                                   struct edits *e)
{
    const char *comma = "";
    int number = 0;
    if (d->close == d->open + 1 ||
        (d->close == d->open + 2 && token_is(t, d->open + 1, "void")))
        return NULL;
    for (size_t i = d->open + 1, end; i < d->close; i = end + 1, number++) {
        end = item_end(t, i, d->close);
        const size_t stop = default_of(t, i, end);
        const size_t name = name_in(t, i, stop);
        const char *const dots = has_ellipsis(t, i, stop) ? "..." : "";
        char *word;
        if (name < stop && token_is_word(t, name)) {
            word = name_parameter(t, d, name, e);
        } else {
            if (token_is(t, stop - 1, ")"))
                return "give each parameter of a kernel a name";
            if (asprintf(&word, "simgpu_p%d", number) < 0)
                abort();
            edits_addf(e, t->at[stop - 1].end, t->at[stop - 1].end, " %s",
                       word);
        }
        fprintf(d->types.out, "%s::simgpu::parameter<decltype(%s)>%s", comma,
                word, dots);
        fprintf(d->values.out, "%s%s%s", comma, word, dots);
        free(word);
        comma = ", ";
    }
    return NULL;
}

/* ---- the whole definition ------------------------------------------------ */

/* Parse __launch_bounds__(256, 2) at token i. */
static size_t read_bounds(const struct tokens *t, size_t i,
                          struct definition *d)
{
    const size_t close = token_close(t, i + 1);
    char *const args = tokens_text(t, i + 2, close);
    fprintf(d->bounds.out, ".%s(%s)",
            token_is(t, i, "SIMGPU_BOUNDS") ? "bounds" : "cluster", args);
    free(args);
    return close;
}

/* Find the name and the parameters, starting at the word behind __global__. */
static int find_name(const struct tokens *t, size_t i, struct definition *d)
{
    static const char *const calls[] = {"__attribute__", "alignas", "decltype",
                                        "noexcept", NULL};
    for (size_t k = i + 1; k < t->n; k++) {
        if (token_is(t, k, ";") || token_is(t, k, "{") || token_is(t, k, "}"))
            return 0;
        if (token_is(t, k, "SIMGPU_BOUNDS") ||
            token_is(t, k, "SIMGPU_CLUSTER")) {
            k = read_bounds(t, k, d);
        } else if (token_is_any(t, k, calls)) {
            if (token_is(t, k + 1, "("))
                k = token_close(t, k + 1);
        } else if (token_is_word(t, k)) {
            size_t open = k + 1;
            if (token_is(t, open, "<"))
                open = token_close_angle(t, open) + 1;
            if (open < t->n && token_is(t, open, "(")) {
                d->name = k;
                d->name_end = d->open = open;
                d->close = token_close(t, open);
                return d->close < t->n;
            }
            k = open - 1;
        }
    }
    return 0;
}

static void write_prologue(const struct tokens *t, struct definition *d,
                           struct edits *e)
{
    char *const name = tokens_text(t, d->name, d->name + 1);
    char *const id = tokens_text(t, d->name, d->name_end);
    const char *const args = list_text(&d->template_args);
    const char *const values = list_text(&d->values);
    const size_t behind = t->at[d->brace].end;
    char *const place = tokens_place(t, behind);
    edits_addf(
        e, behind, behind,
        " struct simgpu_info { static ::simgpu::traits get() { return "
        "::simgpu::traits(\"%s\", %d)%s; } }; typedef "
        "::simgpu::entry<simgpu_info, void (*)(%s), &%s%s%s%s > simgpu_entry; "
        "if (__builtin_expect(::simgpu_is_outside(), 0)) { "
        "simgpu_entry::launch(%s); return; }%s",
        name, d->is_template, list_text(&d->bounds), list_text(&d->types), id,
        *args ? "<" : "", args, *args ? ">" : "", values, place);
    free(place);
    free(id);
    free(name);
}

/* The token of the body's brace, or t->n for a declaration. */
static size_t find_body(const struct tokens *t, size_t i)
{
    for (; i < t->n && !token_is(t, i, "{"); i++)
        if (token_is(t, i, ";") || token_is(t, i, "}") || token_is(t, i, "="))
            return t->n;
    return i;
}

const char *kernel_edit(const struct tokens *t, size_t i, struct edits *e)
{
    struct definition d = {0};
    struct list *const lists[] = {&d.template_args, &d.types, &d.values,
                                  &d.bounds};
    const char *wrong = NULL;
    for (int k = 0; k < 4; k++)
        list_init(lists[k]);
    if (find_name(t, i, &d) && (d.brace = find_body(t, d.close + 1)) < t->n) {
        // launch bounds may precede __global__, too
        for (size_t k = i; k-- > 0 && !token_is(t, k, ";") &&
                           !token_is(t, k, "}") && !token_is(t, k, "{");)
            if (token_is(t, k, "SIMGPU_BOUNDS") ||
                token_is(t, k, "SIMGPU_CLUSTER"))
                read_bounds(t, k, &d);
        find_template(t, i, &d);
        wrong = read_parameters(t, &d, e);
        if (!wrong)
            write_prologue(t, &d, e);
    }
    for (int k = 0; k < 4; k++)
        list_release(lists[k]);
    return wrong;
}
