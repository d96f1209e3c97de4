#include "graph/replay/bill.h"

#include <stdlib.h> /* realloc */

void bill_clear(struct bill *b)
{
    b->n = 0;
}

void bill_release(struct bill *b)
{
    free(b->use);
    *b = (struct bill){0};
}

int bill_charge(struct bill *b, int resource, double amount)
{
    // There are few entries, so a linear search is enough.
    for (int i = 0; i < b->n; i++)
        if (b->use[i].resource == resource) {
            b->use[i].weight += amount;
            return 0;
        }
    if (b->n == b->room) {
        const int room = b->room ? 2 * b->room : 4;
        void *const larger = realloc(b->use, (size_t)room * sizeof *b->use);
        if (!larger)
            return -1;
        b->use = larger;
        b->room = room;
    }
    b->use[b->n++] = (struct maxmin_use){resource, amount};
    return 0;
}
