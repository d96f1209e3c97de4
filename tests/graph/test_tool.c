/*
 * commgraph's commands in this process, where no byte beyond an allocation can
 * be touched and memory can run out: they say so, and free all of it.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "allkinds.h"
#include "fds.h"
#include "graph/commgraph/command.h"
#include "scarce.h"
#include "suite.h"

/* Not all say so: the lists of machines that errors name, JSON, the uses on a
 * page and the remarks of a fit are then shorter. */
static const struct {
    const char *line;
    int says_so;
} commands[] = {
    {"time .", 1},
    {"time --json .", 0},
    {"critical-path .", 1},
    {"critical-path --all .", 1},
    {"hazards .", 1},
    {"hazards --json .", 0},
    {"explain .", 1},
    {"explain --json .", 0},
    {"timeline . -o t.svg", 1},
    {"timeline . -o t.json --span ring", 1},
    {"view . -o t.html --span ring", 0},
    {"topo pcie-4090", 0},
    {"speeds pcie-4090", 1},
    {"collective --topo pcie-4090 --op all_reduce --ranks 4 --bytes 1M", 1},
    {"collective --topo pcie-4090 --op reduce --ranks 4 --bytes 8 --json", 0},
    {"p2p --topo pcie-4090", 0},
    {"p2p --topo pcie-4090 --json", 0},
    {"p2p --topo pcie-4090 --svg t.svg", 0},
    {"expect TABLE --topo dgx-h100 --op all_reduce --ranks 8", 1},
    {"fit TABLE --topo dgx-h100 --op all_reduce --ranks 8 -o t.xml --svg t.svg",
     0},
};

static struct synthetic s;
static const char *command;
static char printed[1 << 20], said[4096];

static const char *in_dir(const char *file)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", s.dir, file);
    return path;
}

static void setup(void)
{
    synthetic_init(&s, ALLKINDS_RANKS);
    allkinds_record(&s);
    graph_free(synthetic_load(&s));
}

static void teardown(void)
{
    static const char *const drawn[] = {"t.svg", "t.json", "t.html", "t.xml"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        unlink(in_dir(drawn[i]));
    synthetic_release(&s);
}

/* "." is the run; what begins with "t." is a file there. */
static char *argument(char *word, char file[128])
{
    static char table[] = "tests/topo/measured/allreduce-8xH100-nvswitch.csv";
    if (strcmp(word, "TABLE") == 0)
        return table;
    if (strncmp(word, "t.", 2) != 0)
        return strcmp(word, ".") == 0 ? s.dir : word;
    snprintf(file, 128, "%s", in_dir(word));
    return file;
}

static int split(char *words, char *argv[16])
{
    static char file[2][128];
    int argc = 0, nfiles = 0;
    argv[argc++] = "commgraph";
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        nfiles += argc > 1 && argv[argc - 1] == file[0];
        argv[argc++] = argument(word, file[nfiles]);
    }
    return argc;
}

static int run(void)
{
    char words[256], *argv[16];
    snprintf(words, sizeof words, "%s", command);
    const int argc = split(words, argv);
    rewind(stdout);
    rewind(stderr);
    said[0] = 0;
    const int status = command_main(argc, argv);
    fflush(stdout);
    fflush(stderr);
    return status && said[0] ? -1 : 0;
}

/* The C library's streams lead to memory, which they have from the start. */
START_TEST(a_command_reports_that_memory_runs_out)
{
    FILE *const out = stdout, *const err = stderr;
    command = commands[_i].line;
    stdout = fmemopen(printed, sizeof printed, "w");
    stderr = fmemopen(said, sizeof said, "w");
    if (commands[_i].says_so)
        scarce_each(run, 60);
    else
        scarce_just(run);
    fclose(stdout);
    fclose(stderr);
    stdout = out;
    stderr = err;
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("tool");
    TCase *const t = tcase_create("tool");
    fds_watch(t);
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_command_reports_that_memory_runs_out, 0,
                        sizeof commands / sizeof *commands);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
