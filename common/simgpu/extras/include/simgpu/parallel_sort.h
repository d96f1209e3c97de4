/*
 * parallel_sort.h: stable sorts of keys, with or without values
 *
 * merge_sort() sorts by any order: tiles by insertion, then pairs of runs, with
 * one kernel for each doubling. radix_sort() sorts numbers by their bits, with
 * one kernel for each digit of 8 bits, as a GPU's sort does.
 *
 * Both move the items back and forth between their array and temp, which is as
 * large.
 */
#ifndef SIMGPU_PARALLEL_SORT_H
#define SIMGPU_PARALLEL_SORT_H

#include <stdint.h>
#include <string.h>

namespace simgpu
{
enum { SORT_TILE = 32, DIGIT = 8, DIGITS = 1 << DIGIT };

struct no_value { /* stands for the values of keys that have none */
};
/* The values of keys without values. */
struct no_values {
    no_value operator[](size_t) const
    {
        return no_value();
    }
};
static inline no_values operator+(no_values v, size_t)
{
    return v;
}

/* Keys and values that move together. */
template <class K, class V> struct items {
    K keys;
    V values;
    template <class Other> void take(size_t to, const Other &from, size_t i)
    {
        keys[to] = from.keys[i];
        values[to] = from.values[i];
    }
};
template <class K> struct items<K, no_values> {
    K keys;
    no_values values;
    template <class Other> void take(size_t to, const Other &from, size_t i)
    {
        keys[to] = from.keys[i];
    }
};

/* Sort the tile from begin to end in place, by insertion. */
template <class Key, class Value, class Items, class Less>
void sort_tile(Items at, size_t begin, size_t end, Less less)
{
    for (size_t i = begin + 1; i < end; i++) {
        struct {
            const Key *keys;
            const Value *values;
        } held;
        const Key key = at.keys[i];
        const Value value = at.values[i];
        held.keys = &key;
        held.values = &value;
        size_t k = i;
        for (; k > begin && less(key, at.keys[k - 1]); k--)
            at.take(k, at, k - 1);
        at.take(k, held, 0);
    }
}

/* Merge the runs [begin, middle) and [middle, end) of `from` into `to`. */
template <class From, class To, class Less>
void merge_runs(From from, To to, size_t begin, size_t middle, size_t end,
                Less less)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; i++)
        to.take(i, from,
                a < middle && (b == end || !less(from.keys[b], from.keys[a]))
                    ? a++
                    : b++);
}

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

template <class From, class To, class Less>
cudaError_t merge_pass(cudaStream_t stream, From from, To to, size_t n,
                       size_t run, Less less)
{
    return for_items(stream, (n + 2 * run - 1) / (2 * run), [=](size_t i) {
        const size_t begin = i * 2 * run;
        merge_runs(from, to, begin, least(begin + run, n),
                   least(begin + 2 * run, n), less);
    });
}

/* Sort n items by less. temp is as large as the items. */
template <class Key, class Value, class Items, class Temp, class Less>
cudaError_t merge_sort(cudaStream_t stream, Items at, Temp temp, size_t n,
                       Less less)
{
    const size_t tile = SORT_TILE;
    cudaError_t error = for_items(stream, (n + tile - 1) / tile, [=](size_t i) {
        sort_tile<Key, Value>(at, i * tile, least((i + 1) * tile, n), less);
    });
    bool there = false; // the items are in temp
    for (size_t run = tile; run < n && !error; run *= 2, there = !there)
        error = there ? merge_pass(stream, temp, at, n, run, less)
                      : merge_pass(stream, at, temp, n, run, less);
    if (there && !error)
        error = for_items(stream, n, [=](size_t i) {
            Items to = at;
            to.take(i, temp, i);
        });
    return error;
}

/* A number's bits as an integer with the same order as the numbers. */
template <size_t> struct bits_of_size;
template <> struct bits_of_size<1> {
    typedef uint8_t type;
};
template <> struct bits_of_size<2> {
    typedef uint16_t type;
};
template <> struct bits_of_size<4> {
    typedef uint32_t type;
};
template <> struct bits_of_size<8> {
    typedef uint64_t type;
};
template <class Key> struct key_bits {
    typedef typename bits_of_size<sizeof(Key)>::type bits;
    enum { FLOATS = !std::is_integral<Key>::value };
    static bits get(const Key &key)
    {
        const bits top = (bits)((bits)1 << (8 * sizeof(Key) - 1));
        bits b;
        memcpy(&b, &key, sizeof b);
        if (FLOATS) {
            if (b == top) // -0 equals 0
                b = 0;
            return (bits)(b & top ? ~b : b | top);
        }
        return std::is_signed<Key>::value ? (bits)(b ^ top) : b;
    }
};

/* Sort by one digit, of `width` bits from `shift`. */
template <class Key, class From, class To>
void radix_pass(From from, To to, size_t n, int shift, int width, bool down)
{
    size_t at[DIGITS] = {0};
    const unsigned mask = (1u << width) - 1, flip = down ? mask : 0;
    for (size_t i = 0; i < n; i++)
        at[((unsigned)(key_bits<Key>::get(from.keys[i]) >> shift) & mask) ^
           flip]++;
    size_t sum = 0;
    for (unsigned d = 0; d <= mask; d++) {
        const size_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to.take(
            at[((unsigned)(key_bits<Key>::get(from.keys[i]) >> shift) & mask) ^
               flip]++,
            from, i);
}

/*
 * Sort n items of `from` into a, by bits [begin, end) of the keys; down means
 * the largest first. b is as large as a; `from` may be a.
 */
template <class Key, class From, class A, class B>
cudaError_t radix_sort(cudaStream_t stream, From from, A a, B b, size_t n,
                       int begin, int end, bool down)
{
    const int npasses = (end - begin + DIGIT - 1) / DIGIT;
    bool into_a = npasses % 2; // chosen so that the last pass writes a
    cudaError_t error = cudaSuccess;
    if (into_a || npasses == 0) { // first copy out of `from`, which may be a
        error = for_items(stream, n, [=](size_t i) {
            B to = b;
            to.take(i, from, i);
        });
        if (npasses == 0 && !error)
            error = for_items(stream, n, [=](size_t i) {
                A to = a;
                to.take(i, b, i);
            });
    }
    for (int shift = begin; shift < end && !error; shift += DIGIT) {
        const int width = end - shift < DIGIT ? end - shift : (int)DIGIT;
        error = run_once(stream, [=] {
            if (into_a)
                radix_pass<Key>(b, a, n, shift, width, down);
            else if (shift == begin)
                radix_pass<Key>(from, b, n, shift, width, down);
            else
                radix_pass<Key>(a, b, n, shift, width, down);
        });
        into_a = !into_a;
    }
    return error;
}
} // namespace simgpu
#endif
