#include "grader/recorder/recorder_evidence.h"

#include <errno.h>      /* errno */
#include <string.h>     /* memcpy */
#include <sys/socket.h> /* MSG_DONTWAIT */

#include "grader/recorder/recorder_cases.h"
#include "grader/recorder/recorder_draw.h"

/* True if the name is new in this iteration. Otherwise one of the two records
 * is not the kit's. */
static int is_new(struct rank *k, const struct record *h)
{
    for (size_t i = 0; i < k->nnames; i++)
        if (k->name[i].kind == h->kind && strcmp(k->name[i].text, h->name) == 0)
            return 0;
    if (k->nnames == RANK_NAMES)
        return 0;
    k->name[k->nnames].kind = h->kind;
    memcpy(k->name[k->nnames++].text, h->name, EVIDENCE_NAME);
    return 1;
}

/* Why this record may not come now; NULL if it may. */
static const char *refuse(const struct recorder *r, struct rank *k)
{
    const struct record *const h = &k->head;
    const int is_case = h->kind <= EVIDENCE_TEXT || h->kind == EVIDENCE_DRAW;
    if (h->magic != RECORD_MAGIC || h->kind > EVIDENCE_DRAW ||
        h->name[EVIDENCE_NAME - 1] || k->done)
        return "sent what is no record";
    if (h->nbytes > RECORDER_EVIDENCE_CAP)
        return "sent more than it may";
    if (is_case && (r->now < 0 || r->now == r->job->ncases || k->ended ||
                    k->asks || h->case_no != (uint32_t)r->job->case_no[r->now]))
        return "sent evidence of another case than the current one";
    if (h->kind == EVIDENCE_NEXT && (k->asks || (r->now >= 0 && !k->ended)))
        return "asked for a case before the end of the one before";
    if (h->kind == EVIDENCE_DONE &&
        (r->now != r->job->ncases || h->nbytes != sizeof r->job->nonce))
        return "sent its final record before its last case";
    if (h->kind > EVIDENCE_METRIC && h->kind != EVIDENCE_DRAW)
        return NULL;
    if (h->kind == EVIDENCE_DRAW && (int32_t)h->iteration < 0)
        return NULL; // a warm-up, which shows nothing
    if (h->iteration < k->iteration)
        return "sent evidence of an iteration that is over";
    if (h->iteration > k->iteration)
        recorder_cases_iteration(k, h->iteration);
    if (h->kind == EVIDENCE_DRAW)
        return NULL;
    return is_new(k, h) ? NULL : "sent two outputs or metrics of one name";
}

/*
 * Answer a request. Values from rank 0's seed depend on rank 0's outputs, so
 * take what it has sent so far, without waiting: anything that another rank can
 * know of has already been sent. That may include requests of rank 0. They draw
 * from rank 0's own seed, so they need no other rank's outputs.
 */
static void answer(struct recorder *r, struct rank *k)
{
    struct rank *const from = recorder_draw_from(r, k);
    while (from != k && rank_is_due(from, RECORDER_EVIDENCE))
        recorder_evidence_read(r, from);
    recorder_draw_answer(r, k);
    r->answered = 1;
}

/* A record is complete. */
static void finish_record(struct recorder *r, struct rank *k)
{
    const struct record *const h = &k->head;
    uint32_t status;
    k->nhead = 0;
    switch (h->kind) {
    case EVIDENCE_STATUS:
        memcpy(&status, k->value.bytes, sizeof status);
        k->ended = h->nbytes != sizeof status || status != RUN_MISSING;
        break;
    case EVIDENCE_DONE:
        k->done = 1;
        if (memcmp(k->value.bytes, &r->job->nonce, sizeof r->job->nonce) != 0)
            rank_forged(r, k, "sent a final record without its key");
        break;
    case EVIDENCE_NEXT:
        k->asks = 1;
        if (fflush(k->file) != 0) // a flushed file shows progress
            rank_failed(r, "the evidence");
        recorder_cases_go_on(r);
        break;
    case EVIDENCE_DRAW: answer(r, k); break;
    default: break;
    }
}

static void keep(struct recorder *r, struct rank *k, const void *data, size_t n)
{
    if (k->head.kind >= EVIDENCE_NEXT)
        return;
    k->nbytes += n;
    if (fwrite(data, 1, n, k->file) != n)
        rank_failed(r, "the evidence");
}

/* The head of a record is complete. Returns 0, or -1 if it is refused. */
static int begin_record(struct recorder *r, struct rank *k)
{
    const char *const why = refuse(r, k);
    if (why) {
        rank_forged(r, k, "%s", why);
        return -1;
    }
    k->left = k->head.nbytes + record_padding(k->head.nbytes);
    memset(&k->value, 0, sizeof k->value);
    if (k->head.kind == EVIDENCE_OUTPUT)
        chain_begin(&k->chain, k->head.nbytes);
    keep(r, k, &k->head, sizeof k->head);
    return 0;
}

static void take_payload(struct recorder *r, struct rank *k, const char *data,
                         size_t n)
{
    const uint64_t all = k->head.nbytes + record_padding(k->head.nbytes);
    const uint64_t at = all - k->left;
    if (at < sizeof k->value)
        memcpy(k->value.bytes + at, data,
               n < sizeof k->value - at ? n : sizeof k->value - at);
    if (k->head.kind == EVIDENCE_OUTPUT)
        // padding consists of zeros, as chain_add() assumes
        chain_add(&k->chain, data, n);
    keep(r, k, data, n);
    k->left -= n;
}

void recorder_evidence_take(struct recorder *r, struct rank *k,
                            const char *data, size_t nbytes)
{
    while (nbytes > 0 && k->connection[RECORDER_EVIDENCE] >= 0) {
        size_t n = sizeof k->head - k->nhead;
        if (n > 0) {
            n = n < nbytes ? n : nbytes;
            memcpy((char *)&k->head + k->nhead, data, n);
            k->nhead += n;
            if (k->nhead == sizeof k->head && begin_record(r, k) != 0)
                return;
        } else {
            n = k->left < nbytes ? (size_t)k->left : nbytes;
            take_payload(r, k, data, n);
        }
        data += n;
        nbytes -= n;
        if (k->nhead == sizeof k->head && k->left == 0)
            finish_record(r, k);
        if (k->nbytes > RECORDER_EVIDENCE_CAP)
            rank_hang_up(k, RECORDER_EVIDENCE);
    }
}

void recorder_evidence_read(struct recorder *r, struct rank *k)
{
    char chunk[RANK_CHUNK];
    const ssize_t n = recorder_receive(k->connection[RECORDER_EVIDENCE], chunk,
                                       sizeof chunk, MSG_DONTWAIT, &k->fd);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0)
        rank_hang_up(k, RECORDER_EVIDENCE);
    else
        recorder_evidence_take(r, k, chunk, (size_t)n);
}
