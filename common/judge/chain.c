#include "judge/chain.h"

#include <string.h> /* memcpy */

#include "base/mix.h"

void chain_begin(struct chain *c, size_t nbytes)
{
    *c = (struct chain){mix_nth(c->digest, nbytes), 0, nbytes, 0};
}

void chain_add(struct chain *c, const void *data, size_t n)
{
    const size_t left = c->nbytes - c->at;
    const char *p = data;
    n = n < left ? n : left;
    while (n > 0) {
        const size_t in = c->at % sizeof c->word, gap = sizeof c->word - in;
        const size_t part = n < gap ? n : gap;
        memcpy((char *)&c->word + in, p, part);
        p += part;
        n -= part;
        c->at += part;
        if (c->at % sizeof c->word != 0 && c->at < c->nbytes)
            return; // the next call completes this word
        c->digest = mix_hash(c->digest ^ c->word);
        c->word = 0;
    }
}

uint64_t chain_digest(uint64_t digest, const void *data, size_t nbytes)
{
    struct chain c = {.digest = digest};
    chain_begin(&c, nbytes);
    chain_add(&c, data, nbytes);
    return c.digest;
}

uint64_t chain_seed(uint64_t case_seed, int iteration, uint64_t digest)
{
    return mix_nth(case_seed ^ digest, (uint64_t)(int64_t)iteration);
}
