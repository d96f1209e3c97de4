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
    // BEGIN HOLE part 2: what comes in (about 10 lines)
    // HINT: stage_is_first(), stage_is_last(), stage_slot(). Stages form a
    // HINT: ring: after the last stage, the first one runs the next chunk.
    if (a->kind == PIPE_FORWARD && !stage_is_first(s, a->chunk)) {
        struct slot *const k = stage_slot(s, a->chunk, a->micro);
        m.buf = k ? k->x[0].data : NULL;
        m.peer = (index + n - 1) % n;
    }
    if (a->kind == PIPE_BACKWARD && !stage_is_last(s, a->chunk)) {
        m.buf = s->dy;
        m.peer = (index + 1) % n;
    }
    return m;
    // END HOLE
}

struct pipe_message pipe_output(const struct pipe *p,
                                const struct pipe_action *a)
{
    struct stage *const s = p->stage;
    const size_t count = (size_t)s->c.shape.rows * (size_t)s->c.shape.hidden;
    const int n = s->c.nstages, index = s->c.index;
    struct pipe_message m = {NULL, count, -1};
    // BEGIN HOLE part 2: what goes out (about 8 lines)
    if (a->kind == PIPE_FORWARD && !stage_is_last(s, a->chunk)) {
        m.buf = s->y;
        m.peer = (index + 1) % n;
    }
    if (a->kind == PIPE_BACKWARD && !stage_is_first(s, a->chunk)) {
        m.buf = s->dx;
        m.peer = (index + n - 1) % n;
    }
    return m;
    // END HOLE
}

ncclResult_t pipe_exchange(const struct pipe *p, const struct pipe_action *done,
                           int ndone, const struct pipe_action *next, int nnext)
{
    // BEGIN HOLE part 2: exchange (about 16 lines)
    // HINT: ncclGroupStart(), ncclGroupEnd()
    LAB_TRY(ncclGroupStart());
    for (int i = 0; i < ndone; i++) {
        const struct pipe_message m = pipe_output(p, &done[i]);
        if (m.peer >= 0)
            LAB_TRY(ncclSend(m.buf, m.count, ncclFloat, m.peer, p->comm,
                             p->stage->stream));
    }
    for (int i = 0; i < nnext; i++) {
        const struct pipe_message m = pipe_input(p, &next[i]);
        if (m.peer >= 0)
            LAB_TRY(ncclRecv(m.buf, m.count, ncclFloat, m.peer, p->comm,
                             p->stage->stream));
    }
    return ncclGroupEnd();
    // END HOLE
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
    // BEGIN HOLE part 2: a step (about 6 lines)
    // HINT: the first pass may also need a message.
    LAB_TRY(pipe_exchange(p, NULL, 0, a, 1));
    for (int i = 0; i < n; i++) {
        LAB_TRY(pass(p, &a[i]));
        LAB_TRY(pipe_exchange(p, &a[i], 1, &a[i + 1], i + 1 < n));
    }
    return ncclSuccess;
    // END HOLE
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
    // BEGIN HOLE part 4: interleaved, a step (about 11 lines)
    // HINT: pipe_run(), with turns instead of passes.
    int turn = turn_at(a, n, 0);
    LAB_TRY(pipe_exchange(p, NULL, 0, a, turn));
    for (int i = 0; i < n;) {
        for (int k = 0; k < turn; k++)
            LAB_TRY(pass(p, &a[i + k]));
        const int next = turn_at(a, n, i + turn);
        LAB_TRY(pipe_exchange(p, a + i, turn, a + i + turn, next));
        i += turn;
        turn = next;
    }
    return ncclSuccess;
    // END HOLE
}
