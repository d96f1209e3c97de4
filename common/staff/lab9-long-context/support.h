/*
 * support.h: makes the arguments of lab9.h's functions. Given: nothing to edit
 * here.
 */
#ifndef LAB9_SUPPORT_H
#define LAB9_SUPPORT_H

#include "lab9.h"

/* Make the buffers, the second stream and the events of s, whose other members
 * are set. */
ncclResult_t seq_init(struct seq *s);
void seq_release(struct seq *s);

/* Make a state of `rows` rows. */
ncclResult_t seq_state_init(struct nn_attend_state *st, int rows,
                            const struct nn_attend *a);
void seq_state_release(struct nn_attend_state *st);

/* Make h for an exchange of s's heads among nranks ranks. */
ncclResult_t seq_heads_init(struct seq_heads *h, const struct seq *s,
                            int nranks);
void seq_heads_release(struct seq_heads *h);

#endif
