#include "lab/sweep_options.h"

#include <getopt.h> /* getopt_long */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "base/size.h"

enum { MAX_ITERATIONS = 1000 };

/*
 * Buffers of this size or more keep no contents on simgpu unless --check is
 * given: filling and checking 1 GiB on 8 ranks takes minutes. The default sweep
 * stays below and is checked.
 */
#define UNCHECKED "8M"

static const struct option known[] = {
    {"op", 1, NULL, 'o'},       {"min-kb", 1, NULL, 'a'},
    {"max-mb", 1, NULL, 'b'},   {"dtype", 1, NULL, 'd'},
    {"redop", 1, NULL, 'r'},    {"root", 1, NULL, 't'},
    {"warmup", 1, NULL, 'w'},   {"iterations", 1, NULL, 'i'},
    {"in-place", 0, NULL, 'p'}, {"no-check", 0, NULL, 'n'},
    {"check", 0, NULL, 'c'},    {"sizes-mb", 1, NULL, 's'},
    {"output", 1, NULL, 'f'},   {NULL, 0, NULL, 0}};

static const char usage[] =
    "--bench [--op NAME[,NAME]] [--min-kb K] [--max-mb M] [--dtype T]\n"
    "        [--sizes-mb M,M,...] [--redop OP] [--root R] [--warmup N]\n"
    "        [--iterations N] [--in-place] [--check | --no-check]\n"
    "        [--output FILE.csv]\n";

/* Print the error on rank 0. Returns 2. */
static int wrong(const struct sweep *s, const char *what, const char *value,
                 const char *instead)
{
    if (s->r->rank == 0)
        fprintf(stderr, "%s: --bench: %s%s%s: %s\n%s", lab.name, what,
                *value ? " " : "", value, instead, usage);
    return 2;
}

static const struct sweep_op *find_op(const struct sweep_op *table,
                                      const char *name)
{
    while (table && table->name && strcmp(table->name, name) != 0)
        table++;
    return table && table->name ? table : NULL;
}

static void add_names(const struct sweep_op *table, char *out, size_t nbytes)
{
    for (; table && table->name; table++)
        snprintf(out + strlen(out), nbytes - strlen(out), " %s", table->name);
}

static int take_op(struct sweep *s, const char *name)
{
    char names[512] = "choose from all";
    const struct sweep_op *op = find_op(sweep_nccl, name);
    if (!op)
        op = find_op(s->own, name);
    if (op && s->nops < SWEEP_MAX_OPS) {
        s->op[s->nops++] = op;
        return 0;
    }
    add_names(sweep_nccl, names, sizeof names);
    add_names(s->own, names, sizeof names);
    return wrong(s, "--op", name, names);
}

/* Read names separated by commas. */
static int take_ops(struct sweep *s, char *names)
{
    char *rest;
    int status = 0;
    for (char *name = strtok_r(names, ",", &rest); name && !status;
         name = strtok_r(NULL, ",", &rest)) {
        if (strcmp(name, "all") != 0)
            status = take_op(s, name);
        for (const struct sweep_op *op = sweep_nccl;
             strcmp(name, "all") == 0 && op->name; op++)
            status |= take_op(s, op->name);
    }
    return status;
}

/* A positive number times `unit`; 0 if the text isn't one. */
static size_t amount(const char *text, double unit)
{
    char *end;
    const double v = strtod(text, &end);
    return *end || end == text || !(v > 0 && v * unit < 1e12)
               ? 0
               : (size_t)(v * unit);
}

/* Read sizes separated by commas. */
static int take_sizes(struct sweep *s, char *sizes)
{
    char *rest;
    s->nsizes = 0;
    for (char *size = strtok_r(sizes, ",", &rest); size;
         size = strtok_r(NULL, ",", &rest)) {
        const size_t nbytes = amount(size, 1 << 20);
        if (nbytes == 0 || s->nsizes == SWEEP_MAX_SIZES)
            return wrong(s, "--sizes-mb", size, "not a size, or too many");
        s->size[s->nsizes++] = nbytes;
    }
    return s->nsizes ? 0 : wrong(s, "--sizes-mb", "", "names no size");
}

