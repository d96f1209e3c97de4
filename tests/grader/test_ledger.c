/*
 * The ledger: what is written stays, and what was changed is found.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dlfcn.h>  /* dlsym */
#include <sodium.h> /* crypto_auth_hmacsha512256 */
#include <sqlite3.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* stat */
#include <unistd.h>   /* access */

#include "fds.h"
#include "golden.h"
#include "grader/base/folder.h"
#include "grader/ledger/ledger.h"
#include "grader/ledger/ledger_table.h"
#include "grader/ledger/pack.h"
#include "heap.h"
#include "suite.h"

static char dir[64], path[96], err[512];
static int waits = 1;

/* A ledger that is locked is waited for, unless the test forbids it. */
int sqlite3_busy_timeout(sqlite3 *db, int ms)
{
    static int (*wait)(sqlite3 * db, int ms);
    if (!wait)
        *(void **)&wait = dlsym(RTLD_NEXT, "sqlite3_busy_timeout");
    return wait(db, waits ? ms : 0);
}

static void make_ledger(void)
{
    static const char *const students[] = {"ada", "bob", "ada", "cyd"};
    strcpy(dir, "/tmp/commlab-ledger-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/L.db", dir);
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    for (int i = 0; i < 4; i++) {
        struct ledger_entry e = {.kind = i ? "grading" : "batch",
                                 .student = students[i],
                                 .lab = "lab1-collectives",
                                 .attempt = i,
                                 .body = "{\"score\": 1}"};
        char digest[LEDGER_DIGEST];
        ck_assert_int_eq(ledger_keep(l, students[i], 3, digest), 0);
        e.digest = digest;
        ck_assert_int_eq(ledger_append(l, &e), i + 1);
    }
    ledger_close(l);
}

static void remove_ledger(void)
{
    folder_remove(dir);
}

/* What an intruder without the key would do; the triggers first. */
static void tamper(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, sql, NULL, NULL, &why);
    ck_assert_msg(why == NULL, "%s: %s", sql, why);
    sqlite3_close(db);
}

/* How many faults verify finds, and what it says of them. */
static int faults(char *said, size_t nbytes)
{
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    FILE *const out = fmemopen(said, nbytes, "w");
    const int n = ledger_verify(l, out, NULL);
    fclose(out);
    ledger_close(l);
    return n;
}

START_TEST(a_whole_ledger_has_no_faults)
{
    char said[512] = "";
    ck_assert_msg(faults(said, sizeof said) == 0, "%s", said);
}
END_TEST

#define NO_TRIGGERS                                                            \
    "DROP TRIGGER entry_update; DROP TRIGGER entry_delete;"                    \
    "DROP TRIGGER submission_update; DROP TRIGGER submission_delete;"          \
    "DROP TRIGGER head_update; DROP TRIGGER head_delete;"

