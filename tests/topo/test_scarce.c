/*
 * Reading tables, fitting, drawing and loading networks report it when memory
 * runs out, at any allocation: no crash, no partial result.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "scarce.h"
#include "suite.h"
#include "topo/drawing.h"
#include "topo/fit/fit.h"
#include "topo/fit/leastsq.h"

static char err[512];
static struct topo *machine;
static struct nccltests tables;

/* The result of run(): an error needs a reason. */
static int reported(int failed)
{
    const int has_reason = err[0] != 0;
    err[0] = 0;
    return failed && has_reason ? -1 : 0;
}

#define RANK(r, group, host)                                                   \
    "#  Rank  " #r " Group  " #group " Pid  11 on " host                       \
    " device  0 [0000:07:00] NVIDIA\n"
#define HEAD "#  size  count  type  redop  root  time  algbw  busbw #wrong\n"
#define ROW(size)                                                              \
    "  " #size "  256  float  sum  -1  9  .1  .1  0  8  .1  .1  0\n"

static const char text[] = RANK(0, 0, "a") RANK(1, 0, "b") HEAD ROW(8) ROW(16)
    ROW(32) "# nThread 1 nGpus 1\n" RANK(0, 0, "a") RANK(1, 0, "b") HEAD ROW(8)
        HEAD ROW(16) HEAD ROW(64);

static int partial; /* Check allocates: run() must not ask it */

static int read_tables(void)
{
    FILE *const f = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
    struct nccltests all = {0};
    if (!f)
        return -1;
    const int result =
        nccltests_read(&all, f, "all_reduce.log", err, sizeof err);
    partial |= result == 0 && all.n != 4;
    nccltests_release(&all);
    fclose(f);
    return reported(result != 0);
}

START_TEST(tables_are_read_whole_or_not)
{
    scarce_each(read_tables, 50);
    ck_assert(!partial);
}
END_TEST

static int load_network(void)
{
    struct topo *const t = topo_load("2x:dgx-a100@roce", err, sizeof err);
    topo_free(t);
    return reported(t == NULL);
}

START_TEST(networks_are_loaded_whole_or_not)
{
    scarce_each(load_network, 1000);
}
END_TEST

static int draw(void)
{
    struct drawing d;
    const int result = drawing_init(&d, machine);
    drawing_release(&d);
    return result;
}

START_TEST(machines_are_drawn_whole_or_not)
{
    machine = machine_load("2x:dgx-a100@roce,fat-tree:2");
    scarce_each(draw, 100);
    topo_free(machine);
}
END_TEST

static int message(void)
{
    struct topo_coll c;
    // a copy of its own, or the second call would find the first one's shapes
    struct topo *const t = topo_load("a100-cubemesh", err, sizeof err);
    const int result =
        t ? topo_message(t, 0, 1, 1 << 20, &c, err, sizeof err) : -1;
    if (result == 0)
        topo_coll_release(&c);
    topo_free(t);
    return reported(result != 0);
}

START_TEST(messages_cost_what_they_do_or_nothing)
{
    scarce_each(message, 1000);
}
END_TEST

static int collective(void)
{
    static const int32_t place[] = {0, 1, 8, 9};
    struct topo_coll c;
    struct topo *const t =
        topo_load("2x:dgx-h100@efa,fat-tree:2", err, sizeof err);
    int result = t ? 0 : -1;
    for (int op = 1; op < TOPO_OPS && result == 0; op++)
        if (op != TOPO_OP_BARRIER) {
            result = topo_collective(t, (enum topo_op)op, place, 4, 1 << 20,
                                     TOPO_ANY, TOPO_ANY, &c, err, sizeof err);
            topo_coll_release(&c);
        }
    topo_free(t);
    return reported(result != 0);
}

START_TEST(collectives_cost_what_they_do_or_nothing)
{
    scarce_each(collective, 1000);
}
END_TEST

static int begin_fit(void)
{
    struct fit f;
    char name[100];
    int result =
        fit_machine("dgx-a100", &tables, name, sizeof name, err, sizeof err);
    if (result == 0)
        result = fit_init(&f, "2x:dgx-a100", &tables, err, sizeof err);
    if (result == 0)
        fit_release(&f);
    return reported(result != 0);
}

START_TEST(fits_begin_whole_or_not)
{
    FILE *const f = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
    ck_assert_int_eq(
        nccltests_read(&tables, f, "all_reduce.log", err, sizeof err), 0);
    fclose(f);
    scarce_each(begin_fit, 1000);
    nccltests_release(&tables);
}
END_TEST

static int residuals(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = r[1] = 1 - x[0];
    return 0;
}

static int solve(void)
{
    const double lo[] = {-5}, hi[] = {5};
    double x[] = {0};
    return leastsq_solve(&(struct leastsq){.n = 1,
                                           .m = 2,
                                           .lo = lo,
                                           .hi = hi,
                                           .scale = 1,
                                           .residuals = residuals},
                         x);
}

START_TEST(least_squares_need_their_memory)
{
    scarce_each(solve, 10);
}
END_TEST

/* Check needs memory, too, so the test tells by its exit. */
enum { AS_EXPECTED = 3 };

START_TEST(a_fit_needs_its_memory)
{
    struct fit f = {.nrows = 1};
    scarce_none();
    if (fit_run(&f, err, sizeof err) == -1 && strcmp(err, "no memory") == 0)
        _exit(AS_EXPECTED);
}
END_TEST

/* A machine that goes away in between stands for all that fails in a fit. */
START_TEST(a_fit_whose_machine_is_gone_says_so)
{
    struct fit f;
    FILE *const file = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
    ck_assert_int_eq(
        nccltests_read(&tables, file, "all_reduce.log", err, sizeof err), 0);
    fclose(file);
    ck_assert_int_eq(fit_init(&f, "2x:dgx-a100", &tables, err, sizeof err), 0);
    f.machine = "gone";
    ck_assert_int_eq(fit_run(&f, err, sizeof err), -1);
    ck_assert_ptr_nonnull(strstr(err, "there is no machine \"gone\""));
    fit_release(&f);
    nccltests_release(&tables);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: scarce");
    TCase *const t = tcase_create("scarce");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, tables_are_read_whole_or_not);
    tcase_add_test(t, networks_are_loaded_whole_or_not);
    tcase_add_test(t, machines_are_drawn_whole_or_not);
    tcase_add_test(t, messages_cost_what_they_do_or_nothing);
    tcase_add_test(t, collectives_cost_what_they_do_or_nothing);
    tcase_add_test(t, fits_begin_whole_or_not);
    tcase_add_test(t, least_squares_need_their_memory);
    tcase_add_exit_test(t, a_fit_needs_its_memory, AS_EXPECTED);
    tcase_add_test(t, a_fit_whose_machine_is_gone_says_so);
    suite_add_tcase(s, t);
    return suite_run(s);
}
