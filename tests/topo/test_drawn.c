/*
 * Machines drawn by lot, and all that they are asked: parts, paths, rings, the
 * time and the traffic of each operation. drawn/ has the grammar, and digests
 * of the answers when those of shipped machines were right. Each sixth text is
 * damaged: then it is a message that counts.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h> /* PRIu64 */
#include <stdio.h>    /* open_memstream */
#include <stdlib.h>   /* free */
#include <string.h>   /* strchr */

#include "base/mix.h"
#include "child.h"
#include "grammar.h"
#include "suite.h"
#include "topo/bounds.h"
#include "topo/calibration.h"
#include "topo/machine.h"

enum { MACHINES = 160, MOST = 40, MAX_ENV = 4 };

static struct grammar *grammar;
static char folder[CHILD_FOLDER];

/* A message without the folder's name. */
static void print_message(FILE *out, const char *message)
{
    const char *const at = strstr(message, folder);
    fprintf(out, "%.*s%s", (int)(at ? at - message : 0), message,
            at ? at + strlen(folder) : message);
}

/* ---- answers ------------------------------------------------------------- */

static void print_parts(FILE *out, const struct topo *t)
{
    char cores[200], link[8];
    const int n = topo_ngpus(t) / topo_nnodes(t) + topo_nnics(t);
    for (int i = 0; i < topo_ngpus(t); i++) {
        const struct topo_gpu *const g = topo_gpu(t, i);
        fprintf(out, "%s %s %d %d %d %d %d %d %d %d %" PRIu64 " %" PRIu64 " %s",
                g->name, g->bus_id, g->node, g->local, g->numa, g->sm, g->nsm,
                g->clock_khz, g->mem_clock_khz, g->mem_bus_bits, g->mem_nbytes,
                g->l2_nbytes, topo_cores(t, i, cores, sizeof cores));
        for (int k = 0; k < topo_ngpus(t); k++)
            fprintf(out, " %d%d", topo_p2p(t, i, k), topo_multicast(t, i, k));
        fputc('\n', out);
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            fprintf(out, "%s%c", topo_link(t, a, b, link),
                    b == n - 1 ? '\n' : ' ');
    for (int i = 0; i < topo_nnics(t); i++)
        fprintf(out, "%s ", topo_nic_name(t, i));
    for (int i = 0; i < topo_nresources(t); i++)
        fprintf(out, "\n%s %.7g", topo_resource(t, i)->name,
                topo_resource(t, i)->rate);
    fputc('\n', out);
    calibration_write(&t->cal, out);
}

static void print_path(FILE *out, const struct topo *t, int32_t from,
                       int32_t to, int way)
{
    struct topo_path p;
    fprintf(out, "%d to %d (%d)", (int)from, (int)to, way);
    if (topo_path(t, from, to, way, &p) == 0) {
        fprintf(out, " %s %" PRIu64 " %.7g %.7g", p.kind, p.latency_ps,
                p.rate_cap, p.share);
        for (int i = 0; i < p.nresources; i++)
            fprintf(out, " %d", p.resource[i]);
    }
    fputc('\n', out);
}

/* Between all GPUs, the hosts, the last CPU, and the switch. */
static void print_paths(FILE *out, const struct topo *t)
{
    const int last = topo_nnodes(t) - 1;
    int32_t place[MOST + 4];
    int n = 0;
    while (n < topo_ngpus(t) && n < 9)
        place[n] = n, n++;
    place[n++] = TOPO_HOST_PLACE(0);
    place[n++] = TOPO_HOST_PLACE(last);
    place[n++] = TOPO_CPU_PLACE(last, t->ncpus - 1);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            for (int way = TOPO_STAGED; way <= TOPO_NETWORK; way++)
                print_path(out, t, place[a], place[b], way);
    for (int a = 0; a < 2 && a < topo_ngpus(t); a++) {
        print_path(out, t, a, TOPO_SWITCH_PLACE, TOPO_STAGED);
        print_path(out, t, TOPO_SWITCH_PLACE, a, TOPO_STAGED);
    }
}

static void print_cost(FILE *out, struct topo_coll *c)
{
    fprintf(out, " %s %s %" PRIu64 " %" PRIu64, topo_algo_name(c->algo),
            topo_proto_name(c->proto), c->time_ps, c->host_ps);
    for (int i = 0; i < c->nloads; i++)
        fprintf(out, ", %d %.6g", c->loads[i].resource, c->loads[i].work);
    topo_coll_release(c);
}

/* With each algorithm and protocol (one bit of which), and with any. */
static void print_op(FILE *out, const struct topo *t, enum topo_op op,
                     const int32_t *place, int n)
{
    static const uint64_t sizes[] = {1000, 5000000};
    char err[400];
    struct topo_coll c;
    for (int which = -1; which < (TOPO_PAT + 1) * TOPO_PROTOS; which++)
        for (int i = 0; i < 2; i++) {
            const int algo = which < 0 ? TOPO_ANY : 1 << which / TOPO_PROTOS;
            const int proto = which < 0 ? TOPO_ANY : 1 << which % TOPO_PROTOS;
            fprintf(out, "%d x%d:", op, n);
            if (topo_collective(t, op, place, n, sizes[i], algo, proto, &c, err,
                                sizeof err) == 0)
                print_cost(out, &c);
            else
                print_message(out, err);
            fputc('\n', out);
        }
}

static void print_ring(FILE *out, const struct topo *t, const int32_t *place,
                       int n)
{
    const int channels = topo_channels(t, place, n);
    int rank[MOST];
    fprintf(out, "%d channels", channels);
    for (int c = 0; c < channels; c++) {
        topo_ring(t, place, n, c, rank);
        for (int i = 0; i < n; i++)
            fprintf(out, "%c%d", i ? ' ' : ';', rank[i]);
    }
    fputc('\n', out);
}

/* On all GPUs, and on some that are drawn, in another order. */
static void print_collectives(FILE *out, const struct topo *t, uint64_t seed)
{
    int32_t place[MOST];
    const int all = topo_ngpus(t);
    for (int set = 0; set < 2; set++) {
        int n = 0;
        for (int i = 0; i < all && n < MOST; i++)
            if (!set || mix_nth(seed, (uint64_t)i) % 3)
                place[n++] = set ? all - 1 - i : i;
        if (n < 2)
            continue;
        print_ring(out, t, place, n);
        for (int op = TOPO_OP_ALLREDUCE; op < TOPO_OPS; op++)
            print_op(out, t, (enum topo_op)op, place, n);
    }
}

static void print_messages(FILE *out, const struct topo *t)
{
    struct topo_coll c;
    char err[400];
    for (int to = 0; to < topo_ngpus(t); to++) {
        fprintf(out, "to %d", to);
        if (topo_message(t, 0, to, 3000000, &c, err, sizeof err) == 0)
            print_cost(out, &c);
        fputc('\n', out);
    }
}

static void print_bounds(FILE *out, const struct topo *t, uint64_t seed)
{
    static double nbytes[BOUNDS_GPUS][BOUNDS_GPUS];
    double reached = 0;
    const int n = topo_ngpus(t) / topo_nnodes(t);
    for (int a = 0; a < n && a < BOUNDS_GPUS; a++)
        for (int b = 0; b < n && b < BOUNDS_GPUS; b++) {
            const uint64_t drawn = mix_nth(seed, (uint64_t)(99 + 9 * a + b));
            nbytes[a][b] =
                a == b || drawn % 4 == 0 ? 0 : (double)(drawn % 1000);
            fprintf(out, "%.6g %.6g ", bounds_alone(t, a, b, 0),
                    bounds_alone(t, a, b, 1));
        }
    for (int ways = 0; ways < 2; ways++) {
        const double bound =
            bounds_move(t, (enum bounds_ways)ways, nbytes, &reached);
        fprintf(out, "%.4g %.4g\n", bound, reached);
    }
}

/* ---- machines ------------------------------------------------------------ */

static char *part_to(char **text, const char *end)
{
    char *const part = strsep(text, end);
    return part ? part : "";
}

/* Give the machine the variables of a line. */
static void set(struct topo *t, char *line)
{
    char *env[MAX_ENV + 1] = {NULL};
    for (int n = 0; n < MAX_ENV && line;)
        if (*(env[n] = strsep(&line, " ")))
            n++;
        else
            env[n] = NULL;
    topo_settings(t, env, NULL, NULL);
}

/* The name with the path of a file with the text instead of a *. */
static char *name_machine(const char *name, const char *text)
{
    char path[CHILD_FOLDER + 8], *whole;
    const char *const star = strchrnul(name, '*');
    snprintf(path, sizeof path, "%s/m.xml", folder);
    FILE *const f = fopen(path, "we");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    if (asprintf(&whole, "%.*s%s%s", (int)(star - name), name,
                 *star ? path : "", *star ? star + 1 : "") < 0)
        abort();
    return whole;
}

static void examine(FILE *out, char *text, int number)
{
    const uint64_t seed = (uint64_t)number;
    char err[400];
    char *rest = text, *const spec = part_to(&rest, "\n"),
         *const env = part_to(&rest, "\n");
    char *const name = name_machine(spec, rest ? rest : "");
    struct topo *const t = topo_load(name, err, sizeof err);
    free(name);
    if (!t) {
        print_message(out, err);
        return;
    }
    set(t, env);
    print_parts(out, t);
    print_paths(out, t);
    if (number % 6 == 0) // they take longest
        print_bounds(out, t, seed);
    print_messages(out, t);
    print_collectives(out, t, seed);
    topo_free(t);
}

static char *answers(int number)
{
    const uint64_t seed = (uint64_t)number;
    char *const text = number % 6 == 5 ? grammar_damaged(grammar, "file", seed)
                                       : grammar_text(grammar, "file", seed);
    char *all;
    size_t nbytes;
    FILE *const out = open_memstream(&all, &nbytes);
    ck_assert_ptr_nonnull(out);
    fprintf(out, "%s\n==>\n", text);
    examine(out, text, number);
    fclose(out);
    free(text);
    return all;
}

START_TEST(machines_answer_the_same)
{
    grammar = grammar_read("tests/topo/drawn/machine.grammar");
    child_folder(folder, "drawn");
    grammar_expect("tests/topo/drawn/digests.txt", "machine", MACHINES,
                   answers);
    child_remove(folder);
    grammar_free(grammar);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: drawn");
    TCase *const t = tcase_create("drawn");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, machines_answer_the_same);
    suite_add_tcase(s, t);
    return suite_run(s);
}
