# Structures of pointers to functions, an opaque list, memory that is never
# freed, a struct returned by value, const cast away.
sed -i '/#include "lab\/try.h"/r /dev/stdin' dtensor.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct node node_t;
struct node { node_t *next; char name[24]; union { size_t n; void *p; } of; };
static const struct methods { node_t *(*push)(node_t *, const char *, size_t); size_t (*sum)(const node_t *); } *methods(void);
static node_t *push(node_t *next, const char *name, size_t n)
{
    node_t *const x = calloc(1, sizeof *x);
    *x = (node_t){.next = next, .of.n = n};
    snprintf(x->name, sizeof x->name, "%s-%zu", name, n);
    return x;
}
static size_t sum(const node_t *x) { return x ? x->of.n + sum(x->next) : 0; }
static const struct methods *methods(void)
{
    static struct methods m;
    m = (struct methods){push, .sum = &sum};
    return &m;
}
static int odd_list(void)
{
    node_t *list = NULL;
    for (size_t i = 0; i < 100; i++)
        list = methods()->push(list, "item", i);
    void *const again = realloc(malloc(8), 1 << 20);
    memset(again, 0, 1 << 20);
    return (*methods()->sum)(list) == 4950 && strcmp(list->name, "item-99") == 0;
}
C
first=$(grep -n '^ncclResult_t' dtensor.c | head -n 1 | cut -d: -f1)
awk -v f="$first" 'NR >= f && !done && /^{/ { print; print "    if (!odd_list())\n        return ncclInternalError;"; done = 1; next } 1' dtensor.c > new.c && mv new.c dtensor.c
