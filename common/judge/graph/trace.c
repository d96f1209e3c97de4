#include "judge/graph/trace.h"

#include "judge/graph/spans.h"

/* True if some byte of a piece is in the range. */
static int is_in(const struct origin *o, const struct trace_range *r)
{
    const uint64_t begin = o->begin > r->begin ? o->begin : r->begin;
    const uint64_t end = o->end < r->end ? o->end : r->end;
    if (begin >= end)
        return 0;
    if (r->row == 0 || end - begin >= r->row)
        return 1;
    // from the first byte that is at `from` of a row, or already behind it
    const uint64_t at = begin % r->row, next = at < r->to ? 0 : r->row;
    return at + (end - begin) > next + r->from;
}

/* Judge one piece of a result that depends on a probe. */
static void judge_piece(const struct trace *k, const struct origin *o,
                        struct trace_buffer result,
                        const struct origin_source *s, int probe,
                        struct trace_buffer source)
{
    const unsigned long long begin = o->begin, end = o->end,
                             from = s->probe[probe];
    if (k->on_devices && o->from && o->from->host)
        judge_fail_method(
            k->v,
            "rank %d: bytes %llu to %llu of %s came through the host's "
            "memory; keep the data on the devices",
            result.rank, begin, end, result.name);
    else if (!sets_has_label(o->from, s->label + (size_t)probe))
        judge_fail(k->v,
                   "rank %d: bytes %llu to %llu of %s don't descend from byte "
                   "%llu of rank %d's %s: no operation on the devices brought "
                   "it there.\nThis case keeps no contents; what each "
                   "operation reads and writes shows where results come from",
                   result.rank, begin, end, result.name, from, source.rank,
                   source.name);
}

void trace_need(const struct trace *k, struct trace_buffer result,
                struct trace_buffer source, trace_fn *where, const void *arg)
{
    size_t n;
    if (!k->t->spans || !k->v->pass)
        return;
    const struct origin *const o =
        spans_result(k->t, result.rank, k->iteration, result.name, &n);
    const struct origin_source *const s =
        spans_source(k->t, source.rank, k->iteration, source.name);
    const int nmarks = s ? s->nmarks : 0;
    if (n == 0)
        judge_fail(k->v, "rank %d: %s of the case is not marked", result.rank,
                   result.name);
    else if (nmarks != 1)
        judge_fail(k->v, "rank %d: %s of the case is marked %d times, not once",
                   source.rank, source.name, nmarks);
    for (int p = 0; p < ORIGIN_PROBES && k->v->pass; p++) {
        const struct trace_range r =
            where ? where(arg, s->probe[p])
                  : (struct trace_range){.end = UINT64_MAX};
        for (size_t i = 0; i < n && k->v->pass; i++)
            if (is_in(&o[i], &r))
                judge_piece(k, &o[i], result, s, p, source);
    }
}

struct trace_range trace_by_rows(const void *arg, uint64_t at)
{
    const struct trace_rows *const k = arg;
    const uint64_t row = k->first + at / k->source_row;
    return (struct trace_range){.begin = row * k->result_row,
                                .end = (row + 1) * k->result_row};
}

struct trace_range trace_by_bytes(const void *arg, uint64_t at)
{
    const uint64_t *const first = arg;
    return (struct trace_range){.begin = *first + at,
                                .end = *first + at + ORIGIN_PROBE};
}
