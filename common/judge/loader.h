/*
 * loader.h: reading the values of a plan's YAML
 *
 * Only the first error is kept, with file and line. After an error, functions
 * return harmless values, so callers check l->failed only where it matters.
 */
#ifndef COMMLAB_JUDGE_LOADER_H
#define COMMLAB_JUDGE_LOADER_H

#include <stddef.h>
#include <yaml.h> /* yaml_node_t */

struct plan; /* plan.h */

struct loader {
    const char *path;
    yaml_document_t doc;
    struct plan *plan;
    int hidden;
    char *err;
    size_t err_nbytes;
    int failed;
};

/* Report an error at a node, unless an earlier one has been reported. */
void loader_fail(struct loader *l, const yaml_node_t *at, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/*
 * Read a single value: a text, which belongs to the document ("" after an
 * error); a number from `least` to `most`; or a whole number. `what` names the
 * value in errors.
 */
const char *loader_text(struct loader *l, const yaml_node_t *n,
                        const char *what);
double loader_number(struct loader *l, const yaml_node_t *n, const char *what,
                     double least, double most);
int loader_whole(struct loader *l, const yaml_node_t *n, const char *what,
                 int least, int most);

/* Call each(l, node, i, arg) for the items of a list, and return their number.
 * A single value is a list of one. */
typedef void loader_item_fn(struct loader *l, yaml_node_t *n, int i, void *arg);
int loader_list(struct loader *l, yaml_node_t *n, int most, const char *what,
                loader_item_fn *each, void *arg);

/* Call each(l, key, value, arg) for the pairs of a mapping. */
typedef void loader_pair_fn(struct loader *l, yaml_node_t *key,
                            yaml_node_t *value, void *arg);
void loader_mapping(struct loader *l, yaml_node_t *n, const char *what,
                    loader_pair_fn *each, void *arg);

#endif
