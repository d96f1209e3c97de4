/*
 * The ledger: what is written stays, and what was changed is found.
 */
#define _GNU_SOURCE
#include <check.h>
#include <sodium.h> /* crypto_auth_hmacsha512256 */
#include <sqlite3.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* stat */

#include "folder.h"
#include "ledger.h"
#include "suite.h"

static char dir[64], path[96], err[512];

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

int main(void)
{
    Suite *const s = suite_create("ledger");
    TCase *const t = tcase_create("ledger");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_ledger, remove_ledger);
    tcase_add_test(t, a_whole_ledger_has_no_faults);
    tcase_add_loop_test(t, every_change_is_found, 0, NCHANGES);
    tcase_add_loop_test(t, accidents_are_refused, 0, NREFUSED);
    tcase_add_test(t, the_key_is_for_its_owner_alone);
    tcase_add_test(t, a_pseudonym_is_a_hash_by_the_key);
    tcase_add_test(t, another_key_fits_nothing);
    tcase_add_test(t, a_head_that_was_noted_down_is_found_again);
    suite_add_tcase(s, t);
    return suite_run(s);
}
