#include "core/schedule.h"

#include <stdlib.h> /* strtoull */
#include <string.h> /* strcmp */

#include "base/mix.h"

enum { MAX_DELAY_NS = 200000 };

/* Set once at start, from SIMGPU_SCHEDULE. */
static enum { EAGER, LATE, RANDOM } schedule;
static uint64_t seed;

int schedule_set(const char *text)
{
    if (!*text || strcmp(text, "eager") == 0) {
        schedule = EAGER;
    } else if (strcmp(text, "late") == 0) {
        schedule = LATE;
    } else if (strncmp(text, "random:", 7) == 0 && text[7]) {
        char *end;
        seed = strtoull(text + 7, &end, 0);
        schedule = RANDOM;
        return *end ? -1 : 0;
    } else {
        return -1;
    }
    return 0;
}

int schedule_is_late(void)
{
    return schedule == LATE;
}

uint64_t schedule_delay_ns(uint32_t rank, uint32_t queue, uint64_t seq)
{
    if (schedule != RANDOM)
        return 0;
    const uint64_t where = (uint64_t)rank << 32 | queue;
    return mix_finish(mix_nth(seed, where) + seq) % MAX_DELAY_NS;
}
