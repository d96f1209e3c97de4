/*
 * The runner, from outside: which cases it runs, how it ends after anything
 * that student code may do, and what it prints. prog_runner has a kind of case
 * for each behaviour; this test writes the plan.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>  /* json_loads */
#include <sched.h>    /* sched_setaffinity */
#include <signal.h>   /* kill */
#include <stdio.h>    /* fopen */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strstr */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* fork */

#include "child.h"
#include "suite.h"

enum { RUN_SEC = 200 };

/* ---- a plan -------------------------------------------------------------- */

static char plans[40]; /* its folder; bare/ has the plan without times */

static void write_plan(const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", plans, file);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

#define TIMED ", timed: 1, ranks: [2]"
static const struct {
    const char *name, *kind, *more;
} cases[] = {
    {"fine", "fine", ""},
    {"fine-too", "fine", ""},
    {"hole", "hole", ""},
    {"hole-behind-work", "hole-behind-work", ""},
    {"hole-on-others", "hole-on-others", ""},
    {"hole-others-wait-for", "hole-others-wait-for", ""},
    {"hole-in-group", "hole-in-group", ""},
    {"error", "error", ""},
    {"timed", "fine", TIMED},
    {"slow", "fine", TIMED},
    {"hopeless", "fine", TIMED},
    {"too-fast", "fine", TIMED ", with: {limit: 1000000}"},
    {"elsewhere", "fine", TIMED ", topo: dgx-a100"},
    {"only-there", "fine", ", topo: pcie-4090"},
    {"own-gpus", "fine", ", with: {gpus: 1}"},
    {"two-nodes", "fine", ", with: {nodes: 2}"},
    {"ranges", "ranges", TIMED},
    {"popped", "ranges", TIMED ", with: {pops: 3}"},
    {"thread", "thread", TIMED},
    {"memory", "memory", ""},
    {"hangs", "hangs", ""},
    {"leaves", "leaves", ""},
    {"crashes", "crashes", ""},
    {"exits", "exits", ""},
    {"mpi-fails", "mpi_fails", ""},
    {"floods", "floods", ""},
    {"loops", "loops", ""},
    {"polls", "polls", ""},
    {"sleeps", "sleeps", ""},
    {"computes", "computes", ", ranks: [1]"},
    {"mismatches", "mismatches", ""},
    {"dereferences", "dereferences", ""},
    {"aborts", "aborts", ""},
    {"is-killed", "is-killed", ""},
    {"starves", "starves", ""},
    {"fine-last", "fine", ""},
};

static void make_plans(void)
{
    char text[4096], line[80];
    int at = snprintf(text, sizeof text,
                      "lab: runner\ntitle: Runner\nfiles: [a.c]\nranks: [2]\n"
                      "numbers: {n: [4, 4.0], machine: [dgx-1v, dgx-a100]}\n"
                      "cases:\n");
    strcpy(plans, "/tmp/commlab-runner-XXXXXX");
    ck_assert(mkdtemp(plans) != NULL);
    snprintf(line, sizeof line, "cd %s && mkdir times hidden bare asks", plans);
    ck_assert_int_eq(system(line), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: %s, part: 1, points: 10, kind: %s%s}\n",
                       cases[i].name, cases[i].kind, cases[i].more);
    write_plan("runner.yaml", text);
    write_plan("bare/runner.yaml", text);
    write_plan("hidden/runner.yaml",
               "cases: [{name: secret, part: 1, kind: fine" TIMED "}]\n");
}

/* Write times like make plans, but change those of some cases. */
static void write_times(void)
{
    struct child c = child_run(
        RUN_SEC,
        "export COMMLAB_PLANS=%s/bare; p=%s/tests/lab/prog_runner; "
        "(echo times:; mpirun -n 2 $p --times --case timed,slow,hopeless,"
        "ranges,popped; SIMGPU_TOPO=dgx-a100 mpirun -n 2 $p --times --case "
        "elsewhere; for c in 'thread, ranks: 2, us: .5' 'too-fast, ranks: 2, "
        "us: 1'; do echo \"  - {case: $c}\"; done) | awk '"
        "/ slow,/ { sub(/us: .*/, \"us: \" $7 / 3 \"}\") } "
        "/ hopeless,/ { sub(/us: .*/, \"us: \" $7 / 20 \"}\") } { print }' "
        "> %s/times/runner.yaml; cat %s/times/runner.yaml",
        plans, child_build(), plans, plans);
    ck_assert_msg(strstr(c.out, "{case: elsewhere, ranks: 2, us: ") != NULL,
                  "%s%s", c.out, c.err);
    child_clear(&c);
}

