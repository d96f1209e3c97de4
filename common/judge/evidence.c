/*
 * evidence.c: reading evidence, in the judge
 *
 * A rank's records are checked once, from the first to the end or to the first
 * damage. Later lookups use an index sorted by case, iteration, kind and
 * position, so a million small records cost no more than their size.
 */
#define _GNU_SOURCE
#include "judge/evidence.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <math.h>     /* NAN */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* memcmp */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* read */

#include "judge/chain.h"
#include "judge/record.h"

struct rank { /* one rank's evidence */
    char *data;
    const struct record **index; /* sorted: see by_place() */
    uint64_t *digest; /* digests the iteration's outputs up to index[i] */
    size_t nrecords;
    int done;
    char problem[128];
};

struct evidence {
    int nranks;
    uint64_t nonce;
    struct rank rank[];
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Order by case, iteration and kind, then as written. */
static int by_place(const void *x, const void *y)
{
    const struct record *const a = *(const struct record *const *)x;
    const struct record *const b = *(const struct record *const *)y;
    int order = compare_u64(a->case_no, b->case_no);
    if (!order)
        order = compare_u64(a->iteration, b->iteration);
    if (!order)
        order = compare_u64(a->kind, b->kind);
    return order ? order : compare_u64((uintptr_t)a, (uintptr_t)b);
}

/* ---- checking a rank's bytes --------------------------------------------- */

/* The record at byte `at`, if it is complete. */
static const struct record *record_at(const char *data, size_t nbytes,
                                      size_t at)
{
    const struct record *const r = (const struct record *)(data + at);
    if (nbytes - at < sizeof *r)
        return NULL;
    const size_t left = nbytes - at - sizeof *r;
    const int whole = r->magic == RECORD_MAGIC && r->nbytes <= left &&
                      record_padding(r->nbytes) <= left - r->nbytes &&
                      r->name[EVIDENCE_NAME - 1] == 0;
    return whole ? r : NULL;
}

static size_t whole_nbytes(const struct record *r)
{
    return sizeof *r + r->nbytes + record_padding(r->nbytes);
}

static int is_at(const struct rank *r, size_t i, unsigned case_no,
                 unsigned iteration, enum evidence_kind kind)
{
    return i < r->nrecords && r->index[i]->case_no == case_no &&
           r->index[i]->iteration == iteration && r->index[i]->kind == kind;
}

/* Digest all outputs in one pass: judges ask for the digests repeatedly. */
static void digest_outputs(struct rank *r)
{
    r->digest = calloc(r->nrecords + 1, sizeof *r->digest);
    if (!r->digest)
        abort();
    for (size_t i = 0; i < r->nrecords; i++) {
        const struct record *const rec = r->index[i];
        if (rec->kind != EVIDENCE_OUTPUT)
            continue;
        const uint64_t before = i > 0 && is_at(r, i - 1, rec->case_no,
                                               rec->iteration, EVIDENCE_OUTPUT)
                                    ? r->digest[i - 1]
                                    : CHAIN_NOTHING;
        r->digest[i] = chain_digest(before, rec + 1, rec->nbytes);
    }
}

/* Walk to the end, to the first damage, or to the final record. */
static void scan(struct rank *r, int rank, size_t nbytes, uint64_t nonce)
{
    size_t at = 0, cap = 0;
    const struct record *rec;
    while (!r->done && (rec = record_at(r->data, nbytes, at)) != NULL) {
        if (r->nrecords == cap) {
            cap = cap ? 2 * cap : 64;
            r->index = realloc(r->index, cap * sizeof *r->index);
            if (!r->index)
                abort();
        }
        r->index[r->nrecords++] = rec;
        r->done = rec->kind == EVIDENCE_DONE && rec->nbytes == sizeof nonce &&
                  memcmp(rec + 1, &nonce, sizeof nonce) == 0;
        at += whole_nbytes(rec);
    }
    if (r->nrecords)
        qsort(r->index, r->nrecords, sizeof *r->index, by_place);
    digest_outputs(r);
    r->problem[0] = 0;
    if (at != nbytes)
        snprintf(r->problem, sizeof r->problem,
                 "rank %d: the evidence is damaged at byte %zu", rank, at);
    else if (!r->done)
        snprintf(r->problem, sizeof r->problem, "rank %d: the run ended early",
                 rank);
}

/* ---- life cycle ---------------------------------------------------------- */

struct evidence *evidence_new(int nranks, uint64_t nonce)
{
    struct evidence *const e =
        calloc(1, sizeof *e + (size_t)nranks * sizeof *e->rank);
    if (!e)
        abort();
    e->nranks = nranks;
    e->nonce = nonce;
    for (int i = 0; i < nranks; i++)
        snprintf(e->rank[i].problem, sizeof e->rank[i].problem,
                 "rank %d: no evidence", i);
    return e;
}

static void release(struct rank *r)
{
    free(r->data);
    free(r->index);
    free(r->digest);
}

void evidence_give(struct evidence *e, int rank, char *data, size_t nbytes)
{
    struct rank *const r = &e->rank[rank];
    release(r);
    *r = (struct rank){.data = data};
    scan(r, rank, nbytes, e->nonce);
}

/* The contents of a regular file of at most cap bytes. NULL with errno
 * set on failure. */
static char *read_file(const char *path, size_t cap, size_t *nbytes)
{
    struct stat st;
    char *data = NULL;
    ssize_t n = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    errno = EFBIG;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= cap)
        data = malloc((size_t)st.st_size + 1);
    *nbytes = 0;
    while (data && *nbytes < (size_t)st.st_size &&
           (n = read(fd, data + *nbytes, (size_t)st.st_size - *nbytes)) > 0)
        *nbytes += (size_t)n;
    close(fd);
    return data;
}

