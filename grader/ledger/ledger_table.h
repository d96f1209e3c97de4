/*
 * ledger_table.h: the ledger's tables, shared by its writer and its checker
 */
#ifndef GRADER_LEDGER_TABLE_H
#define GRADER_LEDGER_TABLE_H

#include <sodium.h> /* crypto_auth_* */
#include <sqlite3.h>

#include "grader/ledger/ledger.h"

enum { LEDGER_MAC = crypto_auth_BYTES };

struct ledger {
    sqlite3 *db;
    unsigned char key[crypto_auth_KEYBYTES];
    int64_t n;                      /* number of entries */
    unsigned char last[LEDGER_MAC]; /* MAC of the last entry; zeros if
                                       there is none */
    int beside;                     /* the key is next to the ledger */
    char err[512];
};

/* The MAC of an entry that follows one with the MAC `before`. */
void ledger_mac(const struct ledger *l, const unsigned char *before,
                const struct ledger_entry *e, unsigned char mac[LEDGER_MAC]);

/* The MAC of the head: n entries, the last of which has the MAC `last`. */
void ledger_head_mac(const struct ledger *l, int64_t n,
                     const unsigned char *last, unsigned char mac[LEDGER_MAC]);

/* Read the ledger's key, or make one for a new ledger. */
int ledger_open_key(struct ledger *l, const char *path, const char *key,
                    int make);

/* The statements that create the tables. */
extern const char ledger_schema[];

/* True if the database has exactly these tables and triggers, and SQLite's
 * indexes for them. */
int ledger_has_schema(sqlite3 *db);

/* True if what was just written is there: the last entry with its MAC, and the
 * head of n entries. */
int ledger_has_entry(struct ledger *l, const struct ledger_entry *e,
                     const unsigned char mac[LEDGER_MAC]);
int ledger_has_end(struct ledger *l, int64_t n,
                   const unsigned char last[LEDGER_MAC]);

/* Say what has failed, and why SQLite says so. Returns -1. */
int ledger_fail(struct ledger *l, const char *what);

/* Prepare a statement; NULL with err set on failure. */
sqlite3_stmt *ledger_prepare(struct ledger *l, const char *sql);

#endif
