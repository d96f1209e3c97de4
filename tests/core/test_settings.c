/*
 * test_settings.c: what processes make of their environment, compared with
 * golden.txt
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdlib.h>   /* setenv */
#include <string.h>   /* strchr */
#include <sys/stat.h> /* mkdir */
#include <time.h>     /* clock_gettime */

#include "base/recorder.h"
#include "child.h"
#include "core/control.h"
#include "core/cores.h"
#include "core/declared.h"
#include "core/heap/dataless.h"
#include "core/report.h"
#include "core/schedule.h"
#include "core/thread.h"
#include "core/visible.h"
#include "golden.h"
#include "graph/replay/load.h"
#include "noted.h"
#include "ranks.h"
#include "suite.h"

static const char golden[] = "tests/core/golden.txt#settings";

/* ---- processes ----------------------------------------------------------- */

/* Set the variables of "A=1 B=2". */
static void set_all(const char *settings)
{
    char name[256];
    for (const char *at = settings; *at;) {
        const size_t n = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        char *const value = strchr(name, '=');
        *value = 0;
        setenv(name, value + 1, 1);
        at += n + (at[n] == ' ');
    }
}

/* Run body in a process with these settings and no others of a launcher. */
static int run(const char *settings, void (*body)(void), char *text,
               size_t nbytes)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        set_all(settings);
        body();
        exit(0);
    }
    close(ends[1]);
    return rank_end((struct rank){pid, ends[0]}, text, nbytes);
}

/* ---- what a process is --------------------------------------------------- */

static void shows_process(void)
{
    MUST(!simgpu_proc_started());
    const struct proc *const p = simgpu_proc();
    const struct control *const c = control_own();
    MUST(simgpu_proc_started() && simgpu_proc() == p);
    fprintf(stderr, "rank %u of %u, node %d, GPU %d of it, on %s\n", p->rank,
            p->nranks, p->node, p->local_rank, topo_name(p->topo));
    fprintf(stderr, "%d devices:", p->ndevices);
    for (int i = 0; i < p->ndevices; i++)
        fprintf(stderr, " %d", simgpu_proc_place(i));
    MUST(p->costs == topo_costs(p->topo));
    MUST(simgpu_proc_gpu(0) == topo_gpu(p->topo, p->place[0]));
    fprintf(stderr, ", host %d\n", simgpu_proc_place(-1));
    MUST(c->pid == getpid() && c->rank == p->rank && c->state == 1);
    MUST(c->active == 1 && c->graph_fd == graph_fd(p->graph));
    MUST(p->id.pid == c->pid && p->id.nonce == c->nonce && c->nonce);
    MUST(memcmp(c->place, p->place, sizeof c->place) == 0);
    for (int i = 0; i <= PROC_MAX_DEVICES; i++)
        MUST(c->heap_fd[i] == -1);
}

static void shows_schedule(void)
{
    simgpu_proc();
    fprintf(stderr, "late: %d, delays:", schedule_is_late());
    for (unsigned i = 0; i < 8; i++)
        fprintf(stderr, " %llu",
                (unsigned long long)schedule_delay_ns(i & 1, i / 2 & 1, i / 4));
    fputc('\n', stderr);
}

static void shows_cores(void)
{
    simgpu_proc();
    fprintf(stderr, "%d cores\n", cores_of_kernel());
}

static void shows_dataless(void)
{
    simgpu_proc();
    fprintf(stderr, "from %lld bytes on\n", (long long)dataless_limit());
    MUST(dataless(DATALESS_BLOCK) && !dataless(DATALESS_BLOCK - 1));
}

static void needs_data(void)
{
    simgpu_proc();
    simgpu_dataless_fault("cudaNeeds", 0, "it needs data");
}

static void records_calls(void)
{
    struct graph_segment *const g = simgpu_proc()->graph;
    const struct graph_node n = {.kind = GRAPH_KERNEL,
                                 .queue = 1,
                                 .name = graph_string(g, "kernel"),
                                 .site =
                                     graph_site(g, (char *)&needs_data + 1)};
    for (uint32_t i = 1; i <= 2; i++) {
        MUST(graph_add(g, &n, NULL, NULL, NULL) == i);
        graph_part(g, i, NULL, 0, 1);
        graph_amend(g, i, 2, NULL, 0, NULL, 0);
        graph_aside(g, i, 9, "aside", NULL, 0, 3);
        graph_part(g, i, NULL, 0, 1);
    }
    noted_print();
}

