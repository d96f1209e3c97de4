/*
 * Lab 6: the solution earns everything on each of the machines that its cases
 * name, and what it measures is what people measured on such machines.
 *
 * COMMLAB_SEEDS=1000 (the default) says on how many shuffled and sick machines
 * of each kind the inference is tried; whole programs run on a few.
 */
#include <check.h>
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

enum { GPUS = 8 };

/* ---- the cases, on their machines ---------------------------------------- */

static const char *const machines[] = {
    "a100-cubemesh",    "pcie-4090",
    "dgx-1v",           "dgx-a100",
    "dgx-h100",         "2x-dgx-h100",
    "sick:me:dgx-a100", "shuffled:me:a100-cubemesh",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void expect_points(const char *program, const char *machine,
                          const char *more, int full)
{
    struct child c = child_run(240, "%s SIMGPU_TOPO=%s mpirun -n 1 %s/%s", more,
                               machine, child_build(), program);
    const char *const total = strstr(c.out, "\ntotal ");
    double points = -1, of = 0;
    if (total)
        sscanf(total, " total %lf of %lf points", &points, &of);
    ck_assert_msg(c.status == !full && of > 0 && points == (full ? of : 0),
                  "%s on %s %s: status %d\n%s%s", program, machine, more,
                  c.status, c.out, c.err);
    child_clear(&c);
}

START_TEST(the_solution_is_full_on_each_machine)
{
    expect_points("solutions/lab6", machines[_i], "", 1);
}
END_TEST

START_TEST(the_skeleton_scores_nothing_on_each_machine)
{
    expect_points("lab6", machines[_i], "", 0);
}
END_TEST

static const char *const students[] = {"ada", "grace", "17", "x.y@z"};

START_TEST(every_student_has_a_machine_that_can_be_inferred)
{
    char student[64];
    snprintf(student, sizeof student, "COMMLAB_STUDENT=%s", students[_i]);
    expect_points("solutions/lab6 --case my-machine,my-ring",
                  "shuffled:me:a100-cubemesh", student, 1);
    expect_points("solutions/lab6 --case sick-switched", "sick:me:dgx-a100",
                  student, 1);
}
END_TEST

/* In the sandbox and where it is judged, the machine is the student's. */
START_TEST(the_grader_grades_on_the_students_own_machine)
{
    struct child c =
        child_run(300,
                  "%s/grade run --lab lab6 --student %s --case my-machine "
                  "%s/solutions/lab6-peer-bandwidth",
                  child_build(), students[_i], labtest_root());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- inference, on many machines ----------------------------------------- */

static const char *const known[] = {"a100-cubemesh", "dgx-1v", "pcie-4090",
                                    "dgx-a100", "dgx-h100"};

START_TEST(links_order_ring_and_sick_cable_are_found_on_any_seed)
{
    const char *const seeds = getenv("COMMLAB_SEEDS");
    const int n = seeds ? atoi(seeds) : 1000;
    char want[200];
    snprintf(want, sizeof want,
             "of %d machines %d named right, %d rings the best, %d sick cables "
             "found; 0 accused",
             n, n, n, n);
    struct child c = child_run(600, "%s/tests/labs/prog_lab6 %s 0 %d",
                               child_build(), known[_i], n);
    ck_assert_msg(c.status == 0 && strstr(c.out, want), "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- the sweep ----------------------------------------------------------- */

struct range { /* as published: for all pairs, or for pairs with a link */
    double least, most;
};

static void expect_in(const char *what, int a, int b, double got,
                      struct range r)
{
    ck_assert_msg(got >= .95 * r.least && got <= 1.05 * r.most,
                  "%s, GPU %d to %d: %.2f; %.2f to %.2f were measured", what, a,
                  b, got, r.least, r.most);
}

/* A matrix that the sweep printed under this title. */
static void read_matrix(const char *out, const char *title,
                        double m[GPUS][GPUS])
{
    const char *at = strstr(out, title);
    ck_assert_msg(at != NULL, "no \"%s\" in\n%s", title, out);
    at = strchr(strchr(at, '\n') + 1, '\n') + 1; // behind the head line
    for (int a = 0; a < GPUS; a++) {
        char *end;
        ck_assert_int_eq(strtol(at, &end, 10), a);
        for (int b = 0; b < GPUS; b++) {
            m[a][b] = a == b ? 0 : strtod(end, &end);
            end += a == b ? (long)strspn(end, " ") + 1 : 0;
        }
        at = strchr(end, '\n') + 1;
    }
}

static struct child sweep(const char *machine)
{
    struct child c = child_run(300,
                               "SIMGPU_TOPO=%s mpirun -n 1 %s/solutions/lab6 "
                               "--topology-sweep --size-mb 256 --iterations 3 "
                               "--warmup 1",
                               machine, child_build());
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", machine, c.status,
                  c.out, c.err);
    return c;
}

static const struct {
    const char *machine, *row; /* of p2p-GBps.csv */
    int socket;                /* GPUs under one CPU: 0: all alike */
} published[] = {
    {"dgx-a100", "8xA100-nvswitch", 0},
    {"dgx-h100", "8xH100-nvswitch", 0},
    {"2x-dgx-h100", "8xH100-nvswitch", 0},
    {"pcie-4090", "8x4090-pcie4-p2p-same-socket", 4},
};

static void read_published(const char *row, struct range r[4])
{
    char path[4200], line[256];
    snprintf(path, sizeof path, "%s/tests/topo/measured/p2p-GBps.csv",
             labtest_root());
    FILE *const f = fopen(path, "r");
    ck_assert(f != NULL);
    int found = 0;
    while (!found && fgets(line, sizeof line, f))
        found = strncmp(line, row, strlen(row)) == 0 &&
                sscanf(line + strlen(row), ",%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                       &r[0].least, &r[0].most, &r[1].least, &r[1].most,
                       &r[2].least, &r[2].most, &r[3].least, &r[3].most) == 8;
    fclose(f);
    ck_assert_msg(found, "%s has no row %s", path, row);
}

START_TEST(the_sweep_shows_what_was_measured_on_such_machines)
{
    static const char *const titles[4] = {
        "P2P on, one way", "P2P on, both ways", "P2P off, one way",
        "P2P on, latency"};
    struct range near[4], far[4];
    struct child c = sweep(published[_i].machine);
    read_published(published[_i].row, near);
    read_published(published[_i].socket ? "8x4090-pcie4-p2p-cross-socket"
                                        : published[_i].row,
                   far);
    for (int k = 0; k < 4; k++) {
        double m[GPUS][GPUS];
        read_matrix(c.out, titles[k], m);
        for (int a = 0; a < GPUS; a++)
            for (int b = 0; b < GPUS; b++) {
                const int s = published[_i].socket;
                const struct range *const r = s && a / s != b / s ? far : near;
                if (a != b)
                    expect_in(titles[k], a, b, m[a][b], r[k]);
            }
    }
    child_clear(&c);
}
END_TEST

/* Puzzler 1's machine, as it was published: links, one way, both ways. */
static const char *const cube_mesh[GPUS] = {"X4002204",
                                            "4X004220",
                                            "00X40422",
                                            "004X2042",
                                            "2402X400",
                                            "22404X00",
                                            "022400X4",
                                            "402200"
                                            "4X"};

START_TEST(the_sweep_shows_the_published_cube_mesh)
{
    double on[GPUS][GPUS], both[GPUS][GPUS], off[GPUS][GPUS], us[GPUS][GPUS];
    double us_off[GPUS][GPUS];
    struct child c = sweep("a100-cubemesh");
    read_matrix(c.out, "P2P on, one way", on);
    read_matrix(c.out, "P2P on, both ways", both);
    read_matrix(c.out, "P2P off, one way", off);
    read_matrix(c.out, "P2P on, latency", us);
    read_matrix(c.out, "P2P off, latency", us_off);
    for (int a = 0; a < GPUS; a++)
        for (int b = 0; b < GPUS; b++) {
            const int links = cube_mesh[a][b] - '0';
            const int far = (a / 2 % 2) != (b / 2 % 2); // 0 1 4 5 | 2 3 6 7
            if (a == b)
                continue;
            const double one = links == 4 ? 93.3 : links == 2 ? 46.9 : 7.5;
            const double two = links == 4 ? 185 : links == 2 ? 93 : 14.7;
            const double host = far ? 10.8 : 9.5;
            expect_in("one way", a, b, on[a][b], (struct range){one, one});
            expect_in("both ways", a, b, both[a][b], (struct range){two, two});
            expect_in("P2P off", a, b, off[a][b], (struct range){host, host});
            expect_in("latency", a, b, us[a][b], (struct range){2.4, 2.9});
            expect_in("latency off", a, b, us_off[a][b],
                      (struct range){21, 23.5});
        }
    child_clear(&c);
}
END_TEST

/* cubemesh-8xV100-links.csv: how many NVLinks; 24 GB/s for one, 48 for two. */
START_TEST(the_sweep_shows_the_measured_links_of_a_dgx_1v)
{
    char path[4200];
    double on[GPUS][GPUS];
    int a, b, links, found = 0;
    struct child c = sweep("dgx-1v");
    read_matrix(c.out, "P2P on, one way", on);
    snprintf(path, sizeof path,
             "%s/tests/topo/measured/cubemesh-8xV100-links.csv",
             labtest_root());
    FILE *const f = fopen(path, "r");
    ck_assert(f != NULL && fscanf(f, "gpu_a,gpu_b,nvlinks\n") == 0);
    while (fscanf(f, "%d,%d,%d\n", &a, &b, &links) == 3) {
        expect_in("one way", a, b, on[a][b],
                  (struct range){24 * links, 24 * links});
        found++;
    }
    fclose(f);
    ck_assert_int_eq(found, 16);
    child_clear(&c);
}
END_TEST

START_TEST(a_wrong_option_of_the_sweep_is_a_usage_error)
{
    struct child c = child_run(60,
                               "mpirun -n 1 %s/solutions/lab6 --topology-sweep "
                               "--size-mb many",
                               child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, "--size-mb many: not a number from 1") != NULL,
                  "%s", c.err);
    child_clear(&c);
    c = child_run(60,
                  "mpirun -n 1 %s/solutions/lab6 --topology-sweep "
                  "--sizes-mb 1,,4",
                  child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, "--sizes-mb 1,,4: not at most 16 numbers") !=
                      NULL,
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_sweep_takes_several_sizes_and_writes_csv)
{
    struct child c = child_run(
        240,
        "f=$(mktemp) && SIMGPU_TOPO=gh200 mpirun -n 1 %s/solutions/lab6 "
        "--topology-sweep --sizes-mb=1,16 --iterations=1 --warmup 0 --output "
        "$f > $f.out && grep -c '^all-reduce' $f.out && wc -l < $f && "
        "grep '^16,on,one-way,0,1,' $f; rm -f $f $f.out",
        child_build());
    int reduces, lines;
    double ms, GBps;
    ck_assert_int_eq(c.status, 0);
    // four GPUs have 12 pairs: one way, both ways and latency, P2P on and off
    ck_assert_msg(sscanf(c.out, "%d %d 16,on,one-way,0,1,%lf,%lf", &reduces,
                         &lines, &ms, &GBps) == 4 &&
                      reduces == 2 && lines == 1 + 2 * 12 * 6 &&
                      GBps > .99 * 16 / ms && GBps < 1.01 * 16 / ms,
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- near and far memory ------------------------------------------------- */

/* GB/s in place, of a copy, and of a copy and a read; reads that pay, 0: never.
 * Within 5 %: of what the model gives a path, and a kernel's start is in it. */
static const struct {
    const char *machine;
    double GBps[4][3];
    int pays[4];
} placements[] = {
    {"dgx-h100",
     {{2537, 1456, 925},
      {246, 374, 326},
      {54.8, 54.9, 53.8},
      {45.6, 45.7, 44.9}},
     {0, 1, 2, 2}},
    {"pcie-4090",
     {{859, 450, 295},
      {26.2, 25.5, 24.8},
      {26.2, 26.2, 25.4},
      {21.8, 21.8, 21.3}},
     {0, 2, 2, 2}},
    {"gh200",
     {{2939, 1727, 1088}, {83, 126, 121}, {329, 333, 299}, {49.7, 49.8, 49}},
     {0, 1, 2, 2}},
};

START_TEST(each_memory_has_the_rate_of_its_machine)
{
    char csv[64] = "/tmp/lab6-placement-XXXXXX", line[200], name[20];
    const int fd = mkstemp(csv);
    ck_assert_int_ge(fd, 0);
    struct child c = child_run(300,
                               "SIMGPU_TOPO=%s mpirun -n 1 %s/solutions/lab6 "
                               "--placement --output %s --svg=%s.svg",
                               placements[_i].machine, child_build(), csv, csv);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    FILE *const f = fdopen(fd, "r");
    ck_assert(f && fgets(line, sizeof line, f));
    for (int m = 0; m < 4; m++) {
        double got[3];
        int pays;
        ck_assert(fgets(line, sizeof line, f) &&
                  sscanf(line, "%19[^,],%lf,%lf,%lf,%d", name, &got[0], &got[1],
                         &got[2], &pays) == 5);
        for (int k = 0; k < 3; k++) {
            const double want = placements[_i].GBps[m][k];
            ck_assert_msg(got[k] > .95 * want && got[k] < 1.05 * want,
                          "%s: %s: %g in column %d, should be %g",
                          placements[_i].machine, name, got[k], k, want);
        }
        ck_assert_int_eq(pays, placements[_i].pays[m]);
    }
    fclose(f);
    child_clear(&c);
    c = child_run(60, "grep -c '<rect' %s.svg; rm %s.svg %s", csv, csv, csv);
    ck_assert_int_eq(atoi(c.out), 1 + 2 * 4); // the ground, two bars each
    child_clear(&c);
}
END_TEST

START_TEST(a_wrong_option_of_the_placement_is_a_usage_error)
{
    static const char *const wrong[][2] = {
        {"--gpu 9", "--gpu: there is no such GPU"},
        {"--size-mb 0", "--size-mb 0: not a number from 1 to 1024"},
        {"--size 4", "--size: not an option"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct child c =
            child_run(60, "mpirun -n 1 %s/solutions/lab6 --placement %s",
                      child_build(), wrong[i][0]);
        ck_assert_int_eq(c.status, 2);
        ck_assert_msg(strstr(c.err, wrong[i][1]) != NULL, "%s", c.err);
        child_clear(&c);
    }
}
END_TEST

START_TEST(one_gpu_has_no_peers)
{
    struct child c = child_run(60,
                               "SIMGPU_TOPO=%s/tests/labs/one-gpu.xml mpirun "
                               "-n 1 %s/solutions/lab6",
                               labtest_root(), child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, "needs 2 GPUs in a node, but this one has 1") !=
                      NULL,
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_loop_test(t, the_solution_is_full_on_each_machine, 0, MACHINES);
    tcase_add_loop_test(t, the_skeleton_scores_nothing_on_each_machine, 0,
                        MACHINES);
    tcase_add_loop_test(t, every_student_has_a_machine_that_can_be_inferred, 0,
                        sizeof students / sizeof *students);
    tcase_add_loop_test(t,
                        links_order_ring_and_sick_cable_are_found_on_any_seed,
                        0, sizeof known / sizeof *known);
    tcase_add_loop_test(t, the_sweep_shows_what_was_measured_on_such_machines,
                        0, sizeof published / sizeof *published);
    tcase_add_loop_test(t, the_grader_grades_on_the_students_own_machine, 0, 2);
    tcase_add_test(t, the_sweep_shows_the_published_cube_mesh);
    tcase_add_test(t, the_sweep_shows_the_measured_links_of_a_dgx_1v);
    tcase_add_loop_test(t, each_memory_has_the_rate_of_its_machine, 0,
                        sizeof placements / sizeof *placements);
    tcase_add_test(t, a_wrong_option_of_the_placement_is_a_usage_error);
    tcase_add_test(t, one_gpu_has_no_peers);
    tcase_add_test(t, the_sweep_takes_several_sizes_and_writes_csv);
    tcase_add_test(t, a_wrong_option_of_the_sweep_is_a_usage_error);
}

int main(void)
{
    static const int ranks[] = {1, 8, 0};
    static const struct labtest lab6 = {
        .lab = "lab6-peer-bandwidth", .ranks = ranks, .nmutants = 6};
    return labtest_main(&lab6, own_tests);
}
