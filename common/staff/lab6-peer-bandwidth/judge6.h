/*
 * judge6.h: shared by the files of lab 6's judge
 */
#ifndef LAB6_JUDGE6_H
#define LAB6_JUDGE6_H

#include "judge/graph/spans.h"
#include "lab6.h"
#include "topo/bounds.h"

/* A number that rank 0 recorded for an iteration; NaN if it did not. */
double lab6_shown(const struct judge_task *t, int iteration, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* True if the machine is known; otherwise fail the verdict. */
int lab6_known(const struct judge_task *t, struct judge_verdict *v);

enum { MOST_COPIES = 4096 };

struct lab6_copies { /* an iteration's copies, in the order of the calls */
    int n;
    struct judge6_copy {
        double begin_us, end_us;
    } at[MOST_COPIES];
};

/* Find the copies of nbytes from one device to another, in an iteration. */
void lab6_copies(const struct judge_task *t, int iteration, int from, int to,
                 double nbytes, struct lab6_copies *out);

/* Bytes copied to a GPU from another device, or from any (FROM_ANYWHERE). */
enum { FROM_ANYWHERE = -1000 };
double lab6_bytes_into(const struct judge_task *t, int iteration, int from,
                       int to);

/* A large copy's source is marked in slices (judge/graph/trace.h): where slice
 * i of nbytes begins. */
enum { TRACE_SLICES = 4 };
size_t trace_slice(size_t nbytes, int i);

/* The number of NVLinks between two GPUs. */
int lab6_nvlinks(const struct topo *t, int a, int b);

/* The GPUs of a node, at most PEERS: those that a case uses. */
int lab6_ngpus(const struct topo *t);

/* The machine's bandwidths, one way, each pair alone. */
struct gbps lab6_bandwidths(const struct topo *t);

/* Expect a measured time to be that of the copy (or of the kernels). It may
 * include some microseconds in which the host enqueues the work. */
void lab6_expect_us(double us, double copy_us, const char *what,
                    struct judge_verdict *v);

/* Kinds of cases, by part. */
judge_fn lab6_judge_access, lab6_judge_one_way, lab6_judge_both_ways,
    lab6_judge_latency, lab6_judge_puzzle;
judge_fn lab6_judge_infer, lab6_judge_ring;
judge_fn lab6_judge_routes, lab6_judge_relay, lab6_judge_relay_speed,
    lab6_judge_host_speed, lab6_judge_all_to_all, lab6_judge_all_to_all_speed,
    lab6_judge_sick;
judge_fn lab6_judge_placement, lab6_judge_pays;
double lab6_relay_limit_us(const struct judge_task *t);
double lab6_all_to_all_limit_us(const struct judge_task *t);

extern const struct draw_row lab6_draws[]; /* drawn.h's draws */

#endif
