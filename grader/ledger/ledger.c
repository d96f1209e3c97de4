#define _GNU_SOURCE
#include "grader/ledger/ledger.h"

#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcpy */
#include <sys/stat.h> /* umask */

#include "grader/ledger/ledger_table.h"

const char *ledger_error(const struct ledger *l)
{
    return l->err;
}

static int run(struct ledger *l, const char *sql)
{
    return sqlite3_exec(l->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : ledger_fail(l, "ledger");
}

/* ---- opening ------------------------------------------------------------- */

/* Find the end of the chain. */
static int find_end(struct ledger *l)
{
    sqlite3_stmt *const s =
        ledger_prepare(l, "SELECT id, mac FROM entry ORDER BY id DESC LIMIT 1");
    if (!s)
        return -1;
    if (sqlite3_step(s) == SQLITE_ROW &&
        sqlite3_column_bytes(s, 1) == LEDGER_MAC) {
        l->n = sqlite3_column_int64(s, 0);
        memcpy(l->last, sqlite3_column_blob(s, 1), LEDGER_MAC);
    }
    return sqlite3_finalize(s) == SQLITE_OK ? 0 : ledger_fail(l, "ledger");
}

static int bind_mac(sqlite3_stmt *s, int at, const unsigned char *mac)
{
    return sqlite3_bind_blob(s, at, mac, LEDGER_MAC, SQLITE_TRANSIENT);
}

/* Write the head: the number of entries, authenticated by the key. */
static int put_head(struct ledger *l, int64_t n, const unsigned char *last)
{
    unsigned char mac[LEDGER_MAC];
    sqlite3_stmt *const s = ledger_prepare(
        l, n ? "UPDATE head SET entries = ?1, mac = ?2"
             : "INSERT INTO head (only, entries, mac) VALUES (1, ?1, ?2)");
    if (!s)
        return -1;
    ledger_head_mac(l, n, last, mac);
    sqlite3_bind_int64(s, 1, n);
    bind_mac(s, 2, mac);
    sqlite3_step(s);
    return sqlite3_finalize(s) == SQLITE_OK ? 0
                                            : ledger_fail(l, "ledger's head");
}

static int create(struct ledger *l)
{
    if (run(l, "BEGIN EXCLUSIVE") != 0)
        return -1;
    if (run(l, ledger_schema) == 0 && put_head(l, 0, l->last) == 0)
        return run(l, "COMMIT");
    sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

static int has_tables(struct ledger *l)
{
    sqlite3_stmt *const s =
        ledger_prepare(l, "SELECT 1 FROM sqlite_schema WHERE name = 'head'");
    const int found = s && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return found;
}

static int open_tables(struct ledger *l, const char *path, const char *key,
                       enum ledger_mode mode)
{
    const int flags = mode == LEDGER_WRITE
                          ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                          : SQLITE_OPEN_READONLY;
    const mode_t mask = umask(077); // the file holds names, seeds and code
    const int err = sodium_init() < 0 ||
                    sqlite3_open_v2(path, &l->db, flags, NULL) != SQLITE_OK;
    umask(mask);
    if (err)
        return ledger_fail(l, path);
    sqlite3_busy_timeout(l->db, 10000);
    const int is_new = !has_tables(l);
    if (l->err[0])
        return -1;
    if (is_new && mode == LEDGER_READ) {
        snprintf(l->err, sizeof l->err, "%s is not a ledger", path);
        return -1;
    }
    if (ledger_open_key(l, path, key, is_new) != 0)
        return -1;
    if (mode == LEDGER_WRITE && run(l, "PRAGMA synchronous = FULL") != 0)
        return -1;
    if (is_new && create(l) != 0)
        return -1;
    if (mode == LEDGER_WRITE && !ledger_has_schema(l->db)) {
        snprintf(l->err, sizeof l->err,
                 "%.300s: the ledger's tables or triggers were changed: "
                 "nothing is written to it (grade verify says more)",
                 path);
        return -1;
    }
    return find_end(l);
}

struct ledger *ledger_open(const char *path, const char *key,
                           enum ledger_mode mode, char *err, size_t err_nbytes)
{
    struct ledger *const l = calloc(1, sizeof *l);
    if (!l)
        abort();
    if (open_tables(l, path, key, mode) == 0) {
        if (l->beside)
            fprintf(
                stderr,
                "grade: the key of %s is in the same folder, so a copy of the "
                "folder has both (grade key --away moves it)\n",
                path);
        return l;
    }
    snprintf(err, err_nbytes, "%s", l->err);
    ledger_close(l);
    return NULL;
}

void ledger_close(struct ledger *l)
{
    if (!l)
        return;
    sqlite3_close(l->db);
    sodium_memzero(l->key, sizeof l->key);
    free(l);
}

/* ---- writing ------------------------------------------------------------- */

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

static int put_entry(struct ledger *l, const struct ledger_entry *e,
                     const unsigned char *mac)
{
    sqlite3_stmt *const s = ledger_prepare(
        l, "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, e->id);
    bind_text(s, 2, e->kind);
    bind_text(s, 3, e->student);
    bind_text(s, 4, e->lab);
    sqlite3_bind_int(s, 5, e->attempt);
    bind_text(s, 6, e->digest);
    bind_text(s, 7, e->body);
    bind_mac(s, 8, mac);
    sqlite3_step(s);
    return sqlite3_finalize(s) == SQLITE_OK ? 0 : ledger_fail(l, "ledger");
}

/* Say that something else is in the ledger than what was written. */
static int not_kept(struct ledger *l, const char *what)
{
    snprintf(l->err, sizeof l->err,
             "%s is not in the ledger as it was written: its tables or "
             "triggers were changed (grade verify says more)",
             what);
    return -1;
}

int64_t ledger_append(struct ledger *l, const struct ledger_entry *entry)
{
    unsigned char mac[LEDGER_MAC];
    struct ledger_entry e = *entry;
    // Another process may have written since, so look again under the lock.
    if (run(l, "BEGIN IMMEDIATE") != 0)
        return -1;
    int err = find_end(l);
    e.id = l->n + 1;
    ledger_mac(l, l->last, &e, mac);
    if (err == 0)
        err = put_entry(l, &e, mac);
    if (err == 0)
        err = put_head(l, e.id, mac);
    if (err == 0 &&
        !(ledger_has_entry(l, &e, mac) && ledger_has_end(l, e.id, mac)))
        err = not_kept(l, "the entry");
    if (err == 0)
        err = run(l, "COMMIT");
    if (err != 0) {
        sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
        return -1;
    }
    l->n = e.id;
    memcpy(l->last, mac, sizeof mac);
    return e.id;
}

int ledger_keep(struct ledger *l, const void *data, size_t nbytes,
                char digest[LEDGER_DIGEST])
{
    ledger_digest(data, nbytes, digest);
    sqlite3_stmt *const s =
        ledger_prepare(l, "INSERT OR IGNORE INTO submission VALUES (?1, ?2)");
    if (!s)
        return -1;
    bind_text(s, 1, digest);
    sqlite3_bind_blob64(s, 2, data ? data : "", nbytes, SQLITE_STATIC);
    sqlite3_step(s);
    if (sqlite3_finalize(s) != SQLITE_OK)
        return ledger_fail(l, "ledger");
    size_t n = 0;
    void *const kept = ledger_kept(l, digest, &n);
    const int same = kept && n == nbytes && (!n || memcmp(kept, data, n) == 0);
    free(kept);
    return same ? 0 : not_kept(l, "the submission");
}