static const struct process {
    const char *settings;
    void (*body)(void);
} processes[] = {
    {"PMI_RANK= PMI_SIZE= SIMGPU_TOPO= SIMGPU_SCHEDULE= SIMGPU_CHECK=",
     shows_process},
    {"PMI_SIZE=65536 PMI_RANK=65535", shows_process},
    {"PMI_SIZE=16 PMI_RANK=9 SIMGPU_TOPO=2x-dgx-h100", shows_process},
    {"PMI_SIZE=18 PMI_RANK=17 SIMGPU_TOPO=2x-dgx-h100 CUDA_VISIBLE_DEVICES=3,1",
     shows_process},
    {"PMI_SIZE=65537 A=0", shows_process},
    {"PMI_SIZE=2 PMI_RANK=2", shows_process},
    {"PMI_RANK=1", shows_process},
    {"PMI_SIZE=-1", shows_process},
    {"PMI_SIZE=2x", shows_process},
    {"SIMGPU_TOPO=dgx-nothing", shows_process},
    {"SIMGPU_SCHEDULE=lazy", shows_process},
    {"SIMGPU_SCHEDULE=random:", shows_process},
    {"SIMGPU_SCHEDULE=random:7x", shows_process},
    {"SIMGPU_SCHEDULE=random7", shows_process},
    {"SIMGPU_CHECK=2", shows_process},
    {"SIMGPU_CHECK=0", shows_process},
    {"SIMGPU_CORES=", shows_process},
    {"SIMGPU_CORES=0", shows_process},
    {"SIMGPU_CORES=65", shows_process},
    {"SIMGPU_CORES=3x", shows_process},
    {"SIMGPU_CORES=1", shows_cores},
    {"SIMGPU_CORES=64", shows_cores},
    {"SIMGPU_GRAPH=/dev/null/x", shows_process},
    {"SIMGPU_GRAPH=", shows_process},
    {"SIMGPU_HANG_SEC=1e6", shows_process},
    {"SIMGPU_HANG_SEC=0", shows_process},
    {"SIMGPU_HANG_SEC=", shows_process},
    {"SIMGPU_HANG_SEC=1e7", shows_process},
    {"SIMGPU_HANG_SEC=-1", shows_process},
    {"SIMGPU_HANG_SEC=1s", shows_process},
    {"SIMGPU_HANG_SEC=s", shows_process},
    {"SIMGPU_HANG_SEC=nan", shows_process},
    {"SIMGPU_SCHEDULE=eager", shows_schedule},
    {"SIMGPU_SCHEDULE=late", shows_schedule},
    {"SIMGPU_SCHEDULE=random:7", shows_schedule},
    {"SIMGPU_SCHEDULE=random:0x10", shows_schedule},
    {"SIMGPU_DATALESS=", shows_dataless},
    {"SIMGPU_DATALESS=off", shows_dataless},
    {"SIMGPU_DATALESS=on", shows_dataless},
    {"SIMGPU_DATALESS=3K", shows_dataless},
    {"SIMGPU_DATALESS=much", shows_dataless},
    {"SIMGPU_DATALESS=4", needs_data},
    {"SIMGPU_RECORD=off", records_calls},
    {"SIMGPU_RECORD=on", records_calls},
};

START_TEST(a_process_is_what_its_settings_say)
{
    char text[8192];
    const struct process *const p = &processes[_i];
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    unsetenv("PMI_FD");
    const int status = run(p->settings, p->body, text, sizeof text);
    const size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "status %d\n", status);
    golden_expect_part(golden, p->settings, text);
}
END_TEST

