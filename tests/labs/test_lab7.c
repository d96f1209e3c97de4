/* Expert parallel: the solution earns everything, the skeleton nothing, and
 * each mistake costs what its patch says it does. By nodes, a token
 * crosses to a node once and the sum of its results crosses back once. */
#include <check.h>
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strstr */

#include "child.h"
#include "graph/replay/load.h"
#include "labtest.h"

enum { RANKS = 16, PLACES = 8, TOKENS = 128, TOKEN_BYTES = 7168 };

static const char *const ways[] = {"each choice", "each rank", "each node"};

/* The bytes that the busiest rank sends to other nodes in a span. */
static uint64_t network_bytes(const struct graph *g, const char *span)
{
    uint64_t sent[RANKS] = {0}, most = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        if (n->kind == GRAPH_SEND && strcmp(g->nodes[at].span, span) == 0 &&
            n->place / PLACES != n->peer_place / PLACES)
            sent[n->rank] += n->bytes;
    }
    for (int r = 0; r < RANKS; r++)
        most = sent[r] > most ? sent[r] : most;
    return most;
}

/* Compare a table of --nodes with the graph: what crosses, and the times. */
static void check_table(const struct graph *g, const char *text,
                        const char *table, uint64_t token_bytes)
{
    const char *at = strstr(text, table);
    uint64_t sent[3];
    double us[3];
    ck_assert_msg(at != NULL, "no %s in\n%s", table, text);
    for (int w = 0; w < 3; w++) {
        char span[64];
        double far;
        at = strstr(at, ways[w]);
        ck_assert_msg(at && sscanf(at + strlen(ways[w]), "%lf %*f %lf", &far,
                                   &us[w]) == 2,
                      "%s", text);
        snprintf(span, sizeof span, "%s %s", table, ways[w]);
        sent[w] = network_bytes(g, span);
        ck_assert_msg((uint64_t)(far * 1e3 + 0.5) == (sent[w] + 500) / 1000,
                      "%s: %lu bytes\n%s", span, sent[w], text);
    }
    ck_assert_uint_le(sent[2], TOKENS * token_bytes);
    ck_assert_uint_ge(sent[2], (TOKENS - 4) * token_bytes);
    ck_assert(sent[0] > sent[1] && sent[1] > 3 * sent[2]);
    ck_assert(us[0] > us[1] && us[1] > us[2]);
}

/* Of 8 experts a token has about 4 on the other one of two nodes: it crosses
 * the network so often if each choice is sent, and once if each node is. So do
 * the results, unless the node adds them up. */
START_TEST(a_token_crosses_to_a_node_and_back_once)
{
    char dir[CHILD_FOLDER], err[512];
    child_folder(dir, "nodes");
    struct child c =
        child_run(240,
                  "SIMGPU_TOPO=2x:dgx-h100@ndr SIMGPU_GRAPH=%s mpirun -n %d "
                  "%s/solutions/lab7 --nodes",
                  dir, RANKS, child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    ck_assert_str_eq(c.err, "");
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    check_table(g, c.out, "dispatch", TOKEN_BYTES);
    check_table(g, c.out, "combine", 2 * TOKEN_BYTES);
    graph_free(g);
    child_remove(dir);
    child_clear(&c);
}
END_TEST

/* ---- fp8 ----------------------------------------------------------------- */

enum { GPUS = 8 };

/* The bytes that the kernels of a span move from the busiest GPU to others. */
static uint64_t moved_bytes(const struct graph *g, const char *span)
{
    uint64_t sent[GPUS] = {0}, most = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const op = &g->nodes[at];
        for (size_t i = 0; i < op->nmoves && strcmp(op->span, span) == 0; i++)
            if (op->moves[i].from != op->moves[i].to)
                sent[op->moves[i].from] += op->moves[i].nbytes;
    }
    for (int r = 0; r < GPUS; r++)
        most = sent[r] > most ? sent[r] : most;
    return most;
}

/* A row of --fp8, and the same in the graph, where counts and flags travel
 * along. */
