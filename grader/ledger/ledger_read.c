/*
 * ledger_read.c: queries of a ledger, and its verification
 */
#include <inttypes.h> /* PRId64 */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* memcpy */
#include <sys/stat.h> /* umask */

#include "grader/ledger/ledger_table.h"

#define COLUMNS "SELECT id, kind, student, lab, attempt, digest, body, mac"

static const char *column(sqlite3_stmt *s, int i)
{
    const unsigned char *const text = sqlite3_column_text(s, i);
    return text ? (const char *)text : "";
}

/* The entry in columns 0 to 6 of COLUMNS. */
static struct ledger_entry row_of(sqlite3_stmt *s)
{
    return (struct ledger_entry){.id = sqlite3_column_int64(s, 0),
                                 .kind = column(s, 1),
                                 .student = column(s, 2),
                                 .lab = column(s, 3),
                                 .attempt = sqlite3_column_int(s, 4),
                                 .digest = column(s, 5),
                                 .body = column(s, 6)};
}

/* ---- reading back -------------------------------------------------------- */

static int is_same(const struct ledger_entry *a, const struct ledger_entry *b)
{
    return a->id == b->id && a->attempt == b->attempt &&
           strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->student, b->student) == 0 && strcmp(a->lab, b->lab) == 0 &&
           strcmp(a->digest, b->digest) == 0 && strcmp(a->body, b->body) == 0;
}

int ledger_has_entry(struct ledger *l, const struct ledger_entry *e,
                     const unsigned char mac[LEDGER_MAC])
{
    sqlite3_stmt *const s = ledger_prepare(
        l, COLUMNS ", (SELECT max(id) FROM entry) FROM entry WHERE id = ?1");
    int found = 0;
    if (s && sqlite3_bind_int64(s, 1, e->id) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW) {
        const struct ledger_entry have = row_of(s);
        found = is_same(&have, e) && sqlite3_column_int64(s, 8) == e->id &&
                sqlite3_column_bytes(s, 7) == LEDGER_MAC &&
                memcmp(sqlite3_column_blob(s, 7), mac, LEDGER_MAC) == 0;
    }
    sqlite3_finalize(s);
    return found;
}

int ledger_has_end(struct ledger *l, int64_t n,
                   const unsigned char last[LEDGER_MAC])
{
    unsigned char mac[LEDGER_MAC];
    sqlite3_stmt *const s = ledger_prepare(l, "SELECT entries, mac FROM head");
    ledger_head_mac(l, n, last, mac);
    const int good =
        s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int64(s, 0) == n &&
        sqlite3_column_bytes(s, 1) == LEDGER_MAC &&
        sodium_memcmp(sqlite3_column_blob(s, 1), mac, LEDGER_MAC) == 0;
    sqlite3_finalize(s);
    return good;
}

int ledger_each(struct ledger *l, const char *kind, const char *lab,
                ledger_fn *fn, void *arg)
{
    sqlite3_stmt *const s =
        ledger_prepare(l, COLUMNS " FROM entry WHERE (?1 IS NULL OR kind = ?1)"
                                  " AND (?2 IS NULL OR lab = ?2) ORDER BY id");
    int stop = 0;
    if (!s)
        return -1;
    sqlite3_bind_text(s, 1, kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, lab, -1, SQLITE_STATIC);
    while (!stop && sqlite3_step(s) == SQLITE_ROW) {
        const struct ledger_entry e = row_of(s);
        stop = fn(&e, arg);
    }
    sqlite3_finalize(s);
    return stop;
}

