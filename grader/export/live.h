/*
 * live.h: a batch's progress and a leaderboard, as a page that refreshes itself
 *
 * The page is public: it names no student and no hidden case.
 */
#ifndef GRADER_LIVE_H
#define GRADER_LIVE_H

#include <stddef.h>

enum { LIVE_EVERY_SEC = 5 };

/*
 * The page for the ledger's present contents, which the caller frees; NULL with
 * the reason in err.
 */
char *live_page(const char *ledger, const char *key, const char *lab,
                size_t *nbytes, char *err, size_t err_nbytes);

#endif
