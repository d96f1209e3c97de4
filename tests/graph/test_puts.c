/*
 * Modelled times of what kernels put over the network, against times computed
 * by hand from the machine's own figures.
 */
#include <check.h>

#include "replayed.h"
#include "suite.h"

enum { US = 1000000 /* ps */, BYTES = 10000000 };

static struct replayed run;

static void setup(void)
{
    replayed_init(&run, "dgx-h100", 1);
}

static void teardown(void)
{
    replayed_release(&run);
}

static struct replay_time at(struct graph_ref ref)
{
    return replayed_at(&run, ref);
}

static struct topo_path network(void)
{
    struct topo_path way;
    ck_assert_int_eq(topo_path(run.topo, 0, 1, TOPO_NETWORK, &way), 0);
    ck_assert_str_eq(way.kind, "NET");
    ck_assert_uint_gt(way.latency_ps, US);
    return way;
}

/* The flops that GPU 0 does in a time. */
static double flops(double us)
{
    const int compute = topo_compute(run.topo, 0, TOPO_FP32);
    return us * 1e-6 * topo_resource(run.topo, compute)->rate;
}

static struct graph_ref kernel(uint32_t queue, double us)
{
    return SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = queue, .flops = flops(us)});
}

/* Kernel k begins something on the network after its part `after`. */
static void put(struct graph_ref k, uint32_t queue, uint32_t after,
                uint64_t nbytes)
{
    const struct graph_move m = {0, 1, nbytes};
    graph_aside(run.s.rank[0], k.index, queue, "put",
                &(struct graph_point){0, k.index, after}, 1, 0);
    graph_amend(run.s.rank[0], k.index, 0, &m, 1, NULL, 0);
}

/* Kernel k computes for a while. */
static void compute(struct graph_ref k, double us)
{
    graph_part(run.s.rank[0], k.index, NULL, 0, 0);
    graph_amend(run.s.rank[0], k.index, flops(us), NULL, 0, NULL, 0);
}

/* Kernel k waits for its part. */
static void await(struct graph_ref k, uint32_t part)
{
    graph_part(run.s.rank[0], k.index, &(struct graph_point){0, k.index, part},
               1, 0);
}

/* Two kernels put bytes at 1 us and compute until 3 us. The second one also
 * waits until its bytes have arrived. */
START_TEST(what_a_kernel_puts_goes_on_beside_it)
{
    struct graph_ref k[2];
    for (uint32_t i = 0; i < 2; i++) {
        k[i] = kernel(1 + i, .5);
        put(k[i], 10 + i, 0, BYTES);
        compute(k[i], 1);
    }
    await(k[1], 1);
    replayed_run(&run, NULL);
    ck_assert_uint_eq(run.g->nnodes, 7);
    const struct graph_view *const aside = &run.g->nodes[1];
    ck_assert_str_eq(aside->name, "put");
    ck_assert(aside->node.kind == GRAPH_COPY && aside->node.queue == 10);
    // both share the compute, and then the NIC
    const struct topo_path way = network();
    ck_near(at(k[0]).end_ps, 3 * (uint64_t)US, 1000);
    ck_near(at(k[1]).end_ps,
            US + way.latency_ps + replayed_bytes_ps(&run, 2 * BYTES, &way),
            1000);
}
END_TEST

START_TEST(puts_of_a_queue_travel_at_the_same_time)
{
    enum { N = 5 };
    const struct graph_ref k = kernel(1, 1);
    for (uint32_t i = 0; i < N; i++)
        put(k, 10, 0, BYTES);
    await(k, N);
    replayed_run(&run, NULL);
    const struct topo_path way = network();
    ck_near(at(k).end_ps,
            US + way.latency_ps + replayed_bytes_ps(&run, N * BYTES, &way),
            1000);
}
END_TEST

/* The kernel begins the second put while the first one's bytes travel, or long
 * after they have arrived. */
START_TEST(a_put_takes_its_latency_from_its_own_beginning)
{
    const struct topo_path way = network();
    const uint64_t bytes_ps = replayed_bytes_ps(&run, BYTES, &way);
    const double soon = 3, late = 1e-6 * (double)(bytes_ps + way.latency_ps);
    const double pause_us = _i ? 2 * late : soon;
    const uint64_t second_ps = (uint64_t)((1 + pause_us) * US);
    const struct graph_ref k = kernel(1, 1);
    put(k, 10, 0, BYTES);
    compute(k, pause_us);
    put(k, 10, 2, 1);
    await(k, 3);
    replayed_run(&run, NULL);
    ck_near(at(k).end_ps,
            _i ? second_ps + way.latency_ps : US + way.latency_ps + bytes_ps,
            2000);
}
END_TEST

/* A signal has no bytes. It follows a put of another queue. */
START_TEST(a_signal_arrives_with_the_put_before_it)
{
    const struct topo_path way = network();
    const struct graph_ref k = kernel(1, 1);
    put(k, 10, 0, BYTES);
    graph_aside(run.s.rank[0], k.index, 11, "signal",
                (struct graph_point[]){{0, k.index, 0}, {0, k.index, 1}}, 2,
                way.latency_ps);
    await(k, 2);
    replayed_run(&run, NULL);
    ck_near(at(k).end_ps,
            US + way.latency_ps + replayed_bytes_ps(&run, BYTES, &way), 1000);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("puts");
    TCase *const t = tcase_create("puts");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_a_kernel_puts_goes_on_beside_it);
    tcase_add_test(t, puts_of_a_queue_travel_at_the_same_time);
    tcase_add_loop_test(t, a_put_takes_its_latency_from_its_own_beginning, 0,
                        2);
    tcase_add_test(t, a_signal_arrives_with_the_put_before_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