static void check_form(const struct graph *g, const char *text,
                       const char *form, uint64_t token_bytes, double *us,
                       double *error)
{
    char line[64], span[64];
    unsigned long nbytes;
    double mb;
    snprintf(line, sizeof line, "\n%s ", form);
    snprintf(span, sizeof span, "dispatch %s", form);
    const char *const at = strstr(text, line);
    ck_assert_msg(at && sscanf(at + strlen(line), "%lu %lf %*s %lf %*s %lf",
                               &nbytes, &mb, us, error) == 4,
                  "%s", text);
    ck_assert_uint_eq(nbytes, token_bytes);
    const double moved = (double)moved_bytes(g, span) / 1e6;
    ck_assert_msg(moved > mb - 0.005 && moved < mb + 0.02,
                  "%s: %f MB are in the graph\n%s", span, moved, text);
}

/* An element of one byte and its share of a scale are 33/32 bytes: a dispatch
 * moves about a quarter of what floats take. */
START_TEST(fp8_moves_a_quarter)
{
    char dir[CHILD_FOLDER], err[512];
    double us[2], error[2];
    child_folder(dir, "fp8");
    struct child c =
        child_run(240,
                  "SIMGPU_TOPO=dgx-h100 SIMGPU_GRAPH=%s mpirun -n %d "
                  "%s/solutions/lab7 --fp8",
                  dir, GPUS, child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    check_form(g, c.out, "floats", 4 * TOKEN_BYTES, &us[0], &error[0]);
    check_form(g, c.out, "fp8", TOKEN_BYTES + TOKEN_BYTES / 32, &us[1],
               &error[1]);
    ck_assert(error[0] == 0);
    ck_assert(error[1] > 1 / 18.0 && error[1] < 1 / 16.99);
    ck_assert(us[1] < us[0] / 3);
    graph_free(g);
    child_remove(dir);
    child_clear(&c);
}
END_TEST

/* ---- rounds -------------------------------------------------------------- */

/* Run part 6 for LAB7_ROUNDS rounds, or 300, in one iteration: a flag that is
 * lost hangs, one that comes early gives a wrong result. */
static void write_rounds(const char *dir, const char *rounds)
{
    char path[CHILD_FOLDER + 64];
    snprintf(path, sizeof path, "%s/lab7-expert-parallel.yaml", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL);
    fprintf(f,
            "lab: lab7-expert-parallel\ntitle: Rounds\nfiles: [direct.cu]\n"
            "ranks: [2]\ncases:\n"
            "  - {name: rounds, part: 6, points: 1, kind: direct, with: "
            "{tokens: 2, dim: 4, each: 2, k: 2, rounds: %s}}\n",
            rounds);
    ck_assert_int_eq(fclose(f), 0);
}

static const char *const schedules[] = {"eager", "late", "random:1"};

START_TEST(no_signal_is_lost_in_any_round)
{
    const char *const set = getenv("LAB7_ROUNDS");
    const char *const rounds = set && atoi(set) > 0 ? set : "300";
    char dir[CHILD_FOLDER];
    child_folder(dir, "rounds");
    write_rounds(dir, rounds);
    struct child c =
        child_run(120 + atoi(rounds) * 0.12,
                  "COMMLAB_CASE_SEC=%d COMMLAB_PLANS=%s SIMGPU_SCHEDULE=%s "
                  "mpirun -n 2 %s/solutions/lab7 "
                  "--case rounds --iterations 1 --seed 7",
                  120 + atoi(rounds) / 10, dir, schedules[_i], child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, "total 1 of 1 points"),
                  "%s rounds, %s: %s%s", rounds, schedules[_i], c.out, c.err);
    child_remove(dir);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, a_token_crosses_to_a_node_and_back_once);
    tcase_add_test(t, fp8_moves_a_quarter);
    tcase_add_loop_test(t, no_signal_is_lost_in_any_round, 0,
                        sizeof schedules / sizeof *schedules);
}

int main(void)
{
    static const struct labtest lab = {.lab = "lab7-expert-parallel",
                                       .nmutants = 6};
    return labtest_main(&lab, own_tests);
}
