/*
 * ledger.h: a permanent record of every grading
 *
 * The ledger is an SQLite file of three tables. `entry` is append-only: each
 * row carries an HMAC over the row before it and itself, so no row can be
 * changed, moved or removed without the key. `submission` holds what was
 * graded, under its digest. `head` says how many entries there are, so that the
 * last ones can't be cut off either. (An old copy of the whole file can be
 * recognised only by its head: `grade verify` prints the head, so note it
 * down.)
 *
 * Triggers refuse UPDATE and DELETE, which prevents accidents. Deliberate
 * changes are prevented by the key, a file with mode 0600 in a folder of the
 * user's own: $COMMLAB_KEYS (where "." means next to the ledger), or
 * commlab/keys in $XDG_DATA_HOME or ~/.local/share.
 *
 * Each write is read back before it counts. One process writes at a time. A
 * process that is killed loses at most the
 * entry that it was appending.
 */
#ifndef GRADER_LEDGER_H
#define GRADER_LEDGER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { LEDGER_DIGEST = 65 }; /* length of a digest in hexadecimal, with NUL */

struct ledger_entry {
    int64_t id;       /* 1, 2, 3 ... */
    const char *kind; /* "grading", "batch", or a change (change.h) */
    const char *student, *lab;
    int attempt;        /* number of the student's submission, from 1 */
    const char *digest; /* digest of the submission; "" for none */
    const char *body;   /* JSON with everything else */
};

enum ledger_mode { LEDGER_READ, LEDGER_WRITE /* creates the file */ };

struct ledger;

/*
 * Open a ledger; with a NULL key, the key is in the folder of keys, or, for an
 * older ledger, in PATH.key, about which the user is told. LEDGER_WRITE creates
 * file and key if there is no ledger. NULL with the reason in err on failure.
 */
struct ledger *ledger_open(const char *path, const char *key,
                           enum ledger_mode mode, char *err, size_t err_nbytes);
void ledger_close(struct ledger *l);

/* The file that has the key of an open ledger. */
void ledger_key_place(struct ledger *l, const char *path, char *out,
                      size_t nbytes);

/* Move a key from next to the ledger, which is open for writing, to the folder
 * of keys; its new place is written to out. Returns -1 with ledger_error(). */
int ledger_move_key(struct ledger *l, const char *path, char *out,
                    size_t nbytes);

/* Append an entry (its id is ignored), completely or not at all. Returns its
 * id, or -1 with ledger_error(). */
int64_t ledger_append(struct ledger *l, const struct ledger_entry *e);

/* Store a submission, and write its digest. Returns 0, or -1 with
 * ledger_error(). */
int ledger_keep(struct ledger *l, const void *data, size_t nbytes,
                char digest[LEDGER_DIGEST]);

/* A stored submission, which the caller frees; NULL if there is none. */
void *ledger_kept(struct ledger *l, const char *digest, size_t *nbytes);

/* Call fn for all entries of a kind (NULL: any) and lab (NULL: any), oldest
 * first, until it returns a value other than 0, which is returned. */
typedef int ledger_fn(const struct ledger_entry *e, void *arg);
int ledger_each(struct ledger *l, const char *kind, const char *lab,
                ledger_fn *fn, void *arg);

/*
 * Check every row: the chain, the head, the stored submissions. Returns the
 * number of faults after listing them on out (may be NULL). head, if not NULL,
 * gets the MAC of the last entry.
 */
int ledger_verify(struct ledger *l, FILE *out, char head[LEDGER_DIGEST]);

/* Copy the ledger's file, as it is at one moment, and mark the copy. Returns -1
 * with ledger_error(). */
int ledger_copy(struct ledger *l, const char *path);

/* True if ledger_copy() made this file: its key is that of another ledger. */
int ledger_is_copy(struct ledger *l);

/* True if some entry has this MAC, in hexadecimal. */
int ledger_has_head(struct ledger *l, const char *head);

/* A name for a student that is always the same and doesn't
 * identify the student. */
void ledger_pseudonym(const struct ledger *l, const char *student, char *out,
                      size_t nbytes);

const char *ledger_error(const struct ledger *l);

/* The digest of bytes: BLAKE2b-256 in hexadecimal. */
void ledger_digest(const void *data, size_t nbytes, char digest[LEDGER_DIGEST]);

#endif
