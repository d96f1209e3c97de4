#define _GNU_SOURCE
#include "options.h"

#include <ctype.h>  /* isspace */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* exit */
#include <string.h> /* strcmp */

void args_add(struct args *a, const char *arg)
{
    if (a->n == MAX_ARGS - 1) {
        fprintf(stderr, "simnvcc: more than %d arguments\n", MAX_ARGS);
        exit(EXIT_USAGE);
    }
    a->v[a->n++] = arg;
}

void args_add2(struct args *a, const char *arg, const char *value)
{
    args_add(a, arg);
    args_add(a, value);
}

void args_append(struct args *a, const struct args *more)
{
    for (int i = 0; i < more->n; i++)
        args_add(a, more->v[i]);
}

static char *joined(const char *a, const char *b)
{
    char *text;
    if (asprintf(&text, "%s%s", a, b) < 0)
        abort();
    return text;
}

/* ---- the table ----------------------------------------------------------- */

enum action {
    IGNORE,
    OUTPUT,
    FOLDER,
    HOST,
    TO_COMPILER,
    TO_LINKER,
    INCLUDE_PATH,
    SYSTEM_PATH,
    PRE_INCLUDE,
    DEFINE,
    UNDEFINE,
    LIBRARY,
    LIBRARY_PATH,
    STANDARD,
    OPTIMIZE,
    LANGUAGE,
    DEP_FILE,
    TARGET,
    WERROR,
    STREAM,
    RELOCATABLE_IS,
    MODE,
    SHARED,
    DEBUG,
    LINES,
    DEBUG_DEVICE,
    DEPEND,
    PHONY,
    VERBOSE,
    DRY_RUN,
    RUN,
    RELOCATABLE,
    LAMBDA,
    CONSTEXPR,
    FAST_MATH,
    PROFILE,
    NO_WARNINGS,
    NO_CONSTRUCTORS
};

/* Without dashes. value: 1: takes one; 2: one-letter option whose value may
 * follow without a blank. */
