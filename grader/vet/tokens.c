#define _GNU_SOURCE
#include "grader/vet/tokens.h"

#include <ctype.h>  /* isupper */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strchr */

#include "base/clex.h"
#include "grader/vet/allow.h"
#include "grader/vet/skipped.h"

enum { WORD = 128 }; /* bytes of a word in a message */

/* "p2p.c:12: asm is not available in labs: write it in C" */
static int refuse(char *why, size_t nbytes, const char *file, int line,
                  const char *kind, const char *what)
{
    const char *const slash = strrchr(file, '/');
    const char *const instead = allow_instead(what);
    snprintf(why, nbytes, "%s:%d: %s%s is not available in labs%s%s",
             slash ? slash + 1 : file, line, kind, what, *instead ? ": " : "",
             instead);
    return 1;
}

/* ---- as it was written --------------------------------------------------- */

struct source {
    const char *name;
    int (*own)(const char *header, void *arg);
    void *arg;
    char *why;
    size_t nbytes;
    struct skipped skipped;
};

/* Start to read a joined text, in the language that the file's name implies. */
static void begin(struct clex *x, const char *joined, const char *name)
{
    const char *const dot = strrchr(name, '.');
    const int is_c = dot && strcmp(dot, ".c") == 0;
    clex_init(x, joined, strlen(joined),
              CLEX_DIGRAPHS | (is_c ? 0 : CLEX_CPLUSPLUS));
}

/* The name between the quotes or brackets of an #include, or 0. */
static int included(const char *rest, char out[WORD])
{
    const char close = *rest == '<' ? '>' : *rest == '"' ? '"' : 0;
    const char *const end = close ? strchr(rest + 1, close) : NULL;
    if (!end || end - rest > WORD)
        return 0;
    snprintf(out, WORD, "%.*s", (int)(end - rest - 1), rest + 1);
    return 1;
}

static int check_include(const struct source *s, const char *rest, int line)
{
    char header[WORD];
    if (!included(rest, header))
        return refuse(s->why, s->nbytes, s->name, line, "",
                      "an #include without a plain name");
    if ((s->own && s->own(header, s->arg)) || allow_header(header))
        return 0;
    return refuse(s->why, s->nbytes, s->name, line, "#include of ", header);
}

static int check_pragma(char *why, size_t nbytes, const char *file, int line,
                        const char *words)
{
    char what[WORD + 16];
    if (!words[0] || allow_pragma(words))
        return 0;
    snprintf(what, sizeof what, "#pragma %.*s", WORD - 1, words);
    return refuse(why, nbytes, file, line, "", what);
}

/* Refuse to define a macro that only other systems' compilers define. */
static int check_define(const struct source *s, const char *rest, int line)
{
    char name[WORD];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, " ("), rest);
    return skipped_is_foreign(name)
               ? refuse(s->why, s->nbytes, s->name, line, "#define ", name)
               : 0;
}

static int check_named(struct source *s, const struct ctoken *t,
                       const char *rest)
{
    char name[WORD];
    ctoken_text(t, name, sizeof name);
    skipped_follow(&s->skipped, name, rest);
    if (skipped_here(&s->skipped))
        return 0;
    if (t->kind != CTOKEN_WORD || !allow_directive(name))
        return refuse(s->why, s->nbytes, s->name, t->line, "#", name);
    if (strcmp(name, "define") == 0)
        return check_define(s, rest, t->line);
    if (strcmp(name, "include") == 0)
        return check_include(s, rest, t->line);
    if (strcmp(name, "pragma") == 0)
        return check_pragma(s->why, s->nbytes, s->name, t->line, rest);
    return 0;
}

/* Check the directive after a # that begins its line. A # alone is allowed. */
static int check_directive(struct source *s, struct clex *x)
{
    const struct clex before = *x;
    struct ctoken t;
    if (!clex_next(x, &t) || t.begins) {
        *x = before;
        return 0;
    }
    char *const rest = clex_line(x);
    const int found = check_named(s, &t, rest);
    free(rest);
    return found;
}

/* Refuse raw strings, also in directives: other readers of the text after one
 * may see other tokens. */
static int check_raw(const struct source *s, struct clex x)
{
    for (struct ctoken t; clex_next(&x, &t);)
        if (t.kind == CTOKEN_RAW)
            return refuse(s->why, s->nbytes, s->name, t.line, "",
                          "a raw string");
    return 0;
}