static void setup(void)
{
    make_plans();
    write_times();
}

static void teardown(void)
{
    struct child c = child_run(RUN_SEC, "rm -r %s", plans);
    child_clear(&c);
}

/* env: "NAME=VALUE ..." before the command, or "". */
static struct child runner(const char *env, int nranks, const char *options)
{
    return child_run(RUN_SEC,
                     "COMMLAB_PLANS=%s %s mpirun -n %d "
                     "%s/tests/lab/prog_runner %s",
                     plans, env, nranks, child_build(), options);
}

static void expect(const struct child *c, int status, const char *says)
{
    ck_assert_msg(!c->timed_out && c->status == status &&
                      (strstr(c->out, says) || strstr(c->err, says)),
                  "status %d, should be %d and say \"%s\"\n%s%s", c->status,
                  status, says, c->out, c->err);
}

/* ---- which cases --------------------------------------------------------- */

START_TEST(a_list_of_names_runs_those_cases_alone)
{
    struct child c = runner("", 2, "--case fine,timed --case hole");
    expect(&c, 1, "total 20 of 30 points");
    ck_assert(!strstr(c.out, "fine-too"));
    child_clear(&c);
}
END_TEST

START_TEST(an_unknown_case_gets_suggestions)
{
    struct child c = runner("", 2, "--case fine,fnie");
    expect(&c, 2, "there is no case \"fnie\": did you mean fine?");
    ck_assert_str_eq(c.out, "");
    child_clear(&c);
    c = runner("", 2, "--case hole-behind");
    expect(&c, 2, "did you mean hole, hole-behind-work?");
    child_clear(&c);
    c = runner("", 2, "--case xyzzy");
    expect(&c, 2, "there is no case \"xyzzy\": see --list");
    child_clear(&c);
}
END_TEST

START_TEST(a_case_for_another_machine_says_how_to_run_it)
{
    struct child c = runner("", 2, "--case fine,elsewhere,only-there --seed 5");
    expect(&c, 0, "total 10 of 10 points");
    expect(&c, 0, "    SIMGPU_TOPO=dgx-a100 mpirun -n 2 ");
    expect(&c, 0, "prog_runner --case elsewhere --seed 5\n");
    expect(&c, 0, "    SIMGPU_TOPO=pcie-4090 mpirun -n 2 ");
    child_clear(&c);
    c = runner("SIMGPU_TOPO=dgx-a100", 2, "--case fine,elsewhere,timed");
    expect(&c, 0, "total 20 of 20 points");
    expect(&c, 0, "    SIMGPU_TOPO=dgx-h100 mpirun -n 2 ");
    child_clear(&c);
}
END_TEST

/* What a case's parameters demand of the ranks is no fault of the student's. */
START_TEST(a_case_for_other_ranks_says_for_which)
{
    struct child c = runner("", 2, "--case fine,own-gpus,two-nodes");
    expect(&c, 0, "total 20 of 20 points");
    expect(&c, 0,
           " --case two-nodes --seed 1  # needs ranks on 2 nodes, not "
           "1\n");
    child_clear(&c);
    c = runner("SIMGPU_TOPO=2x:dgx-h100", 9, "--case own-gpus,two-nodes");
    expect(&c, 0, "total 10 of 10 points");
    expect(&c, 0, "    SIMGPU_TOPO=dgx-h100 mpirun -n 2 ");
    expect(&c, 0, " --case own-gpus --seed 1  # needs at most 8 ranks\n");
    child_clear(&c);
}
END_TEST

START_TEST(nothing_to_run_here_is_not_full_marks)
{
    struct child c = runner("", 3, "--case timed");
    expect(&c, 1, "total 0 of 0 points");
    expect(&c, 1, "    SIMGPU_TOPO=dgx-h100 mpirun -n 2 ");
    child_clear(&c);
}
END_TEST

