#define _GNU_SOURCE
#include "ledger.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <limits.h>   /* PATH_MAX */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcpy */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* read */

#include "ledger_table.h"

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

static int fail(struct ledger *l, const char *what)
{
    snprintf(l->err, sizeof l->err, "%s: %s", what, sqlite3_errmsg(l->db));
    return -1;
}

const char *ledger_error(const struct ledger *l)
{
    return l->err;
}

static int run(struct ledger *l, const char *sql)
{
    return sqlite3_exec(l->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : fail(l, "ledger");
}

sqlite3_stmt *ledger_prepare(struct ledger *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK)
        fail(l, "ledger");
    return s;
}

/* ---- MACs ---------------------------------------------------------------- */

/* Fields are hashed with their lengths, so that none can grow at another's
 * cost. */
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

/* ---- opening ------------------------------------------------------------- */

static int key_error(struct ledger *l, const char *path, const char *what)
{
    snprintf(l->err, sizeof l->err, "%.400s: %s", path, what);
    return -1;
}

static int read_key(struct ledger *l, const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return key_error(l, path, strerror(errno));
    const ssize_t n = read(fd, l->key, sizeof l->key);
    close(fd);
    if (n != sizeof l->key || st.st_size != n)
        return key_error(l, path, "is not a key of 32 bytes");
    if (st.st_mode & 077)
        return key_error(l, path,
                         "others may read this key: chmod 600 it, and think "
                         "about who has it");
    return 0;
}

/* Under another name first: who is killed leaves a whole key or none. */
static int make_key(struct ledger *l, const char *path)
{
    char fresh[2 * PATH_MAX];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    const int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    randombytes_buf(l->key, sizeof l->key);
    const int good = fd >= 0 && fchmod(fd, 0600) == 0 &&
                     write(fd, l->key, sizeof l->key) == sizeof l->key &&
                     fsync(fd) == 0;
    if (!good || rename(fresh, path) != 0)
        key_error(l, path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return l->err[0] ? -1 : 0;
}

static int open_key(struct ledger *l, const char *path, const char *key,
                    int make)
{
    char beside[PATH_MAX + 16];
    snprintf(beside, sizeof beside, "%s.key", path);
    key = key ? key : beside;
    return make && access(key, F_OK) != 0 ? make_key(l, key) : read_key(l, key);
}

/* How far the chain has come. */
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
    return sqlite3_finalize(s) == SQLITE_OK ? 0 : fail(l, "ledger");
}

static int bind_mac(sqlite3_stmt *s, int at, const unsigned char *mac)
{
    return sqlite3_bind_blob(s, at, mac, LEDGER_MAC, SQLITE_TRANSIENT);
}

/* Write the head: how many entries, and that it is us who say so. */
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
    return sqlite3_finalize(s) == SQLITE_OK ? 0 : fail(l, "ledger's head");
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
    const mode_t mask = umask(077); // it holds names, seeds and code
    const int err = sodium_init() < 0 ||
                    sqlite3_open_v2(path, &l->db, flags, NULL) != SQLITE_OK;
    umask(mask);
    if (err)
        return fail(l, path);
    sqlite3_busy_timeout(l->db, 10000);
    const int is_new = !has_tables(l);
    if (l->err[0])
        return -1;
    if (is_new && mode == LEDGER_READ) {
        snprintf(l->err, sizeof l->err, "%s is not a ledger", path);
        return -1;
    }
    if (open_key(l, path, key, is_new) != 0)
        return -1;
    if (mode == LEDGER_WRITE && run(l, "PRAGMA synchronous = FULL") != 0)
        return -1;
    return is_new && create(l) != 0 ? -1 : find_end(l);
}

struct ledger *ledger_open(const char *path, const char *key,
                           enum ledger_mode mode, char *err, size_t err_nbytes)
{
    struct ledger *const l = calloc(1, sizeof *l);
    if (!l)
        abort();
    if (open_tables(l, path, key, mode) == 0)
        return l;
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
    return sqlite3_finalize(s) == SQLITE_OK ? 0 : fail(l, "ledger");
}

int64_t ledger_append(struct ledger *l, const struct ledger_entry *entry)
{
    unsigned char mac[LEDGER_MAC];
    struct ledger_entry e = *entry;
    // Another process may have written since: ask again, under the lock.
    if (run(l, "BEGIN IMMEDIATE") != 0)
        return -1;
    int err = find_end(l);
    e.id = l->n + 1;
    ledger_mac(l, l->last, &e, mac);
    if (err == 0)
        err = put_entry(l, &e, mac);
    if (err == 0)
        err = put_head(l, e.id, mac);
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
    return sqlite3_finalize(s) == SQLITE_OK ? 0 : fail(l, "ledger");
}
