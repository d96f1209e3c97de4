#define _GNU_SOURCE
#include "variables.h"

#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "tokens.h"

struct names {
    char **at;
    size_t n;
};

static void add(struct names *l, char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->at[i], name) == 0) {
            free(name);
            return;
        }
    l->at = realloc(l->at, (l->n + 1) * sizeof *l->at);
    if (!l->at)
        abort();
    l->at[l->n++] = name;
}

static void add_token(struct names *l, const struct tokens *t, size_t i)
{
    if (i < t->n && token_is_word(t, i))
        add(l, tokens_text(t, i, i + 1));
}

/* The comma or semicolon behind the initial value that starts at i. */
static size_t behind_value(const struct tokens *t, size_t i)
{
    while (i < t->n && !token_is(t, i, ",") && !token_is(t, i, ";"))
        i = token_is(t, i, "(") || token_is(t, i, "[") || token_is(t, i, "{")
                ? token_close(t, i) + 1
                : i + 1;
    return i;
}

/* True if the parentheses at i belong to an attribute or the like. */
static int is_attribute(const struct tokens *t, size_t i)
{
    static const char *const words[] = {"__attribute__", "alignas",
                                        "decltype",      "noexcept",
                                        "SIMGPU_BOUNDS", NULL};
    return i > 0 && token_is_any(t, i - 1, words);
}

/* True if the brace at i is a member's initial value: X() : a{1} {} */
static int is_member(const struct tokens *t, size_t i)
{
    static const char *const words[] = {"const",     "noexcept", "override",
                                        "final",     "mutable",  "volatile",
                                        "constexpr", NULL};
    return token_is_word(t, i - 1) && !token_is_any(t, i - 1, words);
}

static void read_body(struct names *l, const struct tokens *t, size_t i,
                      size_t end);

/*
 * Add the variables that a declaration declares, of which i is the first token
 * behind a word such as __device__. If it defines a function, add that one's
 * static variables.
 */
static void read_declaration(struct names *l, const struct tokens *t, size_t i)
{
    static const char *const behind[] = {";", "=", "[", ",", "{", ":", NULL};
    size_t called = t->n; // the name in front of parentheses
    int lists_members = 0;
    while (i < t->n && !token_is(t, i, ";") && !token_is(t, i, "}")) {
        if (token_is(t, i, "(")) {
            const size_t close = token_close(t, i);
            if (token_is(t, i + 1, "*") || token_is(t, i + 1, "&"))
                for (size_t k = i + 1; k < close; k++)
                    add_token(l, t, k); // a pointer to a function or an array
            if (!is_attribute(t, i) && called == t->n)
                called = i - 1;
            i = close + 1;
        } else if (token_is(t, i, "{") && called < t->n &&
                   !(lists_members && is_member(t, i))) {
            read_body(l, t, i, token_close(t, i));
            return;
        } else if (token_is(t, i, "[") || token_is(t, i, "{")) {
            i = token_close(t, i) + 1;
        } else if (token_is(t, i, "=")) {
            i = behind_value(t, i);
        } else if (token_is(t, i, "<") && token_close_angle(t, i) < t->n) {
            i = token_close_angle(t, i) + 1;
        } else {
            lists_members |= called < t->n && token_is(t, i, ":");
            if (called == t->n && token_is_any(t, i + 1, behind))
                add_token(l, t, i);
            i++;
        }
    }
    if (called < t->n) // a variable with a constructor's arguments, perhaps
        add_token(l, t, called);
}

static void read_body(struct names *l, const struct tokens *t, size_t i,
                      size_t end)
{
    for (; i < end && i < t->n; i++) {
        if (token_is(t, i, "static"))
            read_declaration(l, t, i + 1);
        // not placement: new (p) T
        if (((token_is(t, i, "malloc") || token_is(t, i, "calloc")) &&
             token_is(t, i + 1, "(")) ||
            (token_is(t, i, "new") && !token_is(t, i + 1, "(") &&
             !token_is(t, i - 1, "operator")))
            add(l, strdup("malloc()"));
    }
}

/* Write the names, and free them. */
static void write_names(struct names *l, const char *prefix, FILE *out)
{
    for (size_t i = 0; i < l->n; i++) {
        fprintf(out, "\n\".string \\\"%s%s\\\"\\n\"", prefix, l->at[i]);
        free(l->at[i]);
    }
    free(l->at);
}

void variables_write(const char *text, FILE *out)
{
    static const char *const words[] = {"SIMGPU_DEVICE", "SIMGPU_CONSTANT",
                                        "SIMGPU_MANAGED", "SIMGPU_GLOBAL",
                                        NULL};
    struct names l = {0}, constants = {0}, managed = {0};
    struct tokens t;
    int any = 0;
    tokens_init(&t, text);
    for (size_t i = 0; i < t.n; i++)
        if (token_is_any(&t, i, words)) {
            any = 1;
            read_declaration(token_is(&t, i, "SIMGPU_CONSTANT")  ? &constants
                             : token_is(&t, i, "SIMGPU_MANAGED") ? &managed
                                                                 : &l,
                             &t, i + 1);
        }
    if (any)
        fprintf(out, "__asm__(\".pushsection simgpu_variables,\\\"\\\","
                     "%%progbits\\n.string \\\"\\\"\\n\"");
    write_names(&l, "", out);
    write_names(&constants, "const ", out);
    write_names(&managed, "managed ", out);
    if (any)
        fprintf(out, "\n\".popsection\");\n");
    tokens_release(&t);
}
