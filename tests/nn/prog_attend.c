/* links: nn nnref judge graph topo base
 * Attention block by block, compared with one softmax over the whole sequence
 * in double, whose gradients are compared with finite differences.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/attend.h"
#include "rule.h"

enum { LENGTH = 24, RANKS = 3, MINE = LENGTH / RANKS, HEADS = 2, WIDTH = 5 };
enum { ROW = HEADS * WIDTH, ALL = LENGTH * ROW, PART = MINE * ROW };

static const struct nn_attend shape = {HEADS, WIDTH, 0.4472136f};
static cudaStream_t stream;

/* ---- the reference ------------------------------------------------------- */

struct whole {
    double q[ALL], k[ALL], v[ALL], dout[ALL];
    double o[ALL], lse[LENGTH * HEADS];
    double dq[ALL], dk[ALL], dv[ALL];
};

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += x[i] * y[i];
    return sum;
}

/* o and lse; returns the loss, which is dout . o */
static double forward(struct whole *w)
{
    memset(w->o, 0, sizeof w->o);
    for (int t = 0; t < LENGTH * HEADS; t++) {
        double *const o = w->o + t * WIDTH, sum = 0;
        for (int u = t % HEADS; u <= t; u += HEADS) {
            const double e = exp((double)shape.scale *
                                 dot(w->q + t * WIDTH, w->k + u * WIDTH));
            sum += e;
            for (int i = 0; i < WIDTH; i++)
                o[i] += e * w->v[u * WIDTH + i];
        }
        for (int i = 0; i < WIDTH; i++)
            o[i] /= sum;
        w->lse[t] = log(sum);
    }
    double loss = 0;
    for (int i = 0; i < ALL; i++)
        loss += w->dout[i] * w->o[i];
    return loss;
}

static void slopes(struct whole *w, double *x, double *dx)
{
    const double h = 1e-5;
    for (int i = 0; i < ALL; i++) {
        const double kept = x[i];
        x[i] = kept + h;
        const double above = forward(w);
        x[i] = kept - h;
        dx[i] = (above - forward(w)) / (2 * h);
        x[i] = kept;
    }
    forward(w);
}

static double number(unsigned *state) /* -1 to 1, the same on all machines */
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(float)((double)(*state >> 8) / (1 << 23) - 1);
}

static void fill(struct whole *w, double size)
{
    unsigned state = 7;
    for (int i = 0; i < ALL; i++) {
        w->q[i] = size * number(&state);
        w->k[i] = number(&state);
        w->v[i] = number(&state);
        w->dout[i] = number(&state);
    }
}

/* ---- the device ---------------------------------------------------------- */

static struct nn_places order(const char *name, int rank)
{
    if (strcmp(name, "plain") == 0)
        return (struct nn_places){1, {{rank * MINE, 1, MINE}}};
    if (strcmp(name, "striped") == 0)
        return (struct nn_places){1, {{rank, RANKS, MINE}}};
    return (struct nn_places){
        2,
        {{rank * MINE / 2, 1, MINE / 2},
         {(2 * RANKS - 1 - rank) * MINE / 2, 1, MINE / 2}}};
}

static int place(const struct nn_places *p, int i)
{
    int r = 0;
    while (i >= p->run[r].count)
        i -= p->run[r++].count;
    return p->run[r].first + i * p->run[r].stride;
}

static float *device(size_t count)
{
    float *d;
    if (cudaMalloc((void **)&d, count * sizeof *d) != cudaSuccess)
        exit(3);
    cudaMemsetAsync(d, 0, count * sizeof *d, stream);
    return d;
}

/* A rank's rows of a matrix with `wide` numbers in a row. */
static float *part(const double *all, const struct nn_places *p, int wide)
{
    float h[PART], *const d = device((size_t)MINE * wide);
    for (int i = 0; i < MINE * wide; i++)
        h[i] = (float)all[place(p, i / wide) * wide + i % wide];
    cudaMemcpyAsync(d, h, (size_t)MINE * wide * sizeof *h,
                    cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return d;
}

/* The largest difference from the reference, relative to the largest value. */
static double off(const float *d, const double *all, const struct nn_places *p,
                  int wide)
{
    float h[PART];
    double worst = 0, largest = 0;
    cudaMemcpyAsync(h, d, (size_t)MINE * wide * sizeof *h,
                    cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < MINE * wide; i++) {
        const double want = all[place(p, i / wide) * wide + i % wide];
        const double miss = fabs(h[i] - want);
        if (!(miss <= worst))
            worst = miss;
        largest = fmax(largest, fabs(want));
    }
    return worst / largest;
}

struct rank {
    struct nn_places at;
    struct nn_attend_state st;
    float *q, *k, *v, *dout, *delta, *dq, *dk, *dv;
};

static void passes(struct rank r[RANKS])
{
    for (int i = 0; i < RANKS; i++) {
        nn_attend_begin(&shape, &r[i].st, stream);
        for (int j = 0; j < RANKS; j++) { // as a ring has them
            const struct rank *const of = &r[(i + RANKS - j) % RANKS];
            nn_attend(&shape, &r[i].st, r[i].q, &r[i].at, of->k, of->v, &of->at,
                      stream);
        }
        nn_attend_end(&shape, &r[i].st, stream);
        nn_attend_delta(&shape, r[i].delta, r[i].dout, r[i].st.o, MINE, stream);
    }
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++) {
            const struct rank *const of = &r[(i + j) % RANKS];
            const struct nn_attend_row row = {r[i].q, r[i].dout, r[i].st.most,
                                              r[i].delta};
            nn_attend_back(&shape, &row, &r[i].at, of->k, of->v, &of->at,
                           r[i].dq, of->dk, of->dv, stream);
        }
}

