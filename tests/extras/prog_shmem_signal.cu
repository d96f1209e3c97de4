/* NVSHMEM: signals, and waiting for words. links: -lnvshmem_host */
#include "shmem.h"

enum { COUNT = 256 };

__global__ void ring(int *data, uint64_t *signal, int count)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    if (me > 0)
        nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
    for (int i = 0; i < count; i++)
        data[i] = me == 0 ? i : data[i] + 1;
    if (me < n - 1)
        nvshmem_int_put_signal(data, data, count, signal, 1, NVSHMEM_SIGNAL_SET,
                               me + 1);
}

PROBE(put_with_signal_around_a_ring)
{
    symmetric<int> data(COUNT);
    symmetric<uint64_t> signal(1);
    run_all(ring, 1, 1, data.d, signal.d, (int)COUNT);
    data.get();
    CHECK(data.h[0] == me && data.h[COUNT - 1] == COUNT - 1 + me);
}

__global__ void fenced(int *data, uint64_t *signal, int *seen)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    nvshmem_int_p(data + 1, 40 + me, (me + 1) % n);
    nvshmem_int_put_nbi(data + 2, data, 1, (me + 1) % n);
    nvshmem_fence();
    nvshmemx_signal_op(signal, 5, NVSHMEM_SIGNAL_ADD, (me + 1) % n);
    const uint64_t got = nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, 5);
    seen[0] = data[1];
    seen[1] = data[2];
    seen[2] = (int)got;
    seen[3] = (int)nvshmem_signal_fetch(signal);
    nvshmem_quiet();
}

PROBE(fence_before_a_signal)
{
    symmetric<int> data(4), seen(4);
    symmetric<uint64_t> signal(1);
    data.h[0] = 60 + me;
    data.put();
    run_all(fenced, 1, 1, data.d, signal.d, seen.d);
    seen.get();
    CHECK(seen.h[0] == 40 + before && seen.h[1] == 60 + before);
    CHECK(seen.h[2] == 5 && seen.h[3] == 5);
}

/* Each PE counts in all others' words, of odd and of even rounds. */
__global__ void everyone(uint64_t *signal, int rounds)
{
    const int n = nvshmem_n_pes();
    for (int i = 1; i <= rounds; i++) {
        for (int pe = 0; pe < n; pe++)
            nvshmemx_signal_op(signal + i % 2, 1, NVSHMEM_SIGNAL_ADD, pe);
        nvshmem_uint64_wait_until(signal + i % 2, NVSHMEM_CMP_GE,
                                  (uint64_t)n * ((i + 1) / 2));
    }
}

PROBE(signals_of_all_add_up)
{
    enum { ROUNDS = 20 };
    symmetric<uint64_t> signal(2);
    run_all(everyone, 1, 1, signal.d, (int)ROUNDS);
    CHECK(signal.get()[0] == (uint64_t)n * ROUNDS / 2);
}

__global__ void tell_all(int *flag, int *seen)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    for (int i = 0; i < n; i++)
        nvshmem_int_p(flag + me, 10 + me, (me + 1 + i) % n);
    nvshmem_int_wait_until_all(flag, n, NULL, NVSHMEM_CMP_NE, 0);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += flag[i];
    seen[0] = sum;
}

PROBE(wait_until_all)
{
    symmetric<int> flag(n), seen(1);
    run_all(tell_all, 1, 1, flag.d, seen.d);
    CHECK(seen.get()[0] == 10 * n + n * (n - 1) / 2);
}

__global__ void any_and_some(int *flag, int *status, size_t *index, int *seen)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    for (int i = 0; i < n; i++)
        nvshmem_int_p(flag + me, 1, i);
    int left = n, sum = 0;
    while (left > n / 2) { // one by one
        const size_t i =
            nvshmem_int_wait_until_any(flag, n, status, NVSHMEM_CMP_EQ, 1);
        status[i] = 1;
        sum += (int)i;
        left--;
    }
    while (left > 0) { // as they come
        const size_t k = nvshmem_int_wait_until_some(flag, n, index, status,
                                                     NVSHMEM_CMP_EQ, 1);
        for (size_t j = 0; j < k; j++) {
            status[index[j]] = 1;
            sum += (int)index[j];
        }
        left -= (int)k;
    }
    seen[0] = sum;
    seen[1] = nvshmem_int_wait_until_any(flag, n, status, NVSHMEM_CMP_EQ, 1) ==
              SIZE_MAX;
}