int tokens_check_source(const char *name, const char *text,
                        int (*own)(const char *header, void *arg), void *arg,
                        char *why, size_t nbytes)
{
    struct source s = {
        .name = name, .own = own, .arg = arg, .why = why, .nbytes = nbytes};
    char *const joined = clex_join(text);
    struct clex x;
    begin(&x, joined, name);
    int found = check_raw(&s, x);
    for (struct ctoken t; !found && clex_next(&x, &t);)
        if (t.begins && ctoken_is(&t, "#"))
            found = check_directive(&s, &x);
    free(joined);
    return found;
}

/* ---- as the preprocessor left it ----------------------------------------- */

enum { MAX_FILES = 64 };

struct walk { /* over the tokens of a student's files */
    struct clex x;
    char *joined;         /* the text it reads */
    char *own[MAX_FILES]; /* paths of those files: entered without a 3 */
    int nown;
    const char *file; /* one of own[]; NULL in any other file */
    int line;         /* the line of `file` at the text's line `marker` */
    int marker;
    int is_system; /* the token is from a system header's macro */
};

/* The text's language: # 0 "p2p.c" is its first line. */
static void walk_init(struct walk *w, const char *text)
{
    char first[PATH_MAX];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "\n"), text);
    char *const quote = strrchr(first, '"');
    if (quote)
        *quote = 0;
    *w = (struct walk){.joined = clex_join(text)};
    begin(&w->x, w->joined, first);
}

static void walk_release(struct walk *w)
{
    free(w->joined);
    for (int i = 0; i < w->nown; i++)
        free(w->own[i]);
}

static const char *find_own(const struct walk *w, const char *file)
{
    for (int i = 0; i < w->nown; i++)
        if (strcmp(w->own[i], file) == 0)
            return w->own[i];
    return NULL;
}

/* The student's file of this name, or NULL. Files of the kit and the system
 * have absolute paths, a name in <>, or a system header's marker. */
static const char *own_file(struct walk *w, const char *file)
{
    if (!find_own(w, file) && !w->is_system && file[0] != '/' &&
        file[0] != '<' && w->nown < MAX_FILES)
        w->own[w->nown++] = strdup(file);
    return find_own(w, file);
}

/* # 12 "file.c" 1 3: what follows is line 12 of file.c, entered (1), of a
 * system header or by a macro of one (3). */
static void read_marker(struct walk *w, int line)
{
    char file[PATH_MAX];
    struct ctoken t;
    if (!clex_next(&w->x, &t) || t.begins || t.kind != CTOKEN_NUMBER)
        return;
    w->line = (int)strtol(t.at, NULL, 10);
    w->marker = line + 1;
    if (!clex_next(&w->x, &t) || t.kind != CTOKEN_STRING)
        return;
    snprintf(file, sizeof file, "%.*s", (int)t.nbytes - 2, t.at + 1);
    const char *const flags = w->x.at;
    clex_skip_line(&w->x);
    w->is_system = memchr(flags, '3', (size_t)(w->x.at - flags)) != NULL;
    w->file = own_file(w, file);
}

static int line_of(const struct walk *w, const struct ctoken *t)
{
    return w->line + t->line - w->marker;
}

/* True if a # in the first column is a marker, which has been read. Another
 * directive that is left in the text is a pragma. */
static int is_marker(struct walk *w, const struct ctoken *t)
{
    const char *p = w->x.at;
    if (!ctoken_is(t, "#") || t->column != 0)
        return 0;
    while (*p == ' ')
        p++;
    if (*p < '0' || *p > '9')
        return 0;
    read_marker(w, t->line);
    return 1;
}

static int walk_next(struct walk *w, struct ctoken *t)
{
    while (clex_next(&w->x, t))
        if (!is_marker(w, t) && w->file)
            return 1;
    return 0;
}

struct check {
    struct walk w;
    char *why;
    size_t nbytes;
};

static int refuse_at(struct check *c, const struct ctoken *t, const char *kind,
                     const char *what)
{
    return refuse(c->why, c->nbytes, c->w.file, line_of(&c->w, t), kind, what);
}

