/*
 * nvtx.c: NVTX ranges, which name spans of the execution graph
 *
 * A thread's ranges, of all domains, are on one stack. Ranges deeper than the
 * stack are counted but have no name. A range that ends below others is removed
 * when those end.
 */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* malloc */
#include <string.h> /* strlen */

#include "base/part.h"
#include "core/declared.h"
#include "core/heap/heap.h"
#include "core/part.h"
#include "core/proc.h"
#include "core/site.h"

enum { DEEPEST = 64, MESSAGE = 1024 };

static _Thread_local struct {
    int depth;
    struct range {
        uint32_t outer;   /* the enclosing span */
        nvtxRangeId_t id; /* a started range's; 0: pushed */
        nvtxDomainHandle_t domain;
        int over; /* has ended */
    } range[DEEPEST];
} ranges;

static _Atomic nvtxRangeId_t last_id;

/* ---- texts --------------------------------------------------------------- */

struct nvtxStringRegistration_st {
    nvtxStringHandle_t next; /* next of its domain */
    char text[];
};

struct nvtxDomainRegistration_st {
    nvtxStringHandle_t strings;
};

/* The text as UTF-8, truncated. */
static const char *narrow(const wchar_t *w, char out[MESSAGE])
{
    size_t n = 0;
    for (; w && *w && n + 4 < MESSAGE; w++) {
        const uint32_t c = (uint32_t)*w;
        const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
        out[n++] = (char)(first[more] | c >> 6 * more);
        for (int i = more; i-- > 0;)
            out[n++] = (char)(0x80 | (c >> 6 * i & 0x3f));
    }
    out[n] = 0;
    return w ? out : NULL;
}

/* The text of a range, NULL if it has none. */
static const char *message_of(const nvtxEventAttributes_t *a, char out[MESSAGE])
{
    if (!a)
        return NULL;
    switch (a->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return a->message.ascii;
    case NVTX_MESSAGE_TYPE_UNICODE: return narrow(a->message.unicode, out);
    case NVTX_MESSAGE_TYPE_REGISTERED:
        return a->message.registered ? a->message.registered->text : NULL;
    default: return NULL;
    }
}

nvtxDomainHandle_t nvtxDomainCreateA(const char *name)
{
    return name ? calloc(1, sizeof(struct nvtxDomainRegistration_st)) : NULL;
}

nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name)
{
    return nvtxDomainCreateA(name ? "" : NULL);
}

void nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
    while (domain && domain->strings) {
        const nvtxStringHandle_t s = domain->strings;
        domain->strings = s->next;
        free(s);
    }
    free(domain);
}

nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain,
                                             const char *string)
{
    const size_t n = string ? strlen(string) + 1 : 0;
    const nvtxStringHandle_t s = n ? malloc(sizeof *s + n) : NULL;
    if (!s)
        return NULL;
    memcpy(s->text, string, n);
    s->next = domain ? domain->strings : NULL;
    if (domain)
        domain->strings = s;
    return s;
}

nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain,
                                             const wchar_t *string)
{
    char text[MESSAGE];
    return nvtxDomainRegisterStringA(domain, narrow(string, text));
}

/* ---- the stack ----------------------------------------------------------- */

/* The number of pushed ranges of a domain that are open. */
static int depth_of(nvtxDomainHandle_t domain)
{
    int n = ranges.depth > DEEPEST ? ranges.depth - DEEPEST : 0;
    for (int i = 0; i < ranges.depth && i < DEEPEST; i++)
        n += ranges.range[i].domain == domain && !ranges.range[i].over &&
             !ranges.range[i].id;
    return n;
}

static void enter(nvtxDomainHandle_t domain, const char *message,
                  nvtxRangeId_t id)
{
    declared_enter(message ? message : "");
    if (ranges.depth < DEEPEST)
        ranges.range[ranges.depth] = (struct range){
            .outer = graph_span(graph_string(simgpu_proc()->graph, message)),
            .id = id,
            .domain = domain};
    ranges.depth++;
}

static void leave(void)
{
    declared_leave();
    if (--ranges.depth < DEEPEST)
        graph_span(ranges.range[ranges.depth].outer);
}

/* Remove ended ranges from the top of the stack. */
static void leave_ended(void)
{
    while (ranges.depth > 0 && ranges.depth <= DEEPEST &&
           ranges.range[ranges.depth - 1].over)
        leave();
}

static int push(nvtxDomainHandle_t domain, const char *message)
{
    const int depth = depth_of(domain);
    enter(domain, message, 0);
    return depth;
}

