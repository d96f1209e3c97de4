/*
 * xml.c: parsing a topology file, element by element
 *
 * expat calls begin() and end() for each element. begin() checks that the
 * element is allowed in its parent, and calls the function that reads its
 * attributes (xml_elements.c). References to other elements (an NVLink's
 * target) are resolved after the whole file has been read. The first error
 * stops the parser.
 */
#define _GNU_SOURCE
#include "topo/xml/xml.h"

#include <errno.h>  /* errno */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "topo/xml/xml_reader.h"

/* Allocated by calloc(): a struct copy of its many links would take longer. */
static struct xml *xml_new(struct topo *t, const char *path, char *err,
                           size_t err_nbytes)
{
    struct xml *const x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->t = t;
    x->path = path;
    x->err = err;
    x->err_nbytes = err_nbytes;
    return x;
}

int xml_line(const struct xml *x)
{
    return (int)XML_GetCurrentLineNumber(x->parser);
}

void xml_fail_at(struct xml *x, int line, const char *format, ...)
{
    char what[400];
    va_list args;
    if (x->failed)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(x->err, x->err_nbytes, "%s:%d: %s", x->path, line, what);
    x->failed = 1;
    XML_StopParser(x->parser, XML_FALSE);
}
static void XMLCALL begin(void *user, const char *name, const char **atts)
{
    struct xml *const x = user;
    if (x->failed)
        return;
    const struct element *const e = xml_element(name);
    const struct element *const in = x->depth ? x->open[x->depth - 1] : NULL;
    if (!e && !in)
        return fail(x, "<%.40s> is not a topology: NCCL writes a <system>",
                    name);
    if (!e)
        return fail(x,
                    "unknown element <%.40s>: remove it unless it describes a "
                    "part of the machine that matters",
                    name);
    if (!(e->parents & 1u << (in ? in->kind : ROOT)))
        return fail(x, "<%s> can't be %s%s%s", name, in ? "in <" : "outermost",
                    in ? in->name : "", in ? ">" : "");
    if (x->depth == MAX_DEPTH)
        return fail(x, "elements nested more than %d deep", MAX_DEPTH);
    x->open[x->depth++] = e;
    e->begin(x, (const char *const *)atts);
}

static void XMLCALL end(void *user, const char *name)
{
    (void)name;
    struct xml *const x = user;
    if (x->failed)
        return;
    if (x->open[--x->depth]->kind == PCI)
        x->pci = x->t->pci[x->pci].parent;
}

static int gpu_at(const struct topo *t, int host, const char *bus_id)
{
    for (int i = 0; i < t->ngpus; i++)
        if (t->gpu[i].host == host && strcmp(t->gpu[i].bus_id, bus_id) == 0)
            return i;
    return -1;
}

/* Sort GPUs by dev, as CUDA numbers them, host by host. */
static void sort_gpus(struct xml *x)
{
    struct topo *const t = x->t;
    struct machine_gpu sorted[MACHINE_GPUS];
    int to[MACHINE_GPUS];
    for (int i = 0; i < t->ngpus; i++) {
        to[i] = 0;
        for (int k = 0; k < t->ngpus; k++)
            to[i] += t->gpu[k].host != t->gpu[i].host
                         ? t->gpu[k].host < t->gpu[i].host
                         : t->gpu[k].dev < t->gpu[i].dev;
    }
    for (int i = 0; i < t->ngpus; i++) {
        sorted[to[i]] = t->gpu[i];
        t->pci[t->gpu[i].pci].leaf_gpu = to[i];
    }
    for (int i = 0; i < x->nlinks; i++)
        x->link[i].gpu = to[x->link[i].gpu];
    memcpy(t->gpu, sorted, sizeof sorted[0] * (size_t)t->ngpus);
}

static void connect_links(struct xml *x)
{
    struct topo *const t = x->t;
    for (int i = 0; i < x->nlinks && !x->failed; i++) {
        const struct link *const l = &x->link[i];
        const int to = gpu_at(t, t->gpu[l->gpu].host, l->target);
        if (to == l->gpu)
            t->gpu[to].self_links += l->count;
        else if (to >= 0)
            t->nvlinks[l->gpu][to] += (unsigned char)l->count;
        else if (l->to_switch)
            t->gpu[l->gpu].switch_links += l->count;
        else
            xml_fail_at(
                x, l->line,
                "an NVLink to %s, which is neither a <gpu> here nor, by "
                "its tclass, an NVSwitch",
                l->target);
        if (to >= 0 && t->nvlinks[l->gpu][to] > 64)
            xml_fail_at(x, l->line, "more than 64 NVLinks between two GPUs");
        t->switched |= l->to_switch && to < 0;
    }
}

