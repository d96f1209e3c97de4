#include "nn/blocks.h"

#include <stdlib.h> /* malloc */

#include "nn/lm.h"
#include "nn/try.h"

cudaError_t blocks_init(struct nn *m, const struct lm_how *how)
{
    const struct lm_shape shape = nn_lm_shape(&m->shape);
    struct lm_how bare = *how;
    bare.bare = 1;
    m->lm = malloc(sizeof *m->lm);
    if (!m->lm)
        return cudaErrorMemoryAllocation;
    const cudaError_t err = lm_init_how(m->lm, &shape, m->stream, &bare);
    if (err != cudaSuccess) {
        free(m->lm);
        m->lm = NULL;
    }
    return err;
}

void blocks_release(struct nn *m)
{
    if (m->lm)
        lm_release(m->lm);
    free(m->lm);
    m->lm = NULL;
}

void blocks_begin(struct nn *m)
{
    const struct lm_batch b = {m->batch.token, m->batch.target};
    lm_begin(m->lm, &b);
}

/* Point the parameters of layer l to where the network's are, and E, if the
 * layer is the last. */
static void point(struct nn *m, int l)
{
    const struct nn_param *const p = &m->param[l], *const first = &m->param[0];
    struct lm_param *const e = &m->lm->param[LM_EMBED];
    size_t at = 0;
    for (int i = nn_lm_param(&m->shape, l); i < nn_lm_param(&m->shape, l + 1);
         i++) {
        m->lm->param[i].value = p->value + at;
        m->lm->param[i].grad = p->grad ? p->grad + at : NULL;
        at += m->lm->param[i].count;
    }
    if (l < m->shape.depth - 1)
        return;
    e->value = m->head_value ? m->head_value : first->value;
    e->grad = m->head_grad ? m->head_grad : first->grad;
}

cudaError_t blocks_forward(struct nn *m, int l)
{
    point(m, l);
    if (l == 0)
        return lm_embed(m->lm);
    if (l == m->shape.depth - 1)
        return lm_head(m->lm);
    TRY(lm_attend(m->lm, l - 1));
    return lm_feed(m->lm, l - 1);
}

cudaError_t blocks_backward(struct nn *m, int l)
{
    point(m, l);
    if (l == 0)
        return lm_embed_backward(m->lm);
    if (l == m->shape.depth - 1)
        return lm_head_backward(m->lm, m->scale);
    if (m->lm->how.recompute)
        TRY(blocks_forward(m, l));
    TRY(lm_feed_backward(m->lm, l - 1));
    return lm_attend_backward(m->lm, l - 1);
}
