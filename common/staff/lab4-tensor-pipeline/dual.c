#include "dual.h"

struct list { /* turns, as they are appended */
    struct dual_turn *out;
    int n;
    int near; /* direction whose micro-batches enter at the nearer end */
};

/* Directions are counted from the nearer end: 0 enters there; -1: none. */
static void append(struct list *l, int forward, int backward, int defers)
{
    l->out[l->n++] =
        (struct dual_turn){forward < 0 ? -1 : forward ^ l->near,
                           backward < 0 ? -1 : backward ^ l->near, defers, 0};
}

static void append_weights(struct list *l)
{
    l->out[l->n++] = (struct dual_turn){-1, -1, 0, 1};
}

/* From the first forward pass until both directions are under way. */
static void fill(struct list *l, int half, int behind)
{
    for (int i = 0; i < 2 * behind; i++)
        append(l, 0, -1, 0);
    for (int i = 0; i < half - behind; i++) {
        append(l, 0, -1, 0);
        append(l, 1, -1, 0);
    }
    for (int i = 0; i < behind; i++) {
        append(l, -1, 1, 1);
        append_weights(l);
        append(l, 1, -1, 0);
    }
}

/* Forward passes of either direction with backward passes of the other. In the
 * middle, where a micro-batch's forward pass has just ended, the first two
 * don't run together: the other ranks would get its result later. */
static void both(struct list *l, int ntimes, int behind)
{
    for (int i = 0; i < ntimes; i++) {
        if (i == 0 && behind == 0) {
            append(l, 0, -1, 0);
            append(l, -1, 1, 0);
        } else
            append(l, 0, 1, 0);
        append(l, 1, 0, 0);
    }
    for (int i = 0; i < behind; i++) {
        append(l, -1, 1, 0);
        append(l, 1, 0, 0);
    }
}

/* The last backward passes: from the middle of them on, weights wait. */
static void drain(struct list *l, int half, int behind)
{
    const int n = half - behind; // n backward passes of each direction
    for (int i = 0; i < 2 * n; i++)
        append(l, -1, i % 2 == 0 ? 1 : 0, i >= n);
    for (int i = 0; i < behind; i++) {
        append_weights(l);
        append(l, -1, 0, 1);
    }
    for (int i = 0; i < n; i++)
        append_weights(l);
}

int dual_list(int nranks, int rank, int nmicro, struct dual_turn *out)
{
    const int half = nranks / 2, from_end = nranks - 1 - rank;
    const int at = rank < half ? rank : from_end; // ranks to the nearer end
    const int behind = half - 1 - at;             // ranks to the middle
    struct list l = {.out = out, .near = rank >= half};
    fill(&l, half, behind);
    both(&l, nmicro / 2 - nranks + at + 1, behind);
    drain(&l, half, behind);
    return l.n;
}
