#include "core/dataless.h"

#include <pthread.h> /* pthread_once */
#include <stdlib.h>  /* strtoull */
#include <string.h>  /* strcmp */

static uint64_t limit = UINT64_MAX; /* set once */

/* "1048576", "1M", "2G": 0, or -1. */
static int parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    *out = strtoull(text, &end, 10);
    const char *const unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        *out <<= 10 * (unit - units + 1);
        end++;
    }
    return *end ? -1 : 0;
}

static void read_setting(void)
{
    const char *const text = getenv("SIMGPU_DATALESS");
    if (!text || !*text || strcmp(text, "off") == 0)
        return;
    if (strcmp(text, "on") == 0)
        limit = 1;
    else if (parse_size(text, &limit) != 0)
        proc_fault(NULL,
                   "SIMGPU_DATALESS=%s: use a size from which on allocations "
                   "have no contents, as 1048576 or 1M; on, or off",
                   text);
}

uint64_t dataless_limit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_setting);
    return limit;
}

void dataless_fault(const char *call, uint32_t site, const char *what)
{
    char where[256];
    proc_fault(NULL,
               "%s at %s: %s.\nSIMGPU_DATALESS=%s makes large allocations have "
               "addresses but no contents: times are right, values are not "
               "there. Run without it, or with smaller buffers, to see values.",
               call, proc_site_text(site, where, sizeof where), what,
               getenv("SIMGPU_DATALESS"));
}

int dataless_op(const struct op *op)
{
    int touches = 0, reads = 0, writes_contents = 0;
    for (uint32_t i = 0; i < op->node.naccesses; i++) {
        const struct graph_access *const a = &op->accesses[i];
        const uint32_t how = a->write & GRAPH_TOUCH;
        if (how > GRAPH_ATOMIC) // about the allocation, not what is in it
            continue;
        if (dataless(a->alloc) && how == GRAPH_ATOMIC)
            dataless_fault(op->name, op->node.site,
                           "a flag needs memory with contents");
        touches |= dataless(a->alloc);
        reads |= dataless(a->alloc) && how == GRAPH_READ;
        writes_contents |= !dataless(a->alloc) && how == GRAPH_WRITE;
    }
    if (reads && writes_contents)
        dataless_fault(op->name, op->node.site,
                       "it copies or computes from memory without contents "
                       "into memory that has them");
    return touches;
}
