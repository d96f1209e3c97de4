#include "grader/ledger/ledger_table.h"

#include <string.h> /* strlen */

const char ledger_schema[] =
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
    " student TEXT NOT NULL, lab TEXT NOT NULL, attempt INTEGER NOT NULL,"
    " digest TEXT NOT NULL, body TEXT NOT NULL, mac BLOB NOT NULL) STRICT;"
    "CREATE TABLE submission (digest TEXT PRIMARY KEY,"
    " content BLOB NOT NULL) STRICT;"
    "CREATE TABLE head (only INTEGER PRIMARY KEY CHECK (only = 1),"
    " entries INTEGER NOT NULL, mac BLOB NOT NULL) STRICT;"
    "CREATE TRIGGER entry_update BEFORE UPDATE ON entry BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
    "CREATE TRIGGER entry_delete BEFORE DELETE ON entry BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
    "CREATE TRIGGER submission_update BEFORE UPDATE ON submission BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
    "CREATE TRIGGER submission_delete BEFORE DELETE ON submission BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
    "CREATE TRIGGER head_delete BEFORE DELETE ON head BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
    "CREATE TRIGGER head_update BEFORE UPDATE ON head"
    " WHEN new.entries <> old.entries + 1 BEGIN"
    " SELECT RAISE(ABORT, 'the ledger is append-only'); END;";

int ledger_fail(struct ledger *l, const char *what)
{
    if (sqlite3_errcode(l->db) == SQLITE_BUSY)
        snprintf(l->err, sizeof l->err,
                 "%.300s is locked by another program (fuser names it): when "
                 "that has ended, run the same command again",
                 sqlite3_db_filename(l->db, "main"));
    else if (sqlite3_errcode(l->db) == SQLITE_FULL)
        snprintf(l->err, sizeof l->err,
                 "%.300s: its disk is full: make space there, and run the same "
                 "command again",
                 sqlite3_db_filename(l->db, "main"));
    else
        snprintf(l->err, sizeof l->err, "%s: %s", what, sqlite3_errmsg(l->db));
    return -1;
}

sqlite3_stmt *ledger_prepare(struct ledger *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK)
        ledger_fail(l, "ledger");
    return s;
}

/* ---- MACs ---------------------------------------------------------------- */

/* Hash a field with its length, so that no byte can move from one
 * field to another. */
static void add(crypto_auth_hmacsha512256_state *s, const void *data,
                size_t nbytes)
{
    const uint64_t n = nbytes;
    crypto_auth_hmacsha512256_update(s, (const unsigned char *)&n, sizeof n);
    crypto_auth_hmacsha512256_update(s, data, nbytes);
}

void ledger_mac(const struct ledger *l, const unsigned char *before,
                const struct ledger_entry *e, unsigned char mac[LEDGER_MAC])
{
    const int64_t numbers[2] = {e->id, e->attempt};
    crypto_auth_hmacsha512256_state s;
    crypto_auth_hmacsha512256_init(&s, l->key, sizeof l->key);
    add(&s, "entry", 5);
    add(&s, before, LEDGER_MAC);
    add(&s, numbers, sizeof numbers);
    add(&s, e->kind, strlen(e->kind));
    add(&s, e->student, strlen(e->student));
    add(&s, e->lab, strlen(e->lab));
    add(&s, e->digest, strlen(e->digest));
    add(&s, e->body, strlen(e->body));
    crypto_auth_hmacsha512256_final(&s, mac);
}

void ledger_head_mac(const struct ledger *l, int64_t n,
                     const unsigned char *last, unsigned char mac[LEDGER_MAC])
{
    crypto_auth_hmacsha512256_state s;
    crypto_auth_hmacsha512256_init(&s, l->key, sizeof l->key);
    add(&s, "head", 4);
    add(&s, &n, sizeof n);
    add(&s, last, LEDGER_MAC);
    crypto_auth_hmacsha512256_final(&s, mac);
}

void ledger_digest(const void *data, size_t nbytes, char digest[LEDGER_DIGEST])
{
    unsigned char hash[32];
    crypto_generichash(hash, sizeof hash, data, nbytes, NULL, 0);
    sodium_bin2hex(digest, LEDGER_DIGEST, hash, sizeof hash);
}

void ledger_pseudonym(const struct ledger *l, const char *student, char *out,
                      size_t nbytes)
{
    unsigned char mac[LEDGER_MAC];
    crypto_auth_hmacsha512256_state s;
    crypto_auth_hmacsha512256_init(&s, l->key, sizeof l->key);
    add(&s, "pseudonym", 9);
    add(&s, student, strlen(student));
    crypto_auth_hmacsha512256_final(&s, mac);
    snprintf(out, nbytes, "anon-%02x%02x%02x%02x", mac[0], mac[1], mac[2],
             mac[3]);
}
