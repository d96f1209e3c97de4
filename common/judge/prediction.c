#define _GNU_SOURCE
#include "judge/prediction.h"

#include <inttypes.h> /* PRIx32 */
#include <math.h>     /* NAN */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* strtod */
#include <string.h>   /* strcspn */

#include "base/mix.h"
#include "judge/answers.h"

enum { LINE = 120 }; /* bytes of a line that is as it was made */

/* Write what follows the "=" of a prediction. */
static void seal(char out[LINE], double number, const char *when)
{
    char made[64];
    snprintf(made, sizeof made, "%.6g # made %s", number, when);
    const uint32_t hash = (uint32_t)mix_text(0, made);
    snprintf(out, LINE, "%s, seal %08" PRIx32, made, hash);
}

void prediction_read(const char *text, struct prediction *p)
{
    char line[LINE], when[sizeof p->when] = "";
    const char *const at = text ? answers_after(text, PREDICTION) : NULL;
    const size_t length = at ? strcspn(at, "\r\n") : 0;
    *p = (struct prediction){.state = PREDICTION_NONE, .number = NAN};
    if (length == 0 || *at == '#')
        return;
    p->state = PREDICTION_UNSEALED;
    sscanf(at, "%lf # made %23[^,\n]", &p->number, when);
    if (!isfinite(p->number))
        return;
    seal(line, p->number, when);
    if (strlen(line) == length && strncmp(line, at, length) == 0) {
        p->state = PREDICTION_MADE;
        memcpy(p->when, when, sizeof when);
    }
}

char *prediction_write(const char *text, double number, time_t when)
{
    char line[LINE], made[24], *out;
    struct tm tm;
    const char *const at = answers_after(text, PREDICTION);
    const size_t length = strcspn(at, "\r\n");
    const char *const blank = at[-1] == '=' ? " " : "";
    strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", gmtime_r(&when, &tm));
    seal(line, number, made);
    if (asprintf(&out, "%.*s%s%s%s", (int)(at - text), text, blank, line,
                 at + length) < 0)
        abort();
    return out;
}
