/*
 * words.h: why a run ended early, from what it printed
 *
 * simgpu and the runner report what ends a run as lines that begin with
 * "simgpu: rank 2: " or "commlab: rank 2: ". Which of several ranks reports
 * first is chance, as are addresses and process numbers, but a verdict has to
 * read the same twice: so these are left out.
 */
#ifndef COMMLAB_JUDGE_WORDS_H
#define COMMLAB_JUDGE_WORDS_H

#include <stddef.h>

/*
 * Write the report in `log` to out, all of its lines, without their prefixes.
 * Of several reports the first counts, but one of a rank's crash only if there
 * is no other: it may be a consequence. Returns out, or NULL if there is none.
 */
char *words_find(const char *log, char *out, size_t nbytes);

/* True if a line is of simgpu's or the runner's report, or the launcher's
 * comment on a run that ended early. */
int words_is_report(const char *line);

#endif
