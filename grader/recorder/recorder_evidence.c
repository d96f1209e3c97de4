#include "recorder_evidence.h"

#include <string.h> /* memcpy */

#include "recorder_cases.h"
#include "recorder_draw.h"

/* A name comes once in an iteration. A second one is not the kit's, or the
 * first was not. */
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

/* May this record come now? If not, why not. */
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

/* A whole record is there. */
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
        if (fflush(k->file) != 0) // there is progress
            rank_failed(r, "the evidence");
        recorder_cases_go_on(r);
        break;
    case EVIDENCE_DRAW:
        recorder_draw_answer(r, k);
        r->answered = 1;
        break;
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

/* The head of a record is there. 0, or -1 if it is refused. */
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
        chain_add(&k->chain, data, n); // padding is zeros, as it assumes
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
