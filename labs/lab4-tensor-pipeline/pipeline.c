/*
 * Part 2: a stage at work.
 *
 * Between two passes, a stage sends what the first one produced and receives
 * what the second one needs. A send completes when the other side receives: two
 * stages that both send first deadlock. In one group, all messages travel at
 * the same time.
 *
 *     stage r      F3 [ send y of 3 to r+1, get dy of 1 from r+1 ] B1
 *     stage r+1    B1 [ send dx of 1 to r,  get x of 3 from r    ] F3
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

struct pipe_message pipe_input(const struct pipe *p,
                               const struct pipe_action *a)
{
    struct stage *const s = p->stage;
    const size_t count = (size_t)s->c.shape.rows * (size_t)s->c.shape.hidden;
    const int n = s->c.nstages, index = s->c.index;
    struct pipe_message m = {NULL, count, -1};
    // Yours to write: part 2: what comes in (about 10 lines)
    // stage_is_first(), stage_is_last(), stage_slot(). Stages form a
    // ring: after the last stage, the first one runs the next chunk.
    LAB_HOLE("part 2: what comes in");
}

struct pipe_message pipe_output(const struct pipe *p,
                                const struct pipe_action *a)
{
    struct stage *const s = p->stage;
    const size_t count = (size_t)s->c.shape.rows * (size_t)s->c.shape.hidden;
    const int n = s->c.nstages, index = s->c.index;
    struct pipe_message m = {NULL, count, -1};
    // Yours to write: part 2: what goes out (about 8 lines)
    LAB_HOLE("part 2: what goes out");
}

ncclResult_t pipe_exchange(const struct pipe *p, const struct pipe_action *done,
                           int ndone, const struct pipe_action *next, int nnext)
{
    // Yours to write: part 2: exchange (about 16 lines)
    // ncclGroupStart(), ncclGroupEnd()
    LAB_HOLE("part 2: exchange");
}

/* Run the pass of an action. */
static ncclResult_t pass(const struct pipe *p, const struct pipe_action *a)
{
    return a->kind == PIPE_FORWARD
               ? stage_forward(p->stage, a->chunk, a->micro)
               : stage_backward(p->stage, a->chunk, a->micro);
}

ncclResult_t pipe_run(const struct pipe *p, const struct pipe_action *a, int n)
{
    // Yours to write: part 2: a step (about 6 lines)
    // the first pass may also need a message.
    LAB_HOLE("part 2: a step");
}

/*
 * The number of passes in the turn that starts with action i: 0 at the end of
 * the list; 2 for a forward pass and the backward pass after it; 1 otherwise,
 * as in the warm-up and at the end, where passes of one kind follow each other.
 */
static int turn_at(const struct pipe_action *a, int n, int i)
{
    int before = 0; // forward passes before the first backward pass
    while (before < n && a[before].kind == PIPE_FORWARD)
        before++;
    if (i >= n)
        return 0;
    return before < n / 2 && a[i].kind == PIPE_FORWARD &&
                   a[i + 1].kind == PIPE_BACKWARD
               ? 2
               : 1;
}

ncclResult_t pipe_run_interleaved(const struct pipe *p,
                                  const struct pipe_action *a, int n)
{
    // Yours to write: part 4: interleaved, a step (about 11 lines)
    // pipe_run(), with turns instead of passes.
    LAB_HOLE("part 4: interleaved, a step");
}
