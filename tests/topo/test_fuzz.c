/*
 * Damaged topology files give an error with file and line, or a machine that
 * works, but never a crash. Mutations come from a fixed seed, so failures are
 * reproducible; COMMLAB_FUZZ=N runs N rounds per file instead of 1000, from
 * another seed.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"
#include "child.h"
#include "machine.h"
#include "suite.h"

enum { MAX_BYTES = 1 << 16 };

static const char *const words[] = {
    "0",
    "-1",
    "1e999",
    "nan",
    "99999999999999999999",
    "",
    "<gpu/>",
    "</pci>",
    "<pci busid=\"0000:07:00.0\">",
    "\"",
    "<cluster/>",
    "</system>",
    "&lt;",
    "&bomb;",
    "<!--",
    "busid",
    "target",
    "0x068000",
    "0000:1b:00.0",
    "count=",
    "<nvlink target=\"0000:0f:00.0\" count=\"4\"/>"};
enum { NWORDS = sizeof words / sizeof *words };

static uint64_t state;

static size_t pick(size_t n) /* xorshift64 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % n);
}

struct text {
    char at[2 * MAX_BYTES];
    size_t n;
};

/* Replace `cut` bytes at `at`. */
static void splice(struct text *t, size_t at, size_t cut, const char *with,
                   size_t nwith)
{
    if (at + cut > t->n || t->n - cut + nwith > sizeof t->at)
        return;
    memmove(t->at + at + nwith, t->at + at + cut, t->n - at - cut);
    memcpy(t->at + at, with, nwith);
    t->n = t->n - cut + nwith;
}

/* The beginning of a line near a random place. */
static size_t line_near(const struct text *t)
{
    size_t at = pick(t->n);
    while (at > 0 && t->at[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_length(const struct text *t, size_t at)
{
    size_t n = 0;
    while (at + n < t->n && t->at[at + n] != '\n')
        n++;
    return at + n < t->n ? n + 1 : n;
}

static void mutate(struct text *t)
{
    if (t->n == 0)
        return;
    const char byte = (char)pick(256);
    const char *const word = words[pick(NWORDS)];
    const size_t line = line_near(t), length = line_length(t, line);
    char copy[512];
    switch (pick(7)) {
    case 0: t->at[pick(t->n)] = byte; break;
    case 1: splice(t, pick(t->n), 0, word, strlen(word)); break;
    case 2: splice(t, line, length, "", 0); break;
    case 3: // a line twice
        if (length <= sizeof copy) {
            memcpy(copy, t->at + line, length);
            splice(t, line, 0, copy, length);
        }
        break;
    case 4: t->n = 1 + pick(t->n); break; // cut short
    case 5: {                             // another attribute value
        char *const quote = memchr(t->at + line, '"', length);
        char *const end =
            quote ? memchr(quote + 1, '"',
                           length - (size_t)(quote + 1 - (t->at + line)))
                  : NULL;
        if (end)
            splice(t, (size_t)(quote + 1 - t->at), (size_t)(end - quote - 1),
                   word, strlen(word));
        break;
    }
    default: splice(t, pick(t->n), pick(20), "", 0); break;
    }
}

static void read_shipped(const char *name, struct text *t)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/simgpu/share/topo/%s.xml", child_build(),
             name);
    FILE *const f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    t->n = fread(t->at, 1, MAX_BYTES, f);
    fclose(f);
    // a cluster finds its node's file from any folder
    t->at[t->n] = 0;
    char *const node = strstr(t->at, "\"dgx-h100.xml\"");
    if (node) {
        snprintf(path, sizeof path, "%s/simgpu/share/topo/", child_build());
        splice(t, (size_t)(node + 1 - t->at), 0, path, strlen(path));
    }
}

/* Every query works on a machine that has been loaded. */
static void exercise(const struct topo *t)
{
    struct topo_path path;
    struct topo_coll c;
    char err[600], link[8];
    int32_t place[64];
    const int n = topo_ngpus(t) < 16 ? topo_ngpus(t) : 16;
    ck_assert_int_gt(n, 0);
    for (int a = -1; a <= n; a++)
        for (int b = -1; b <= n; b++)
            if (topo_path(t, a, b, 1, &path) == 0)
                ck_assert(path.nresources > 0 &&
                          path.nresources <= TOPO_MAX_PATH);
    for (int i = 0; i < n; i++)
        place[i] = i;
    for (int op = 0; op <= TOPO_OPS; op++)
        for (int ranks = 1; ranks <= n; ranks += 3)
            if (topo_collective(t, (enum topo_op)op, place, ranks, 1 << 20,
                                TOPO_ANY, TOPO_ANY, &c, err, sizeof err) == 0) {
                ck_assert_uint_ge(c.time_ps, c.latency_ps);
                topo_coll_release(&c);
            }
    topo_link(t, 0, n - 1, link);
    topo_cores(t, 0, err, sizeof err);
}

START_TEST(damaged_files_are_refused_or_work)
{
    char path[256];
    const int fd = mkstemp(temp_path(path, sizeof path, "commlab-fuzz"));
    const char *const rounds = getenv("COMMLAB_FUZZ");
    const int nrounds = rounds ? atoi(rounds) : 1000;
    static struct text original, t;
    int loaded = 0;
    ck_assert(fd >= 0 && close(fd) == 0);
    read_shipped(machines_shipped[_i].name, &original);
    state = 0x9e3779b97f4a7c15u + (uint64_t)_i + (uint64_t)nrounds;
    for (int i = 0; i < nrounds; i++) {
        char err[600] = "";
        t = original;
        for (size_t k = 1 + pick(3); k > 0; k--)
            mutate(&t);
        FILE *const f = fopen(path, "w");
        ck_assert(f != NULL && fwrite(t.at, 1, t.n, f) == t.n);
        fclose(f);
        struct topo *const m = topo_load(path, err, sizeof err);
        if (m)
            exercise(m);
        else // "file:line: reason", or "file: No such file" from a cluster
            ck_assert_msg(err[0] == '/' && strstr(err, ": "), "%s", err);
        loaded += m != NULL;
        topo_free(m);
    }
    printf("%-14s %d of %d damaged files still load\n",
           machines_shipped[_i].name, loaded, nrounds);
    unlink(path);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("fuzz");
    tcase_set_timeout(tc, getenv("COMMLAB_FUZZ") ? 36000 : 300);
    tcase_add_loop_test(tc, damaged_files_are_refused_or_work, 0,
                        nmachines_shipped);
    Suite *const s = suite_create("topo: fuzz");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