static void check_order(const char *name, const struct whole *w)
{
    struct rank r[RANKS];
    char text[80];
    for (int i = 0; i < RANKS; i++) {
        const struct nn_places at = order(name, i);
        r[i] = (struct rank){
            at,
            {MINE, device(PART), device(MINE * HEADS), device(MINE * HEADS)},
            part(w->q, &at, ROW),
            part(w->k, &at, ROW),
            part(w->v, &at, ROW),
            part(w->dout, &at, ROW),
            device(MINE * HEADS),
            device(PART),
            device(PART),
            device(PART)};
    }
    passes(r);
    double out = 0, back = 0;
    for (int i = 0; i < RANKS; i++) {
        out = fmax(out, off(r[i].st.o, w->o, &r[i].at, ROW));
        out = fmax(out, off(r[i].st.most, w->lse, &r[i].at, HEADS));
        back = fmax(back, off(r[i].dq, w->dq, &r[i].at, ROW));
        back = fmax(back, off(r[i].dk, w->dk, &r[i].at, ROW));
        back = fmax(back, off(r[i].dv, w->dv, &r[i].at, ROW));
    }
    snprintf(text, sizeof text, "%s: outputs, off by %.1e", name, out);
    RULE(out < 2e-6, text);
    snprintf(text, sizeof text, "%s: gradients, off by %.1e", name, back);
    RULE(back < 2e-6, text);
    for (int i = 0; i < RANKS; i++) {
        float *const all[] = {r[i].q,    r[i].k,       r[i].v,      r[i].dout,
                              r[i].st.o, r[i].st.most, r[i].st.sum, r[i].delta,
                              r[i].dq,   r[i].dk,      r[i].dv};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            cudaFree(all[j]);
    }
}

/* A rank's pairs with all columns. */
static size_t work(const char *name, int rank)
{
    size_t n = 0;
    for (int j = 0; j < RANKS; j++) {
        const struct nn_places rows = order(name, rank), cols = order(name, j);
        size_t want = 0;
        for (int a = 0; a < MINE; a++)
            for (int b = 0; b < MINE; b++)
                want += place(&rows, a) >= place(&cols, b);
        const size_t pairs = nn_attend_pairs(&rows, &cols);
        if (pairs != want)
            RULE(0, "pairs are counted");
        n += pairs;
    }
    return n;
}

static void check_work(void)
{
    static const char *const names[] = {"plain", "striped", "zigzag"};
    for (size_t o = 0; o < 3; o++) {
        size_t all = 0;
        for (int i = 0; i < RANKS; i++)
            all += work(names[o], i);
        RULE(all == LENGTH * (LENGTH + 1) / 2, "each pair is in one block");
    }
    RULE(work("zigzag", 0) == work("zigzag", RANKS - 1) &&
             work("zigzag", 1) == work("zigzag", 0),
         "zigzag order gives all ranks equal work");
    RULE(work("plain", 0) == MINE * (MINE + 1) / 2,
         "the first rank of a plain order sees its own block alone");
}

static void check_refused(void)
{
    const struct nn_places at = order("plain", 0);
    const struct nn_places many = {NN_ATTEND_RUNS + 1, {{0, 1, 1}}};
    const struct nn_attend wide = {1, NN_ATTEND_WIDTH + 1, 1};
    const struct nn_attend_state st = {MINE, NULL, NULL, NULL};
    const struct nn_attend_state few = {MINE - 1, NULL, NULL, NULL};
    RULE(nn_attend_begin(&wide, &st, stream) == cudaErrorInvalidValue,
         "heads that are too wide");
    RULE(nn_attend(&shape, &st, NULL, &at, NULL, NULL, &many, stream) ==
             cudaErrorInvalidValue,
         "too many runs");
    RULE(nn_attend(&shape, &few, NULL, &at, NULL, NULL, &at, stream) ==
             cudaErrorInvalidValue,
         "a state of another number of rows");
    const struct nn_places later = order("plain", 1);
    RULE(nn_attend(&shape, &st, NULL, &at, NULL, NULL, &later, stream) ==
             cudaSuccess,
         "a block that no row sees touches nothing");
}

int main(void)
{
    static struct whole w;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    fill(&w, 2);
    slopes(&w, w.q, w.dq);
    slopes(&w, w.k, w.dk);
    slopes(&w, w.v, w.dv);
    check_order("plain", &w);
    check_order("striped", &w);
    check_order("zigzag", &w);
    check_work();
    check_refused();
    cudaStreamDestroy(stream);
    return rule_status();
}
