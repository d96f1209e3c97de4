#define _GNU_SOURCE
#include "tokens.h"

#include <ctype.h>  /* isupper */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strchr */

#include "allow.h"
#include "lexer.h"
#include "skipped.h"

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

/* A file's language, by its name. */
static int is_cplusplus(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return !dot || strcmp(dot, ".c") != 0;
}

/* The name between the quotes or brackets of an #include, or 0. */
static int included(const char *rest, size_t n, char out[WORD])
{
    while (n > 0 && (*rest == ' ' || *rest == '\t'))
        rest++, n--;
    const char close = n == 0 ? 0 : *rest == '<' ? '>' : *rest == '"' ? '"' : 0;
    const char *const end = close ? memchr(rest + 1, close, n - 1) : NULL;
    if (!end || end - rest > WORD)
        return 0;
    snprintf(out, WORD, "%.*s", (int)(end - rest - 1), rest + 1);
    return 1;
}

static int check_include(const struct source *s, const char *rest, size_t n,
                         int line)
{
    char header[WORD];
    if (!included(rest, n, header))
        return refuse(s->why, s->nbytes, s->name, line, "",
                      "an #include without a plain name");
    if ((s->own && s->own(header, s->arg)) || allow_header(header))
        return 0;
    return refuse(s->why, s->nbytes, s->name, line, "#include of ", header);
}

/* The words of a pragma, one blank between each. */
static int check_pragma(char *why, size_t nbytes, const char *file, int line,
                        const char *rest, size_t n)
{
    char words[WORD] = "", what[WORD + 16];
    size_t used = 0;
    for (size_t i = 0; i < n && used < WORD - 1; i++)
        if (strchr(" \t\r\f\v", rest[i]) == NULL)
            words[used++] = rest[i];
        else if (used > 0 && words[used - 1] != ' ')
            words[used++] = ' ';
    words[used] = 0;
    if (used > 0 && words[used - 1] == ' ')
        words[used - 1] = 0;
    if (!words[0] || allow_pragma(words))
        return 0;
    snprintf(what, sizeof what, "#pragma %s", words);
    return refuse(why, nbytes, file, line, "", what);
}

/* A macro that only another system's compiler defines. */
static int check_define(const struct source *s, const char *rest, size_t n,
                        int line)
{
    char name[WORD];
    const size_t blanks = strspn(rest, " \t");
    if (blanks >= n)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(rest + blanks, " \t\r\n("),
             rest + blanks);
    return skipped_is_foreign(name)
               ? refuse(s->why, s->nbytes, s->name, line, "#define ", name)
               : 0;
}

static int check_directive(struct source *s, struct lexer *x, int line)
{
    struct token t;
    char name[WORD];
    size_t n;
    const char *const before = x->at;
    if (!lexer_next(x, &t) || t.begins) { // a line with nothing but a #
        x->at = before;
        x->line = line;
        return 0;
    }
    token_text(&t, name, sizeof name);
    const char *const rest = lexer_rest(x, &n);
    skipped_follow(&s->skipped, name, rest, n);
    if (skipped_here(&s->skipped))
        return 0;
    if (t.kind != TOKEN_WORD || !allow_directive(name))
        return refuse(s->why, s->nbytes, s->name, line, "#", name);
    if (strcmp(name, "define") == 0)
        return check_define(s, rest, n, line);
    if (strcmp(name, "include") == 0)
        return check_include(s, rest, n, line);
    if (strcmp(name, "pragma") == 0)
        return check_pragma(s->why, s->nbytes, s->name, line, rest, n);
    return 0;
}

int tokens_check_source(const char *name, const char *text,
                        int (*own)(const char *header, void *arg), void *arg,
                        char *why, size_t nbytes)
{
    struct source s = {
        .name = name, .own = own, .arg = arg, .why = why, .nbytes = nbytes};
    struct lexer x;
    int found = 0;
    lexer_init(&x, text, is_cplusplus(name));
    for (struct token t; !found && lexer_next(&x, &t);)
        if (t.kind == TOKEN_RAW)
            found = refuse(why, nbytes, name, t.line, "", "a raw string");
        else if (t.begins && token_is(&t, "#"))
            found = check_directive(&s, &x, t.line);
    lexer_release(&x);
    return found;
}

/* ---- as the preprocessor left it ----------------------------------------- */

enum { MAX_FILES = 64 };

struct walk { /* over the tokens of a student's files */
    struct lexer x;
    char *own[MAX_FILES]; /* paths of those files: entered without a 3 */
    int nown;
    const char *file; /* of own[], or NULL: another file */
    int line;         /* in it, of the text's line `marker` */
    int marker;
    int is_system; /* by a macro of a system header */
};