void *ledger_kept(struct ledger *l, const char *digest, size_t *nbytes)
{
    void *copy = NULL;
    sqlite3_stmt *const s =
        ledger_prepare(l, "SELECT content FROM submission WHERE digest = ?1");
    if (s && sqlite3_bind_text(s, 1, digest, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW) {
        *nbytes = (size_t)sqlite3_column_bytes(s, 0);
        copy = malloc(*nbytes + 1);
        if (!copy)
            abort();
        if (*nbytes)
            memcpy(copy, sqlite3_column_blob(s, 0), *nbytes);
    }
    sqlite3_finalize(s);
    return copy;
}

/* ---- checking ------------------------------------------------------------ */

struct check {
    struct ledger *l;
    FILE *out;
    int faults;
    int64_t n;
    unsigned char last[LEDGER_MAC];
};

static void fault(struct check *c, int64_t id, const char *what)
{
    c->faults++;
    if (c->out)
        fprintf(c->out, "entry %" PRId64 ": %s\n", id, what);
}

/* True if column i is a text without a NUL: the MAC, and all code that reads
 * the text, cover only what precedes a NUL. */
static int is_text(sqlite3_stmt *s, int i)
{
    return sqlite3_column_type(s, i) == SQLITE_TEXT &&
           strlen(column(s, i)) == (size_t)sqlite3_column_bytes(s, i);
}

/* Check an entry. The row's stored MAC goes into the next one's, so that a
 * changed row is one fault and doesn't spread to the rows after it. */
static void check_entry(struct check *c, sqlite3_stmt *s)
{
    unsigned char mac[LEDGER_MAC];
    const struct ledger_entry e = row_of(s);
    const void *const have = sqlite3_column_blob(s, 7);
    if (e.id != c->n + 1)
        fault(c, e.id, "there are entries missing before this one");
    ledger_mac(c->l, c->last, &e, mac);
    if (!is_text(s, 1) || !is_text(s, 2) || !is_text(s, 3) || !is_text(s, 5) ||
        !is_text(s, 6))
        fault(c, e.id, "was changed: a text of it goes on behind its end");
    if (sqlite3_column_bytes(s, 7) != LEDGER_MAC)
        fault(c, e.id, "has no MAC");
    else if (sodium_memcmp(mac, have, LEDGER_MAC) != 0)
        fault(c, e.id, "was changed, or does not follow the one before it");
    if (sqlite3_column_bytes(s, 7) == LEDGER_MAC)
        memcpy(c->last, have, LEDGER_MAC);
    c->n = e.id;
    if (e.digest[0] && strlen(e.digest) != LEDGER_DIGEST - 1)
        fault(c, e.id, "names no submission");
}

static void check_entries(struct check *c)
{
    sqlite3_stmt *const s =
        ledger_prepare(c->l, COLUMNS " FROM entry ORDER BY id");
    while (s && sqlite3_step(s) == SQLITE_ROW)
        check_entry(c, s);
    if (!s || sqlite3_finalize(s) != SQLITE_OK)
        fault(c, c->n, sqlite3_errmsg(c->l->db));
}

static void check_head(struct check *c)
{
    if (!ledger_has_end(c->l, c->n, c->last))
        fault(c, c->n,
              "is not the last one that was written: entries were cut "
              "off");
}

/* Check that every submission that an entry names exists, and is
 * what was graded. */
static void check_submissions(struct check *c)
{
    sqlite3_stmt *const s = ledger_prepare(
        c->l, "SELECT entry.id, entry.digest, content FROM entry LEFT JOIN "
              "submission USING (digest) WHERE entry.digest <> '' "
              "GROUP BY entry.digest ORDER BY entry.id");
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        char digest[LEDGER_DIGEST];
        const void *const content = sqlite3_column_blob(s, 2);
        ledger_digest(content ? content : "",
                      (size_t)sqlite3_column_bytes(s, 2), digest);
        if (sqlite3_column_type(s, 2) == SQLITE_NULL)
            fault(c, sqlite3_column_int64(s, 0), "its submission is gone");
        else if (strcmp(digest, column(s, 1)) != 0)
            fault(c, sqlite3_column_int64(s, 0), "its submission was changed");
    }
    sqlite3_finalize(s);
}

/* The database's schema as one text, to be freed by sqlite3_free(); NULL if it
 * can't be read. SQLite's own indexes are part of it, because an intruder can
 * give a trigger one of SQLite's names. */