static const struct option {
    const char *name;
    int value;
    enum action action;
    enum mode mode;
} table[] = {
    {"o", 1, OUTPUT, 0},
    {"output-file", 1, OUTPUT, 0},
    {"odir", 1, FOLDER, 0},
    {"output-directory", 1, FOLDER, 0},
    {"ccbin", 1, HOST, 0},
    {"compiler-bindir", 1, HOST, 0},
    {"Xcompiler", 1, TO_COMPILER, 0},
    {"compiler-options", 1, TO_COMPILER, 0},
    {"Xlinker", 1, TO_LINKER, 0},
    {"linker-options", 1, TO_LINKER, 0},
    {"isystem", 1, SYSTEM_PATH, 0},
    {"system-include", 1, SYSTEM_PATH, 0},
    {"include", 1, PRE_INCLUDE, 0},
    {"pre-include", 1, PRE_INCLUDE, 0},
    {"include-path", 1, INCLUDE_PATH, 0},
    {"I", 2, INCLUDE_PATH, 0},
    {"define-macro", 1, DEFINE, 0},
    {"D", 2, DEFINE, 0},
    {"undefine-macro", 1, UNDEFINE, 0},
    {"U", 2, UNDEFINE, 0},
    {"library", 1, LIBRARY, 0},
    {"l", 2, LIBRARY, 0},
    {"library-path", 1, LIBRARY_PATH, 0},
    {"L", 2, LIBRARY_PATH, 0},
    {"std", 1, STANDARD, 0},
    {"optimize", 1, OPTIMIZE, 0},
    {"x", 1, LANGUAGE, 0},
    {"MF", 1, DEP_FILE, 0},
    {"dependency-output", 1, DEP_FILE, 0},
    {"MT", 1, TARGET, 0},
    {"MQ", 1, TARGET, 0},
    {"dependency-target-name", 1, TARGET, 0},
    {"Werror", 1, WERROR, 0},
    {"default-stream", 1, STREAM, 0},
    {"rdc", 1, RELOCATABLE_IS, 0},
    {"relocatable-device-code", 1, RELOCATABLE_IS, 0},
    {"c", 0, MODE, MODE_COMPILE},
    {"compile", 0, MODE, MODE_COMPILE},
    {"dc", 0, RELOCATABLE, MODE_COMPILE},
    {"device-c", 0, RELOCATABLE, MODE_COMPILE},
    {"dw", 0, MODE, MODE_COMPILE},
    {"device-w", 0, MODE, MODE_COMPILE},
    {"E", 0, MODE, MODE_PREPROCESS},
    {"preprocess", 0, MODE, MODE_PREPROCESS},
    {"M", 0, MODE, MODE_DEPENDENCIES},
    {"generate-dependencies", 0, MODE, MODE_DEPENDENCIES},
    {"MM", 0, MODE, MODE_DEPENDENCIES},
    {"generate-nonsystem-dependencies", 0, MODE, MODE_DEPENDENCIES},
    {"cuda", 0, MODE, MODE_CUDA},
    {"dlink", 0, MODE, MODE_DLINK},
    {"device-link", 0, MODE, MODE_DLINK},
    {"lib", 0, MODE, MODE_ARCHIVE},
    {"link", 0, MODE, MODE_LINK},
    {"ptx", 0, MODE, MODE_IMAGE},
    {"cubin", 0, MODE, MODE_IMAGE},
    {"fatbin", 0, MODE, MODE_IMAGE},
    {"gpu", 0, MODE, MODE_DEVICE},
    {"ltoir", 0, MODE, MODE_DEVICE},
    {"optix-ir", 0, MODE, MODE_DEVICE},
    {"version", 0, MODE, MODE_ASK},
    {"V", 0, MODE, MODE_ASK},
    {"help", 0, MODE, MODE_ASK},
    {"h", 0, MODE, MODE_ASK},
    {"list-gpu-arch", 0, MODE, MODE_ASK},
    {"list-gpu-code", 0, MODE, MODE_ASK},
    {"arch-list", 0, MODE, MODE_ASK},
    {"shared", 0, SHARED, 0},
    {"g", 0, DEBUG, 0},
    {"debug", 0, DEBUG, 0},
    {"G", 0, DEBUG_DEVICE, 0},
    {"device-debug", 0, DEBUG_DEVICE, 0},
    {"MD", 0, DEPEND, 0},
    {"MMD", 0, DEPEND, 0},
    {"generate-dependencies-with-compile", 0, DEPEND, 0},
    {"generate-nonsystem-dependencies-with-compile", 0, DEPEND, 0},
    {"MP", 0, PHONY, 0},
    {"generate-dependency-targets", 0, PHONY, 0},
    {"v", 0, VERBOSE, 0},
    {"verbose", 0, VERBOSE, 0},
    {"dryrun", 0, DRY_RUN, 0},
    {"dry-run", 0, DRY_RUN, 0},
    {"run", 0, RUN, 0},
    {"extended-lambda", 0, LAMBDA, 0},
    {"expt-extended-lambda", 0, LAMBDA, 0},
    {"expt-relaxed-constexpr", 0, CONSTEXPR, 0},
    {"use_fast_math", 0, FAST_MATH, 0},
    {"pg", 0, PROFILE, 0},
    {"profile", 0, PROFILE, 0},
    {"w", 0, NO_WARNINGS, 0},
    {"disable-warnings", 0, NO_WARNINGS, 0},
    {"no-constructors", 0, NO_CONSTRUCTORS, 0},
    // for GPUs only
    {"arch", 1, IGNORE, 0},
    {"gpu-architecture", 1, IGNORE, 0},
    {"code", 1, IGNORE, 0},
    {"gpu-code", 1, IGNORE, 0},
    {"gencode", 1, IGNORE, 0},
    {"generate-code", 1, IGNORE, 0},
    {"maxrregcount", 1, IGNORE, 0},
    {"Xptxas", 1, IGNORE, 0},
    {"ptxas-options", 1, IGNORE, 0},
    {"Xnvlink", 1, IGNORE, 0},
    {"nvlink-options", 1, IGNORE, 0},
    {"Xarchive", 1, IGNORE, 0},
    {"archive-options", 1, IGNORE, 0},
    {"t", 1, IGNORE, 0},
    {"threads", 1, IGNORE, 0},
    {"split-compile", 1, IGNORE, 0},
    {"ftz", 1, IGNORE, 0},
    {"prec-div", 1, IGNORE, 0},
    {"prec-sqrt", 1, IGNORE, 0},
    {"fmad", 1, IGNORE, 0},
    {"cudart", 1, IGNORE, 0},
    {"cudadevrt", 1, IGNORE, 0},
    {"m", 1, IGNORE, 0},
    {"m64", 0, IGNORE, 0},
    {"machine", 1, IGNORE, 0},
    {"dopt", 1, IGNORE, 0},
    {"diag-suppress", 1, IGNORE, 0},
    {"diag-error", 1, IGNORE, 0},
    {"diag-warn", 1, IGNORE, 0},
    {"keep-dir", 1, IGNORE, 0},
    {"idp", 1, IGNORE, 0},
    {"ddp", 1, IGNORE, 0},
    {"dp", 1, IGNORE, 0},
    {"target-directory", 1, IGNORE, 0},
    {"tdir", 1, IGNORE, 0},
    {"compress-mode", 1, IGNORE, 0},
    {"jump-table-density", 1, IGNORE, 0},
    {"time", 1, IGNORE, 0},
    {"keep", 0, IGNORE, 0},
    {"save-temps", 0, IGNORE, 0},
    {"res-usage", 0, IGNORE, 0},
    {"resource-usage", 0, IGNORE, 0},
    {"lineinfo", 0, LINES, 0},
    {"generate-line-info", 0, LINES, 0},
    {"dlto", 0, IGNORE, 0},
    {"dlink-time-opt", 0, IGNORE, 0},
    {"lto", 0, IGNORE, 0},
    {"restrict", 0, IGNORE, 0},
    {"extra-device-vectorization", 0, IGNORE, 0},
    {"source-in-ptx", 0, IGNORE, 0},
    {"src-in-ptx", 0, IGNORE, 0},
    {"nodlink", 0, IGNORE, 0},
    {"no-device-link", 0, IGNORE, 0},
    {"allow-unsupported-compiler", 0, IGNORE, 0},
    {"display-error-number", 0, IGNORE, 0},
    {"no-display-error-number", 0, IGNORE, 0},
    {"Wno-deprecated-gpu-targets", 0, IGNORE, 0},
    {"Wdefault-stream-launch", 0, IGNORE, 0},
    {"Wmissing-launch-bounds", 0, IGNORE, 0},
    {"Wext-lambda-captures-this", 0, IGNORE, 0},
    {"forward-unknown-to-host-compiler", 0, IGNORE, 0},
    {"forward-unknown-to-host-linker", 0, IGNORE, 0},
    {"forward-unknown-opts", 0, IGNORE, 0},
    {"no-host-device-initializer-list", 0, IGNORE, 0},
    {"no-host-device-move-forward", 0, IGNORE, 0},
    {"clean-targets", 0, IGNORE, 0},
    {"clean", 0, IGNORE, 0},
    {"noprof", 0, IGNORE, 0},
    {"static-global-template-stub", 1, IGNORE, 0},
    {"device-entity-has-hidden-visibility", 1, IGNORE, 0},
    {"brief-diagnostics", 1, IGNORE, 0},
    {"fdevice-time-trace", 1, IGNORE, 0},
};

