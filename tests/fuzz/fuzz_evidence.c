/* Fuzzes the reader of evidence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

const struct judge_lab *const judge_labs[] = {NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    struct evidence *const e = evidence_new(1, 1);
    char *const copy = malloc(nbytes + 1);
    size_t n;
    if (nbytes)
        memcpy(copy, data, nbytes);
    evidence_give(e, 0, copy, nbytes);
    for (unsigned c = 0; c < 3; c++) {
        const char *const text = evidence_text(e, 0, c);
        const volatile size_t length = text ? strlen(text) : 0;
        (void)length;
        evidence_status(e, 0, c);
        evidence_began(e, 0, c);
        for (unsigned i = 0; i < 2; i++) {
            const unsigned char *const out =
                evidence_output(e, 0, c, i, "recvbuf", &n);
            volatile unsigned char last = out && n ? out[n - 1] : 0;
            (void)last;
            evidence_metric(e, 0, c, i, "time_us");
            evidence_digest(e, 0, c, i);
        }
    }
    evidence_free(e);
    return 0;
}