static const struct {
    const char *sql, *says;
} changes[] = {
    {"UPDATE entry SET body = '{\"score\": 100}' WHERE id = 2", "entry 2: was"},
    {"UPDATE entry SET student = 'bob' WHERE id = 3", "entry 3: was changed"},
    {"UPDATE entry SET attempt = 7 WHERE id = 2", "entry 2: was changed"},
    {"UPDATE entry SET digest = '' WHERE id = 2", "entry 2: was changed"},
    {"UPDATE entry SET mac = zeroblob(32) WHERE id = 2", "entry 2: was"},
    {"UPDATE entry SET mac = x'' WHERE id = 2", "entry 2: has no MAC"},
    {"DELETE FROM entry WHERE id = 2", "entry 3: there are entries missing"},
    {"DELETE FROM entry WHERE id = 4", "cut off"},
    {"DELETE FROM entry WHERE id = 4; UPDATE head SET entries = 3", "cut off"},
    {"DELETE FROM entry", "cut off"},
    {"DELETE FROM head", "cut off"},
    {"INSERT INTO entry SELECT 5, kind, student, lab, attempt, digest, body, "
     "mac FROM entry WHERE id = 4",
     "entry 5: was changed"},
    {"UPDATE entry SET id = 10 WHERE id = 2; UPDATE entry SET id = 2 WHERE id "
     "= 3; UPDATE entry SET id = 3 WHERE id = 10",
     "entry 2: was changed"},
    {"UPDATE submission SET content = x'787878' WHERE content = CAST('bob' AS "
     "BLOB)",
     "entry 2: its submission was changed"},
    {"DELETE FROM submission WHERE content = CAST('bob' AS BLOB)",
     "entry 2: its submission is gone"},
    {"UPDATE entry SET body = body || char(0) || 'more' WHERE id = 2",
     "entry 2: was changed: a text of it goes on behind its end"},
    {"UPDATE entry SET student = student || char(0) WHERE id = 3",
     "entry 3: was changed: a text of it goes on behind its end"},
    {"UPDATE entry SET kind = kind || char(0) WHERE id = 3",
     "entry 3: was changed: a text of it goes on behind its end"},
    {"UPDATE entry SET lab = lab || char(0) WHERE id = 3",
     "entry 3: was changed: a text of it goes on behind its end"},
    {"UPDATE entry SET digest = digest || char(0) WHERE id = 3",
     "entry 3: was changed: a text of it goes on behind its end"},
    {"UPDATE entry SET kind = 'batch' WHERE id = 3", "entry 3: was changed"},
    {"UPDATE entry SET lab = 'lab1' WHERE id = 3", "entry 3: was changed"},
    {"UPDATE entry SET digest = 'ada' WHERE id = 3",
     "entry 3: names no submission"},
    {"UPDATE head SET mac = zeroblob(32)", "cut off"},
    {"UPDATE head SET mac = x''", "cut off"},
    {"UPDATE head SET entries = 5", "cut off"},
    {"SELECT 1", "the ledger's tables or triggers were changed"},
    {"CREATE VIEW grades AS SELECT * FROM entry",
     "the ledger's tables or triggers were changed"},
};
enum { NCHANGES = sizeof changes / sizeof *changes };

START_TEST(every_change_is_found)
{
    char sql[1024], said[2048] = "";
    snprintf(sql, sizeof sql, "%s %s", NO_TRIGGERS, changes[_i].sql);
    tamper(sql);
    ck_assert_msg(faults(said, sizeof said) > 0, "not found: %s", sql);
    ck_assert_msg(strstr(said, changes[_i].says) != NULL, "%s: %s", sql, said);
    snprintf(sql, sizeof sql, "%.200s", changes[_i].sql);
    golden_expect_part("tests/grader/golden.txt#faults", sql, said);
}
END_TEST

/* Whoever can edit the schema can use any name, SQLite's own too. */
#define AS_SQLITE(what)                                                        \
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET " what              \
    "; PRAGMA writable_schema = RESET"
static const struct {
    const char *sql, *says;
} hidden[] = {
    {"CREATE TRIGGER t AFTER INSERT ON entry BEGIN UPDATE entry SET body = "
     "'{}' WHERE id = new.id; END;" AS_SQLITE(
         "name = 'sqlite_t', sql = replace(sql, 'TRIGGER t', 'TRIGGER "
         "sqlite_t') WHERE name = 't'"),
     "the ledger's tables or triggers were changed"},
    {"CREATE INDEX i ON entry (body);" AS_SQLITE(
         "name = 'sqlite_i', sql = 'CREATE INDEX sqlite_i ON entry (body)' "
         "WHERE name = 'i'"),
     "the ledger's tables or triggers were changed"},
    {"ANALYZE", "the ledger's tables or triggers were changed"},
    {"CREATE TABLE other (digest TEXT PRIMARY KEY, content BLOB);"
     "INSERT INTO other SELECT substr(digest, 2), '' FROM submission;"
     "PRAGMA writable_schema = ON;"
     "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
     "WHERE name = 'sqlite_autoindex_other_1') WHERE name = "
     "'sqlite_autoindex_submission_1';"
     "DELETE FROM sqlite_schema WHERE tbl_name = 'other'",
     "the file is damaged: "},
};

START_TEST(no_name_is_an_exception)
{
    char said[2048] = "";
    tamper(hidden[_i].sql);
    ck_assert_msg(faults(said, sizeof said) > 0, "not found: %s",
                  hidden[_i].sql);
    ck_assert_msg(strstr(said, hidden[_i].says) != NULL, "%s", said);
}
END_TEST

START_TEST(nothing_is_written_to_a_changed_ledger)
{
    char want[400];
    tamper("CREATE VIEW grades AS SELECT * FROM entry");
    ck_assert_ptr_null(ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err));
    snprintf(want, sizeof want,
             "%s: the ledger's tables or triggers were changed: nothing is "
             "written to it (grade verify says more)",
             path);
    ck_assert_str_eq(err, want);
}
END_TEST

