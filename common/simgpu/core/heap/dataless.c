#include "core/heap/dataless.h"

#include <pthread.h> /* pthread_once */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp */

#include "base/size.h"
#include "core/report.h"
#include "core/site.h"

static uint64_t limit = UINT64_MAX; /* set once */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_setting(void)
{
    const char *const text = getenv("SIMGPU_DATALESS");
    if (!text || !*text || strcmp(text, "off") == 0)
        return;
    if (strcmp(text, "on") == 0)
        limit = 1;
    else if (size_parse(text, &limit) != 0)
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
