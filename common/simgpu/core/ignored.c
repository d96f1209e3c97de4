#include "core/ignored.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <string.h>  /* strncpy */

#include "core/discard.h"
#include "core/proc.h"
#include "core/site.h"

/* What no call has asked for yet. */
static struct {
    pthread_mutex_t lock;
    int enabled;
    unsigned count;
    uint32_t site; /* of the first */
    char call[64], error[64];
} ignored = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ignored_start(void)
{
    ignored.enabled = 1;
}

void simgpu_ignored_note(const char *call, const char *error,
                         const void *return_address)
{
    if (!ignored.enabled || !discard_is_certain(return_address))
        return;
    pthread_mutex_lock(&ignored.lock);
    if (ignored.count++ == 0) {
        ignored.site = simgpu_site(return_address);
        strncpy(ignored.call, call, sizeof ignored.call - 1);
        strncpy(ignored.error, error, sizeof ignored.error - 1);
    }
    pthread_mutex_unlock(&ignored.lock);
}

void ignored_forget(void)
{
    pthread_mutex_lock(&ignored.lock);
    ignored.count = 0;
    pthread_mutex_unlock(&ignored.lock);
}

void ignored_report(void)
{
    char where[256], text[512];
    if (ignored.count == 0)
        return;
    const unsigned more = ignored.count - 1;
    snprintf(text, sizeof text,
             "ignored failure: %s at %s returned %s, and the program did not "
             "look; %u later call%s failed unnoticed too",
             ignored.call, simgpu_site_text(ignored.site, where, sizeof where),
             ignored.error, more, more == 1 ? "" : "s");
    graph_note_fault(simgpu_proc()->graph, 0, ignored.site, 0, text);
}
