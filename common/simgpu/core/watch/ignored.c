#include "core/watch/ignored.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <string.h>  /* strncpy */

#include "core/device.h"
#include "core/proc.h"
#include "core/site.h"
#include "core/watch/discard.h"

/* Failures about which no call has asked yet. */
static struct ignored {
    unsigned count;
    uint32_t site; /* where the first happened */
    char call[64], error[64];
} ignored[IGNORED_LIBRARIES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int enabled;

void ignored_start(void)
{
    enabled = 1;
}

int simgpu_ignored_is_certain(const void *return_address)
{
    return enabled && discard_is_certain(return_address);
}

static void note(enum ignored_library library, const char *call,
                 const char *error, uint32_t site)
{
    struct ignored *const i = &ignored[library];
    pthread_mutex_lock(&lock);
    if (i->count++ == 0) {
        i->site = site;
        strncpy(i->call, call, sizeof i->call - 1);
        strncpy(i->error, error, sizeof i->error - 1);
    }
    pthread_mutex_unlock(&lock);
}

void simgpu_ignored_note(enum ignored_library library, const char *call,
                         const char *error, const void *return_address)
{
    if (simgpu_ignored_is_certain(return_address))
        note(library, call, error, simgpu_site(return_address));
}

void simgpu_ignored_note_library(enum ignored_library library, const char *call,
                                 const char *error, const void *return_address)
{
    if (!simgpu_device_error(simgpu_device_current()))
        simgpu_ignored_note(library, call, error, return_address);
}

void ignored_note_launch(const char *call, const char *error, uint32_t site)
{
    if (enabled)
        note(IGNORED_CUDA, call, error, site);
}

void simgpu_ignored_forget(enum ignored_library library)
{
    pthread_mutex_lock(&lock);
    memset(&ignored[library], 0, sizeof ignored[library]);
    pthread_mutex_unlock(&lock);
}

static void report(const struct ignored *i)
{
    char where[256], later[64] = "", text[512];
    if (i->count == 0)
        return;
    const unsigned more = i->count - 1;
    if (more > 0)
        snprintf(later, sizeof later, "; %u later call%s failed unnoticed too",
                 more, more == 1 ? "" : "s");
    snprintf(text, sizeof text,
             "ignored failure: %s at %s returned %s, and the program did not "
             "look%s",
             i->call, simgpu_site_text(i->site, where, sizeof where), i->error,
             later);
    graph_note_fault(simgpu_proc()->graph, 0, i->site, 0, text);
}

void ignored_report(void)
{
    for (int i = 0; i < IGNORED_LIBRARIES; i++)
        report(&ignored[i]);
}