struct evidence *evidence_load(const char *path_format, int nranks,
                               uint64_t nonce, size_t cap_nbytes)
{
    struct evidence *const e = evidence_new(nranks, nonce);
    for (int i = 0; i < nranks; i++) {
        char path[4096];
        size_t nbytes = 0;
        snprintf(path, sizeof path, path_format, i);
        char *const data = read_file(path, cap_nbytes, &nbytes);
        if (data)
            evidence_give(e, i, data, nbytes);
        else
            snprintf(e->rank[i].problem, sizeof e->rank[i].problem,
                     "rank %d: no evidence: %s", i, strerror(errno));
    }
    return e;
}

void evidence_free(struct evidence *e)
{
    for (int i = 0; e && i < e->nranks; i++)
        release(&e->rank[i]);
    free(e);
}

/* ---- looking things up --------------------------------------------------- */

int evidence_done(const struct evidence *e, int rank)
{
    return e->rank[rank].done;
}

const char *evidence_problem(const struct evidence *e, int rank)
{
    return e->rank[rank].problem[0] ? e->rank[rank].problem : NULL;
}

/* The first record of the index at or after (case, iteration, kind). */
static size_t lower_bound(const struct rank *r, unsigned case_no,
                          unsigned iteration, enum evidence_kind kind)
{
    size_t low = 0, high = r->nrecords;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct record *const at = r->index[middle];
        int order = compare_u64(at->case_no, case_no);
        if (!order)
            order = compare_u64(at->iteration, iteration);
        if (!order)
            order = compare_u64(at->kind, kind);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last record with that name: a repeated record replaces the first. */
static const struct record *find(const struct evidence *e, int rank,
                                 enum evidence_kind kind, unsigned case_no,
                                 unsigned iteration, const char *name)
{
    const struct rank *const r = &e->rank[rank];
    const struct record *found = NULL;
    for (size_t i = lower_bound(r, case_no, iteration, kind);
         is_at(r, i, case_no, iteration, kind); i++)
        if (strcmp(r->index[i]->name, name) == 0)
            found = r->index[i];
    return found;
}

int evidence_began(const struct evidence *e, int rank, unsigned case_no)
{
    return find(e, rank, EVIDENCE_STATUS, case_no, 0, "status") != NULL;
}

enum run_status evidence_status(const struct evidence *e, int rank,
                                unsigned case_no)
{
    const struct record *const r =
        find(e, rank, EVIDENCE_STATUS, case_no, 0, "status");
    uint32_t status;
    if (!r || r->nbytes != sizeof status)
        return RUN_MISSING;
    memcpy(&status, r + 1, sizeof status);
    return status <= RUN_ERROR ? (enum run_status)status : RUN_MISSING;
}

const void *evidence_output(const struct evidence *e, int rank,
                            unsigned case_no, unsigned iteration,
                            const char *name, size_t *nbytes)
{
    const struct record *const r =
        find(e, rank, EVIDENCE_OUTPUT, case_no, iteration, name);
    *nbytes = r ? r->nbytes : 0;
    return r ? r + 1 : NULL;
}

int evidence_output_number(const struct evidence *e, int rank, unsigned case_no,
                           unsigned iteration, const char *name)
{
    const struct rank *const r = &e->rank[rank];
    const struct record *const found =
        find(e, rank, EVIDENCE_OUTPUT, case_no, iteration, name);
    int n = 0;
    for (size_t i = lower_bound(r, case_no, iteration, EVIDENCE_OUTPUT);
         is_at(r, i, case_no, iteration, EVIDENCE_OUTPUT) &&
         r->index[i] != found;
         i++)
        n += found && r->index[i]->nbytes == found->nbytes;
    return n;
}

double evidence_metric(const struct evidence *e, int rank, unsigned case_no,
                       unsigned iteration, const char *name)
{
    const struct record *const r =
        find(e, rank, EVIDENCE_METRIC, case_no, iteration, name);
    double v;
    if (!r || r->nbytes != sizeof v)
        return NAN;
    memcpy(&v, r + 1, sizeof v);
    return v;
}

const char *evidence_text(const struct evidence *e, int rank, unsigned case_no)
{
    const struct record *const r =
        find(e, rank, EVIDENCE_TEXT, case_no, 0, "text");
    // the length includes the NUL
    return r && r->nbytes && ((const char *)(r + 1))[r->nbytes - 1] == 0
               ? (const char *)(r + 1)
               : NULL;
}

uint64_t evidence_digest(const struct evidence *e, int rank, unsigned case_no,
                         unsigned iteration)
{
    const struct rank *const r = &e->rank[rank];
    // the first record after the outputs
    const size_t end = lower_bound(r, case_no, iteration, EVIDENCE_OUTPUT + 1);
    return end > 0 && is_at(r, end - 1, case_no, iteration, EVIDENCE_OUTPUT)
               ? r->digest[end - 1]
               : CHAIN_NOTHING;
}
