/*
 * curve.h: times of communication (private to common/topo)
 *
 * The model of tuning.h compares operations; measured tables give the time of
 * one of them. A table yields a curve T(S) (calibration.h) for its reference,
 * an all-reduce (or a send) over certain ranks. Another operation keeps the
 * shape of the curve: if the model gives it l times the reference's latency and
 * b times its bandwidth, then
 *
 *     T'(S) = l T(S / (l b)) = l a + S / (b B) + sqrt(l / b) k sqrt(S)
 *                              + l f S / (S + l b S_f)
 *
 * Without a table, the model's own times count: tuning_time().
 */
#ifndef COMMLAB_TOPO_CURVE_H
#define COMMLAB_TOPO_CURVE_H

#include "topo/shape.h"
#include "topo/tuning.h"

/*
 * The model's limits for what the machine's curve was measured on, into *ref:
 * the curve of collectives, or of messages. across: between nodes. GBps is 0 if
 * it has no such curve. Returns 0, or -1 if memory runs out.
 */
int curve_reference(const struct topo *t, enum calibration_op op, int across,
                    struct tuning *ref);

/* That curve, carried over to other limits. */
struct calibration_curve curve_to(const struct calibration_curve *c,
                                  struct tuning ref, struct tuning limits);

/*
 * Where only collectives have a curve, its latency also tells how much slower
 * than in the model messages start. Applies that to their table. Returns 0, or
 * -1 if memory runs out.
 */
int curve_messages(const struct topo *t, int across,
                   struct tuning_table *table);

double curve_us(const struct calibration_curve *c, double nbytes);

/* The model of a message between two GPUs with traffic f. */
void curve_message(const struct topo *t, int32_t from, int32_t to,
                   const struct traffic *f, int healthy,
                   struct tuning_table *table);

#endif
