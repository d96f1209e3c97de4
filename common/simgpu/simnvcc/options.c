#define _GNU_SOURCE
#include "options.h"

#include <ctype.h>  /* isspace */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* exit */
#include <string.h> /* strcmp */

#include "option.h"

/* ---- what nvcc doesn't take ---------------------------------------------- */

void options_warn(const struct options *o, const char *as, const char *instead)
{
    if (!(o->forward & FORWARD_COMPILER))
        fprintf(stderr,
                "simnvcc: warning: nvcc has no option %s and stops there: "
                "write %s\n",
                as, instead);
}

/* An option of the host compiler or its linker. */
static void forward(struct options *o, const char *as)
{
    if (o->forward == FORWARD_LINKER) {
        args_add2(&o->link, "-Xlinker", as);
        return;
    }
    options_warn(o, as, args_joined("-Xcompiler ", as));
    args_add(&o->both, as);
}

static void refuse_value(const struct option *p, const char *as,
                         const char *value)
{
    const int in_itself = value > as && value < as + strlen(as);
    fprintf(stderr, "simnvcc: error: %s%s%s: ", as, in_itself ? "" : " ",
            in_itself ? "" : value);
    if (p->values == NUMBER)
        fprintf(stderr, "the value is a number\n");
    for (const char *v = p->values; p->values != NUMBER && *v;) {
        const int n = (int)strcspn(v, "|");
        fprintf(stderr, "%s%.*s%s", v == p->values ? "the values are " : ", ",
                n, v, v[n] ? "" : "\n");
        v += n + (v[n] == '|');
    }
    exit(EXIT_USAGE);
}

/* ---- reading ------------------------------------------------------------- */

static void read_files(struct options *o, const char *paths);

static void apply(struct options *o, const struct option *p, const char *as,
                  const char *value)
{
    void *const to = (char *)o + p->to;
    switch (p->action) {
    case IGNORE: break;
    case SET_FLAG: *(int *)to = 1; break;
    case SET_TEXT: *(const char **)to = value; break;
    case PASS: args_add(to, p->text); break;
    case JOIN: args_add(to, args_joined(p->text, value)); break;
    case PAIR: args_add2(to, p->text, value); break;
    case JOIN_EACH: args_add_each(to, p->text, value); break;
    case PAIR_EACH: args_split(to, p->text, value, 0); break;
    case WORDS: args_split(to, p->text, value, 1); break;
    case SET_MODE:
        o->mode = p->mode;
        o->mode_option = as;
        break;
    case READ_FILE: read_files(o, value); break;
    case REFUSE:
        fprintf(stderr, "simnvcc: error: %s %s\n", as, p->text);
        exit(EXIT_USAGE);
    case RUN_CALL: p->call(o, as, value); break;
    }
}

/* The option with the dashes that nvcc wants. */
static const char *right_name(const struct option *p, const char *as)
{
    return as[1] == '-' ? args_joined("-", p->brief)
                        : args_joined("--", p->full);
}

/* Read the argument at i. Returns the number of arguments used. */
static int take(struct options *o, char **argv, int i, int argc)
{
    const char *const a = argv[i];
    const char *const next = i + 1 < argc ? argv[i + 1] : NULL;
    const char *value;
    if (a[0] != '-' || !a[1]) {
        args_add(&o->inputs, a);
        return 1;
    }
    const struct option *const p = option_find(a, &value);
    if (!p || (p->takes == MAYBE && value && !option_allows(p, value))) {
        forward(o, a);
        return 1;
    }
    if (option_dashes_wrong(p, a))
        options_warn(o, a, right_name(p, a));
    const int in_itself =
        p->takes == ALONE || value || (p->takes == IF_ANY && !next) ||
        (p->takes == MAYBE && !(next && option_allows(p, next)));
    if (!in_itself && !next) {
        fprintf(stderr, "simnvcc: %s needs a value\n", a);
        exit(EXIT_USAGE);
    }
    const char *const given = in_itself ? value : next;
    if (given && !option_allows(p, given))
        refuse_value(p, a, given);
    apply(o, p, a, given);
    return 1 + !in_itself;
}

/* Which unknown options nvcc would forward, and where to. It depends on options
 * that may come later. */
static void find_forwards(struct options *o, int argc, char **argv)
{
    static const struct {
        const char *name;
        int to;
    } of[] = {{"-forward-unknown-to-host-compiler", FORWARD_COMPILER},
              {"-forward-unknown-to-host-linker", FORWARD_LINKER},
              {"-forward-unknown-opts", FORWARD_COMPILER | FORWARD_LINKER}};
    for (int i = 0; i < argc; i++)
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (!strcmp(argv[i] + !strncmp(argv[i], "--", 2), of[k].name))
                o->forward |= of[k].to;
}

static void read_all(struct options *o, int argc, char **argv)
{
    find_forwards(o, argc, argv);
    for (int i = 0; i < argc;)
        i += take(o, argv, i, argc);
}

/* The next word of *p, in place, or NULL. White space ends a word unless it is
 * in quotes, which are removed. */
static char *next_word(char **p)
{
    while (isspace((unsigned char)**p))
        (*p)++;
    char *const word = *p, *to = word, quote = 0;
    for (; **p && (quote || !isspace((unsigned char)**p)); (*p)++)
        if (quote ? **p == quote : **p == '"' || **p == '\'')
            quote = quote ? 0 : **p;
        else
            *to++ = **p;
    if (*p == word)
        return NULL;
    *p += **p != 0;
    *to = 0;
    return word;
}

static void read_file(struct options *o, const char *path)
{
    FILE *const f = fopen(path, "re");
    char *text = NULL, *words[MAX_ARGS];
    size_t nbytes = 0;
    int n = 0;
    const int is_read = f && getdelim(&text, &nbytes, 0, f) >= 0;
    if (!f || ferror(f)) {
        fprintf(stderr, "simnvcc: cannot read the options in %s: %m\n", path);
        exit(EXIT_USAGE);
    }
    fclose(f);
    for (char *p = text; is_read && n < MAX_ARGS && (words[n] = next_word(&p));)
        n++;
    read_all(o, n, words);
}

/* A list with commas, or NULL. */
static void read_files(struct options *o, const char *paths)
{
    struct nvcc_args files = {{0}, 0};
    if (paths)
        args_split(&files, "", paths, 0);
    for (int i = 0; i < files.n; i++)
        read_file(o, files.v[i]);
}

void options_read(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) // replace @file by its contents
        if (argv[i][0] == '@')
            read_file(o, argv[i] + 1);
    int n = 0;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '@')
            argv[n++] = argv[i];
    read_all(o, n, argv);
    if (o->dep_file && !o->depend && o->mode != MODE_DEPENDENCIES) {
        fprintf(stderr, "simnvcc: error: -MF %s needs -M, -MM, -MD or -MMD\n",
                o->dep_file);
        exit(EXIT_USAGE);
    }
    if (!o->optimised && !o->debug_device)
        args_add(&o->both, "-O2");
    // On arm64, g++ would fuse multiplications and additions; x86-64 can't.
    args_add(&o->both, "-ffp-contract=off");
}
