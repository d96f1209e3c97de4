/*
 * evidence_out.c: writing evidence, in a rank
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <fcntl.h>  /* open */
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* calloc */
#include <string.h> /* strlen */
#include <unistd.h> /* close */

#include "judge/chain.h"
#include "judge/record.h"

struct evidence_out {
    FILE *file;
    uint64_t nonce;
    uint64_t digest; /* of the outputs since it was last taken */
};

static struct evidence_out *new_out(FILE *file, uint64_t nonce)
{
    struct evidence_out *const e = calloc(1, sizeof *e);
    if (!file || !e) {
        if (file)
            fclose(file);
        free(e);
        return NULL;
    }
    *e = (struct evidence_out){file, nonce, CHAIN_NOTHING};
    return e;
}

struct evidence_out *evidence_create(const char *path, uint64_t nonce)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    FILE *const file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file)
        close(fd);
    return new_out(file, nonce);
}

struct evidence_out *evidence_memory(char **data, size_t *nbytes,
                                     uint64_t nonce)
{
    return new_out(open_memstream(data, nbytes), nonce);
}

void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes)
{
    struct record r = {RECORD_MAGIC, kind, case_no, iteration, nbytes, {0}};
    snprintf(r.name, sizeof r.name, "%s", name);
    fwrite(&r, sizeof r, 1, e->file);
    fwrite(data, 1, nbytes, e->file);
    fwrite("\0\0\0\0\0\0\0", 1, record_padding(nbytes), e->file);
    if (kind == EVIDENCE_OUTPUT)
        e->digest = chain_digest(e->digest, data, nbytes);
}

void evidence_put_status(struct evidence_out *e, unsigned case_no,
                         enum run_status status, const char *text)
{
    const uint32_t value = status;
    if (text)
        evidence_put(e, EVIDENCE_TEXT, case_no, 0, "text", text,
                     strlen(text) + 1);
    evidence_put(e, EVIDENCE_STATUS, case_no, 0, "status", &value,
                 sizeof value);
    // A later crash must not lose earlier records.
    fflush(e->file);
}

uint64_t evidence_take_digest(struct evidence_out *e)
{
    const uint64_t digest = e->digest;
    e->digest = CHAIN_NOTHING;
    return digest;
}

int evidence_finish(struct evidence_out *e)
{
    evidence_put(e, EVIDENCE_DONE, 0, 0, "done", &e->nonce, sizeof e->nonce);
    int failed = ferror(e->file);
    failed |= fclose(e->file) != 0;
    free(e);
    return failed ? -1 : 0;
}
