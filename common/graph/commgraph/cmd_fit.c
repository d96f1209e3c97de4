/*
 * commgraph fit: make a machine's file from measurements
 */
#include <errno.h>  /* errno */
#include <string.h> /* strcmp */

#include "command.h"
#include "fit_report.h"
#include "tables.h"

struct request {
    const char *out, *svg;
    struct tables_options tables;
};

static int read_arguments(int argc, char **argv, struct request *r)
{
    const struct tables_option more[] = {
        {"-o", &r->out}, {"--svg", &r->svg}, {NULL, NULL}};
    const int status = tables_arguments(argc, argv, &r->tables, more);
    if (status != 0)
        return status;
    if (!r->tables.topo)
        return command_usage("--topo is needed: the machine that was "
                             "measured, or the one most like it");
    if (r->tables.npaths == 0)
        return command_usage("no tables: name files with the output of "
                             "nccl-tests, or - for standard input");
    if (strstr(r->tables.topo, "sick:") || strstr(r->tables.topo, "shuffled:"))
        return command_usage("--topo %s: fit the machine itself",
                             r->tables.topo);
    return 0;
}

/* Write f to a file with `put`. */
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
    if (fit_machine(r->tables.topo, tables, machine, sizeof machine, err,
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
        status = tables_read(&tables, &r.tables);
    if (status != 0)
        return status;
    status = fit_tables(&r, &tables);
    nccltests_release(&tables);
    return status;
}
