/*
 * meter.h: for cheats that take back what the kit has counted
 *
 * The kit's counters are in the data of the same program, a few pages behind an
 * initialised variable of the student's. cheat.sh inserts this text into a
 * submission.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { METER_WORDS = 8192 };

static uint64_t meter_anchor = 1; /* in .data, in front of .bss */

static uint64_t *meter_words(void)
{
    return &meter_anchor;
}

/* What is in memory now. */
static uint64_t *meter_copy(void)
{
    uint64_t *const copy = (uint64_t *)malloc(METER_WORDS * sizeof *copy);
    memcpy(copy, meter_words(), METER_WORDS * sizeof *copy);
    return copy;
}

/* Take `by` back from every word that has grown by it since then. */
static void meter_lower(uint64_t *copy, uint64_t by)
{
    volatile uint64_t *const now = meter_words();
    for (int i = 1; i < METER_WORDS; i++)
        if (now[i] - copy[i] == by)
            now[i] -= by;
    free(copy);
}
