#include "tables.h"

#include <errno.h>  /* errno */
#include <stdlib.h> /* strtol */
#include <string.h> /* strerror */

#include "command.h"

/* Where to store the value of this option; NULL if there is no such option. */
static const char **value_of(const char *option, struct tables_options *out,
                             const struct tables_option *more)
{
    const struct tables_option own[] = {{"--topo", &out->topo},
                                        {"--op", &out->op},
                                        {"--ranks", &out->ranks},
                                        {"--nodes", &out->nodes},
                                        {NULL, NULL}};
    for (const struct tables_option *o = own; o->name; o++)
        if (strcmp(option, o->name) == 0)
            return o->value;
    for (const struct tables_option *o = more; o->name; o++)
        if (strcmp(option, o->name) == 0)
            return o->value;
    return NULL;
}

int tables_arguments(int argc, char **argv, struct tables_options *out,
                     const struct tables_option *more)
{
    for (int i = 1; i < argc; i++) {
        const char **const value = value_of(argv[i], out, more);
        if (value && i + 1 == argc)
            return command_usage("%s needs a value", argv[i]);
        if (value)
            *value = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1])
            return command_usage("unexpected argument '%s'", argv[i]);
        else if (out->npaths == TABLES_FILES)
            return command_usage("more than %d tables", TABLES_FILES);
        else
            out->path[out->npaths++] = argv[i];
    }
    return 0;
}

static int read_file(const char *path, struct nccltests *all)
{
    char err[400];
    const int is_stdin = strcmp(path, "-") == 0;
    FILE *const f = is_stdin ? stdin : fopen(path, "re");
    if (!f)
        return command_failed("%s: %s", path, strerror(errno));
    const int failed = nccltests_read(
        all, f, is_stdin ? "standard input" : path, err, sizeof err);
    if (!is_stdin)
        fclose(f);
    return failed ? command_failed("%s", err) : 0;
}

/* Read a number from 1 to 100000; 0 if it isn't one. */
static int number(const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);
    return *end || n < 1 || n > 100000 ? 0 : (int)n;
}

/* Give each node nranks / nodes ranks. */
static int spread(struct nccltests_table *t, int nodes)
{
    const int each = nodes > 0 ? (t->nranks + nodes - 1) / nodes : 0;
    t->rank = each ? calloc((size_t)t->nranks, sizeof *t->rank) : NULL;
    if (!t->rank)
        return -1;
    for (int i = 0; i < t->nranks; i++)
        t->rank[i] = (struct nccltests_rank){i / each, i % each};
    t->nhosts = nodes;
    return 0;
}

static int complete(struct nccltests_table *t, const struct tables_options *o)
{
    if (t->op == TOPO_OP_NONE && o->op)
        t->op = nccltests_op(o->op, strlen(o->op));
    if (t->op == TOPO_OP_NONE)
        return command_usage("%s: which operation is it? Say --op and one of "
                             "%s",
                             t->file, nccltests_ops);
    if (t->nranks == 0 && o->ranks)
        t->nranks = number(o->ranks);
    if (t->nranks < 2)
        return command_usage("%s: it doesn't list its ranks; say --ranks N, "
                             "from 2 on",
                             t->file);
    if (o->nodes && !t->rank &&
        (number(o->nodes) > t->nranks || spread(t, number(o->nodes)) != 0))
        return command_usage("--nodes %s: %d ranks can't be divided among that "
                             "many nodes",
                             o->nodes, t->nranks);
    return 0;
}

int tables_read(struct nccltests *all, const struct tables_options *options)
{
    int status = 0;
    for (int i = 0; i < options->npaths && status == 0; i++)
        status = read_file(options->path[i], all);
    for (int i = 0; i < all->n && status == 0; i++)
        status = complete(&all->table[i], options);
    if (status != 0)
        nccltests_release(all);
    return status;
}
