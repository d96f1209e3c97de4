/*
 * evidence_out.c: writing evidence, in a rank
 *
 * Each record goes to the recorder as soon as it is put, without a buffer in
 * which student code could change it; or it goes to memory.
 */
#define _GNU_SOURCE
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* calloc */
#include <string.h> /* strlen */
#include <unistd.h> /* close */

#include "base/recorder.h"
#include "judge/chain.h"
#include "judge/record.h"

struct evidence_out {
    FILE *file;     /* to write to memory; NULL: use the connection */
    int connection; /* to the recorder */
    int failed;
    uint64_t nonce;
    uint64_t digest; /* digest of the outputs since it was last taken */
};

static struct evidence_out *new_out(FILE *file, int connection, uint64_t nonce)
{
    struct evidence_out *const e = calloc(1, sizeof *e);
    if (e)
        *e = (struct evidence_out){file, connection, 0, nonce, CHAIN_NOTHING};
    return e;
}

struct evidence_out *evidence_join(const char *dir, uint32_t rank)
{
    const int connection = recorder_join(dir, RECORDER_EVIDENCE, rank, -1);
    return connection < 0 ? NULL : new_out(NULL, connection, 0);
}

struct evidence_out *evidence_memory(char **data, size_t *nbytes,
                                     uint64_t nonce)
{
    FILE *const file = open_memstream(data, nbytes);
    struct evidence_out *const e = file ? new_out(file, -1, nonce) : NULL;
    if (file && !e)
        fclose(file);
    return e;
}

static void put(struct evidence_out *e, const void *data, size_t nbytes)
{
    if (e->file)
        fwrite(data, 1, nbytes, e->file);
    else if (recorder_write(e->connection, data, nbytes) != 0)
        e->failed = 1;
}

void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes)
{
    struct record r = {RECORD_MAGIC, kind, case_no, iteration, nbytes, {0}};
    snprintf(r.name, sizeof r.name, "%s", name);
    put(e, &r, sizeof r);
    put(e, data, nbytes);
    put(e, "\0\0\0\0\0\0\0", record_padding(nbytes));
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
}

char *evidence_next(struct evidence_out *e)
{
    evidence_put(e, EVIDENCE_NEXT, 0, 0, "next", NULL, 0);
    char *const reply = recorder_reply(e->connection);
    if (!reply)
        _exit(1); // another rank has ended, and reports why
    return reply;
}

int evidence_has_recorder(const struct evidence_out *e)
{
    return !e->file;
}

void evidence_draw(struct evidence_out *e, unsigned case_no, int iteration,
                   const struct evidence_ask *ask, int fd, void *out)
{
    struct {
        struct record head;
        struct evidence_ask ask;
    } r = {{RECORD_MAGIC, EVIDENCE_DRAW, case_no, (uint32_t)iteration,
            sizeof *ask, "draw"},
           *ask};
    const int sent = recorder_write_with(e->connection, &r, sizeof r,
                                         ask->to_file ? fd : -1);
    if (sent != 0 || recorder_reply_to(e->connection, out,
                                       ask->to_file ? 0 : ask->nbytes) != 0)
        _exit(1); // the run is over
}

void evidence_key(struct evidence_out *e, uint64_t nonce)
{
    e->nonce = nonce;
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
    int failed = e->failed || (e->file && ferror(e->file));
    failed |= e->file ? fclose(e->file) != 0 : close(e->connection) != 0;
    free(e);
    return failed ? -1 : 0;
}