static double now_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* So that mpirun's proxy can pass on what the others have printed. */
START_TEST(a_rank_with_a_bad_setting_stays_a_while)
{
    char text[1024];
    const double begun = now_sec();
    ck_assert_int_eq(run("PMI_FD=9 PMI_SIZE=2 PMI_RANK=0 SIMGPU_CHECK=2",
                         shows_process, text, sizeof text),
                     PROC_EXIT_FAULT);
    ck_assert_double_ge(now_sec() - begun, 1e-6 * REPORT_GRACE_US);
}
END_TEST

/* ---- a folder for the graph ---------------------------------------------- */

START_TEST(a_graph_is_saved_with_the_machine)
{
    char dir[CHILD_FOLDER], settings[2 * CHILD_FOLDER], text[1024], err[256];
    child_folder(dir, "settings");
    snprintf(settings, sizeof settings,
             "SIMGPU_GRAPH=%s SIMGPU_TOPO=2x-dgx-h100", dir);
    ck_assert_int_eq(run(settings, shows_process, text, sizeof text), 0);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    ck_assert_str_eq(g->machine, "2x-dgx-h100");
    graph_free(g);
    child_remove(dir);
}
END_TEST

/* A folder in the place of the recorder's socket. */
START_TEST(a_recorder_must_be_joined)
{
    char dir[CHILD_FOLDER], settings[2 * CHILD_FOLDER], text[1024];
    char path[2 * CHILD_FOLDER];
    child_folder(dir, "settings");
    snprintf(path, sizeof path, "%s/%s", dir, RECORDER_NAME);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(settings, sizeof settings, "SIMGPU_GRAPH=%s", dir);
    ck_assert_int_eq(run(settings, shows_process, text, sizeof text),
                     PROC_EXIT_FAULT);
    ck_assert_str_eq(text, "simgpu: cannot make the execution graph: "
                           "Connection refused\n");
    child_remove(dir);
}
END_TEST

/* ---- cores --------------------------------------------------------------- */

/* Without a setting: at least 1, and no more than this rank's share. */
static void counts_cores(void)
{
    const int n = cores_of_kernel();
    MUST(n == 1); // of more ranks than there are cores
}

START_TEST(a_rank_uses_its_share_of_the_cores)
{
    char text[1024];
    const int status =
        run("PMI_SIZE=60000 PMI_RANK=1", counts_cores, text, sizeof text);
    ck_assert_msg(status == 0, "%s", text);
}
END_TEST

/* ---- visible devices ----------------------------------------------------- */

/* Of the GPUs 8 to 15: UUID stands for the name of GPU 10. */
static const char *const lists[] = {
    "",      "2,0",      " 2,\t 0",         "2 ,0",     "7",       "8",
    "-1",    "3,8,1",    "3,none",          "0,0",      "1,2,1",   "GPU-",
    "UUID",  "1,UUID,0", "1, UUID",         "1,\tUUID", "GPU-0,1", "gpu-UUID",
    "UUIDx", "2,UUID",   "0,1,2,3,4,5,6,7", ",",        "1,",      "GPU",
};

/* The list with the first `length` letters of the name for UUID. */
static void put_name(const char *list, const char *name, int length, char *out)
{
    const char *const at = strstr(list, "UUID");
    if (!at)
        strcpy(out, list);
    else
        sprintf(out, "%.*s%.*s%s", (int)(at - list), list, length,
                name + (at > list && at[-1] == '-' ? 4 : 0), at + 4);
}

static void show_list(const char *list, const char *shown)
{
    int32_t place[8];
    const int n = visible_devices(list, 8, 8, place);
    fprintf(stderr, "%s: %d of", shown, n);
    for (int i = 0; i < 8; i++)
        fprintf(stderr, " %d", place[i]);
    fputc('\n', stderr);
}

static void shows_lists(void)
{
    unsigned char uuid[GPU_NAME_UUID];
    char name[GPU_NAME_UUID_TEXT], list[256];
    for (int32_t place = 0; place < 3; place++) {
        visible_uuid(place, uuid);
        gpu_name_uuid(uuid, name);
        fprintf(stderr, "%s\n", name);
    }
    visible_uuid(10, uuid);
    gpu_name_uuid(uuid, name);
    show_list(NULL, "none");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int whole = !strstr(lists[i], "UUID"); whole < 2; whole++) {
            put_name(lists[i], name, whole ? (int)strlen(name) : 12, list);
            show_list(list, lists[i]);
        }
}

