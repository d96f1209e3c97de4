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
 * Without a table, the model's own latency and bandwidth are the reference,
 * times factors that depend on the GPU's architecture.
 */
#ifndef COMMLAB_TOPO_CURVE_H
#define COMMLAB_TOPO_CURVE_H

#include "topo/shape.h"
#include "topo/tuning.h"

/*
 * The curve of collectives, or of messages, with these limits in the model,
 * into *out. across: between nodes. Returns 0, or -1 if memory runs out.
 */
int curve_of(const struct topo *t, enum calibration_op op, int across,
             struct tuning limits, struct calibration_curve *out);

double curve_us(const struct calibration_curve *c, double nbytes);

/* Limits of a message between two GPUs, whose traffic takes sec per byte. */
struct tuning curve_message(const struct topo *t, int32_t from, int32_t to,
                            double sec);

#endif