/* Changed while it is open: what is written is then not what was meant. */
static const struct {
    const char *sql;
    int entry, submission; /* 1: it can be kept all the same */
} swallowed[] = {
    {"CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM head; END", 0,
     1},
    {"CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END",
     0, 1},
    {"CREATE TRIGGER t AFTER INSERT ON entry WHEN new.id = 5 BEGIN INSERT INTO "
     "entry SELECT 6, kind, student, lab, attempt, digest, body, mac FROM "
     "entry "
     "WHERE id = 5; END",
     0, 1},
    {"DROP TRIGGER entry_update; CREATE TRIGGER t AFTER INSERT ON entry BEGIN "
     "UPDATE entry SET body = '{}' WHERE id = new.id; END",
     0, 1},
    {"DROP TRIGGER head_update; CREATE TRIGGER t AFTER UPDATE ON head BEGIN "
     "UPDATE head SET entries = old.entries; END",
     0, 1},
    {"CREATE TRIGGER t BEFORE UPDATE ON head BEGIN SELECT RAISE(IGNORE); END",
     0, 1},
    {"CREATE TRIGGER t BEFORE INSERT ON submission BEGIN SELECT RAISE(IGNORE); "
     "END",
     1, 0},
    {"DROP TRIGGER submission_update; CREATE TRIGGER t AFTER INSERT ON "
     "submission BEGIN UPDATE submission SET content = x'00' WHERE digest = "
     "new.digest; END",
     1, 0},
    {"SELECT 1", 1, 1},
};

START_TEST(what_is_written_is_read_back)
{
    char digest[LEDGER_DIGEST];
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    const struct ledger_entry e = {.kind = "grading",
                                   .student = "eve",
                                   .lab = "lab1-collectives",
                                   .digest = "",
                                   .body = "{\"score\": 7}"};
    tamper(swallowed[_i].sql);
    const int64_t id = ledger_append(l, &e);
    ck_assert_int_eq(id, swallowed[_i].entry ? 5 : -1);
    if (id < 0)
        ck_assert_msg(strstr(ledger_error(l), "ledger") != NULL, "%s",
                      ledger_error(l));
    ck_assert_int_eq(ledger_keep(l, "new", 3, digest),
                     swallowed[_i].submission ? 0 : -1);
    if (!swallowed[_i].submission)
        ck_assert_str_eq(ledger_error(l),
                         "the submission is not in the ledger as it was "
                         "written: its tables or triggers were changed (grade "
                         "verify says more)");
    ledger_close(l);
}
END_TEST

static const char *const refused[] = {
    "UPDATE entry SET body = ''",
    "DELETE FROM entry WHERE id = 4",
    "UPDATE submission SET content = x''",
    "DELETE FROM submission",
    "DELETE FROM head",
    "UPDATE head SET entries = 3",
};
enum { NREFUSED = sizeof refused / sizeof *refused };

START_TEST(accidents_are_refused)
{
    sqlite3 *db;
    char *why = NULL, said[512] = "";
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, refused[_i], NULL, NULL, &why);
    ck_assert_msg(why && strstr(why, "append-only"), "%s: %s", refused[_i],
                  why);
    sqlite3_free(why);
    sqlite3_close(db);
    ck_assert_int_eq(faults(said, sizeof said), 0);
}
END_TEST

