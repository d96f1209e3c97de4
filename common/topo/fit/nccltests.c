#define _GNU_SOURCE
#include "topo/fit/nccltests.h"

#include <ctype.h>  /* isdigit */
#include <math.h>   /* fabs */
#include <stdlib.h> /* realloc */
#include <string.h> /* strtok_r */

enum { MAX_WORDS = 40, MAX_RANKS = 16384 };

const char nccltests_ops[] = "all_reduce all_gather reduce_scatter broadcast "
                             "reduce alltoall sendrecv gather scatter";

/* Ratio of bus to algorithm bandwidth: 1, (n-1)/n, 2(n-1)/n. */
enum bus { SAME, ONCE, TWICE };

static const struct {
    const char *name;
    enum topo_op op;
    enum bus bus;
} ops[] = {
    {"all_reduce", TOPO_OP_ALLREDUCE, TWICE},
    {"all_gather", TOPO_OP_ALLGATHER, ONCE},
    {"reduce_scatter", TOPO_OP_REDUCESCATTER, ONCE},
    {"broadcast", TOPO_OP_BROADCAST, SAME},
    {"reduce", TOPO_OP_REDUCE, SAME},
    {"alltoall", TOPO_OP_ALLTOALL, ONCE},
    {"sendrecv", TOPO_OP_SENDRECV, SAME},
    {"gather", TOPO_OP_GATHER, ONCE},
    {"scatter", TOPO_OP_SCATTER, ONCE},
};
enum { NOPS = sizeof ops / sizeof *ops };

struct reader {
    struct nccltests *all;
    const char *file;
    char *err;
    size_t err_nbytes;
    int line;
    struct nccltests_table now; /* the table that rows are added to */
    char host[MAX_RANKS / 8][64];
    int nhosts;
    int fixed; /* columns before the first time; -1: no heading yet */
    int csv_bytes, csv_us; /* columns; -1: not CSV */
};

const char *nccltests_op_name(enum topo_op op)
{
    for (int i = 0; i < NOPS; i++)
        if (ops[i].op == op)
            return ops[i].name;
    return NULL;
}

/* Remove "_" and "-": people write all_reduce, all-reduce and allreduce. */
static size_t bare(const char *name, size_t length, char *out, size_t nbytes)
{
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < nbytes; i++)
        if (name[i] != '_' && name[i] != '-')
            out[n++] = name[i];
    out[n] = 0;
    return n;
}

/*
 * Find the operation that the text names, or, unless `whole`, contains. Longer
 * names come first in ops[], so that all_reduce and reduce_scatter aren't taken
 * for reduce.
 */
static enum topo_op find_op(const char *text, size_t length, int whole)
{
    char have[256], name[32];
    bare(text, length, have, sizeof have);
    for (int i = 0; i < NOPS; i++) {
        bare(ops[i].name, strlen(ops[i].name), name, sizeof name);
        if (whole ? strcmp(have, name) == 0 : strstr(have, name) != NULL)
            return ops[i].op;
    }
    return TOPO_OP_NONE;
}

enum topo_op nccltests_op(const char *name, size_t length)
{
    return find_op(name, length, 1);
}

double nccltests_bus(enum topo_op op, int nranks)
{
    const double once = nranks > 0 ? (nranks - 1.) / nranks : 0;
    for (int i = 0; i < NOPS; i++)
        if (ops[i].op == op)
            return ops[i].bus == SAME ? 1 : ops[i].bus * once;
    return 1;
}

int nccltests_is_sick(const struct nccltests_row *row,
                      const struct nccltests_row *next)
{
    return row->nbytes >= 1 << 20 && next->nbytes > row->nbytes &&
           row->us > 1.1 * next->us;
}

/* ---- tables -------------------------------------------------------------- */

static int fail(struct reader *r, const char *what)
{
    snprintf(r->err, r->err_nbytes, "%s:%d: %s", r->file, r->line, what);
    return -1;
}

