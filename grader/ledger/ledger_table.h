/*
 * ledger_table.h: the ledger's tables, shared by its writer and its checker
 */
#ifndef GRADER_LEDGER_TABLE_H
#define GRADER_LEDGER_TABLE_H

#include <sodium.h> /* crypto_auth_* */
#include <sqlite3.h>

#include "ledger.h"

enum { LEDGER_MAC = crypto_auth_BYTES };

struct ledger {
    sqlite3 *db;
    unsigned char key[crypto_auth_KEYBYTES];
    int64_t n;                      /* entries */
    unsigned char last[LEDGER_MAC]; /* MAC of the last one; zeros before it */
    char err[512];
};

/* The MAC of an entry that follows one with the MAC `before`. */
void ledger_mac(const struct ledger *l, const unsigned char *before,
                const struct ledger_entry *e, unsigned char mac[LEDGER_MAC]);

/* The MAC of the head: n entries, the last of which has the MAC `last`. */
void ledger_head_mac(const struct ledger *l, int64_t n,
                     const unsigned char *last, unsigned char mac[LEDGER_MAC]);

/* Columns 0 to 6 of "SELECT id, kind, student, lab, attempt, digest, body". */
struct ledger_entry ledger_row(sqlite3_stmt *s);

/* The statements that make the tables. */
extern const char ledger_schema[];

/* Prepare a statement; NULL having set err. */
sqlite3_stmt *ledger_prepare(struct ledger *l, const char *sql);

#endif
