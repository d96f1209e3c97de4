#include "device/touched.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memmove */

#include "core/report.h"

enum { MAX_SPARE = 2048 }; /* chunks that are kept: 8 MiB of bits */

static uintptr_t number_of(const char *p)
{
    return (uintptr_t)p >> TOUCHED_SHIFT;
}

/* Index of the first chunk whose number is at least `number`. */
static size_t find(const struct touched *t, uintptr_t number)
{
    size_t low = 0, high = t->n;
    if (t->n && t->chunk[t->n - 1]->number < number)
        return t->n; // the most frequent case
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (t->chunk[mid]->number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct touched_chunk *new_chunk(struct touched *t, uintptr_t number)
{
    struct touched_chunk *c = t->spare;
    if (c) {
        t->spare = c->next;
        t->nspare--;
    } else if (!(c = calloc(1, sizeof *c))) {
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    }
    c->number = number;
    return c;
}

/* The chunk with this number; added if there is none. */
static struct touched_chunk *chunk_of(struct touched *t, uintptr_t number)
{
    const size_t i = find(t, number);
    if (i < t->n && t->chunk[i]->number == number)
        return t->chunk[i];
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->chunk = realloc(t->chunk, t->cap * sizeof *t->chunk);
        if (!t->chunk)
            simgpu_report_fault(NULL,
                                "out of host memory for a kernel's accesses");
    }
    memmove(t->chunk + i + 1, t->chunk + i, (t->n - i) * sizeof *t->chunk);
    t->n++;
    return t->chunk[i] = new_chunk(t, number);
}

void touched_add(struct touched *t, const char *p, size_t nbytes,
                 const char *begin, const char *end)
{
    const size_t size = (size_t)1 << TOUCHED_SHIFT;
    while (nbytes) {
        const size_t at = (uintptr_t)p % size;
        const size_t here = nbytes < size - at ? nbytes : size - at;
        struct touched_line *const l = touched_line(t, p);
        if (!touched_is_line(l, p))
            *l = (struct touched_line){
                number_of(p), chunk_of(t, number_of(p))->bits, NULL, NULL};
        l->begin = begin;
        l->end = end;
        touched_set_bits(l->bits, at, here);
        p += here;
        nbytes -= here;
    }
}

int touched_has(struct touched *t, const char *p)
{
    const struct touched_line *const l = touched_line(t, p);
    if (touched_is_line(l, p))
        return *touched_word(l, p) >> (uintptr_t)p % 64 & 1;
    const size_t i = find(t, number_of(p));
    const size_t bit = (uintptr_t)p % ((size_t)1 << TOUCHED_SHIFT);
    return i < t->n && t->chunk[i]->number == number_of(p) &&
           t->chunk[i]->bits[bit / 64] >> bit % 64 & 1;
}

/* Index of the first bit from `from` on that equals
 * `set`, or the number of bits. */
static size_t next_bit(const struct touched_chunk *c, size_t from, int set)
{
    const uint64_t flip = set ? 0 : UINT64_MAX;
    size_t i = from / 64;
    if (i == TOUCHED_WORDS)
        return from;
    uint64_t word = (c->bits[i] ^ flip) & UINT64_MAX << from % 64;
    while (!word && ++i < TOUCHED_WORDS)
        word = c->bits[i] ^ flip;
    return word ? i * 64 + (size_t)__builtin_ctzll(word)
                : (size_t)TOUCHED_WORDS * 64;
}

int touched_next(const struct touched *t, const char **begin, const char **end)
{
    const size_t size = (size_t)1 << TOUCHED_SHIFT;
    size_t i = find(t, number_of(*end)), bit = size;
    size_t from = i < t->n && t->chunk[i]->number == number_of(*end)
                      ? (uintptr_t)*end % size
                      : 0;
    for (; i < t->n; i++, from = 0)
        if ((bit = next_bit(t->chunk[i], from, 1)) < size)
            break;
    if (i == t->n)
        return 0;
    *begin = (const char *)(t->chunk[i]->number * size + bit);
    for (;;) { // a run may continue in the next chunk
        bit = next_bit(t->chunk[i], bit, 0);
        *end = (const char *)(t->chunk[i]->number * size + bit);
        if (bit < size || i + 1 == t->n ||
            t->chunk[i + 1]->number != t->chunk[i]->number + 1)
            return 1;
        i++;
        bit = 0;
    }
}

void touched_join(struct touched *t, const struct touched *other)
{
    for (size_t i = 0; i < other->n; i++) {
        const struct touched_chunk *const from = other->chunk[i];
        struct touched_chunk *const to = chunk_of(t, from->number);
        for (size_t k = 0; k < TOUCHED_WORDS; k++)
            to->bits[k] |= from->bits[k];
    }
}

void touched_clear(struct touched *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct touched_chunk *const c = t->chunk[i];
        t->line[touched_place(c->number)].number = 0;
        if (t->nspare == MAX_SPARE) {
            free(c);
            continue;
        }
        memset(c->bits, 0, sizeof c->bits);
        c->next = t->spare;
        t->spare = c;
        t->nspare++;
    }
    t->n = 0;
}
