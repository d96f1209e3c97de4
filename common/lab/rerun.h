/*
 * rerun.h: the command that runs one case again
 *
 * The command is what a shell takes: pasted there, it has to end as the case
 * did. So it repeats every option and every variable of the environment that
 * changes what a case does.
 */
#ifndef COMMLAB_LAB_RERUN_H
#define COMMLAB_LAB_RERUN_H

#include "lab/options.h"

enum { RERUN_NBYTES = 4096 };

/* Case c on these ranks, and on this machine (NULL: the usual one). */
void rerun_text(const struct plan_case *c, const struct lab_options *o,
                const char *machine, int nranks, char out[RERUN_NBYTES]);

#endif
