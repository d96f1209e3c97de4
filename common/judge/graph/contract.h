/*
 * contract.h: what a student's function has to have done when it returns
 *
 * Nothing races, no thread of its own is still at work, and the case's stream
 * waits for all that the result depends on. A run that breaks one of these may
 * well have the right bytes, so each fails the case on its own.
 */
#ifndef COMMLAB_JUDGE_CONTRACT_H
#define COMMLAB_JUDGE_CONTRACT_H

#include "judge/judge.h"

void contract_judge_hazards(const struct judge_task *t,
                            struct judge_verdict *v);
void contract_judge_late(const struct judge_task *t, struct judge_verdict *v);
void contract_judge_awaited(const struct judge_task *t,
                            struct judge_verdict *v);

#endif
