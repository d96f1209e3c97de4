/*
 * curve.h: times from measured tables (private to common/topo)
 *
 * tuning.h models the times of all operations; a measured table gives the time
 * of one of them. A table yields a curve T(S) (calibration.h) for its
 * reference, which is an all-reduce (or a send) over certain ranks. Another
 * operation keeps the shape of the curve: if the model gives it l times the
 * reference's latency and b times its bandwidth, then
 *
 *     T'(S) = l T(S / (l b)) = l a + S / (b B) + sqrt(l / b) k sqrt(S)
 *                              + l f S / (S + l b S_f)
 *
 * Without a table, the model's own times are used: cell_time().
 */
#ifndef COMMLAB_TOPO_NCCL_CURVE_H
#define COMMLAB_TOPO_NCCL_CURVE_H

#include "topo/nccl/shape.h"
#include "topo/nccl/tuning.h"

/*
 * Compute the model's limits for the operation that the machine's curve was
 * measured on, into *ref. The curve is that of collectives or of messages;
 * across: between nodes. GBps is 0 if the machine has no such curve. *nvls (may
 * be NULL): NVLS can do the operation. Returns 0, or -1 if memory runs out.
 */
int curve_reference(const struct topo *t, enum calibration_op op, int across,
                    struct cell *ref, int *nvls);

/*
 * The reference of curve_reference(), and the table of a collective over the
 * ranks of s. A curve of NVLS says nothing of rings, so it isn't carried over
 * to what algos would do by rings: then ref->GBps is 0, too.
 */
int curve_table(const struct topo *t, struct shape *s, enum topo_op op,
                int algos, struct cell *ref, struct cell_table *table);

/* The curve c carried over from the limits `ref` to other limits. */
struct calibration_curve curve_to(const struct calibration_curve *c,
                                  struct cell ref, struct cell limits);

/*
 * If only collectives have a curve, its latency also says how much slower
 * messages start than in the model. Apply that to their table. Returns 0, or -1
 * if memory runs out.
 */
int curve_messages(const struct topo *t, int across, struct cell_table *table);

double curve_us(const struct calibration_curve *c, double nbytes);

/* The model of a message between two GPUs with traffic f. */
void curve_message(const struct topo *t, int32_t from, int32_t to,
                   const struct traffic *f, int healthy,
                   struct cell_table *table);

#endif