START_TEST(visible_devices_come_first)
{
    char text[8192];
    ck_assert_int_eq(run("A=0", shows_lists, text, sizeof text), 0);
    golden_expect_part(golden, "visible devices", text);
}
END_TEST

/* ---- declared costs ------------------------------------------------------ */

static void shows_cost(void)
{
    struct declared d = {.flops = -1, .nbytes = -1};
    const int known = declared_cost(&d);
    fprintf(stderr, known ? "%g flops of math %d, %g bytes\n" : "none\n",
            d.flops, (int)d.math, d.nbytes);
}

static const char *range_name;

static void enters_range(void)
{
    simgpu_proc();
    shows_cost();
    declared_enter(range_name);
    shows_cost();
    declared_leave();
    shows_cost();
}

static const char *const ranges[] = {
    "cost: 2e9 flops, 8e6 bytes",
    "cost: 0 flops, 0 bytes",
    "cost: 2 fp32 flops, 1 bytes",
    "cost: 2 tf32 flops, 1 bytes",
    "cost: 2 fp16 flops, 1 bytes",
    "cost: 2 bf16 flops, 1 bytes",
    "cost: 2 fp64 flops, 1 bytes",
    "cost: 2 fp8 flops, 1 bytes",
    "cost: 9.9e29 flops, 9.9e17 bytes",
    "costs nothing",
    "cost",
    "cost:",
    "cost: 1 flops",
    "cost: 1 flops, 2 bytes more",
    "cost: 1 fp16 flops, 2 bytes more",
    "cost: 1 fp4 flops, 2 bytes",
    "cost: 1 fp320 flops, 2 bytes",
    "cost: -1 flops, 2 bytes",
    "cost: 1 flops, -2 bytes",
    "cost: 1e30 flops, 2 bytes",
    "cost: 1 flops, 1e18 bytes",
    "cost: nan flops, 2 bytes",
};

START_TEST(a_range_declares_a_cost)
{
    char text[1024];
    range_name = ranges[_i];
    run("A=0", enters_range, text, sizeof text);
    golden_expect_part(golden, range_name, text);
}
END_TEST

/* 64 ranges are known; those inside have the cost of the 64th. */
static void nests_ranges(void)
{
    enum { DEEPEST = 64, DEPTH = DEEPEST + 3 };
    char name[64];
    struct declared d;
    simgpu_proc();
    declared_leave(); // there is none
    declared_enter(NULL);
    declared_enter("another");
    MUST(!declared_cost(&d));
    declared_leave();
    declared_leave();
    for (int i = 1; i <= DEPTH; i++) {
        snprintf(name, sizeof name, "cost: %d flops, 1 bytes", i);
        declared_enter(i % 2 ? name : "not a cost");
    }
    for (int i = DEPTH; i > 0; i--) {
        MUST(declared_cost(&d));
        MUST(d.flops == (i >= DEEPEST ? DEEPEST - 1 : i - (i % 2 == 0)));
        declared_leave();
    }
    MUST(!declared_cost(&d));
    declared_leave();
    declared_enter("cost: 5 flops, 1 bytes");
    MUST(declared_cost(&d) && d.flops == 5);
}

START_TEST(the_innermost_cost_counts)
{
    char text[1024];
    const int status = run("A=0", nests_ranges, text, sizeof text);
    ck_assert_msg(status == 0, "%s", text);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("settings");
    TCase *const t = tcase_create("settings");
    SUITE_LOOP(t, a_process_is_what_its_settings_say, processes);
    tcase_add_test(t, a_rank_with_a_bad_setting_stays_a_while);
    tcase_add_test(t, a_graph_is_saved_with_the_machine);
    tcase_add_test(t, a_recorder_must_be_joined);
    tcase_add_test(t, a_rank_uses_its_share_of_the_cores);
    SUITE_LOOP(t, a_range_declares_a_cost, ranges);
    tcase_add_test(t, the_innermost_cost_counts);
    tcase_add_test(t, visible_devices_come_first);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
