#include "judge/evidence.h"

#include <errno.h>  /* errno */
#include <math.h>   /* NAN */
#include <stdio.h>  /* FILE */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

enum { MAGIC = 0x45764c31, NAME = 32 }; /* "EvL1" */

struct record {
    uint32_t magic, kind, case_no, iteration;
    uint64_t nbytes;
    char name[NAME];
};

/* ---- writing ---------------------------------------------------------------- */

struct evidence_out {
    FILE *file;
    uint64_t nonce;
};

struct evidence_out *evidence_create(const char *path, uint64_t nonce)
{
    struct evidence_out *const e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->nonce = nonce;
    e->file = fopen(path, "we");
    if (!e->file) {
        free(e);
        return NULL;
    }
    return e;
}

static size_t padding(uint64_t nbytes)
{
    return (size_t)(-nbytes & 7);
}

void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes)
{
    struct record r = {MAGIC, kind, case_no, iteration, nbytes, {0}};
    snprintf(r.name, sizeof r.name, "%s", name);
    fwrite(&r, sizeof r, 1, e->file);
    fwrite(data, 1, nbytes, e->file);
    fwrite("\0\0\0\0\0\0\0", 1, padding(nbytes), e->file);
    // A later crash must not take with it what was shown before.
    if (kind == EVIDENCE_STATUS)
        fflush(e->file);
}

int evidence_finish(struct evidence_out *e)
{
    evidence_put(e, EVIDENCE_DONE, 0, 0, "done", &e->nonce, sizeof e->nonce);
    int failed = ferror(e->file);
    failed |= fclose(e->file) != 0;
    free(e);
    return failed ? -1 : 0;
}

/* ---- reading ----------------------------------------------------------------- */

struct rank { /* one rank's file */
    char *data;
    size_t nbytes; /* up to where it is whole */
    int done;
    char problem[128];
};

struct evidence {
    int nranks;
    struct rank rank[];
};

/* The whole file, or NULL with errno. */
static char *read_file(const char *path, size_t *nbytes)
{
    FILE *const f = fopen(path, "re");
    size_t cap = 1 << 16, n = 0, got;
    if (!f)
        return NULL;
    char *data = malloc(cap);
    while (data && (got = fread(data + n, 1, cap - n, f)) > 0) {
        n += got;
        char *const more = n == cap ? realloc(data, cap *= 2) : data;
        if (!more)
            free(data);
        data = more;
    }
    fclose(f);
    *nbytes = n;
    return data;
}

/* Walk over the records: up to where is the file well formed? */
static void scan(struct rank *r, int rank, size_t size, uint64_t nonce)
{
    while (r->nbytes + sizeof(struct record) <= size) {
        const struct record *const rec =
            (const struct record *)(r->data + r->nbytes);
        const size_t left = size - r->nbytes - sizeof *rec;
        if (rec->magic != MAGIC || rec->nbytes > left ||
            rec->nbytes + padding(rec->nbytes) > left ||
            rec->name[NAME - 1] != 0)
            break;
        r->nbytes += sizeof *rec + rec->nbytes + padding(rec->nbytes);
        if (rec->kind == EVIDENCE_DONE)
            r->done = rec->nbytes == sizeof nonce &&
                      memcmp(rec + 1, &nonce, sizeof nonce) == 0;
    }
    if (r->nbytes != size)
        snprintf(r->problem, sizeof r->problem,
                 "rank %d: the evidence is damaged at byte %zu", rank,
                 r->nbytes);
    else if (!r->done)
        snprintf(r->problem, sizeof r->problem, "rank %d: the run ended early",
                 rank);
}

struct evidence *evidence_load(const char *path_format, int nranks,
                               uint64_t nonce)
{
    struct evidence *const e =
        calloc(1, sizeof *e + (size_t)nranks * sizeof *e->rank);
    if (!e)
        abort();
    e->nranks = nranks;
    for (int i = 0; i < nranks; i++) {
        char path[4096];
        size_t size = 0;
        snprintf(path, sizeof path, path_format, i);
        e->rank[i].data = read_file(path, &size);
        if (e->rank[i].data)
            scan(&e->rank[i], i, size, nonce);
        else
            snprintf(e->rank[i].problem, sizeof e->rank[i].problem,
                     "rank %d: no evidence: %s", i, strerror(errno));
    }
    return e;
}

void evidence_free(struct evidence *e)
{
    for (int i = 0; e && i < e->nranks; i++)
        free(e->rank[i].data);
    free(e);
}

int evidence_nranks(const struct evidence *e)
{
    return e->nranks;
}

int evidence_done(const struct evidence *e, int rank)
{
    return e->rank[rank].done;
}

const char *evidence_problem(const struct evidence *e, int rank)
{
    return e->rank[rank].problem[0] ? e->rank[rank].problem : NULL;
}

/* The last record that fits, so that a repeated one wins. */
static const struct record *find(const struct evidence *e, int rank,
                                 enum evidence_kind kind, unsigned case_no,
                                 unsigned iteration, const char *name)
{
    const struct rank *const r = &e->rank[rank];
    const struct record *found = NULL;
    for (size_t at = 0; at < r->nbytes;) {
        const struct record *const rec = (const struct record *)(r->data + at);
        if (rec->kind == kind && rec->case_no == case_no &&
            rec->iteration == iteration && strcmp(rec->name, name) == 0)
            found = rec;
        at += sizeof *rec + rec->nbytes + padding(rec->nbytes);
    }
    return found;
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
    // put with its NUL
    return r && r->nbytes && ((const char *)(r + 1))[r->nbytes - 1] == 0
               ? (const char *)(r + 1)
               : NULL;
}
