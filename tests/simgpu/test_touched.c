/* The set of bytes that a kernel has touched (device/touched.h), against an
 * array of flags. */
#include <check.h>
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "base/mix.h"
#include "device/touched.h"
#include "suite.h"

enum { CHUNK = 1 << TOUCHED_SHIFT, BYTES = 9 * CHUNK, ADDS = 400 };

/* Addresses that nobody dereferences. */
#define BASE ((const char *)(uintptr_t)(UINT64_C(7) << 40))

static struct touched *set;
static unsigned char has[BYTES];

static void add(size_t first, size_t nbytes)
{
    touched_add(set, BASE + first, nbytes, BASE, BASE + BYTES);
    memset(has + first, 1, nbytes);
}

static void same(void)
{
    const char *begin = NULL, *end = NULL;
    size_t at = 0;
    for (;;) {
        const int more = touched_next(set, &begin, &end);
        const size_t first = more ? (size_t)(begin - BASE) : BYTES;
        const size_t behind = more ? (size_t)(end - BASE) : BYTES;
        while (at < first && !has[at])
            at++;
        ck_assert_msg(at == first, "byte %zu is missing", at);
        while (at < behind && has[at])
            at++;
        ck_assert_msg(at == behind, "byte %zu was never added", at);
        if (!more)
            break;
        ck_assert(behind == BYTES || !has[behind]); // runs are maximal
    }
    for (size_t i = 0; i < BYTES; i += 997)
        ck_assert_int_eq(touched_has(set, BASE + i), has[i]);
}

START_TEST(holds_what_was_added_and_nothing_else)
{
    memset(has, 0, sizeof has);
    for (int i = 0; i < ADDS; i++) {
        const uint64_t r = mix_nth((uint64_t)_i, (uint64_t)i);
        const size_t size = i % 50 == 0 ? 2 * CHUNK : 1 + r % 40;
        add((r >> 8) % (BYTES - size), size);
    }
    same();
    touched_clear(set);
    memset(has, 0, sizeof has);
    same();
}
END_TEST

START_TEST(a_run_continues_over_chunks)
{
    memset(has, 0, sizeof has);
    add(CHUNK - 4, 4);
    add(CHUNK, 4);
    add(3 * CHUNK, CHUNK);
    add(4 * CHUNK, 1);
    add(BYTES - 1, 1);
    same();
    touched_clear(set);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("touched");
    TCase *const t = tcase_create("touched");
    set = calloc(1, sizeof *set);
    tcase_add_loop_test(t, holds_what_was_added_and_nothing_else, 0, 8);
    tcase_add_test(t, a_run_continues_over_chunks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
