/* Fuzzes what reads rosters, and what writes their names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "grader/base/text.h"
#include "grader/intake/roster.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    static FILE *null;
    char err[128];
    if (!null)
        null = fopen("/dev/null", "w");
    struct roster *const r =
        roster_parse((const char *)data, nbytes, "lab1", err, sizeof err);
    for (int i = 0; r && i < r->n; i++) {
        text_csv(null, r->student[i].name);
        text_xml(null, r->student[i].name);
        roster_days_late(&r->student[i], (int64_t)nbytes << 20);
    }
    if (r) {
        json_t *const j = roster_json(r);
        if (!j || json_array_size(j) != (size_t)r->n)
            abort(); // a name that is no UTF-8 got through
        roster_free(roster_from_json(j));
        json_decref(j);
    }
    roster_free(r);
    return 0;
}
