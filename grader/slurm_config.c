#include "slurm_config.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* abort */
#include <string.h> /* strcmp */
#include <yaml.h>   /* yaml_parser_load */

#include "text.h"

static const char *const options[SLURM_OPTIONS][2] = {
    {"account", "--account"}, {"partition", "--partition"},
    {"qos", "--qos"},         {"constraint", "--constraint"},
    {"gpus", "--gpus"},       {"cpus", "--cpus-per-task"},
    {"memory", "--mem"},      {"time", "--time"}};

/* NULL, or what is wrong with it. */
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
    for (int i = 0; i < SLURM_OPTIONS; i++) {
        if (strcmp(key, options[i][0]) != 0)
            continue;
        if (c->noptions == SLURM_OPTIONS)
            return "a key is there twice";
        const int n = snprintf(c->option[c->noptions++], sizeof *c->option,
                               "%s=%s", options[i][1], value);
        return n < (int)sizeof *c->option ? NULL : "a value is too long";
    }
    return "no such key (account, partition, qos, constraint, gpus, cpus, "
           "memory, time, per_job, at_once)";
}

static int take_all(struct slurm_config *c, yaml_document_t *doc,
                    const char *path, char *err, size_t err_nbytes)
{
    const yaml_node_t *const root = yaml_document_get_root_node(doc);
    if (!root)
        return 0; // an empty file
    if (root->type != YAML_MAPPING_NODE) {
        snprintf(err, err_nbytes, "%s:1: a list of \"key: value\"", path);
        return -1;
    }
    for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
         p < root->data.mapping.pairs.top; p++) {
        const yaml_node_t *const key = yaml_document_get_node(doc, p->key);
        const yaml_node_t *const value = yaml_document_get_node(doc, p->value);
        const char *const why =
            key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE
                ? "a key has a single value"
                : take(c, (const char *)key->data.scalar.value,
                       (const char *)value->data.scalar.value);
        if (why) {
            snprintf(err, err_nbytes, "%s:%lu: %s", path,
                     (unsigned long)key->start_mark.line + 1, why);
            return -1;
        }
    }
    return 0;
}

int slurm_config_load(struct slurm_config *c, const char *path, char *err,
                      size_t err_nbytes)
{
    yaml_parser_t parser;
    yaml_document_t doc;
    *c = (struct slurm_config){.per_job = 4, .at_once = 8};
    if (!path)
        return 0;
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
        failed = take_all(c, &doc, path, err, err_nbytes);
        yaml_document_delete(&doc);
    } else {
        snprintf(err, err_nbytes, "%s:%lu: %s", path,
                 (unsigned long)parser.problem_mark.line + 1, parser.problem);
    }
    yaml_parser_delete(&parser);
    fclose(f);
    return failed;
}