/* ---- lists --------------------------------------------------------------- */

/* -Wall,-Wextra or "-Wall -Wextra"; \, is a comma. */
static void split(struct args *to, const char *prefix, const char *list,
                  int at_blanks)
{
    char *const copy = strdup(list);
    char *word = copy, *out = copy;
    for (const char *p = list;; p++) {
        if (*p == '\\' && p[1] == ',') {
            *out++ = *++p;
        } else if (!*p || *p == ',' || (at_blanks && isspace(*p))) {
            *out++ = 0;
            if (*word && *prefix)
                args_add(to, prefix);
            if (*word)
                args_add(to, word);
            word = out;
        } else {
            *out++ = *p;
        }
        if (!*p)
            break;
    }
}

/* Values of -I, -D ...: each with its letter. */
static void add_each(struct args *to, const char *letter, const char *list)
{
    struct args words = {{0}, 0};
    split(&words, "", list, 0);
    for (int i = 0; i < words.n; i++)
        args_add(to, joined(letter, words.v[i]));
}

/* ---- reading ------------------------------------------------------------- */

static void set_mode(struct options *o, enum mode mode, const char *as)
{
    o->mode = mode;
    o->mode_option = as;
}

static void library(struct options *o, const char *name)
{
    args_add(&o->inputs, joined("-l", name));
}

