#include "judge/loader.h"

#include <errno.h>  /* errno */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* strtod */

void loader_fail(struct loader *l, const yaml_node_t *at, const char *format,
                 ...)
{
    va_list args;
    if (l->failed)
        return;
    l->failed = 1;
    const int n = snprintf(l->err, l->err_nbytes, "%s:%lu: ", l->path,
                           (unsigned long)at->start_mark.line + 1);
    va_start(args, format);
    if (n > 0 && (size_t)n < l->err_nbytes)
        vsnprintf(l->err + n, l->err_nbytes - (size_t)n, format, args);
    va_end(args);
}

const char *loader_text(struct loader *l, const yaml_node_t *n,
                        const char *what)
{
    if (n->type != YAML_SCALAR_NODE) {
        loader_fail(l, n, "%s is a single value", what);
        return "";
    }
    return (const char *)n->data.scalar.value;
}

double loader_number(struct loader *l, const yaml_node_t *n, const char *what,
                     double least, double most)
{
    const char *const s = loader_text(l, n, what);
    char *end;
    errno = 0;
    const double v = strtod(s, &end);
    if (errno || *end || end == s || !(v >= least && v <= most))
        loader_fail(l, n, "%s is a number from %g to %g, not \"%s\"", what,
                    least, most, s);
    return l->failed ? least : v;
}

int loader_whole(struct loader *l, const yaml_node_t *n, const char *what,
                 int least, int most)
{
    const double v = loader_number(l, n, what, least, most);
    if (v != (int)v)
        loader_fail(l, n, "%s is a whole number, not %g", what, v);
    return (int)v;
}

int loader_list(struct loader *l, yaml_node_t *n, int most, const char *what,
                loader_item_fn *each, void *arg)
{
    if (n->type != YAML_SEQUENCE_NODE) {
        each(l, n, 0, arg);
        return 1;
    }
    int count = 0;
    for (yaml_node_item_t *i = n->data.sequence.items.start;
         i < n->data.sequence.items.top && !l->failed; i++) {
        if (count == most) {
            loader_fail(l, n, "%s has more than %d entries", what, most);
            break;
        }
        each(l, yaml_document_get_node(&l->doc, *i), count++, arg);
    }
    return count;
}

void loader_mapping(struct loader *l, yaml_node_t *n, const char *what,
                    loader_pair_fn *each, void *arg)
{
    if (n->type != YAML_MAPPING_NODE)
        return loader_fail(l, n, "%s is a list of \"key: value\"", what);
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start;
         p < n->data.mapping.pairs.top && !l->failed; p++)
        each(l, yaml_document_get_node(&l->doc, p->key),
             yaml_document_get_node(&l->doc, p->value), arg);
}