START_TEST(a_plan_without_times_is_an_error)
{
    char env[80];
    snprintf(env, sizeof env, "COMMLAB_PLANS=%s/bare", plans);
    struct child c = runner(env, 2, "");
    expect(
        &c, 2,
        "times/runner.yaml has no time for timed on 2 ranks: run make plans");
    child_clear(&c);
}
END_TEST

START_TEST(hidden_cases_run_where_their_plan_is)
{
    struct child c = runner("", 2, "--times --hidden");
    expect(&c, 0, "  - {case: secret, ranks: 2, us: ");
    ck_assert(!strstr(c.out, "case: timed"));
    child_clear(&c);
    c = runner("", 1, "--list --times");
    ck_assert_str_eq(c.out, "2 dgx-h100\n2 dgx-a100\n");
    child_clear(&c);
}
END_TEST

/* ---- how cases end ------------------------------------------------------- */

static const struct {
    const char *name, *says;
} ends[] = {
    {"hole", "not implemented: part 1: all of it"},
    {"hole-behind-work", "not implemented: part 1: the second half"},
    {"hole-on-others", "not implemented: part 1: on the other ranks"},
    {"hole-others-wait-for", "part 1: on the last rank"},
    {"hole-in-group", "not implemented: part 1: inside of a group"},
};

START_TEST(a_hole_ends_its_case_on_all_ranks)
{
    char options[128];
    snprintf(options, sizeof options, "--json --case %s,timed", ends[_i].name);
    struct child c = runner("", 3, options);
    json_error_t error;
    json_t *const j = json_loads(c.out, 0, &error);
    ck_assert_msg(j && !c.timed_out && c.status == 1, "status %d\n%s%s",
                  c.status, c.out, c.err);
    const json_t *const test = json_array_get(json_object_get(j, "tests"), 0);
    ck_assert(json_number_value(json_object_get(test, "score")) == 0);
    ck_assert_str_eq(json_string_value(json_object_get(test, "name")),
                     ends[_i].name);
    ck_assert_msg(strstr(json_string_value(json_object_get(test, "message")),
                         ends[_i].says) != NULL,
                  "%s", c.out);
    json_decref(j);
    child_clear(&c);
}
END_TEST

START_TEST(cases_behind_a_hole_still_run)
{
    char options[128];
    snprintf(options, sizeof options, "--case %s,error", ends[_i].name);
    struct child c = runner("", 2, options);
    expect(&c, 1, "NOT IMPLEMENTED");
    expect(&c, 1, "prog_runner.c:");
    child_clear(&c);
}
END_TEST

/* ---- how runs end -------------------------------------------------------- */

/* What the verdict on each case says; NULL: it passes. */
static const struct {
    const char *name, *says[3];
} deaths[] = {
    {"fine", {NULL}},
    {"hangs",
     {"the run hangs", "ncclAllReduce at prog_runner.c:", "Look for a call"}},
    {"leaves", {"rank 1: prog_runner.c:", "invalid usage", "Is a group"}},
    {"crashes",
     {"segmentation fault in crashes() at prog_runner.c:", "address 0 (NULL)",
      "it was not set"}},
    {"exits",
     {"exit(0) was called in exits() at prog_runner.c:", "case exits",
      "Return an"}},
    {"mpi-fails",
     {"MPI failed in mpi_fails() at prog_runner.c:", "Invalid rank has value 2",
      "less than 2"}},
    {"floods", {"prints more than 8 MiB", "Print on one rank"}},
    {"loops",
     {"computes without end", "in loops() at prog_runner.c:", "condition"}},
    {"polls",
     {"computes without end", "in polls() at prog_runner.c:", "condition"}},
    {"mismatches",
     {"ranks call collective 1", "count 1023", "All ranks must call"}},
    {"dereferences",
     {"host code at prog_runner.c:", "device memory", "cudaMemcpy"}},
    {"aborts", {"abort() in aborts() at prog_runner.c:"}},
    {"is-killed",
     {"was killed by SIGKILL (signal 9).", "Its last call was ",
      "outside the program"}},
    {"starves",
     {"out of memory", "(called from starves() at prog_runner.c:", "lab.c:"}},
    {"fine-last", {NULL}},
};
enum { NDEATHS = sizeof deaths / sizeof *deaths };