/* If there is no list of devices, all_reduce's ratio 2(n-1)/n gives n. */
static void infer(struct nccltests_table *t)
{
    if (t->nranks == 0)
        t->nranks = t->named_ranks;
    if (t->op == TOPO_OP_NONE && t->nranks > 2 && t->bus > 0 &&
        fabs(t->bus - nccltests_bus(TOPO_OP_ALLREDUCE, t->nranks)) < .01)
        t->op = TOPO_OP_ALLREDUCE;
    if (t->op == TOPO_OP_NONE && t->nranks == 0 && t->bus > 1.1)
        t->op = TOPO_OP_ALLREDUCE;
    if (t->nranks == 0 && t->bus > 0 && t->bus < 2 &&
        t->op == TOPO_OP_ALLREDUCE) {
        const double n = 2 / (2 - t->bus);
        if (n < 40 && fabs(n - round(n)) < .02 * n)
            t->nranks = (int)round(n);
    }
}

/* Read the operation and the ranks from between dots in a file's name. */
static void read_name(struct nccltests_table *t)
{
    const char *const slash = strrchr(t->file, '/');
    const char *const name = slash ? slash + 1 : t->file;
    for (const char *at = name; *at; at += strspn(at, ".")) {
        const size_t length = strcspn(at, ".");
        if (t->op == TOPO_OP_NONE)
            t->op = nccltests_op(at, length);
        at += length;
    }
    if (t->op == TOPO_OP_NONE)
        t->op = find_op(name, strlen(name), 0);
    for (const char *at = name; *at;) {
        const size_t length = strcspn(at, ".-");
        char *end;
        const long n = strtol(at, &end, 10);
        if (end == at + length && length > 0 && n > 1 && n <= MAX_RANKS &&
            at[length] == '.')
            t->named_ranks = (int)n;
        at += length + (at[length] != 0);
    }
}

/* End the table if it has rows. The next table has the same ranks, until
 * others are listed. */
static int end_table(struct reader *r)
{
    struct nccltests_table *const t = &r->now;
    if (t->nrows == 0)
        return 0;
    struct nccltests_table *const more =
        realloc(r->all->table, sizeof *more * (size_t)(r->all->n + 1));
    if (!more)
        return fail(r, "no memory");
    r->all->table = more;
    snprintf(t->file, sizeof t->file, "%.255s", r->file);
    const struct nccltests_table next = {.nranks = t->nranks,
                                         .nhosts = t->nhosts,
                                         .ngroups = t->ngroups,
                                         .one_thread = t->one_thread,
                                         .op = t->op};
    read_name(t);
    infer(t);
    more[r->all->n++] = *t;
    *t = next;
    if (next.nranks == 0 || !more[r->all->n - 1].rank)
        return 0;
    t->rank = malloc(sizeof *t->rank * (size_t)next.nranks);
    if (!t->rank)
        return fail(r, "no memory");
    memcpy(t->rank, more[r->all->n - 1].rank,
           sizeof *t->rank * (size_t)next.nranks);
    return 0;
}

static int add_row(struct reader *r, struct nccltests_row row)
{
    struct nccltests_table *const t = &r->now;
    if ((t->nrows & (t->nrows - 1)) == 0) {
        const size_t n = t->nrows ? 2 * (size_t)t->nrows : 1;
        struct nccltests_row *const more = realloc(t->row, sizeof *more * n);
        if (!more)
            return fail(r, "no memory");
        t->row = more;
    }
    row.line = r->line;
    t->row[t->nrows++] = row;
    return 0;
}

/* ---- lines --------------------------------------------------------------- */

static int split(char *line, const char *between, char *word[MAX_WORDS])
{
    char *state = NULL;
    int n = 0;
    for (char *w = strtok_r(line, between, &state); w && n < MAX_WORDS;
         w = strtok_r(NULL, between, &state))
        word[n++] = w;
    return n;
}

static int is_number(const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == 0 && *value >= 0 && *value < 1e18;
}

static int is_count(const char *word)
{
    size_t n = 0;
    while (isdigit((unsigned char)word[n]))
        n++;
    return n > 0 && n < 19 && word[n] == 0;
}

/* Skip a prefix that mpirun --tag-output or srun --label puts before a line. */
static char *without_prefix(char *line)
{
    while (*line == ' ' || *line == '\t')
        line++;
    if (*line == '[') {
        char *const end = strstr(line, ">:");
        if (end && strchr(line, '<') && strchr(line, '<') < end)
            return end + 2;
    }
    char *at = line;
    while (isdigit((unsigned char)*at))
        at++;
    return at > line && at[0] == ':' && at[1] == ' ' ? at + 2 : line;
}

