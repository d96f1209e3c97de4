#include "judge/chain.h"

#include <string.h> /* memcpy */

#include "judge/judge.h" /* judge_seed */

uint64_t chain_digest(uint64_t digest, const void *data, size_t nbytes)
{
    const char *const p = data;
    digest = judge_seed(digest, nbytes);
    for (size_t at = 0; at < nbytes; at += sizeof(uint64_t)) {
        const size_t left = nbytes - at;
        uint64_t word = 0;
        memcpy(&word, p + at, left < sizeof word ? left : sizeof word);
        digest = judge_seed(digest ^ word, 0);
    }
    return digest;
}

uint64_t chain_seed(uint64_t case_seed, int iteration, uint64_t digest)
{
    return judge_seed(case_seed ^ digest, (uint64_t)(int64_t)iteration);
}