/* The text's language: # 0 "p2p.c" is its first line. */
static int is_text_cplusplus(const char *text)
{
    char first[PATH_MAX];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "\n"), text);
    char *const quote = strrchr(first, '"');
    if (quote)
        *quote = 0;
    return is_cplusplus(first);
}

static void walk_init(struct walk *w, const char *text)
{
    *w = (struct walk){.nown = 0};
    lexer_init(&w->x, text, is_text_cplusplus(text));
}

static void walk_release(struct walk *w)
{
    lexer_release(&w->x);
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

/* Paths of the kit and the system are absolute, or of system headers. */
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
    struct token t;
    size_t n;
    if (!lexer_next(&w->x, &t) || t.begins || t.kind != TOKEN_NUMBER)
        return;
    w->line = (int)strtol(t.at, NULL, 10);
    w->marker = line + 1;
    if (!lexer_next(&w->x, &t) || t.kind != TOKEN_STRING)
        return;
    snprintf(file, sizeof file, "%.*s", (int)t.nbytes - 2, t.at + 1);
    const char *const flags = lexer_rest(&w->x, &n);
    w->is_system = memchr(flags, '3', n) != NULL;
    w->file = own_file(w, file);
}

static int line_of(const struct walk *w, const struct token *t)
{
    return w->line + t->line - w->marker;
}

/* True if a # in the first column is a marker, which has been read. Another
 * directive that is left in the text is a pragma. */
static int is_marker(struct walk *w, const struct token *t)
{
    const char *p = w->x.at;
    if (!token_is(t, "#") || t->column != 0)
        return 0;
    while (*p == ' ')
        p++;
    if (*p < '0' || *p > '9')
        return 0;
    read_marker(w, t->line);
    return 1;
}

static int walk_next(struct walk *w, struct token *t)
{
    while (lexer_next(&w->x, t))
        if (!is_marker(w, t) && w->file)
            return 1;
    return 0;
}

struct check {
    struct walk w;
    char *why;
    size_t nbytes;
};

static int refuse_at(struct check *c, const struct token *t, const char *kind,
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
 * `depth` deep; arguments are deeper. A namespace (gnu::) is no name. */
static int check_attributes(struct check *c, const char *open,
                            const char *close)
{
    int depth = 2;
    struct token t;
    while (depth > 0 && walk_next(&c->w, &t)) {
        char name[WORD];
        depth += token_is(&t, open) || token_is(&t, "(");
        depth -= token_is(&t, close) || token_is(&t, ")");
        if (t.kind != TOKEN_WORD || depth != 2 || *c->w.x.at == ':')
            continue;
        token_text(&t, name, sizeof name);
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

static int check_word(struct check *c, const struct token *t)
{
    char name[WORD];
    struct token next;
    token_text(t, name, sizeof name);
    // a system header's macro may paste what it is given to such a word
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

/* A pragma, also one that _Pragma() made. */
static int check_line(struct check *c, const struct token *t)
{
    size_t n;
    struct token name;
    if (!lexer_next(&c->w.x, &name) || name.begins)
        return 0;
    const char *const rest = lexer_rest(&c->w.x, &n);
    if (token_is(&name, "pragma"))
        return check_pragma(c->why, c->nbytes, c->w.file, line_of(&c->w, t),
                            rest, n);
    char word[WORD];
    return refuse_at(c, t, "#", token_text(&name, word, sizeof word));
}

int tokens_check(const char *text, char *why, size_t nbytes)
{
    struct check c = {.why = why, .nbytes = nbytes};
    int found = 0;
    const char *bracket = NULL; /* where the last token was a [ */
    walk_init(&c.w, text);
    for (struct token t; !found && walk_next(&c.w, &t);) {
        const char *const end = c.w.x.at;
        if (t.kind == TOKEN_RAW)
            found = refuse_at(&c, &t, "", "a raw string");
        else if (t.begins && t.column == 0 && token_is(&t, "#"))
            found = check_line(&c, &t);
        else if (t.kind == TOKEN_WORD)
            found = check_word(&c, &t);
        else if (token_is(&t, "[") && bracket) // also with blanks in between
            found = check_attributes(&c, "[", "]");
        bracket = token_is(&t, "[") && !bracket ? end : NULL;
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
    for (struct token t; !out[0] && walk_next(&w, &t);)
        if (t.kind == TOKEN_WORD && token_is(&t, word)) {
            const char *const slash = strrchr(w.file, '/');
            snprintf(out, nbytes, "%.200s:%d", slash ? slash + 1 : w.file,
                     line_of(&w, &t));
        }
    walk_release(&w);
    return out;
}
