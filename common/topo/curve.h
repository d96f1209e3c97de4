/*
 * curve.h: how long communication takes (private to common/topo)
 *
 * The model of tuning.h says how operations compare; measured tables say how
 * long one of them takes. A table gives a curve T(S) (calibration.h) for an
 * all-reduce (or a send) over certain ranks, its reference. Another
 * operation keeps the curve's shape: if the model says that its latency is
 * l times the reference's and its bandwidth b times,
 *
 *     T'(S) = l T(S / (l b)) = l a + S / (b B) + sqrt(l / b) k sqrt(S)
 *                              + l f S / (S + l b S_f)
 *
 * Without a table the same is done with the model's own latency and bandwidth
 * as reference, by factors that depend on the GPU's architecture.
 */
#ifndef COMMLAB_TOPO_CURVE_H
#define COMMLAB_TOPO_CURVE_H

#include "topo/shape.h"
#include "topo/tuning.h"

/*
 * The curve of collectives, or of messages, whose limits in the model are
 * `limits`. across: they leave a node.
 */
struct calibration_curve curve_of(const struct topo *t, enum calibration_op op,
                                  int across, struct tuning limits);

double curve_us(const struct calibration_curve *c, double nbytes);

/* Limits of a message between two GPUs, whose traffic takes sec a byte. */
struct tuning curve_message(const struct topo *t, int32_t from, int32_t to,
                            double sec);

#endif