PROBE(wait_until_any_and_some)
{
    symmetric<int> flag(n), status(n), seen(2);
    symmetric<size_t> index(n);
    run_all(any_and_some, 1, 1, flag.d, status.d, index.d, seen.d);
    CHECK(seen.get()[0] == n * (n - 1) / 2 && seen.h[1]);
}

__global__ void vectors(long *flag, long *want, size_t *index, int *seen)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    for (int i = 0; i < n; i++)
        nvshmem_long_p(flag + me, -3 - me, i);
    nvshmem_long_wait_until_all_vector(flag, n, NULL, NVSHMEM_CMP_LE, want);
    seen[0] = nvshmem_long_test_all_vector(flag, n, NULL, NVSHMEM_CMP_EQ, want);
    seen[1] = (int)nvshmem_long_test_any_vector(flag, n, NULL, NVSHMEM_CMP_GT,
                                                want) == -1;
    seen[2] = (int)nvshmem_long_test_some_vector(flag, n, index, NULL,
                                                 NVSHMEM_CMP_GE, want);
    seen[3] = (int)nvshmem_long_wait_until_some_vector(
        flag, n, index, NULL, NVSHMEM_CMP_LT + 1, want);
    seen[4] = (int)nvshmem_long_wait_until_any_vector(flag, n, NULL,
                                                      NVSHMEM_CMP_LE, want);
}

PROBE(a_value_for_each_word)
{
    symmetric<long> flag(n), want(n);
    symmetric<size_t> index(n);
    symmetric<int> seen(5);
    for (int i = 0; i < n; i++)
        want.h[i] = -3 - i;
    want.put();
    run_all(vectors, 1, 1, flag.d, want.d, index.d, seen.d);
    seen.get();
    CHECK(seen.h[0] == 1 && seen.h[1] == 1 && seen.h[2] == n);
    CHECK(seen.h[3] == n && seen.h[4] == 0);
}

__global__ void small(short *flag, unsigned short *up, int *seen)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), after = (me + 1) % n;
    nvshmem_short_p(flag + 1, -7, after);
    nvshmem_ushort_p(up + 2, 65000, after);
    nvshmem_short_wait_until(flag + 1, NVSHMEM_CMP_LT, 0);
    nvshmem_ushort_wait_until(up + 2, NVSHMEM_CMP_GT, 60000);
    seen[0] = flag[0] == 0 && flag[1] == -7 && up[2] == 65000 && up[3] == 0;
    while (!nvshmem_short_test(flag + 1, NVSHMEM_CMP_EQ, -7))
        ;
}

PROBE(words_of_16_bits)
{
    symmetric<short> flag(2);
    symmetric<unsigned short> up(4);
    symmetric<int> seen(1);
    run_all(small, 1, 1, flag.d, up.d, seen.d);
    CHECK(seen.get()[0] == 1);
}

/* Each PE's data passes through a mailbox that its reader hands back. */
__global__ void mailbox(int *box, uint64_t *full, uint64_t *empty, int *sum,
                        int rounds)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    const int after = (me + 1) % n, before = (me + n - 1) % n;
    for (int i = 1; i <= rounds; i++) {
        nvshmem_signal_wait_until(empty, NVSHMEM_CMP_GE, i - 1);
        nvshmem_int_p(box, 100 * i + me, after);
        nvshmem_fence();
        nvshmemx_signal_op(full, i, NVSHMEM_SIGNAL_SET, after);
        nvshmem_signal_wait_until(full, NVSHMEM_CMP_GE, i);
        *sum += *box;
        nvshmemx_signal_op(empty, i, NVSHMEM_SIGNAL_SET, before);
    }
}

PROBE(a_mailbox_that_is_handed_back)
{
    enum { ROUNDS = 5 };
    symmetric<int> box(1), sum(1);
    symmetric<uint64_t> full(1), empty(1);
    run_all(mailbox, 1, 1, box.d, full.d, empty.d, sum.d, (int)ROUNDS);
    CHECK(sum.get()[0] == 1500 + ROUNDS * before);
}