static char *schema_of(sqlite3 *db)
{
    sqlite3_stmt *s;
    char *all = sqlite3_mprintf("");
    if (sqlite3_prepare_v2(
            db,
            "SELECT type, name, tbl_name, sql FROM sqlite_schema "
            "ORDER BY type, name, tbl_name, sql",
            -1, &s, NULL) != SQLITE_OK)
        return NULL;
    while (all && sqlite3_step(s) == SQLITE_ROW) {
        char *const more =
            sqlite3_mprintf("%s%s %s %s %s\n", all, column(s, 0), column(s, 1),
                            column(s, 2), column(s, 3));
        sqlite3_free(all);
        all = more;
    }
    sqlite3_finalize(s);
    return all;
}

/* True if tables and triggers are exactly those that this program makes: no
 * view replaces a table, no trigger is missing or additional. */
int ledger_has_schema(sqlite3 *db)
{
    sqlite3 *fresh = NULL;
    char *want = NULL, *const have = schema_of(db);
    if (sqlite3_open(":memory:", &fresh) == SQLITE_OK &&
        sqlite3_exec(fresh, ledger_schema, NULL, NULL, NULL) == SQLITE_OK)
        want = schema_of(fresh);
    const int same = want && have && strcmp(want, have) == 0;
    sqlite3_free(want);
    sqlite3_free(have);
    sqlite3_close(fresh);
    return same;
}

/* Check that indexes lead to the rows of their tables, so that a search finds
 * what a scan has checked. */
static void check_indexes(struct check *c)
{
    sqlite3_stmt *const s = ledger_prepare(c->l, "PRAGMA integrity_check(1)");
    char what[300];
    if (!s || sqlite3_step(s) != SQLITE_ROW ||
        strcmp(column(s, 0), "ok") != 0) {
        snprintf(what, sizeof what, "the file is damaged: %.200s",
                 s ? column(s, 0) : sqlite3_errmsg(c->l->db));
        fault(c, c->n, what);
    }
    sqlite3_finalize(s);
}

int ledger_verify(struct ledger *l, FILE *out, char head[LEDGER_DIGEST])
{
    struct check c = {.l = l, .out = out};
    check_entries(&c);
    check_head(&c);
    check_submissions(&c);
    if (!ledger_has_schema(l->db))
        fault(&c, c.n, "the ledger's tables or triggers were changed");
    check_indexes(&c);
    if (head)
        sodium_bin2hex(head, LEDGER_DIGEST, c.last, LEDGER_MAC);
    return c.faults;
}

int ledger_has_head(struct ledger *l, const char *head)
{
    sqlite3_stmt *const s = ledger_prepare(
        l, "SELECT 1 FROM entry WHERE lower(hex(mac)) = lower(?1)");
    const int found =
        s && sqlite3_bind_text(s, 1, head, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return found;
}

/* The header of the file has the mark, which no MAC covers: it protects the key
 * of the original from mistakes, not from people. */
#define MARK "0x636f7079" /* "copy" */

int ledger_copy(struct ledger *l, const char *path)
{
    sqlite3 *to = NULL;
    const mode_t mask = umask(077);
    int err = sqlite3_open(path, &to);
    umask(mask);
    sqlite3_backup *const b =
        err == SQLITE_OK ? sqlite3_backup_init(to, "main", l->db, "main")
                         : NULL;
    if (b) {
        sqlite3_backup_step(b, -1);
        err = sqlite3_backup_finish(b);
    }
    if (b && err == SQLITE_OK)
        err =
            sqlite3_exec(to, "PRAGMA application_id = " MARK, NULL, NULL, NULL);
    if (!b || err != SQLITE_OK)
        snprintf(l->err, sizeof l->err, "%.300s: %s", path, sqlite3_errmsg(to));
    sqlite3_close(to);
    return b && err == SQLITE_OK ? 0 : -1;
}

int ledger_is_copy(struct ledger *l)
{
    sqlite3_stmt *const s = ledger_prepare(l, "SELECT application_id = " MARK
                                              " FROM pragma_application_id");
    const int is =
        s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return is;
}