/* Read "Rank 0 Group 0 Pid 123 on host device 0 [0x07] NVIDIA H100". */
static int read_rank(struct reader *r, const char *line)
{
    struct nccltests_table *const t = &r->now;
    const char *const on = strstr(line, " on "),
                      *const device = strstr(line, " device "),
                      *const grouped = strstr(line, " Group ");
    char host[64];
    int rank, group = 0;
    struct nccltests_rank x = {0};
    if (sscanf(line, " Rank %d", &rank) != 1 || !on || !device ||
        sscanf(on, " on %63s", host) != 1 ||
        sscanf(device, " device %d", &x.device) != 1)
        return 0;
    if (grouped)
        sscanf(grouped, " Group %d", &group);
    if (rank == 0 && end_table(r) != 0)
        return -1;
    if (rank == 0 && group == 0)
        t->nranks = t->ngroups = r->nhosts = 0;
    if (group >= t->ngroups)
        t->ngroups = group + 1;
    if (group > 0 || t->nranks == MAX_RANKS)
        return 0;
    while (x.host < r->nhosts && strcmp(r->host[x.host], host) != 0)
        x.host++;
    if (x.host == MAX_RANKS / 8)
        return fail(r, "ranks on more than 2048 hosts");
    if (x.host == r->nhosts)
        memcpy(r->host[r->nhosts++], host, sizeof host);
    struct nccltests_rank *const more =
        realloc(t->rank, sizeof *more * (size_t)(t->nranks + 1));
    if (!more)
        return fail(r, "no memory");
    t->rank = more;
    t->rank[t->nranks++] = x;
    t->nhosts = r->nhosts;
    return 0;
}

/* Look for "all_reduce_perf" anywhere in a line, as a program's name or
 * in its command. */
