/*
 * judge_zero.c: part 7, the sharded optimizer: who updates which parameters,
 * what each rank keeps, and what the ranks send one another
 */
#include <math.h> /* fabs */

#include "base/ranks.h" /* LAB_MAX_RANKS */
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge3.h"

static void owners(const struct nn_shape *s, int nranks, int *owner,
                   double *count)
{
    for (int r = 0; r < nranks; r++)
        count[r] = 0;
    for (int l = 0; l < s->depth; l++) {
        owner[l] = -1;
        if (!judge3_is_trained(s, l))
            continue;
        int least = 0;
        for (int r = 1; r < nranks; r++)
            if (count[r] < count[least])
                least = r;
        owner[l] = least;
        count[least] += (double)nn_layer_count(s, l);
    }
}

void judge3_owners(const struct judge_task *t, struct judge_verdict *v)
{
    int want[NN_MAX_DEPTH];
    double count[LAB_MAX_RANKS];
    char name[24];
    const struct nn_shape s = nn_task_of(t->c).shape;
    owners(&s, (int)plan_int(t->c, "over", t->nranks), want, count);
    for (int l = 0; l < s.depth; l++)
        if (judge3_metric(t, 0, judge3_layer_name(l, name)) != want[l])
            judge_fail(v, "%s goes to rank %.0f, should go to %d", name,
                       judge3_metric(t, 0, name), want[l]);
}

/* A rank may hold 1/n of the state plus that of one parameter, and a page for
 * small allocations. */
static void judge_state(const struct judge_task *t, const struct nn_shape *s,
                        struct judge_verdict *v)
{
    const double page = 4096, state = 2 * 4;
    double all = 0, largest = 0;
    for (int l = 0; l < s->depth; l++)
        if (judge3_is_trained(s, l)) {
            const double count = (double)nn_layer_count(s, l);
            all += count;
            largest = count > largest ? count : largest;
        }
    const double most = state * (all / t->nranks + largest) + page;
    for (int r = 0; r < t->nranks; r++) {
        const double held = judge_count(t, r, 0, "state_nbytes", v);
        if (!(held <= most))
            judge_fail_method(
                v,
                "rank %d keeps %.0f bytes of optimizer state; an n-th "
                "of it plus one parameter's is %.0f",
                r, held, most);
    }
}

/* Each rank gets the parameters that others have updated, and keeps nothing in
 * the memory of the host, which judge_state() does not count. */
static void judge_sharing(const struct judge_task *t, const struct nn_task *k,
                          struct judge_verdict *v)
{
    double sent = 0, count = 0;
    for (int l = 0; l < k->shape.depth; l++)
        if (judge3_is_trained(&k->shape, l))
            count += (double)nn_layer_count(&k->shape, l);
    // the runner also all-reduces all gradients
    const double each = 4 * (t->nranks - 1.0) * k->steps;
    const double least = each * (count + 2 * (double)nn_param_count(&k->shape));
    for (int r = 0; r < t->nranks && v->pass; r++) {
        const struct graph_view *const n = spans_from_host(t, r, 0);
        sent += spans_traffic_bytes(t, r, 0);
        if (n)
            judge_fail_method(
                v,
                "the result is right, but rank %d's %s%s%s reads "
                "memory of the host: state belongs on the device, an "
                "n-th on each",
                r, n->name, *n->site ? " at " : "", n->site);
    }
    if (v->pass && sent < least * (1 - 1e-9))
        judge_fail_method(
            v,
            "the result is right, but ranks send one another %.0f "
            "bytes; gradients and the parameters that each rank has "
            "updated for the others are %.0f",
            sent, least);
}

void judge3_zero(const struct judge_task *t, struct judge_verdict *v)
{
    char name[NN_OUTPUT_NAME];
    const struct nn_task k = nn_task_of(t->c);
    const size_t count = nn_param_count(&k.shape);
    nn_task_judge(t, &k, 1e-5, judge3_absolute(&k), v);
    judge_state(t, &k.shape, v);
    judge_sharing(t, &k, v);
    nn_task_output(k.steps - 1, name);
    for (int i = 0; i < t->iterations && v->pass; i++)
        for (int r = 0; r < t->nranks; r++) {
            const float *const got =
                judge_output(t, r, i, name, count * sizeof *got, v);
            const float *const want =
                judge_output(t, r, i, "unsharded", count * sizeof *want, v);
            for (size_t j = 0; got && want && j < count; j++)
                if (!(fabs((double)got[j] - (double)want[j]) <= 1e-7)) {
                    judge_fail(v,
                               "parameter %zu of rank %d is %.9g, but %.9g "
                               "with the unsharded optimizer",
                               j, r, got[j], want[j]);
                    break;
                }
        }
}
