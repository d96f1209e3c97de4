/*
 * judge_trace.h: where a timed step's gradients have to come from
 * (judge/graph/trace.h)
 *
 * A unit's gradient depends on every rank's rows and on the values of all
 * units: those before it through its input, those behind it, and its own,
 * through the derivative of the loss.
 */
#ifndef LAB8_JUDGE_TRACE_H
#define LAB8_JUDGE_TRACE_H

#include "judge/judge.h"
#include "judge_split.h"

/* The names of unit u's values as a source, and of its gradients as a result.
 * Both return out. */
enum { TRACE_NAME = 24 };
const char *trace_value(int u, char out[TRACE_NAME]);
const char *trace_grad(int u, char out[TRACE_NAME]);

/* The bytes of a rank's share of a unit, without the zeros at its end. */
size_t trace_nbytes(const struct split *s, int u, int rank);

/* Judge the shares of all ranks. s: of the ranks that share the network. */
void trace_shares(const struct judge_task *t, const struct split *s,
                  struct judge_verdict *v);

#endif
