/*
 * live.h: how far a batch is, and a leaderboard: a page that refreshes itself
 *
 * Everybody may see it: it names no student and no hidden case.
 */
#ifndef GRADER_LIVE_H
#define GRADER_LIVE_H

#include <stddef.h>

enum { LIVE_EVERY_SEC = 5 };

/*
 * The page of what the ledger holds now, for the caller to free; NULL with the
 * reason in err.
 */
char *live_page(const char *ledger, const char *key, const char *lab,
                size_t *nbytes, char *err, size_t err_nbytes);

#endif
