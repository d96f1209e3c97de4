/*
 * trace.h: judging results whose contents are not kept
 *
 * Buffers of timed cases are so large that simgpu keeps no contents for them,
 * so there are no values to compare. What a case must show instead is where
 * each result came from: the runner marks its inputs with lab_source() and its
 * results with lab_result(), and the judge asks of each result whether it
 * descends from the inputs that it depends on, at places of them that no rank
 * can know (judge/origin/origin.h).
 *
 * Origins are as fine as the operations: a copy carries them byte by byte, a
 * kernel gives all that it reads to all that it writes. A student may cut the
 * work into smaller operations than the solution does, so ask of a result's
 * byte only what it does depend on.
 *
 * Real GPUs have no graph, and pass.
 */
#ifndef COMMLAB_JUDGE_TRACE_H
#define COMMLAB_JUDGE_TRACE_H

#include "judge/judge.h"

struct trace { /* an iteration that is judged */
    const struct judge_task *t;
    int iteration;
    int on_devices; /* no byte of a result may come from the host */
    struct judge_verdict *v;
};

struct trace_buffer { /* a source or a result of a rank */
    int rank;
    const char *name;
};

struct trace_range { /* bytes [begin, end) of a result */
    uint64_t begin, end;
    /* if row is not 0, of each row of that many bytes only [from, to) */
    uint64_t row, from, to;
};

/* The bytes of the result that depend on byte `at` of the source. */
typedef struct trace_range trace_fn(const void *arg, uint64_t at);

/* Fail unless the bytes of the result that depend on the source's probes
 * descend from them. where is NULL if all bytes do. */
void trace_need(const struct trace *k, struct trace_buffer result,
                struct trace_buffer source, trace_fn *where, const void *arg);

struct trace_rows { /* row i of the source, at row `first` + i of the result */
    uint64_t source_row, result_row; /* bytes in a row */
    uint64_t first;
};

/* Row by row: arg is a struct trace_rows. */
trace_fn trace_by_rows;

/* Byte by byte: the result has a copy of the source from byte *arg on, which
 * is a uint64_t. */
trace_fn trace_by_bytes;

#endif
