#include "core/part.h"

#include <stdatomic.h>
#include <string.h> /* strcmp */

#include "base/part.h"
#include "core/host.h"
#include "core/issuer.h"
#include "core/proc.h"
#include "core/thread.h"

/* The part that began last: its number, from 1, and the
 * node with which it began. */
static _Atomic uint64_t begun;

static uint32_t number_of(uint64_t part)
{
    return (uint32_t)(part >> 32);
}

static void begin(void)
{
    const uint32_t next = number_of(begun) + 1;
    issuer_enters(next);
    begun = (uint64_t)next << 32 | issuer_last();
}

void part_issues(uint32_t site)
{
    const uint64_t part = begun;
    if (issuer_enters(number_of(part)))
        host_begin_again(
            PART_BEGINS, site,
            (struct graph_ref){simgpu_proc()->rank, (uint32_t)part});
}

static void end(uint32_t site)
{
    uint32_t called[ISSUERS];
    struct graph_ref done[ISSUERS];
    int n;
    if (!begun)
        return;
    issuers_settle();
    const int others = issuers_others(number_of(begun), called, &n);
    for (int i = 0; i < n; i++)
        done[i] = (struct graph_ref){simgpu_proc()->rank, called[i]};
    if (others)
        simgpu_host_record(PART_ENDS, site, 0, done, n);
}

void part_mark(const char *message, uint32_t site)
{
    if (!message || thread_number() != 0)
        return;
    if (strcmp(message, PART_BEGINS) == 0)
        begin();
    else if (strcmp(message, PART_ENDS) == 0)
        end(site);
}
