#include "core/dataless.h"

#include <pthread.h> /* pthread_once */
#include <stdlib.h>  /* strtoull */
#include <string.h>  /* strcmp */

#include "core/report.h"
#include "core/site.h"

static uint64_t limit = UINT64_MAX; /* set once */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Parse "1048576", "1M" or "2G": 0, or -1. */
static int parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    *out = strtoull(text, &end, 10);
    const char *const unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        *out <<= 10 * (unit - units + 1);
        end++;
    }
    return *end ? -1 : 0;
}

static void read_setting(void)
{
    const char *const text = getenv("SIMGPU_DATALESS");
    if (!text || !*text || strcmp(text, "off") == 0)
        return;
    if (strcmp(text, "on") == 0)
        limit = 1;
    else if (parse_size(text, &limit) != 0)
        simgpu_report_fault(
            NULL,
            "SIMGPU_DATALESS=%s: use on, off, or the smallest size "
            "of an allocation without contents, such as 1048576 or 1M",
            text);
}

uint64_t dataless_limit(void)
{
    pthread_once(&once, read_setting);
    return limit;
}

void simgpu_dataless_fault(const char *call, uint32_t site, const char *what)
{
    char where[256];
    simgpu_report_fault(
        NULL,
        "%s at %s: %s.\nSIMGPU_DATALESS=%s gives large "
        "allocations addresses but no contents: times are right, "
        "but there are no values. Unset it, or use smaller "
        "buffers, to see values.",
        call, simgpu_site_text(site, where, sizeof where), what,
        getenv("SIMGPU_DATALESS"));
}
