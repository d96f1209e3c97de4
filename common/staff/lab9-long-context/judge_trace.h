/*
 * judge_trace.h: which rows of which ranks each result of a timed case has to
 * descend from (judge/graph/trace.h)
 *
 *     o        its own queries; the keys and values of all rows before
 *     dq       likewise, and its own dout
 *     dk, dv   its own keys and values; q and dout of all rows after
 */
#ifndef LAB9_JUDGE_TRACE_H
#define LAB9_JUDGE_TRACE_H

#include "judge/judge.h"
#include "judge_order.h"

void trace_forward(const struct judge_task *t, const struct judge_order *o,
                   struct judge_verdict *v);
void trace_backward(const struct judge_task *t, const struct judge_order *o,
                    struct judge_verdict *v);

#endif
