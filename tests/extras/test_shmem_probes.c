/* NVSHMEM's functions on 2, 4 and 8 PEs; each probe checks itself, under every
 * schedule. */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "probe_run.h"
#include "suite.h"

/* Programs of tests/extras, and how many probes they have. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_shmem_rma", 13}, {"prog_shmem_signal", 8}, {"prog_shmem_stream", 6},
    {"prog_shmem_coll", 8}, {"prog_shmem_atomic", 5}, {"prog_shmem_more", 11},
};
static const char *const schedules[] = {"eager", "late", "random:1"};
static const int pes[] = {2, 4, 8};
/* Of 8 PEs, 4 on each of two nodes. */
static const char *const two_nodes = "SIMGPU_TOPO=4x:gh200@ndr";
enum {
    SCHEDULES = sizeof schedules / sizeof *schedules,
    SIZES = sizeof pes / sizeof *pes,
    FAMILIES = sizeof families / sizeof *families,
    RUNS = FAMILIES * SCHEDULES * SIZES
};

START_TEST(a_part_of_nvshmem_does_what_it_says)
{
    const struct family *const f = &families[_i / (SCHEDULES * SIZES)];
    const int n = pes[_i % SIZES];
    struct child c =
        child_run(120,
                  "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s mpirun -n %d "
                  "%s/tests/extras/%s < /dev/null",
                  schedules[_i / SIZES % SCHEDULES], n, child_build(), f->name);
    ck_assert_msg(c.status == 0, "%s, %s, %d PEs: status %d\n%s%s", f->name,
                  schedules[_i / SIZES % SCHEDULES], n, c.status, c.out, c.err);
    ck_assert_int_eq(probe_count(c.out, "pass "), f->nprobes * n);
    child_clear(&c);
}
END_TEST

START_TEST(it_does_so_across_nodes)
{
    const struct family *const f = &families[_i];
    struct child c = child_run(120,
                               "%s SIMGPU_CHECK=1 mpirun -n 8 "
                               "%s/tests/extras/%s < /dev/null",
                               two_nodes, child_build(), f->name);
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", f->name, c.status,
                  c.out, c.err);
    ck_assert_int_eq(probe_count(c.out, "pass "), f->nprobes * 8);
    child_clear(&c);
}
END_TEST

START_TEST(a_program_starts_in_several_ways)
{
    static const struct {
        const char *way, *says; /* says NULL: it works */
    } starts[] = {
        {"plain", NULL},
        {"mpi", NULL},
        {"id", NULL},
        {"ids", "has another unique id than PE 0"},
        {"never", "nvshmem_my_pe, at"},
    };
    const char *const says = starts[_i].says;
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 mpirun -n 3 "
                               "%s/tests/extras/prog_shmem_start %s < "
                               "/dev/null",
                               child_build(), starts[_i].way);
    ck_assert_msg(says ? c.status != 0 && strstr(c.err, says) != NULL
                       : c.status == 0 && probe_count(c.out, "right") == 3,
                  "%s: status %d\n%s%s", starts[_i].way, c.status, c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(modelled_time_does_not_depend_on_the_schedule)
{
    probe_times("mpirun -n 4",
                "extras/prog_shmem_signal put_with_signal_around_a_ring "
                "a_mailbox_that_is_handed_back signals_of_all_add_up",
                "nvshmem_barrier_all");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("shmem");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 240);
    tcase_add_loop_test(t, a_part_of_nvshmem_does_what_it_says, 0, RUNS);
    tcase_add_loop_test(t, it_does_so_across_nodes, 0, FAMILIES);
    tcase_add_loop_test(t, a_program_starts_in_several_ways, 0, 5);
    tcase_add_test(t, modelled_time_does_not_depend_on_the_schedule);
    suite_add_tcase(s, t);
    return suite_run(s);
}