static void expect_death(const json_t *test, int i)
{
    const char *const message =
        json_string_value(json_object_get(test, "message"));
    const double score = json_number_value(json_object_get(test, "score"));
    ck_assert_str_eq(json_string_value(json_object_get(test, "name")),
                     deaths[i].name);
    ck_assert_msg(score == (deaths[i].says[0] ? 0 : 10), "%s: %g points: %s",
                  deaths[i].name, score, message);
    for (int k = 0; k < 3 && deaths[i].says[k]; k++)
        ck_assert_msg(strstr(message, deaths[i].says[k]) != NULL,
                      "%s: \"%s\" is missing in: %s", deaths[i].name,
                      deaths[i].says[k], message);
    if (deaths[i].says[0])
        ck_assert(strstr(json_string_value(json_object_get(test, "rerun")),
                         deaths[i].name) != NULL);
}

START_TEST(no_end_of_a_case_costs_another_its_verdict)
{
    char options[512];
    int at = snprintf(options, sizeof options, "--json=%s/deaths.json --case ",
                      plans);
    for (int i = 0; i < NDEATHS; i++)
        at += snprintf(options + at, sizeof options - (size_t)at, "%s%s",
                       i ? "," : "", deaths[i].name);
    struct child c = runner("COMMLAB_LOOP_SEC=1", 2, options);
    ck_assert_msg(!c.timed_out && c.status == 1, "status %d\n%s", c.status,
                  c.err);
    snprintf(options, sizeof options, "%s/deaths.json", plans);
    json_t *const j = json_load_file(options, 0, NULL);
    ck_assert(j != NULL);
    const json_t *const tests = json_object_get(j, "tests");
    ck_assert_uint_eq(json_array_size(tests), NDEATHS);
    for (int i = 0; i < NDEATHS; i++)
        expect_death(json_array_get(tests, (size_t)i), i);
    ck_assert(json_number_value(json_object_get(j, "score")) == 20);
    json_decref(j);
    child_clear(&c);
}
END_TEST

START_TEST(a_case_that_only_waits_is_stopped)
{
    struct child c =
        runner("COMMLAB_CASE_SEC=2", 2, "--case sleeps,fine --seed 1");
    expect(&c, 1, "no end after 2 s, which don't count the time");
    expect(&c, 1, "total 10 of 20 points");
    child_clear(&c);
}
END_TEST

/* Ten programs share a core with the run, which computes for less than its
 * limit, but takes longer than that by the clock. */