START_TEST(the_key_is_for_its_owner_alone)
{
    char key[128];
    struct stat st;
    snprintf(key, sizeof key, "%s.key", path);
    ck_assert_int_eq(stat(key, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0077, 0);
    ck_assert_int_eq(chmod(key, 0644), 0);
    ck_assert(!ledger_open(path, NULL, LEDGER_READ, err, sizeof err));
    ck_assert_msg(strstr(err, "others may read this key") != NULL, "%s", err);
}
END_TEST

/* A pseudonym is 32 bits of a keyed hash of the name, each text behind its
 * length: the same in every program and every term of one key. */
START_TEST(a_pseudonym_is_a_hash_by_the_key)
{
    static const unsigned char text[] = "\11\0\0\0\0\0\0\0pseudonym"
                                        "\3\0\0\0\0\0\0\0ada";
    unsigned char key[crypto_auth_hmacsha512256_KEYBYTES],
        mac[crypto_auth_hmacsha512256_BYTES];
    char file[128], is[64], should[64];
    snprintf(file, sizeof file, "%s.key", path);
    FILE *const f = fopen(file, "re");
    ck_assert(f && fread(key, sizeof key, 1, f) == 1);
    fclose(f);
    crypto_auth_hmacsha512256(mac, text, sizeof text - 1, key);
    snprintf(should, sizeof should, "anon-%02x%02x%02x%02x", mac[0], mac[1],
             mac[2], mac[3]);
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
    ledger_pseudonym(l, "ada", is, sizeof is);
    ck_assert_str_eq(is, should);
    ledger_close(l);
}
END_TEST

START_TEST(another_key_fits_nothing)
{
    char key[128], other[128], said[2048] = "";
    snprintf(key, sizeof key, "%s.key", path);
    snprintf(other, sizeof other, "%s/other.db", dir);
    ledger_close(ledger_open(other, NULL, LEDGER_WRITE, err, sizeof err));
    snprintf(other, sizeof other, "%s/other.db.key", dir);
    ck_assert_int_eq(rename(other, key), 0);
    ck_assert_int_gt(faults(said, sizeof said), 4);
}
END_TEST

START_TEST(a_head_that_was_noted_down_is_found_again)
{
    char head[LEDGER_DIGEST];
    struct ledger *l = ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ledger_verify(l, NULL, head);
    const struct ledger_entry e = {
        .kind = "batch", .student = "", .lab = "", .digest = "", .body = "{}"};
    ck_assert_int_eq(ledger_append(l, &e), 5);
    ck_assert_int_eq(ledger_has_head(l, head), 1);
    head[0] = head[0] == '0' ? '1' : '0';
    ck_assert_int_eq(ledger_has_head(l, head), 0);
    ledger_close(l);
}
END_TEST

/* ---- opening ------------------------------------------------------------- */

static void write_file(const char *name, size_t nbytes, unsigned mode)
{
    char file[160];
    snprintf(file, sizeof file, "%s/%s", dir, name);
    remove(file);
    FILE *const f = fopen(file, "w");
    ck_assert_ptr_nonnull(f);
    for (size_t i = 0; i < nbytes; i++)
        fputc('k', f);
    fclose(f);
    ck_assert_int_eq(chmod(file, mode), 0);
}

static const struct {
    size_t nbytes;
    unsigned mode;
    const char *says; /* behind the key's name; NULL: it is read */
} keys[] = {
    {32, 0600, NULL},
    {32, 0700, NULL},
    {31, 0600, ": is not a key of 32 bytes"},
    {33, 0600, ": is not a key of 32 bytes"},
    {0, 0600, ": is not a key of 32 bytes"},
    {32, 0640,
     ": others may read this key: chmod 600 it, and think about who "
     "has it"},
    {32, 0601,
     ": others may read this key: chmod 600 it, and think about who "
     "has it"},
    {32, 0620,
     ": others may read this key: chmod 600 it, and think about who "
     "has it"},
};

START_TEST(a_key_is_32_bytes_of_its_owner)
{
    char key[160], want[400];
    write_file("other.key", keys[_i].nbytes, keys[_i].mode);
    snprintf(key, sizeof key, "%s/other.key", dir);
    struct ledger *const l =
        ledger_open(path, key, LEDGER_READ, err, sizeof err);
    ck_assert_int_eq(l != NULL, keys[_i].says == NULL);
    snprintf(want, sizeof want, "%s%s", key,
             keys[_i].says ? keys[_i].says : "");
    if (!l)
        ck_assert_str_eq(err, want);
    ledger_close(l);
}
END_TEST

static const struct {
    const char *ledger, *key; /* in the folder; key NULL: beside it */
    enum ledger_mode mode;
    const char *says; /* %s: the folder */
} openings[] = {
    {"none.db", NULL, LEDGER_READ, "%s/none.db: unable to open database file"},
    {"no/folder.db", NULL, LEDGER_WRITE,
     "%s/no/folder.db: unable to open database file"},
    {"empty.db", NULL, LEDGER_READ, "%s/empty.db is not a ledger"},
    {"other.db", NULL, LEDGER_READ, "ledger: file is not a database"},
    {"other.db", NULL, LEDGER_WRITE, "ledger: file is not a database"},
    {"L.db", "none.key", LEDGER_READ, "%s/none.key: No such file or directory"},
    {"L.db", "none.key", LEDGER_WRITE,
     "%s/none.key: No such file or directory"},
    {"new.db", "no/folder.key", LEDGER_WRITE,
     "%s/no/folder.key: No such file or directory"},
};

START_TEST(what_is_no_ledger_is_named)
{
    char file[160], key[160], want[400];
    const char *const of = openings[_i].key;
    write_file("empty.db", 0, 0600);
    write_file("other.db", 2000, 0600);
    snprintf(file, sizeof file, "%s/%s", dir, openings[_i].ledger);
    snprintf(key, sizeof key, "%s/%s", dir, of ? of : "");
    ck_assert_ptr_null(
        ledger_open(file, of ? key : NULL, openings[_i].mode, err, sizeof err));
    const char *const says = openings[_i].says;
    const int has_folder = strncmp(says, "%s", 2) == 0;
    snprintf(want, sizeof want, "%s%s", has_folder ? dir : "",
             says + 2 * has_folder);
    ck_assert_str_eq(err, want);
}
END_TEST

START_TEST(each_ledger_makes_its_own_key)
{
    char name[3][160], key[2][33] = {"", ""};
    for (int i = 0; i < 2; i++) {
        snprintf(name[2], sizeof *name, "%s/%d.db", dir, i);
        snprintf(name[i], sizeof *name, "%.140s.key", name[2]);
        ledger_close(ledger_open(name[2], NULL, LEDGER_WRITE, err, sizeof err));
        FILE *const f = fopen(name[i], "r");
        ck_assert(f && fread(key[i], 1, 33, f) == 32);
        fclose(f);
        strcat(name[i], ".new");
        ck_assert_int_ne(access(name[i], F_OK), 0);
    }
    ck_assert(memcmp(key[0], key[1], 32) != 0);
}
END_TEST

/* ---- reading ------------------------------------------------------------- */

/* What is seen, as text; stops at the entry whose number is in stop. */
struct seen {
    char text[512];
    int64_t stop;
};

static int see(const struct ledger_entry *e, void *arg)
{
    struct seen *const s = arg;
    const size_t n = strlen(s->text);
    snprintf(s->text + n, sizeof s->text - n, "%d %s %s %s %d %zu %s\n",
             (int)e->id, e->kind, e->student, e->lab, e->attempt,
             strlen(e->digest), e->body);
    return e->id == s->stop ? 7 : 0;
}

#define ENTRY(id, kind, student, attempt)                                      \
    id " " kind " " student " lab1-collectives " attempt " 64 {\"score\": "    \
       "1}\n"
static const struct {
    const char *kind, *lab;
    int64_t stop;
    int returns;
    const char *text;
} reads[] = {
    {NULL, NULL, 0, 0,
     ENTRY("1", "batch", "ada", "0") ENTRY("2", "grading", "bob", "1")
         ENTRY("3", "grading", "ada", "2") ENTRY("4", "grading", "cyd", "3")},
    {"batch", NULL, 0, 0, ENTRY("1", "batch", "ada", "0")},
    {"grading", "lab1-collectives", 3, 7,
     ENTRY("2", "grading", "bob", "1") ENTRY("3", "grading", "ada", "2")},
    {NULL, "lab1", 0, 0, ""},
    {"comment", "lab1-collectives", 0, 0, ""},
};

START_TEST(entries_are_read_by_kind_and_lab)
{
    struct seen seen = {.stop = reads[_i].stop};
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_int_eq(ledger_each(l, reads[_i].kind, reads[_i].lab, see, &seen),
                     reads[_i].returns);
    ck_assert_str_eq(seen.text, reads[_i].text);
    ledger_close(l);
}
END_TEST

START_TEST(what_was_kept_is_found_by_its_digest)
{
    char digest[LEDGER_DIGEST], same[LEDGER_DIGEST];
    size_t n = 99;
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ledger_digest("ada", 3, digest);
    char *const ada = ledger_kept(l, digest, &n);
    ck_assert(ada && n == 3 && memcmp(ada, "ada", 3) == 0);
    free(ada);
    digest[0] ^= 1;
    ck_assert_ptr_null(ledger_kept(l, digest, &n));
    ck_assert_int_eq(ledger_keep(l, NULL, 0, digest), 0);
    ck_assert_int_eq(ledger_keep(l, "", 0, same), 0); // again is no error
    ck_assert_str_eq(digest, same);
    free(ledger_kept(l, digest, &n));
    ck_assert_uint_eq(n, 0);
    ledger_close(l);
}
END_TEST

START_TEST(a_reader_cannot_write)
{
    const struct ledger_entry e = {
        .kind = "batch", .student = "", .lab = "", .digest = "", .body = "{}"};
    char digest[LEDGER_DIGEST], said[512] = "";
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_int_eq(ledger_append(l, &e), -1);
    ck_assert_str_eq(ledger_error(l),
                     "ledger: attempt to write a readonly database");
    ck_assert_int_eq(ledger_keep(l, "x", 1, digest), -1);
    ck_assert_str_eq(ledger_error(l),
                     "ledger: attempt to write a readonly database");
    ledger_close(l);
    ck_assert_int_eq(faults(said, sizeof said), 0);
}
END_TEST

/* Entries are not appended to what is damaged. */
START_TEST(a_last_entry_without_a_mac_is_no_end)
{
    const struct ledger_entry e = {
        .kind = "batch", .student = "", .lab = "", .digest = "", .body = "{}"};
    tamper("DROP TRIGGER entry_update;"
           "UPDATE entry SET mac = x'00' WHERE id = 4;"
           "CREATE TRIGGER entry_update BEFORE UPDATE ON entry BEGIN"
           " SELECT RAISE(ABORT, 'the ledger is append-only'); END");
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    ck_assert_int_eq(ledger_append(l, &e), -1);
    ledger_close(l);
}
END_TEST

START_TEST(two_writers_take_turns)
{
    const struct ledger_entry e = {
        .kind = "batch", .student = "", .lab = "", .digest = "", .body = "{}"};
    char said[512] = "";
    struct ledger *l[2];
    for (int i = 0; i < 2; i++)
        l[i] = ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(ledger_append(l[i % 2], &e), 5 + i);
    for (int i = 0; i < 2; i++)
        ledger_close(l[i]);
    ck_assert_int_eq(faults(said, sizeof said), 0);
}
END_TEST

/* Another program, as a TA's sqlite3, is in the middle of something. */
START_TEST(a_locked_ledger_is_named_and_stays_as_it_is)
{
    static const struct ledger_entry e = {
        .kind = "batch", .student = "", .lab = "", .digest = "", .body = "{}"};
    char said[512] = "";
    sqlite3 *other;
    struct ledger *l = ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_int_eq(sqlite3_open(path, &other), SQLITE_OK);
    waits = 0;
    sqlite3_busy_timeout(l->db, 0);
    sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
    ck_assert_int_eq(ledger_append(l, &e), -1);
    ck_assert_msg(strstr(ledger_error(l), "L.db is locked by another program"),
                  "%s", ledger_error(l));
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(ledger_open(
            path, NULL, i ? LEDGER_WRITE : LEDGER_READ, err, sizeof err));
        ck_assert_msg(strstr(err, "is locked by another program"), "%s", err);
    }
    sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(other);
    ck_assert_int_eq(ledger_append(l, &e), 5); // the same command again
    ledger_close(l);
    ck_assert_int_eq(faults(said, sizeof said), 0);
}
END_TEST

