/*
 * xml_reader.h: the state of reading a topology file (private to xml*.c)
 *
 * xml.c drives expat and resolves references between elements; xml_elements.c
 * knows the elements and reads their attributes.
 */
#ifndef COMMLAB_TOPO_XML_XML_READER_H
#define COMMLAB_TOPO_XML_XML_READER_H

#include <expat.h>  /* XML_Parser */
#include <stddef.h> /* size_t */

#include "topo/machine.h"

enum { MAX_LINKS = 18 * MACHINE_GPUS, MAX_DEPTH = 16 };

enum kind {
    ROOT,
    SYSTEM,
    CLUSTER,
    NETWORK,
    CPU,
    PCI,
    GPU,
    NIC,
    CALIBRATION,
    LEAF
};

struct xml;

struct element {
    const char *name;
    enum kind kind;
    unsigned parents; /* set of kinds that may contain it */
    void (*begin)(struct xml *x, const char *const *atts);
};

struct xml {
    struct topo *t;
    const char *path;
    XML_Parser parser;
    char *err;
    size_t err_nbytes;
    int failed, network, nested; /* nested: reading the node of a <cluster> */
    const struct element *open[MAX_DEPTH];
    int depth;
    int cpu, pci; /* the innermost ones; -1: none */
    int nlikely;  /* <pci> whose class is that of a GPU */
    char gcn[16]; /* gcn of the last <gpu>, if it is AMD's: "gfx942" */
    int nlinks;
    struct link { /* an <nvlink>, whose target may come later */
        char target[16];
        int gpu, count, line;
        int to_switch;
    } link[MAX_LINKS];
};

/* The line of the file that expat has reached. */
int xml_line(const struct xml *x);

/* Report an error in a line, and stop. Later errors are not reported. */
__attribute__((format(printf, 3, 4))) void xml_fail_at(struct xml *x, int line,
                                                       const char *format, ...);
#define fail(x, ...) xml_fail_at(x, xml_line(x), __VA_ARGS__)

/* The element with this name, or NULL. */
const struct element *xml_element(const char *name);

/* Read the file of a cluster's node into the same topology. Errors are reported
 * as those of x. */
void xml_read_node(struct xml *x, const char *path);

#endif
