/*
 * words.h: why a run ended early, from what it printed
 *
 * simgpu and the runner report what ends a run as lines that start with
 * "simgpu: rank 2: " or "commlab: rank 2: ". Which of several ranks reports
 * first varies from run to run, as do addresses and process numbers. A verdict
 * has to read the same every time, so these are left out.
 */
#ifndef COMMLAB_JUDGE_WORDS_H
#define COMMLAB_JUDGE_WORDS_H

#include <stddef.h>

/*
 * Write all lines of the report in `log` to out, without their prefixes. Of
 * several reports the first counts; a rank's crash, which may be a consequence,
 * counts only if there is no other report. Returns out, or NULL if there is no
 * report.
 */
char *words_find(const char *log, char *out, size_t nbytes);

/* True if a line belongs to the report of simgpu or the runner, or is the
 * launcher's comment on a run that ended early. */
int words_is_report(const char *line);

#endif
