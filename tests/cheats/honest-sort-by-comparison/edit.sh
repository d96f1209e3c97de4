# qsort_r() with an order that has no ties.
sed -i '/^void moe_sort(/,/^}/d; s|#include "lab7.h"|#define _GNU_SOURCE\n#include <stdlib.h>\n#include "lab7.h"|' route.c
cat >> route.c <<'C'
static int by_expert(const void *a, const void *b, void *arg)
{
    const int x = *(const int *)a, y = *(const int *)b, *const expert = arg;
    return expert[x] != expert[y] ? (expert[x] > expert[y]) - (expert[x] < expert[y]) : x - y;
}

void moe_sort(const int *expert, int ntokens, int nranks, int *order,
              struct moe_route *route)
{
    for (int t = 0; t < ntokens; t++)
        order[t] = t;
    qsort_r(order, (size_t)ntokens, sizeof *order, by_expert, (void *)expert);
    for (int r = 0, i = 0; r < nranks; r++) {
        route->send_begin[r] = i;
        for (; i < ntokens && expert[order[i]] == r; i++)
            ;
        route->send_count[r] = i - route->send_begin[r];
    }
}
C
