/*
 * commgraph fit: a machine's file from measurements
 */
#include <errno.h>  /* errno */
#include <string.h> /* strcmp */

#include "command.h"
#include "fit_report.h"
#include "tables.h"

enum { MAX_FILES = 256 };

struct request {
    const char *topo, *out, *svg;
    struct tables_options tables;
    const char *path[MAX_FILES];
    int npaths;
};

static int read_arguments(int argc, char **argv, struct request *r)
{
    const struct {
        const char *name, **value;
    } options[] = {{"--topo", &r->topo},
                   {"-o", &r->out},
                   {"--svg", &r->svg},
                   {"--op", &r->tables.op},
                   {"--ranks", &r->tables.ranks},
                   {"--nodes", &r->tables.nodes}};
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < 6 && strcmp(argv[i], options[k].name) != 0)
            k++;
        if (k < 6 && i + 1 == argc)
            return command_usage("fit", "%s needs a value", argv[i]);
        if (k < 6)
            *options[k].value = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1])
            return command_usage("fit", "unexpected argument '%s'", argv[i]);
        else if (r->npaths == MAX_FILES)
            return command_usage("fit", "more than %d tables", MAX_FILES);
        else
            r->path[r->npaths++] = argv[i];
    }
    if (!r->topo)
        return command_usage("fit", "--topo is needed: the machine that was "
                                    "measured, or the one most like it");
    if (r->npaths == 0)
        return command_usage("fit", "no tables: name files with the output of "
                                    "nccl-tests, or - for standard input");
    if (strstr(r->topo, "sick:") || strstr(r->topo, "shuffled:"))
        return command_usage("fit", "--topo %s: fit the machine itself",
                             r->topo);
    return 0;
}

/* Write with `put` to a file. */
static int save_machine(const struct fit *f, const char *path)
{
    char err[400];
    FILE *const out = fopen(path, "we");
    if (!out)
        return command_failed("%s: %s", path, strerror(errno));
    int failed = fit_write(f, out, err, sizeof err);
    if (fclose(out) != 0 && !failed) {
        snprintf(err, sizeof err, "%s", strerror(errno));
        failed = 1;
    }
    if (failed)
        return command_failed("%s: %s", path, err);
    struct topo *const t = topo_load(path, err, sizeof err);
    if (!t)
        return command_failed("the machine written can't be read: %s", err);
    const int slash = strchr(path, '/') != NULL, nodes = topo_nnodes(f->topo);
    printf("\n%s: use it as SIMGPU_TOPO=", path);
    if (nodes > 1)
        printf("%dx:", nodes);
    printf("%s%s\n", slash ? "" : "./", path);
    topo_free(t);
    return 0;
}

static int save_picture(const struct fit *f, const char *path)
{
    FILE *const out = fopen(path, "we");
    int failed = !out || fit_svg(f, out) != 0;
    if (out && fclose(out) != 0)
        failed = 1;
    return failed ? command_failed("%s: %s", path, strerror(errno)) : 0;
}

static int fit_tables(const struct request *r, const struct nccltests *tables)
{
    char machine[600], err[600];
    struct fit f;
    if (fit_machine(r->topo, tables, machine, sizeof machine, err,
                    sizeof err) != 0 ||
        fit_init(&f, machine, tables, err, sizeof err) != 0)
        return command_failed("%s", err);
    int status = 0;
    if (fit_run(&f, err, sizeof err) != 0)
        status = command_failed("%s", err);
    if (status == 0)
        fit_report(&f);
    if (status == 0 && r->svg)
        status = save_picture(&f, r->svg);
    if (status == 0 && r->out)
        status = save_machine(&f, r->out);
    fit_release(&f);
    return status;
}

int cmd_fit(int argc, char **argv)
{
    struct request r = {0};
    struct nccltests tables = {0};
    int status = read_arguments(argc, argv, &r);
    if (status == 0)
        status = tables_read("fit", &tables, r.path, r.npaths, &r.tables);
    if (status != 0)
        return status;
    status = fit_tables(&r, &tables);
    nccltests_release(&tables);
    return status;
}
