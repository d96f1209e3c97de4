# Bit fields, a union, anonymous members, a flexible array and _Generic.
sed -i '/^void zero_assign(/,/^}/d; s|#include <string.h>|#include <stdlib.h>\n#include <string.h>|' zero.c
cat > extra <<'C'
struct load {
    union {
        struct { unsigned long long count : 48, rank : 16; };
        unsigned long long whole;
    };
};
struct loads { int n; struct load of[]; };
#define LESS(a, b) _Generic((a), struct load: less)(a, b)
static inline int less(struct load a, struct load b) { return a.count != b.count ? a.count < b.count : a.rank < b.rank; }

void zero_assign(const struct nn *m, int nranks, int *owner)
{
    struct loads *const l = malloc(sizeof *l + (size_t)nranks * sizeof *l->of);
    for (l->n = 0; l->n < nranks; l->n++)
        l->of[l->n] = (struct load){.rank = (unsigned)l->n & 0xffff};
    for (int i = 0; i < m->nparams; i++) {
        struct load *least = l->of;
        for (struct load *p = l->of; p != &l->of[l->n]; ++p)
            least = LESS(*p, *least) ? p : least;
        owner[i] = nn_is_trained(m, i) ? (int)least->rank : -1;
        least->count += nn_is_trained(m, i) ? m->param[i].count : 0;
    }
    free(l);
}
C
sed -i '/#include "lab\/try.h"/r extra' zero.c
rm extra