static int take_type(struct sweep *s, const char *value)
{
    char names[DATA_NAMES], why[DATA_NAMES + 32];
    const int found = data_type(value);
    s->type = (enum data_type)found;
    snprintf(why, sizeof why, "not an NCCL type: %s",
             data_type_names(names, sizeof names));
    return found >= 0 ? 0 : wrong(s, "--dtype", value, why);
}

/* Handle option k. Returns 0, or 2 after a message. */
static int take(struct sweep *s, int k, char *value)
{
    int found = 0;
    switch (k) {
    case 'o': return take_ops(s, value);
    case 'a':
        s->min_nbytes = amount(value, 1024);
        return s->min_nbytes ? 0 : wrong(s, "--min-kb", value, "not a size");
    case 'b':
        s->max_nbytes = amount(value, 1 << 20);
        return s->max_nbytes ? 0 : wrong(s, "--max-mb", value, "not a size");
    case 'd': return take_type(s, value);
    case 's': return take_sizes(s, value);
    case 'f': s->output = value; return 0;
    case 'r':
        found = data_op(value);
        s->redop = (enum data_op)found;
        return found >= 0 ? 0 : wrong(s, "--redop", value, "sum prod max min");
    case 't':
        s->root = atoi(value);
        return s->root >= 0 && s->root < s->r->nranks
                   ? 0
                   : wrong(s, "--root", value, "not a rank of this run");
    case 'w':
        s->warmup = strcmp(value, "0") ? (int)amount(value, 1) : 0;
        return s->warmup > 0 || !strcmp(value, "0")
                   ? 0
                   : wrong(s, "--warmup", value, "not a count");
    case 'i':
        s->iterations = (int)amount(value, 1);
        return s->iterations > 0 && s->iterations <= MAX_ITERATIONS
                   ? 0
                   : wrong(s, "--iterations", value, "1 to 1000");
    case 'p': s->in_place = 1; return 0;
    case 'n': s->check = 0; return 0;
    case 'c': s->check = 1; return 0;
    default: return 0;
    }
}

/*
 * The size from which on buffers keep no contents, as set by sweep_dataless()
 * or by the user. GPUs ignore it, but it decides which sizes are checked there,
 * too.
 */
static uint64_t contents_below(void)
{
    const char *const text = getenv("SIMGPU_DATALESS");
    uint64_t nbytes = UINT64_MAX;
    if (text && strcmp(text, "on") == 0)
        return 0;
    return text && size_parse(text, &nbytes) == 0 ? nbytes : UINT64_MAX;
}

int sweep_parse(struct sweep *s, int argc, char **argv)
{
    *s = (struct sweep){.r = s->r,
                        .own = s->own,
                        .min_nbytes = 1024,
                        .max_nbytes = 4 << 20,
                        .type = DATA_FLOAT,
                        .iterations = 5,
                        .warmup = 1,
                        .check = 1,
                        .contents = contents_below()};
    int status = 0;
    opterr = 0;
    optind = 1;
    for (int k;
         !status && (k = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        if (k == '?' || k == ':')
            status = wrong(s, argv[optind - 1], "",
                           k == ':' ? "needs a value" : "not an option");
        else
            status = take(s, k, optarg);
    }
    if (!status && optind < argc)
        status = wrong(s, argv[optind], "", "not an option");
    if (!status && s->min_nbytes > s->max_nbytes)
        status = wrong(s, "--min-kb", "", "more than --max-mb");
    if (s->nops == 0)
        s->op[s->nops++] = &sweep_nccl[0];
    return status;
}

const char *sweep_dataless(int argc, char **argv)
{
    char names[1024] = "";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0)
            return NULL;
        if (strncmp(argv[i], "--op=", 5) == 0)
            snprintf(names, sizeof names, "%s", argv[i] + 5);
        if (strcmp(argv[i], "--op") == 0 && i + 1 < argc)
            snprintf(names, sizeof names, "%s", argv[i + 1]);
    }
    char *rest;
    for (char *name = strtok_r(names, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, "all") != 0 && !find_op(sweep_nccl, name))
            return NULL;
    return UNCHECKED;
}
