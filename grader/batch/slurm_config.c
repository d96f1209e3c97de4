#include "grader/batch/slurm_config.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* abort */
#include <string.h> /* strcmp */
#include <yaml.h>   /* yaml_parser_load */

#include "grader/base/text.h"

static const char *const options[SLURM_OPTIONS][2] = {
    {"account", "--account"},
    {"partition", "--partition"},
    {"qos", "--qos"},
    {"reservation", "--reservation"},
    {"constraint", "--constraint"},
    {"gpus", "--gpus"},
    {"gres", "--gres"},
    {"nodes", "--nodes"},
    {"cpus", "--cpus-per-task"},
    {"memory", "--mem"},
    {"time", "--time"}};

static const char no_key[] =
    "no such key (account, partition, qos, reservation, constraint, gpus, "
    "gres, nodes, cpus, memory, time, per_job, at_once, setup, container, "
    "partitions)";

static const char *keep(char *to, size_t room, const char *value)
{
    return snprintf(to, room, "%s", value) < (int)room ? NULL
                                                       : "a value is too long";
}

/* Read a setting. Returns NULL, or what is wrong with it. */
static const char *take(struct slurm_config *c, const char *key,
                        const char *value)
{
    if (strcmp(key, "per_job") == 0)
        return text_number(value, 1, 10000, &c->per_job) == 0
                   ? NULL
                   : "per_job is a number of students";
    if (strcmp(key, "at_once") == 0)
        return text_number(value, 1, 10000, &c->at_once) == 0
                   ? NULL
                   : "at_once is a number of allocations";
    if (strcmp(key, "setup") == 0)
        return keep(c->setup, sizeof c->setup, value);
    if (strcmp(key, "container") == 0)
        return keep(c->container, sizeof c->container, value);
    for (int i = 0; i < SLURM_OPTIONS; i++) {
        char text[sizeof *c->option];
        if (strcmp(key, options[i][0]) != 0)
            continue;
        const int n =
            snprintf(text, sizeof text, "%s=%s", options[i][1], value);
        return n < (int)sizeof text
                   ? keep(c->option[i], sizeof *c->option, text)
                   : "a value is too long";
    }
    return no_key;
}

struct loader {
    struct slurm_config *c;
    yaml_document_t *doc;
    const char *path, *gpu;
    char *err;
    size_t err_nbytes;
};

static int wrong(struct loader *l, const yaml_node_t *n, const char *what)
{
    snprintf(l->err, l->err_nbytes, "%s:%lu: %s", l->path,
             n ? (unsigned long)n->start_mark.line + 1 : 1UL, what);
    return -1;
}

static const char *scalar(const yaml_node_t *n)
{
    return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value
                                       : NULL;
}

typedef int pair_fn(struct loader *l, const yaml_node_t *key,
                    const yaml_node_t *value);

static int each(struct loader *l, const yaml_node_t *map, pair_fn *fn)
{
    if (map->type != YAML_MAPPING_NODE)
        return wrong(l, map, "a list of \"key: value\"");
    int err = 0;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
         p < map->data.mapping.pairs.top && !err; p++)
        err = fn(l, yaml_document_get_node(l->doc, p->key),
                 yaml_document_get_node(l->doc, p->value));
    return err;
}

static int take_value(struct loader *l, const yaml_node_t *key,
                      const yaml_node_t *value)
{
    const char *const why = !scalar(key) || !scalar(value)
                                ? "a key has a single value"
                                : take(l->c, scalar(key), scalar(value));
    return why ? wrong(l, key, why) : 0;
}

/* Read all settings of the chosen partition; only check those of others. */
static int take_partition(struct loader *l, const yaml_node_t *key,
                          const yaml_node_t *value)
{
    struct slurm_config other = *l->c, *const all = l->c;
    if (!scalar(key) || strlen(scalar(key)) >= sizeof all->gpu)
        return wrong(l, key, "the name of a GPU");
    const int is_it = l->gpu ? strcmp(l->gpu, scalar(key)) == 0 : !all->gpu[0];
    l->c = is_it ? all : &other;
    if (is_it)
        strcpy(all->gpu, scalar(key));
    const int err = each(l, value, take_value);
    l->c = all;
    return err;
}

static int take_partitions(struct loader *l, const yaml_node_t *key,
                           const yaml_node_t *value)
{
    return scalar(key) && strcmp(scalar(key), "partitions") == 0
               ? each(l, value, take_partition)
               : 0;
}

static int take_rest(struct loader *l, const yaml_node_t *key,
                     const yaml_node_t *value)
{
    return scalar(key) && strcmp(scalar(key), "partitions") == 0
               ? 0
               : take_value(l, key, value);
}

/* Read everything. A partition's settings take precedence over the general
 * ones, so they are read last. */
static int take_all(struct loader *l)
{
    const yaml_node_t *const root = yaml_document_get_root_node(l->doc);
    if (root &&
        (each(l, root, take_rest) != 0 || each(l, root, take_partitions) != 0))
        return -1;
    if (!l->gpu || strcmp(l->gpu, l->c->gpu) == 0)
        return 0;
    snprintf(l->err, l->err_nbytes, "%s has no partition for --gpu %s", l->path,
             l->gpu);
    return -1;
}

int slurm_config_load(struct slurm_config *c, const char *path, const char *gpu,
                      char *err, size_t err_nbytes)
{
    yaml_parser_t parser;
    yaml_document_t doc;
    *c = (struct slurm_config){.per_job = 4, .at_once = 8};
    if (!path && gpu)
        snprintf(err, err_nbytes, "--gpu needs a --config with partitions");
    if (!path)
        return gpu ? -1 : 0;
    FILE *const f = fopen(path, "re");
    if (!f) {
        snprintf(err, err_nbytes, "%s: %s", path, strerror(errno));
        return -1;
    }
    int failed = -1;
    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_input_file(&parser, f);
    if (yaml_parser_load(&parser, &doc)) {
        struct loader l = {c, &doc, path, gpu, err, err_nbytes};
        failed = take_all(&l);
        yaml_document_delete(&doc);
    } else {
        snprintf(err, err_nbytes, "%s:%lu: %s", path,
                 (unsigned long)parser.problem_mark.line + 1, parser.problem);
    }
    yaml_parser_delete(&parser);
    fclose(f);
    return failed;
}
