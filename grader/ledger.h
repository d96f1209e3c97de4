/*
 * ledger.h: every grading, for ever
 *
 * An SQLite file of three tables. `entry` is append-only: each row carries an
 * HMAC over the row before it and itself, so that no row can be changed, moved
 * or taken out without the key. `submission` holds what was graded, under its
 * digest. `head` says how many entries there are, so that the last ones can't
 * be cut off either. (Who puts back an old copy of the whole file is caught by
 * its head alone: `grade verify` prints it; note it down.)
 *
 * Triggers refuse UPDATE and DELETE: that is against accidents. Against people
 * there is the key, in a file of its own with mode 0600.
 *
 * One process writes at a time. A process that is killed loses at most the
 * entry that it was appending.
 */
#ifndef GRADER_LEDGER_H
#define GRADER_LEDGER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { LEDGER_DIGEST = 65 }; /* bytes of a digest in hexadecimal, with NUL */

struct ledger_entry {
    int64_t id;       /* 1, 2, 3 ... */
    const char *kind; /* "grading", "batch", or a change (change.h) */
    const char *student, *lab;
    int attempt;        /* which of the student's submissions, from 1 */
    const char *digest; /* of the submission; "" for none */
    const char *body;   /* JSON: all the rest */
};

enum ledger_mode { LEDGER_READ, LEDGER_WRITE /* and create */ };

struct ledger;

/*
 * Open a ledger; key NULL: PATH.key. With LEDGER_WRITE, file and key are made
 * if there is no ledger yet. NULL with the reason in err.
 */
struct ledger *ledger_open(const char *path, const char *key,
                           enum ledger_mode mode, char *err, size_t err_nbytes);
void ledger_close(struct ledger *l);

/* Append an entry (its id is ignored), all of it or nothing. Its id; -1 with
 * ledger_error(). */
int64_t ledger_append(struct ledger *l, const struct ledger_entry *e);

/* Keep a submission, and write its digest; -1 with ledger_error(). */
int ledger_keep(struct ledger *l, const void *data, size_t nbytes,
                char digest[LEDGER_DIGEST]);

/* A kept submission, for the caller to free; NULL if there is none. */
void *ledger_kept(struct ledger *l, const char *digest, size_t *nbytes);

/* Call fn for all entries of a kind (NULL: any) and lab (NULL: any), oldest
 * first, until it returns non-zero: that is returned. */
typedef int ledger_fn(const struct ledger_entry *e, void *arg);
int ledger_each(struct ledger *l, const char *kind, const char *lab,
                ledger_fn *fn, void *arg);

/*
 * Check every row: the chain, the head, the kept submissions. Returns how many
 * faults there are, having named them on out (NULL: nowhere). head, if not
 * NULL: the MAC of the last entry.
 */
int ledger_verify(struct ledger *l, FILE *out, char head[LEDGER_DIGEST]);

/* Is this the MAC of one of the entries, in hexadecimal? */
int ledger_has_head(struct ledger *l, const char *head);

/* The same name for a student every time, which says nothing of who it is. */
void ledger_pseudonym(const struct ledger *l, const char *student, char *out,
                      size_t nbytes);

const char *ledger_error(const struct ledger *l);

/* The digest of bytes: BLAKE2b-256 in hexadecimal. */
void ledger_digest(const void *data, size_t nbytes, char digest[LEDGER_DIGEST]);

#endif
