#include "cublas/overlap.h"

#include <stdlib.h> /* qsort */
#include <string.h> /* memcpy */

#include "core/heap/heap.h"
#include "core/site.h"
#include "core/watch/check.h"

struct range { /* bytes of an operand */
    uint64_t alloc, begin, end;
    int is_output;
};

static int compare(const void *a, const void *b)
{
    const struct range *const x = a, *const y = b;
    if (x->alloc != y->alloc)
        return x->alloc < y->alloc ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* What to do about outputs that overlap each other, or an input. */
static const char *advice(int outputs, int in_place)
{
    if (outputs)
        return "The products run at the same time: check ldc, the stride of C "
               "and the pointers";
    return in_place ? "In place, C begins where the input does and has its "
                      "leading dimension. Otherwise, give C memory of its own"
                    : "A product is never in place: give C memory of its own";
}

static void note(const struct touches *t, const struct range *a,
                 const struct range *b, int in_place)
{
    const int outputs = a->is_output && b->is_output;
    char where[128];
    const uint64_t end = a->end < b->end ? a->end : b->end;
    simgpu_check_note(
        t->call.site,
        "buffers overlap: %s at %s %s, on %llu bytes from byte %llu of "
        "their allocation on. %s",
        t->call.name, simgpu_site_text(t->call.site, where, sizeof where),
        outputs ? "writes two matrices of a batch that overlap"
                : "writes C over an input that it still reads",
        (unsigned long long)(end - b->begin), (unsigned long long)b->begin,
        advice(outputs, in_place));
}

/* In order of their beginnings, a range overlaps an earlier one if it begins
 * before the latest end. Inputs may overlap each other. */
static void sweep(const struct touches *t, const struct range *r, size_t n,
                  int in_place)
{
    const struct range *latest[2] = {NULL, NULL}; // input, output
    for (size_t i = 0; i < n; i++) {
        for (int k = !r[i].is_output; k < 2; k++)
            if (latest[k] && latest[k]->alloc == r[i].alloc &&
                r[i].begin < latest[k]->end) {
                note(t, latest[k], &r[i], in_place);
                return;
            }
        const struct range **const of = &latest[r[i].is_output];
        if (!*of || (*of)->alloc != r[i].alloc || r[i].end > (*of)->end)
            *of = &r[i];
    }
}

void overlap_check(const struct touches *t, size_t ninputs, int in_place)
{
    struct range *const r =
        simgpu_check_is_on() ? malloc((t->n + 1) * sizeof *r) : NULL;
    size_t n = 0;
    for (size_t i = 0; r && i < t->n; i++) {
        const struct graph_access *const a = &t->access[i];
        const int is_output = a->write == GRAPH_WRITE;
        if (i < ninputs || is_output)
            r[n++] = (struct range){a->alloc, a->begin, a->end, is_output};
    }
    if (r) {
        qsort(r, n, sizeof *r, compare);
        sweep(t, r, n, in_place);
    }
    free(r);
}