static int pop(nvtxDomainHandle_t domain)
{
    if (ranges.depth > DEEPEST) {
        leave();
        return depth_of(domain);
    }
    for (int i = ranges.depth; i-- > 0;) {
        struct range *const r = &ranges.range[i];
        if (r->domain != domain || r->over || r->id)
            continue;
        r->over = 1;
        leave_ended();
        return depth_of(domain);
    }
    return -1;
}

static nvtxRangeId_t start(nvtxDomainHandle_t domain, const char *message)
{
    const nvtxRangeId_t id = ++last_id;
    enter(domain, message, id);
    return id;
}

/* ---- ranges -------------------------------------------------------------- */

int nvtxRangePushA(const char *message)
{
    return push(NULL, message);
}

int nvtxRangePushW(const wchar_t *message)
{
    char text[MESSAGE];
    return push(NULL, narrow(message, text));
}

int nvtxRangePushEx(const nvtxEventAttributes_t *eventAttrib)
{
    return nvtxDomainRangePushEx(NULL, eventAttrib);
}

int nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                          const nvtxEventAttributes_t *eventAttrib)
{
    char text[MESSAGE];
    return push(domain, message_of(eventAttrib, text));
}

int nvtxRangePop(void)
{
    return pop(NULL);
}

int nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
    return pop(domain);
}

nvtxRangeId_t nvtxRangeStartA(const char *message)
{
    return start(NULL, message);
}

nvtxRangeId_t nvtxRangeStartW(const wchar_t *message)
{
    char text[MESSAGE];
    return start(NULL, narrow(message, text));
}

nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *eventAttrib)
{
    return nvtxDomainRangeStartEx(NULL, eventAttrib);
}

nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                     const nvtxEventAttributes_t *eventAttrib)
{
    char text[MESSAGE];
    return start(domain, message_of(eventAttrib, text));
}

void nvtxRangeEnd(nvtxRangeId_t id)
{
    for (int i = 0; i < ranges.depth && i < DEEPEST; i++)
        if (id && ranges.range[i].id == id)
            ranges.range[i].over = 1;
    leave_ended();
}

void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain; // numbers are unique among all domains
    nvtxRangeEnd(id);
}

void nvtxMarkA(const char *message)
{
    void *p;
    size_t nbytes;
    if (message && sscanf(message, PART_BUFFER, &p, &nbytes) == 2)
        heap_note_used(p, nbytes);
    declared_mark(message);
    part_mark(message, CALLER_SITE());
}

/* ---- accepted, but not recorded ------------------------------------------ */

#define ACCEPT(name, A, B)                                                     \
    void name(A a, B b)                                                        \
    {                                                                          \
        (void)a, (void)b;                                                      \
    }
#define ACCEPT_ONE(name, A)                                                    \
    void name(A a)                                                             \
    {                                                                          \
        (void)a;                                                               \
    }
ACCEPT_ONE(nvtxInitialize, const void *)
ACCEPT_ONE(nvtxMarkW, const wchar_t *)
ACCEPT_ONE(nvtxMarkEx, const nvtxEventAttributes_t *)
ACCEPT(nvtxDomainMarkEx, nvtxDomainHandle_t, const nvtxEventAttributes_t *)
ACCEPT(nvtxNameCategoryA, uint32_t, const char *)
ACCEPT(nvtxNameCategoryW, uint32_t, const wchar_t *)
ACCEPT(nvtxNameOsThreadA, uint32_t, const char *)
ACCEPT(nvtxNameOsThreadW, uint32_t, const wchar_t *)
ACCEPT(nvtxNameCudaDeviceA, int, const char *)
ACCEPT(nvtxNameCudaDeviceW, int, const wchar_t *)
ACCEPT(nvtxNameCudaStreamA, cudaStream_t, const char *)
ACCEPT(nvtxNameCudaStreamW, cudaStream_t, const wchar_t *)
ACCEPT(nvtxNameCudaEventA, cudaEvent_t, const char *)
ACCEPT(nvtxNameCudaEventW, cudaEvent_t, const wchar_t *)
ACCEPT_ONE(nvtxDomainResourceDestroy, nvtxResourceHandle_t)

void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category,
                             const char *name)
{
    (void)domain, (void)category, (void)name;
}

void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                             const wchar_t *name)
{
    (void)domain, (void)category, (void)name;
}

nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t domain,
                                              nvtxResourceAttributes_t *attribs)
{
    (void)domain, (void)attribs;
    return NULL;
}
