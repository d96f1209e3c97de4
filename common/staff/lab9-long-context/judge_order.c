#include "judge_order.h"

#include <math.h>   /* sqrt */
#include <string.h> /* strcmp */

#include "nn/draws.h"

/* The order of this name: "plain", "zigzag" or "striped"; -1 for other
 * names. */
static int named_order(const char *name)
{
    static const char *const names[] = {"plain", "zigzag", "striped"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

struct judge_order order_of(const struct plan_case *c, int nranks)
{
    const int named = named_order(plan_text(c, "order", "plain"));
    const int each = (int)plan_int(c, "heads_each", 0);
    int per_node = (int)plan_int(c, "per_node", 1);
    while (nranks % per_node)
        per_node--;
    return (struct judge_order){
        .order = named < 0 ? ORDER_PLAIN : (enum order_kind)named,
        .nranks = nranks,
        .rows = (int)plan_int(c, "rows", 8),
        .per_node = per_node,
        .heads = each ? each * nranks : (int)plan_int(c, "heads", 4),
        .width = (int)plan_int(c, "width", 8)};
}

/* The position of row i of a part, of n parts of `rows` rows each. */
static int place(enum order_kind order, int n, int rows, int part, int i)
{
    const int piece = rows / 2;
    switch (order) {
    case ORDER_ZIGZAG:
        return i < piece ? part * piece + i
                         : (2 * n - 1 - part) * piece + (i - piece);
    case ORDER_STRIPED: return i * n + part;
    default: return part * rows + i;
    }
}

int order_place(const struct judge_order *o, int rank, int i)
{
    const int node = rank / o->per_node, local = rank % o->per_node;
    return place(o->order, o->nranks / o->per_node, o->rows * o->per_node, node,
                 local * o->rows + i);
}

size_t order_block(const struct judge_order *o)
{
    return (size_t)o->rows * (size_t)o->heads * (size_t)o->width;
}

void order_fill(float *out, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        out[i] = 4 * nn_input(seed, i);
}

struct draw_ask order_draw(void)
{
    return (struct draw_ask){.what = NN_DRAW_FLOATS,
                             .npath = 1,
                             .path = {NN_PATH_INPUT},
                             .arg = {nn_draw_factor(4)}};
}

float order_scale(int width)
{
    return (float)(0.2 / sqrt(width));
}

double order_pairs(const struct judge_order *o, int rank)
{
    double pairs = 0;
    for (int i = 0; i < o->rows; i++)
        pairs += order_place(o, rank, i) + 1;
    return pairs;
}
