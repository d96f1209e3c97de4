/*
 * needs.h: the ranks that a case is for
 *
 * A case that is not pinned (plan.h) runs on as many ranks as a student starts.
 * Its parameters may set limits, though: every stage of a pipeline holds a
 * block of the network, and an IPC handle opens only on its own node. A lab's
 * `needs` derives such limits from the parameters. The runner leaves out a case
 * whose limits the ranks exceed, and names the limit; run all the same, it
 * would blame the student's code.
 */
#ifndef COMMLAB_JUDGE_NEEDS_H
#define COMMLAB_JUDGE_NEEDS_H

#include "judge/judge.h"

struct judge_place { /* where a case would run */
    int nranks;
    int nnodes; /* that the ranks are on; 0: unknown */
    int ngpus;  /* GPUs of each node; 0: unknown */
};

/* That many ranks on this machine, which they fill node by node. A NULL machine
 * is one without a model: only the number of ranks is known. */
struct judge_place judge_place_of(const char *machine, int nranks);

/*
 * True if the case cannot run there. Then text is what it needs, as in "at most
 * 8 ranks: it has 8 blocks, and each stage needs one".
 */
int judge_needs(const struct judge_lab *lab, const struct plan_case *c,
                const struct judge_place *p, char *text, size_t nbytes);

#endif