/* "__noinline__" -> "noinline" */
static void strip(char *name)
{
    size_t n = strlen(name);
    if (n <= 4 || strncmp(name, "__", 2) != 0)
        return;
    if (strcmp(name + n - 2, "__") == 0)
        n -= 2;
    memmove(name, name + 2, n - 2);
    name[n - 2] = 0;
}

/* The names of a list of attributes, whose parentheses or brackets are opened
 * `depth` deep; arguments are deeper. A namespace (gnu::) is not a name. */
static int check_attributes(struct check *c, const char *open,
                            const char *close)
{
    int depth = 2;
    struct ctoken t;
    while (depth > 0 && walk_next(&c->w, &t)) {
        char name[WORD];
        depth += ctoken_is(&t, open) || ctoken_is(&t, "(");
        depth -= ctoken_is(&t, close) || ctoken_is(&t, ")");
        if (t.kind != CTOKEN_WORD || depth != 2 || *c->w.x.at == ':')
            continue;
        ctoken_text(&t, name, sizeof name);
        strip(name);
        if (strcmp(name, "using") != 0 && !allow_attribute(name))
            return refuse_at(c, &t, "attribute ", name);
    }
    return 0;
}

static int is_reserved(const char *name)
{
    return name[0] == '_' &&
           (name[1] == '_' || isupper((unsigned char)name[1]));
}

static int check_word(struct check *c, const struct ctoken *t)
{
    char name[WORD];
    struct ctoken next;
    ctoken_text(t, name, sizeof name);
    // a system header's macro may paste its arguments to such a word
    if (strcmp(name, "asm") == 0 || strcmp(name, "__asm__") == 0 ||
        strcmp(name, "__asm") == 0)
        return refuse_at(c, t, "", name);
    if ((is_reserved(name) || strncmp(name, "simgpu_", 7) == 0) &&
        !c->w.is_system && !allow_reserved(name))
        return refuse_at(c, t, "", name);
    if (strcmp(name, "__attribute__") && strcmp(name, "__attribute"))
        return 0;
    return walk_next(&c->w, &next) && walk_next(&c->w, &next)
               ? check_attributes(c, "(", ")")
               : 0;
}

/* Check a pragma, which may come from _Pragma(). */
static int check_line(struct check *c, const struct ctoken *t)
{
    const struct clex before = c->w.x;
    struct ctoken name;
    char word[WORD];
    if (!clex_next(&c->w.x, &name) || name.begins) {
        c->w.x = before;
        return 0;
    }
    if (!ctoken_is(&name, "pragma"))
        return refuse_at(c, t, "#", ctoken_text(&name, word, sizeof word));
    char *const rest = clex_line(&c->w.x);
    const int found =
        check_pragma(c->why, c->nbytes, c->w.file, line_of(&c->w, t), rest);
    free(rest);
    return found;
}

int tokens_check(const char *text, char *why, size_t nbytes)
{
    struct check c = {.why = why, .nbytes = nbytes};
    int found = 0;
    const char *bracket = NULL; /* where the last token was a [ */
    walk_init(&c.w, text);
    for (struct ctoken t; !found && walk_next(&c.w, &t);) {
        const char *const end = c.w.x.at;
        if (t.kind == CTOKEN_RAW)
            found = refuse_at(&c, &t, "", "a raw string");
        else if (t.begins && t.column == 0 && ctoken_is(&t, "#"))
            found = check_line(&c, &t);
        else if (t.kind == CTOKEN_WORD)
            found = check_word(&c, &t);
        else if (ctoken_is(&t, "[") && bracket) // also with blanks in between
            found = check_attributes(&c, "[", "]");
        bracket = ctoken_is(&t, "[") && !bracket ? end : NULL;
    }
    walk_release(&c.w);
    return found;
}

const char *tokens_find(const char *text, const char *word, char *out,
                        size_t nbytes)
{
    struct walk w;
    out[0] = 0;
    walk_init(&w, text);
    for (struct ctoken t; !out[0] && walk_next(&w, &t);)
        if (t.kind == CTOKEN_WORD && ctoken_is(&t, word)) {
            const char *const slash = strrchr(w.file, '/');
            snprintf(out, nbytes, "%.200s:%d", slash ? slash + 1 : w.file,
                     line_of(&w, &t));
        }
    walk_release(&w);
    return out;
}