/* ---- the key ------------------------------------------------------------- */

/* setenv() would keep memory that the suite counts. */
static void set_keys(const char *folder)
{
    static char variable[160];
    snprintf(variable, sizeof variable, "COMMLAB_KEYS=%s", folder);
    putenv(variable);
}

/* Open N.db, whose key is in DIR/a/keys. */
static struct ledger *open_new(enum ledger_mode mode)
{
    char keys[128], name[128];
    snprintf(keys, sizeof keys, "%s/a/keys", dir);
    snprintf(name, sizeof name, "%s/N.db", dir);
    set_keys(keys);
    err[0] = 0;
    return ledger_open(name, NULL, mode, err, sizeof err);
}

START_TEST(a_key_is_away_from_its_ledger)
{
    char place[256], name[128], moved[128];
    struct stat st;
    snprintf(name, sizeof name, "%s/N.db", dir);
    snprintf(moved, sizeof moved, "%s/a/M.db", dir);
    struct ledger *l = open_new(LEDGER_WRITE);
    ck_assert_msg(l != NULL, "%s", err);
    ledger_key_place(l, name, place, sizeof place);
    ledger_close(l);
    ck_assert_msg(strstr(place, "/a/keys/") && stat(place, &st) == 0 &&
                      (st.st_mode & 0777) == 0600,
                  "%s", place);
    snprintf(place, sizeof place, "%s.key", name);
    ck_assert_int_eq(access(place, F_OK), -1);
    ck_assert_int_eq(rename(name, moved), 0); // its number stays
    l = ledger_open(moved, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_msg(l && ledger_verify(l, NULL, NULL) == 0, "%s", err);
    ledger_close(l);
}
END_TEST

START_TEST(a_missing_key_is_named_with_its_place)
{
    char place[256], want[600], name[128];
    snprintf(name, sizeof name, "%s/N.db", dir);
    struct ledger *const l = open_new(LEDGER_WRITE);
    ledger_key_place(l, name, place, sizeof place);
    ledger_close(l);
    ck_assert_int_eq(unlink(place), 0);
    ck_assert_ptr_null(open_new(LEDGER_READ));
    snprintf(want, sizeof want,
             "%s: the key of %s is not here: give it as --key FILE", place,
             name);
    ck_assert_str_eq(err, want);
}
END_TEST

START_TEST(an_older_ledgers_key_can_be_moved_away)
{
    char place[256], beside[128];
    set_keys(dir);
    struct ledger *l = ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err); // with a message
    snprintf(beside, sizeof beside, "%s.key", path);
    ledger_key_place(l, path, place, sizeof place);
    ck_assert_str_eq(place, beside);
    ck_assert_int_eq(ledger_move_key(l, path, place, sizeof place), 0);
    ck_assert_int_eq(ledger_move_key(l, path, place, sizeof place), -1);
    ledger_close(l);
    ck_assert_int_eq(access(beside, F_OK), -1);
    l = ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_msg(l && ledger_verify(l, NULL, NULL) == 0, "%s", err);
    ledger_close(l);
}
END_TEST