static void apply_value(struct options *o, const struct option *p,
                        const char *value)
{
    switch (p->action) {
    case OUTPUT: o->output = value; break;
    case FOLDER: o->folder = value; break;
    case HOST: o->cxx = value; break;
    case TO_COMPILER: split(&o->both, "", value, 1); break;
    case TO_LINKER: split(&o->inputs, "-Xlinker", value, 1); break;
    case INCLUDE_PATH: add_each(&o->preprocess, "-I", value); break;
    case SYSTEM_PATH: split(&o->preprocess, "-isystem", value, 0); break;
    case PRE_INCLUDE: split(&o->include, "-include", value, 0); break;
    // a macro's value may have commas: -DLIST=1,2
    case DEFINE: args_add(&o->preprocess, joined("-D", value)); break;
    case UNDEFINE: add_each(&o->preprocess, "-U", value); break;
    case LIBRARY: library(o, value); break;
    case LIBRARY_PATH: add_each(&o->link, "-L", value); break;
    case STANDARD: o->std = joined("-std=", value); break;
    case OPTIMIZE:
        args_add(&o->both, joined("-O", value));
        o->optimised = 1;
        break;
    case LANGUAGE: o->language = value; break;
    case DEP_FILE: o->dep_file = value; break;
    case TARGET: args_add2(&o->targets, "-MT", value); break;
    case WERROR:
        if (strstr(value, "all-warnings"))
            args_add(&o->both, "-Werror");
        break;
    case STREAM:
        if (!strcmp(value, "per-thread"))
            args_add(&o->preprocess, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        break;
    case RELOCATABLE_IS: o->relocatable = !strcmp(value, "true"); break;
    default: break;
    }
}

static void apply(struct options *o, const struct option *p, const char *as)
{
    switch (p->action) {
    case RELOCATABLE:
        o->relocatable = 1;
        set_mode(o, p->mode, as);
        break;
    case MODE: set_mode(o, p->mode, as); break;
    case SHARED: args_add(&o->link, "-shared"); break;
    case DEBUG:
        o->debug = 1;
        args_add(&o->both, "-g");
        break;
    case LINES: // the last -g of several counts
        if (!o->debug)
            args_add(&o->both, "-g1");
        break;
    case DEBUG_DEVICE: o->debug_device = 1; break;
    case DEPEND: o->depend = 1; break;
    case PHONY: o->phony = 1; break;
    case VERBOSE: o->verbose = 1; break;
    case DRY_RUN: o->dry_run = o->verbose = 1; break;
    case RUN: o->run = 1; break;
    case LAMBDA:
        args_add(&o->preprocess, "-D__CUDACC_EXTENDED_LAMBDA__");
        break;
    case CONSTEXPR:
        args_add(&o->preprocess, "-D__CUDACC_RELAXED_CONSTEXPR__");
        break;
    case FAST_MATH: args_add(&o->preprocess, "-D__FAST_MATH_CUDA__"); break;
    case PROFILE: args_add(&o->both, "-pg"); break;
    case NO_WARNINGS: args_add(&o->both, "-w"); break;
    case NO_CONSTRUCTORS: o->no_constructors = 1; break;
    default: break;
    }
}

/* The row for an argument; *value: its value if it has one of its own. */
static const struct option *find(const char *arg, const char **value)
{
    const char *const name = arg + 1 + (arg[1] == '-');
    const size_t n = strcspn(name, "=");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct option *const p = &table[i];
        *value = name[n] ? name + n + 1 : NULL;
        if (strlen(p->name) == n && !strncmp(p->name, name, n) &&
            (p->value || !*value))
            return p;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].value == 2 && arg[1] == table[i].name[0]) {
            *value = arg + 2;
            return &table[i];
        }
    return NULL;
}

static void read_file(struct options *o, const char *path);

/* Take the argument at i; returns how many were used. */
static int take(struct options *o, char **argv, int i, int argc)
{
    char *const a = argv[i];
    const char *value;
    if (a[0] != '-' || !a[1]) {
        args_add(&o->inputs, a);
        return 1;
    }
    char *const next = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strncmp(a, "-optf", 5) || !strncmp(a, "--options-file", 14)) {
        const char *const file = strchr(a, '=') ? strchr(a, '=') + 1 : next;
        if (file)
            read_file(o, file);
        return 1 + !strchr(a, '=');
    }
    if (a[1] == 'O' && strlen(a) <= 3) {
        o->optimised = 1;
        args_add(&o->both, strcmp(a, "-O") ? a : "-O2");
        return 1;
    }
    const struct option *const p = find(a, &value);
    if (!p) {
        args_add(&o->both, a); // the host compiler's
        return 1;
    }
    if (!p->value) {
        apply(o, p, a);
        return 1;
    }
    // g++'s own -Werror has no value
    const int own = value != NULL;
    if (p->action == WERROR && !own && (!next || next[0] == '-')) {
        args_add(&o->both, a);
        return 1;
    }
    if (!own && !next) {
        fprintf(stderr, "simnvcc: %s needs a value\n", a);
        exit(EXIT_USAGE);
    }
    apply_value(o, p, own ? value : next);
    return 1 + !own;
}

static void read_all(struct options *o, int argc, char **argv)
{
    for (int i = 0; i < argc;)
        i += take(o, argv, i, argc);
}

/* The next word of *p, in place: white space ends it, but not in quotes, which
 * are dropped. NULL: there is none. */
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

void options_read(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) // @file
        if (argv[i][0] == '@')
            read_file(o, argv[i] + 1);
    int n = 0;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '@')
            argv[n++] = argv[i];
    read_all(o, n, argv);
    if (!o->optimised && !o->debug_device)
        args_add(&o->both, "-O2");
    // On arm64 g++ makes multiplications and additions one; on x86-64 it can't.
    args_add(&o->both, "-ffp-contract=off");
}
