#include "device/sharing/finding.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */

#include "core/heap/heap_space.h" /* space_stack_top */
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "simgpu/kernel.h"

enum { MAX_NOTED = 64 };

int finding_is_new(uint32_t a, uint32_t b)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint32_t noted[MAX_NOTED][2];
    static int n;
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < n && !(noted[i][0] == a && noted[i][1] == b))
        i++;
    const int is_new = i == n && n < MAX_NOTED;
    if (is_new) {
        noted[n][0] = a;
        noted[n++][1] = b;
    }
    pthread_mutex_unlock(&lock);
    return is_new;
}

const char *finding_verb(int how)
{
    if (!(how & FINDING_WRITES))
        return "reads";
    return how & FINDING_ATOMIC ? "updates" : "writes";
}

uint32_t finding_site_of_atomic(const void *pc)
{
    const void *const here = __builtin_frame_address(0);
    return space_is_stack(here) ? simgpu_site_below(pc, space_stack_top(here))
                                : simgpu_site(pc);
}

const char *finding_thread(unsigned thread, char *out, size_t nbytes)
{
    const struct simgpu_uint3 n = simgpu_block_dim;
    snprintf(out, nbytes, "(%u,%u,%u)", thread % n.x, thread / n.x % n.y,
             thread / n.x / n.y);
    return out;
}

void finding_note(const struct launch *l, uint32_t site, const char *text)
{
    graph_note_fault(simgpu_proc()->graph, l->op->node.index, site, 0, text);
    simgpu_report_earlier(text);
}