START_TEST(a_copy_is_whole)
{
    char copy[128], key[128], head[2][LEDGER_DIGEST];
    snprintf(copy, sizeof copy, "%s/C.db", dir);
    snprintf(key, sizeof key, "%s.key", path);
    struct ledger *l = ledger_open(path, NULL, LEDGER_READ, err, sizeof err);
    ck_assert_int_eq(ledger_copy(l, copy), 0);
    ck_assert_int_eq(ledger_verify(l, NULL, head[0]), 0);
    ck_assert_int_eq(ledger_copy(l, "/no/folder"), -1);
    ledger_close(l);
    l = ledger_open(copy, key, LEDGER_READ, err, sizeof err);
    ck_assert_msg(l && ledger_verify(l, NULL, head[1]) == 0, "%s", err);
    ck_assert_str_eq(head[0], head[1]);
    ledger_close(l);
}
END_TEST

START_TEST(pictures_are_packed)
{
    char *const long_text = malloc(20001);
    for (int i = 0; i < 20000; i++)
        long_text[i] = (char)('a' + i * i % 11);
    long_text[20000] = 0;
    json_t *const j =
        json_pack("{s:s, s:s}", "timeline", "<svg/>", "view", long_text);
    for (int i = 0; i < 2; i++) { // packing twice changes nothing
        pack_pictures(j);
        const char *const view = json_string_value(json_object_get(j, "view"));
        ck_assert_str_eq(json_string_value(json_object_get(j, "timeline")),
                         "<svg/>");
        ck_assert(strncmp(view, "xz:", 3) == 0 && strlen(view) < 2000);
        char *const text = pack_text(view);
        ck_assert_str_eq(text, long_text);
        free(text);
    }
    char *const plain = pack_text("{}"), *const damaged = pack_text("xz:AAAA");
    ck_assert_str_eq(plain, "{}");
    ck_assert_str_eq(damaged, "");
    free(plain);
    free(damaged);
    json_decref(j);
    free(long_text);
}
END_TEST