static void find_program(struct reader *r, const char *line)
{
    const char *const end = strstr(line, "_perf");
    const char *begin = end;
    while (begin && begin > line &&
           (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    const enum topo_op op =
        begin ? nccltests_op(begin, (size_t)(end - begin)) : TOPO_OP_NONE;
    if (op != TOPO_OP_NONE)
        r->now.op = op;
}

static int read_heading(struct reader *r, char *line)
{
    char *word[MAX_WORDS];
    const int n = split(line, " \t", word);
    int first = 0;
    while (first < n && strcmp(word[first], "time") != 0 &&
           strcmp(word[first], "cputime") != 0)
        first++;
    if (first == n || n < 4 || strcmp(word[0], "size") != 0)
        return 0;
    r->fixed = first;
    return end_table(r);
}

/* The 8 in "nThread 1 nGpus 8 minBytes 8". */
static int gpus_of_a_thread(const char *line)
{
    const char *const at = strstr(line, "nGpus");
    int n = 1;
    return at && sscanf(at, "nGpus %d", &n) == 1 ? n : 1;
}

static int read_comment(struct reader *r, char *line)
{
    int result = 0;
    if (strstr(line, "_perf")) {
        if (strstr(line, "starting"))
            result = end_table(r);
        find_program(r, line);
    } else if (strstr(line, "nThread")) {
        result = end_table(r);
        r->now.nranks = 0;
        r->now.one_thread = gpus_of_a_thread(line) > 1;
        free(r->now.rank);
        r->now.rank = NULL;
    } else if (strstr(line, "Rank")) {
        result = read_rank(r, line);
    } else {
        result = read_heading(r, line);
    }
    return result;
}

/* Read columns from `at` on: time, algbw, busbw and the number of
 * wrong results. */
static int read_times(struct reader *r, char *const *word, int n, int at,
                      struct nccltests_row *row)
{
    double alg, bus, wrong;
    if (at < 3 || at + 2 >= n || !is_number(word[at], &row->us) || row->us == 0)
        return 0;
    row->wrong = at + 3 < n && is_number(word[at + 3], &wrong) && wrong > 1e-2;
    if (is_number(word[at + 1], &alg) && is_number(word[at + 2], &bus) &&
        alg > 1)
        r->now.bus = bus / alg;
    return 1;
}

static int read_row(struct reader *r, char *line)
{
    struct nccltests_row row = {0};
    char *word[MAX_WORDS];
    const int n = split(line, " \t", word);
    if (n < 6 || !is_count(word[0]) || !is_count(word[1]) ||
        !isalpha((unsigned char)word[2][0]))
        return 0; // a line of a log
    // without a heading, two times of four columns each end the row
    const int fixed = r->fixed > 0 ? r->fixed : n - 8;
    const int in_place = fixed + (n - fixed) / 2;
    row.nbytes = strtoull(word[0], NULL, 10);
    if (row.nbytes == 0)
        return 0; // less than one element for each rank
    if (!read_times(r, word, n, fixed, &row) &&
        !read_times(r, word, n, in_place, &row))
        return n < fixed + 3 ? 0 /* cut off */
                             : fail(r, "no time in this row: if it is one of "
                                       "nccl-tests, its heading is missing");
    return add_row(r, row);
}

/* Read the heading "bytes,us", with other columns in any order. Returns 1 if
 * the line is one. */
static int csv_heading(struct reader *r, char *line)
{
    char *word[MAX_WORDS];
    const int n = split(line, ", \t", word);
    r->csv_bytes = r->csv_us = -1;
    for (int i = 0; i < n; i++) {
        if (strcmp(word[i], "bytes") == 0)
            r->csv_bytes = i;
        if (strcmp(word[i], "us") == 0)
            r->csv_us = i;
    }
    if (r->csv_bytes >= 0 && r->csv_us >= 0)
        return 1;
    r->csv_bytes = r->csv_us = -1;
    return 0;
}

static int csv_row(struct reader *r, char *line)
{
    struct nccltests_row row = {0};
    char *word[MAX_WORDS];
    double nbytes;
    const int n = split(line, ", \t", word);
    if (n == 0)
        return 0;
    if (r->csv_bytes >= n || r->csv_us >= n ||
        !is_number(word[r->csv_bytes], &nbytes) ||
        !is_number(word[r->csv_us], &row.us) || nbytes < 1 || row.us == 0)
        return fail(r, "bytes and us must be numbers above 0");
    row.nbytes = (uint64_t)nbytes;
    return add_row(r, row);
}

static int read_line(struct reader *r, char *line)
{
    line[strcspn(line, "\r\n")] = 0;
    line = without_prefix(line);
    if (*line == '#')
        return read_comment(r, line + 1);
    if (r->csv_bytes >= 0)
        return csv_row(r, line);
    if (strchr(line, ',') && strstr(line, "bytes")) {
        char copy[1024];
        snprintf(copy, sizeof copy, "%s", line);
        if (csv_heading(r, copy))
            return end_table(r);
    }
    if (strstr(line, "_perf"))
        find_program(r, line);
    return read_row(r, line);
}

int nccltests_read(struct nccltests *all, FILE *f, const char *file, char *err,
                   size_t err_nbytes)
{
    struct reader *const r = calloc(1, sizeof *r);
    const int before = all->n;
    char *line = NULL;
    size_t nbytes = 0;
    int result = 0;
    snprintf(err, err_nbytes, "%s: no memory", file);
    if (!r)
        return -1;
    r->all = all;
    r->file = file;
    r->err = err;
    r->err_nbytes = err_nbytes;
    r->fixed = r->csv_bytes = r->csv_us = -1;
    while (result == 0 && getline(&line, &nbytes, f) >= 0) {
        r->line++;
        result = read_line(r, line);
    }
    if (result == 0)
        result = end_table(r);
    if (result == 0 && all->n == before)
        result = fail(r, "no rows of times: neither the output of nccl-tests "
                         "nor CSV with the columns bytes and us");
    free(r->now.rank);
    free(r->now.row);
    free(line);
    free(r);
    return result;
}

void nccltests_release(struct nccltests *all)
{
    for (int i = 0; i < all->n; i++) {
        free(all->table[i].rank);
        free(all->table[i].row);
    }
    free(all->table);
    *all = (struct nccltests){0};
}