START_TEST(time_that_other_programs_took_does_not_count)
{
    enum { OTHERS = 10 };
    pid_t others[OTHERS];
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(sched_getcpu(), &core);
    ck_assert_int_eq(sched_setaffinity(0, sizeof core, &core), 0);
    for (int i = 0; i < OTHERS; i++)
        if ((others[i] = fork()) == 0)
            for (volatile int on = 1; on;)
                ;
    struct child c = runner("COMMLAB_CASE_SEC=5", 1, "--case computes");
    for (int i = 0; i < OTHERS; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    expect(&c, 0, "total 10 of 10 points");
    child_clear(&c);
}
END_TEST

START_TEST(the_table_goes_on_behind_a_case_that_ends_the_run)
{
    struct child c =
        runner("", 2, "--case fine,crashes,fine-too,exits,fine-last");
    expect(&c, 1, "total 30 of 50 points");
    expect(&c, 1, "--case crashes --seed 1");
    ck_assert(strstr(c.out, "part  case") ==
              strstr(strstr(c.out, "part "), "part "));
    ck_assert_msg(!strstr(c.out, "BAD TERMINATION") && !*c.err, "%s%s", c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_debugger_gets_the_ranks_themselves)
{
    struct child c = runner("COMMLAB_SUPERVISE=0", 2, "--case crashes,fine");
    ck_assert_int_ne(c.status, 0);
    ck_assert(!strstr(c.out, "total"));
    ck_assert_msg(strstr(c.err, "segmentation fault in crashes() at "
                                "prog_runner.c:") != NULL,
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(an_error_names_the_call)
{
    struct child c = runner("", 2, "--case error,fine");
    expect(&c, 1, "ncclAllReduce(");
    expect(&c, 1, "invalid argument");
    expect(&c, 1, "total 10 of 20 points");
    child_clear(&c);
}
END_TEST

START_TEST(device_memory_is_counted)
{
    struct child c = runner("", 2, "--case memory");
    expect(&c, 0, "total 10 of 10 points");
    child_clear(&c);
}
END_TEST

START_TEST(memory_of_every_allocator_is_counted)
{
    struct child c = child_run(60, "%s/tests/lab/prog_meter", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- times --------------------------------------------------------------- */

static const struct {
    const char *name, *says;
} timed[] = {
    {"timed", "total 10 of 10 points"},
    {"slow", "takes 3.00 times as long as the reference"},
    {"slow", "PARTLY"},
    {"slow", "total 5.68 of 10 points"},
    {"hopeless", "total 0 of 10 points"},
    {"too-fast", "at least 1e+06 us, and the run took"},
    {"too-fast", "total 0 of 10 points"},
    {"ranges", "total 10 of 10 points"}, // its own ranges hide nothing
    {"popped", "total 10 of 10 points"},
    {"thread,timed", "total 10 of 20 points"}, // with a thread of its own
};

START_TEST(a_time_is_worth_points)
{
    char options[64];
    snprintf(options, sizeof options, "--case %s", timed[_i].name);
    struct child c = runner("", 2, options);
    expect(&c, strstr(timed[_i].says, "10 of 10") == NULL, timed[_i].says);
    child_clear(&c);
}
END_TEST

/* ---- JSON ---------------------------------------------------------------- */

START_TEST(json_says_what_the_table_says)
{
    char options[128];
    json_error_t error;
    snprintf(options, sizeof options,
             "--json %s/out.json --case fine,slow,elsewhere --seed 9", plans);
    struct child c = runner("", 2, options);
    ck_assert_str_eq(c.out, "");
    snprintf(options, sizeof options, "%s/out.json", plans);
    json_t *const j = json_load_file(options, 0, &error);
    ck_assert_msg(j != NULL, "%s: %s%s", error.text, c.out, c.err);
    const char *lab, *outcome, *device, *seed, *name, *rerun, *topo;
    double score, most, us, reference, points;
    int ranks;
    ck_assert_int_eq(json_unpack(j, "{s:s, s:s, s:s, s:s, s:F, s:F}", "lab",
                                 &lab, "outcome", &outcome, "device", &device,
                                 "seed", &seed, "score", &score, "max_score",
                                 &most),
                     0);
    ck_assert(score == 15.68 && most == 20);
    ck_assert_str_eq(outcome, "fail");
    ck_assert_str_eq(seed, "9");
    const json_t *const tests = json_object_get(j, "tests");
    ck_assert_uint_eq(json_array_size(tests), 2);
    ck_assert_int_eq(json_unpack(json_array_get(tests, 1),
                                 "{s:s, s:F, s:F, s:F, s:i, s:s, s:s}", "name",
                                 &name, "time_us", &us, "reference_us",
                                 &reference, "score", &points, "ranks", &ranks,
                                 "topology", &topo, "rerun", &rerun),
                     0);
    ck_assert_str_eq(name, "slow");
    ck_assert_str_eq(topo, "dgx-h100");
    ck_assert(us > 2.99 * reference && us < 3.01 * reference);
    ck_assert(strstr(rerun, "--case slow --seed 9") && ranks == 2);
    ck_assert_uint_eq(json_array_size(json_object_get(j, "not_run_here")), 1);
    json_decref(j);
    child_clear(&c);
}
END_TEST

START_TEST(json_goes_to_stdout_alone)
{
    json_error_t error;
    struct child c = runner("", 2, "--case fine,hole --json");
    json_t *const j = json_loads(c.out, 0, &error);
    ck_assert_msg(j != NULL, "%s\n%s", error.text, c.out);
    json_decref(j);
    child_clear(&c);
}
END_TEST

/* ---- starting ------------------------------------------------------------ */

START_TEST(more_ranks_than_gpus_is_said_once)
{
    struct child c = runner("", 9, "--case fine");
    expect(&c, 2,
           "9 ranks on a node that has 8 GPUs: each rank needs one, so start "
           "fewer ranks, or on more nodes: SIMGPU_TOPO=2x:dgx-h100\n");
    ck_assert(strstr(c.err, "9 ranks") == strrchr(c.err, '9'));
    child_clear(&c);
}
END_TEST

START_TEST(alone_under_a_foreign_mpirun_is_an_error)
{
    static const char *const envs[] = {"OMPI_COMM_WORLD_SIZE=4",
                                       "SLURM_NTASKS=4", "PMIX_RANK=0"};
    for (int i = 0; i < 3; i++) {
        struct child c = runner(envs[i], 1, "--case fine");
        expect(&c, 2, "belongs to another MPI");
        ck_assert(!strstr(c.out, "points"));
        child_clear(&c);
    }
}
END_TEST

START_TEST(an_unknown_machine_is_named)
{
    struct child c = runner("SIMGPU_TOPO=dgx-h101", 2, "--case fine");
    ck_assert_int_ne(c.status, 0);
    const char *const said = strstr(c.err, "SIMGPU_TOPO=dgx-h101");
    ck_assert_msg(said && strstr(said, "did you mean dgx-h100? The shipped"),
                  "%s", c.err);
    ck_assert_msg(!strstr(said + 1, "SIMGPU_TOPO"), "twice: %s", c.err);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *options, *says;
} mistakes[] = {
    {"--fast", "--fast is not an option"},
    {"--case", "--case needs a value"},
    {"--iterations 0", "--iterations 0: not a valid number"},
    {"--iterations 100", "--iterations 100: not a valid number"},
    {"--warmup -1", "--warmup -1: not a valid number"},
    {"--seed x", "--seed x: not a valid number"},
    {"fine", "\"fine\" is not an option (a case: --case fine)"},
};

START_TEST(a_mistake_on_the_command_line_is_named)
{
    struct child c = runner("", 1, mistakes[_i].options);
    expect(&c, 2, mistakes[_i].says);
    child_clear(&c);
}
END_TEST

/* The case that was running has no verdict. */
START_TEST(ctrl_c_ends_with_the_total_so_far)
{
    struct child c = child_run(
        RUN_SEC,
        "out=%s/out; COMMLAB_PLANS=%s mpirun -n 2 %s/tests/lab/prog_runner "
        "--case fine,loops,fine-last > $out & until grep -q pass $out; do "
        "sleep 0.1; done; kill -INT $!; wait $!; cat $out",
        plans, plans, child_build());
    expect(&c, 0,
           "\nThe run ended there; not run: loops, fine-last\n"
           "Run others with --case NAME[,NAME...].\n\n"
           "total 10 of 30 points\n");
    ck_assert(!strstr(c.out, "FAIL"));
    child_clear(&c);
}
END_TEST

/* ---- questions ----------------------------------------------------------- */

static struct child questions(const char *student, const char *text)
{
    char env[256];
    write_plan("answers.txt", text);
    snprintf(env, sizeof env, "COMMLAB_ANSWERS=%s/answers.txt %s", plans,
             student);
    return runner(env, 1, "--questions");
}

START_TEST(questions_are_printed_with_the_students_numbers)
{
    struct child c = questions("", "# {n} on a {machine}?\nx =\n");
    expect(&c, 0,
           "# The questions of Runner with the numbers of " SUITE_STUDENT
           " (COMMLAB_STUDENT).\n");
    ck_assert(strstr(c.out, "# 4 on a dgx-") ||
              strstr(c.out, "# 4.0 on a dgx-"));
    ck_assert(strstr(c.out, "\nx =\n") && !strchr(c.out, '{'));
    child_clear(&c);
}
END_TEST

/* Of eight students some have one machine and some the other. */
START_TEST(other_students_have_other_numbers)
{
    static const char *const machine[] = {"dgx-1v", "dgx-a100"};
    int seen[2] = {0};
    for (int i = 0; i < 8; i++) {
        char env[40];
        snprintf(env, sizeof env, "COMMLAB_STUDENT=s%d", i);
        struct child c = questions(env, "# {machine}\n");
        for (int k = 0; k < 2; k++)
            seen[k] += strstr(c.out, machine[k]) != NULL;
        child_clear(&c);
    }
    ck_assert(seen[0] && seen[1] && seen[0] + seen[1] == 8);
}
END_TEST

START_TEST(the_login_name_has_numbers_too)
{
    struct child c = questions("COMMLAB_STUDENT=", "# {n}\n");
    expect(&c, 0, " (your login name).\n");
    child_clear(&c);
}
END_TEST

START_TEST(a_question_with_an_unknown_number_is_an_error)
{
    struct child c = questions("", "# {m} ranks\n");
    expect(&c, 2, "answers.txt: the plan has no number {m}");
    child_clear(&c);
}
END_TEST

/* A lab without questions is no mistake; one that has lost them is. */
START_TEST(a_lab_without_questions_says_so)
{
    char env[256];
    struct child c =
        runner("COMMLAB_ANSWERS=/no/answers.txt", 1, "--questions");
    expect(&c, 0, "runner has no questions.\n");
    ck_assert(!strstr(c.out, "/no") && !c.err[0]);
    child_clear(&c);
    write_plan("asks/runner.yaml",
               "lab: runner\ntitle: R\nfiles: [answers.txt]\nranks: [2]\n"
               "cases: [{name: q, part: 1, points: 1, kind: answer, with: "
               "{question: x}}]\n");
    snprintf(env, sizeof env,
             "COMMLAB_PLANS=%s/asks COMMLAB_ANSWERS=/no/answers.txt", plans);
    c = runner(env, 1, "--questions");
    expect(&c, 2, "there is no answers.txt with questions (/no/answers.txt)");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("runner");
    TCase *const t = tcase_create("runner");
    tcase_set_timeout(t, 240);
    tcase_add_unchecked_fixture(t, setup, teardown);
    tcase_add_test(t, a_list_of_names_runs_those_cases_alone);
    tcase_add_test(t, an_unknown_case_gets_suggestions);
    tcase_add_test(t, a_case_for_another_machine_says_how_to_run_it);
    tcase_add_test(t, a_case_for_other_ranks_says_for_which);
    tcase_add_test(t, nothing_to_run_here_is_not_full_marks);
    tcase_add_test(t, a_plan_without_times_is_an_error);
    tcase_add_test(t, hidden_cases_run_where_their_plan_is);
    tcase_add_loop_test(t, a_hole_ends_its_case_on_all_ranks, 0,
                        sizeof ends / sizeof *ends);
    tcase_add_loop_test(t, cases_behind_a_hole_still_run, 0,
                        sizeof ends / sizeof *ends);
    tcase_add_test(t, no_end_of_a_case_costs_another_its_verdict);
    tcase_add_test(t, a_case_that_only_waits_is_stopped);
    tcase_add_test(t, time_that_other_programs_took_does_not_count);
    tcase_add_test(t, the_table_goes_on_behind_a_case_that_ends_the_run);
    tcase_add_test(t, a_debugger_gets_the_ranks_themselves);
    tcase_add_test(t, an_error_names_the_call);
    tcase_add_test(t, device_memory_is_counted);
    tcase_add_test(t, memory_of_every_allocator_is_counted);
    tcase_add_loop_test(t, a_time_is_worth_points, 0,
                        sizeof timed / sizeof *timed);
    tcase_add_test(t, json_says_what_the_table_says);
    tcase_add_test(t, json_goes_to_stdout_alone);
    tcase_add_test(t, more_ranks_than_gpus_is_said_once);
    tcase_add_test(t, alone_under_a_foreign_mpirun_is_an_error);
    tcase_add_test(t, an_unknown_machine_is_named);
    tcase_add_loop_test(t, a_mistake_on_the_command_line_is_named, 0,
                        sizeof mistakes / sizeof *mistakes);
    tcase_add_test(t, ctrl_c_ends_with_the_total_so_far);
    tcase_add_test(t, questions_are_printed_with_the_students_numbers);
    tcase_add_test(t, other_students_have_other_numbers);
    tcase_add_test(t, the_login_name_has_numbers_too);
    tcase_add_test(t, a_lab_without_questions_says_so);
    tcase_add_test(t, a_question_with_an_unknown_number_is_an_error);
    suite_add_tcase(s, t);
    return suite_run(s);
}
