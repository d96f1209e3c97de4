/* NVSHMEM's functions on 2, 4 and 8 PEs; each probe checks itself, under every
 * schedule. */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

/* Programs of tests/probes, and how many probes they have. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_shmem_rma", 9},  {"prog_shmem_signal", 8}, {"prog_shmem_stream", 6},
    {"prog_shmem_coll", 8}, {"prog_shmem_atomic", 5},
};
static const char *const schedules[] = {"eager", "late", "random:1"};
static const int pes[] = {2, 4, 8};
enum {
    SCHEDULES = sizeof schedules / sizeof *schedules,
    SIZES = sizeof pes / sizeof *pes,
    RUNS = (int)(sizeof families / sizeof *families) * SCHEDULES * SIZES
};

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        n++;
    return n;
}

START_TEST(a_part_of_nvshmem_does_what_it_says)
{
    const struct family *const f = &families[_i / (SCHEDULES * SIZES)];
    const int n = pes[_i % SIZES];
    struct child c =
        child_run(120,
                  "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s mpirun -n %d "
                  "%s/tests/probes/%s < /dev/null",
                  schedules[_i / SIZES % SCHEDULES], n, child_build(), f->name);
    ck_assert_msg(c.status == 0, "%s, %s, %d PEs: status %d\n%s%s", f->name,
                  schedules[_i / SIZES % SCHEDULES], n, c.status, c.out, c.err);
    ck_assert_int_eq(count(c.out, "pass "), f->nprobes * n);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("shmem");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 240);
    tcase_add_loop_test(t, a_part_of_nvshmem_does_what_it_says, 0, RUNS);
    suite_add_tcase(s, t);
    return suite_run(s);
}
