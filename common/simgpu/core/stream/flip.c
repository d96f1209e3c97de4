#include "core/stream/flip.h"

#include "core/heap/heap.h"
#include "core/plant.h"
#include "core/proc.h"
#include "core/report.h"

void flip_choose(struct op *op, const struct graph_access *acc, size_t nacc)
{
    if (!op->flip || op->flipped.end)
        return;
    for (size_t i = 0; i < nacc; i++) {
        const uint32_t how = acc[i].write & GRAPH_TOUCH;
        if ((how == GRAPH_WRITE || how == GRAPH_ATOMIC) &&
            acc[i].alloc >> 32 == simgpu_proc()->rank &&
            (uint32_t)acc[i].alloc != 0 && acc[i].begin < acc[i].end) {
            op->flipped = acc[i];
            return;
        }
    }
}

struct search { /* for an allocation, by its number in the graph */
    uint64_t alloc;
    char *base;
};

static void look(void *arg, const struct heap_block *b)
{
    struct search *const s = arg;
    if (b->id == s->alloc)
        s->base = b->base;
}

void flip_bit(const struct op *op)
{
    const struct graph_access *const a = &op->flipped;
    struct search s = {.alloc = a->alloc};
    if (a->end)
        heap_each(look, &s);
    if (!s.base) {
        simgpu_report_error("planted fault: %s: %s writes no device memory of "
                            "this rank, so nothing was flipped",
                            op->flip->text, op->name);
        return;
    }
    const uint64_t bit = plant_bit(op->flip, (a->end - a->begin) * 8);
    char *const byte = simgpu_heap_raw(s.base + a->begin + bit / 8);
    *byte = (char)(*byte ^ 1 << bit % 8);
}