/* ---- bytes --------------------------------------------------------------- */

/* The key 0, 1, 2 ... */
static void write_counted(const char *key)
{
    FILE *const f = fopen(key, "w");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < 32; i++)
        fputc(i, f);
    fclose(f);
    ck_assert_int_eq(chmod(key, 0600), 0);
}

/* All rows, with their MACs in hexadecimal. */
static void print_rows(FILE *out)
{
    static const char *const queries[] = {
        "SELECT id, kind, student, lab, attempt, digest, body, hex(mac) FROM "
        "entry ORDER BY id",
        "SELECT entries, hex(mac) FROM head"};
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *s;
        ck_assert_int_eq(sqlite3_prepare_v2(db, queries[i], -1, &s, NULL),
                         SQLITE_OK);
        while (sqlite3_step(s) == SQLITE_ROW)
            for (int k = 0; k < sqlite3_column_count(s); k++)
                fprintf(out, "%s%c", (const char *)sqlite3_column_text(s, k),
                        k + 1 < sqlite3_column_count(s) ? '|' : '\n');
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
}

/* A ledger outlives the programs that wrote it: of a given key, the digests and
 * MACs of these entries are the same in every version. */
START_TEST(rows_are_the_same_in_every_version)
{
    static const char *const texts[] = {"", "ada", "bob", "lab1", "lab10"};
    char key[128], digest[LEDGER_DIGEST], name[64];
    snprintf(key, sizeof key, "%s/counted.key", dir);
    write_counted(key);
    snprintf(path, sizeof path, "%s/counted.db", dir);
    struct ledger *const l =
        ledger_open(path, key, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    FILE *const out = golden_begin();
    print_rows(out);
    for (int i = 0; i < 5; i++) {
        const struct ledger_entry e = {.kind = texts[(i + 1) % 5],
                                       .student = texts[(i + 2) % 5],
                                       .lab = texts[(i + 3) % 5],
                                       .attempt = i,
                                       .digest = i ? digest : "",
                                       .body = texts[i]};
        ck_assert_int_eq(ledger_keep(l, texts[i], strlen(texts[i]), digest), 0);
        ck_assert_int_eq(ledger_append(l, &e), i + 1);
        ledger_pseudonym(l, texts[i], name, sizeof name);
        fprintf(out, "%s\n", name);
    }
    ledger_close(l);
    print_rows(out);
    golden_end(out, "tests/grader/golden.txt#ledger");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("ledger");
    TCase *const t = tcase_create("ledger");
    heap_watch(t);
    fds_watch(t);
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_ledger, remove_ledger);
    tcase_add_test(t, a_whole_ledger_has_no_faults);
    tcase_add_loop_test(t, every_change_is_found, 0, NCHANGES);
    SUITE_LOOP(t, no_name_is_an_exception, hidden);
    tcase_add_test(t, nothing_is_written_to_a_changed_ledger);
    tcase_add_test(t, a_key_is_away_from_its_ledger);
    tcase_add_test(t, a_missing_key_is_named_with_its_place);
    tcase_add_test(t, an_older_ledgers_key_can_be_moved_away);
    tcase_add_test(t, a_copy_is_whole);
    tcase_add_test(t, pictures_are_packed);
    SUITE_LOOP(t, what_is_written_is_read_back, swallowed);
    tcase_add_loop_test(t, accidents_are_refused, 0, NREFUSED);
    tcase_add_test(t, the_key_is_for_its_owner_alone);
    tcase_add_test(t, a_pseudonym_is_a_hash_by_the_key);
    tcase_add_test(t, another_key_fits_nothing);
    tcase_add_test(t, a_head_that_was_noted_down_is_found_again);
    tcase_add_loop_test(t, a_key_is_32_bytes_of_its_owner, 0,
                        sizeof keys / sizeof *keys);
    tcase_add_loop_test(t, what_is_no_ledger_is_named, 0,
                        sizeof openings / sizeof *openings);
    tcase_add_test(t, each_ledger_makes_its_own_key);
    tcase_add_loop_test(t, entries_are_read_by_kind_and_lab, 0,
                        sizeof reads / sizeof *reads);
    tcase_add_test(t, what_was_kept_is_found_by_its_digest);
    tcase_add_test(t, a_reader_cannot_write);
    tcase_add_test(t, a_last_entry_without_a_mac_is_no_end);
    tcase_add_test(t, two_writers_take_turns);
    tcase_add_test(t, a_locked_ledger_is_named_and_stays_as_it_is);
    tcase_add_test(t, rows_are_the_same_in_every_version);
    suite_add_tcase(s, t);
    return suite_run(s);
}