/* Finish the topology after the last element. */
static void finish(struct xml *x)
{
    struct topo *const t = x->t;
    if (t->ngpus == 0 && t->npcis > 0)
        return fail(
            x,
            "no <gpu> in the file, but %d <pci> of GPUs: like those that "
            "vendors give to NCCL (NCCL_TOPO_FILE), it leaves out what NCCL "
            "finds by itself. On such a machine, run a program with "
            "NCCL_TOPO_FILE set to it and NCCL_TOPO_DUMP_FILE=whole.xml, and "
            "use whole.xml",
            x->nlikely);
    if (t->ngpus == 0)
        return fail(x, "no <gpu> in the file");
    sort_gpus(x);
    connect_links(x);
    for (int a = 0; a < t->ngpus; a++)
        for (int b = 0; b < a; b++)
            if (t->nvlinks[a][b] != t->nvlinks[b][a])
                return xml_fail_at(x, t->gpu[a].line,
                                   "%d NVLinks from GPU %s to %s, but %d back",
                                   t->nvlinks[a][b], t->gpu[a].bus_id,
                                   t->gpu[b].bus_id, t->nvlinks[b][a]);
}

static void parse(struct xml *x, FILE *file)
{
    char chunk[16384];
    size_t n;
    enum XML_Status ok = XML_STATUS_OK;
    do {
        n = fread(chunk, 1, sizeof chunk, file);
        ok = XML_Parse(x->parser, chunk, (int)n, n < sizeof chunk);
    } while (ok == XML_STATUS_OK && n == sizeof chunk);
    if (ferror(file))
        fail(x, "%s", strerror(EIO));
    else if (ok != XML_STATUS_OK)
        fail(x, "XML: %s", XML_ErrorString(XML_GetErrorCode(x->parser)));
    else if (x->open[0] && x->open[0]->kind == SYSTEM)
        finish(x);
}

static int read_file(struct xml *x)
{
    FILE *const file = fopen(x->path, "re");
    if (!file) {
        snprintf(x->err, x->err_nbytes, "%s: %s", x->path, strerror(errno));
        return -1;
    }
    x->cpu = x->pci = -1;
    x->parser = XML_ParserCreate(NULL);
    if (x->parser) {
        XML_SetUserData(x->parser, x);
        XML_SetElementHandler(x->parser, begin, end);
        parse(x, file);
        XML_ParserFree(x->parser);
    } else {
        snprintf(x->err, x->err_nbytes, "%s: no memory", x->path);
        x->failed = 1;
    }
    fclose(file);
    return x->failed ? -1 : 0;
}

void xml_read_node(struct xml *x, const char *path)
{
    struct xml *const node = xml_new(x->t, path, x->err, x->err_nbytes);
    if (!node)
        return fail(x, "no memory");
    node->nested = 1;
    snprintf(x->t->file, sizeof x->t->file, "%s", path);
    if (read_file(node) != 0) {
        x->failed = 1;
        XML_StopParser(x->parser, XML_FALSE);
    }
    free(node);
}

int xml_read_network(struct topo *t, const char *path, char *err,
                     size_t err_nbytes)
{
    struct xml *const x = xml_new(t, path, err, err_nbytes);
    if (!x) {
        snprintf(err, err_nbytes, "%s: no memory", path);
        return -1;
    }
    x->network = 1;
    const int result = read_file(x);
    free(x);
    return result;
}

int xml_read(struct topo *t, const char *path, char *err, size_t err_nbytes)
{
    struct xml *const x = xml_new(t, path, err, err_nbytes);
    if (!x) {
        snprintf(err, err_nbytes, "%s: no memory", path);
        return -1;
    }
    t->nnodes = 1;
    snprintf(t->file, sizeof t->file, "%s", path);
    const int result = read_file(x);
    free(x);
    return result;
}
