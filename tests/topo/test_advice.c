/*
 * What commgraph fit says of rows that don't fit: three tables of the model
 * itself, of which the last has rows that are slow, fast or wrong.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "machine.h"
#include "suite.h"
#include "topo/machine.h"

enum { RANKS = 8, SIZES = 21 }; /* 1 KiB to 1 GiB */

static char dir[CHILD_FOLDER];

static double model_us(const struct topo *t, uint64_t nbytes)
{
    static const int32_t place[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};
    char err[400] = "";
    struct topo_coll c;
    ck_assert_msg(topo_collective(t, TOPO_OP_ALLREDUCE, place, RANKS, nbytes,
                                  TOPO_ANY, TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const double us = (double)c.time_ps * 1e-6;
    topo_coll_release(&c);
    return us;
}

/* A table as nccl-tests prints it. Each size's letter: s slow, f fast, w with
 * wrong results. */
static void write_table(const struct topo *t, const char *name,
                        const char *rows)
{
    char path[CHILD_FOLDER + 40];
    snprintf(path, sizeof path, "%s/%s.8.all_reduce.txt", dir, name);
    FILE *const f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "# size count type redop root time algbw busbw #wrong time "
               "algbw busbw #wrong\n");
    for (int i = 0; i < SIZES; i++) {
        const uint64_t nbytes = UINT64_C(1024) << i;
        const double by = rows[i] == 's' ? 1.6 : rows[i] == 'f' ? 1 / 1.6 : 1;
        fprintf(f, " %lu %lu float sum -1 %.4f 0 0 %d N/A N/A N/A N/A\n",
                (unsigned long)nbytes, (unsigned long)nbytes / 4,
                by * model_us(t, nbytes), rows[i] == 'w');
    }
    fclose(f);
}

#define CLEAN "....................."

/* Sizes up to 64 KiB are small, those from 1 MiB on are large. */
static const struct advice {
    const char *rows, *says, *without;
} advices[] = {
    {CLEAN, "All rows fit.", "usually means"},
    {"..........ssssss.....", "large sizes take 1.60 times", "single row"},
    {"..........sssss......", "5 single rows slow", "large sizes take"},
    {"ssss.................", "small sizes are slow", "single row"},
    {"sss..................", "3 single rows slow", "small sizes are slow"},
    {"sss..........sss.....", "6 single rows slow", "sizes are slow"},
    {"............s........", "1 single row slow", "faster than fitted"},
    {"............f........", "1 row faster than fitted", "single row"},
    {"..s..f......f........", "2 rows faster than fitted", "sizes are slow"},
    {"............w........", "wrong results in 1 row (left out)", "All rows"},
    {"...w........w........", "wrong results in 2 rows (left out)", "slow"},
};

START_TEST(rows_that_do_not_fit_are_explained)
{
    const struct advice *const a = &advices[_i];
    struct topo *const t = machine_load("dgx-a100");
    ck_assert_uint_eq(strlen(a->rows), SIZES);
    child_folder(dir, "advice");
    write_table(t, "a", CLEAN);
    write_table(t, "b", CLEAN);
    write_table(t, "c", a->rows);
    struct child c =
        child_run(60, "cd %s && %s/commgraph fit --topo dgx-a100 a.* b.* c.*",
                  dir, child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, a->says) &&
                      !strstr(c.out, a->without),
                  "%s: \"%s\", not \"%s\"\n%s%s", a->rows, a->says, a->without,
                  c.out, c.err);
    child_clear(&c);
    child_remove(dir);
    topo_free(t);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("advice");
    TCase *const t = tcase_create("advice");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, rows_that_do_not_fit_are_explained, 0,
                        sizeof advices / sizeof *advices);
    suite_add_tcase(s, t);
    return suite_run(s);
}
