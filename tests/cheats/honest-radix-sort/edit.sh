# A stable sort by bits, in recursion, with a VLA and pointers to functions.
sed -i '/^void moe_sort/,/^}/d' route.c
cat >> route.c <<'C'
#include <alloca.h>
#include <string.h>
typedef int key_fn(int value, int bit);
static int bit_of(int value, int bit) { return value >> bit & 1; }
static inline void lab_split(const int *restrict expert, int *restrict order, int n, int bit, key_fn *const key)
{
    int zeros[n], *ones = alloca((size_t)n * sizeof *ones), nz = 0, no = 0;
    if (bit > 7)
        return;
    for (int i = 0; i < n; i++)
        *(key(expert[order[i]], bit) ? &ones[no++] : &zeros[nz++]) = order[i];
    memcpy(order, zeros, (size_t)nz * sizeof *order);
    memcpy(order + nz, ones, (size_t)no * sizeof *order);
    lab_split(expert, order, n, bit + 1, key);
}

void moe_sort(const int *expert, int ntokens, int nranks, int *order, struct moe_route *route)
{
    for (int t = 0; t < ntokens; order[t] = t, t++)
        ;
    if (ntokens > 0)
        lab_split(expert, order, ntokens, 0, &bit_of);
    for (int r = 0, at = 0; r < nranks; r++) {
        route->send_begin[r] = at;
        while (at < ntokens && expert[order[at]] == r)
            at++;
        route->send_count[r] = at - route->send_begin[r];
    }
}
C
