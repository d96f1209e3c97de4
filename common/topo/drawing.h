/*
 * drawing.h: a machine as boxes and links for a picture
 *
 * A drawing is a list of panels: one for each node, or for each 8 or so GPUs of
 * a larger node, and one for each leaf switch between nodes. Panels are 360
 * units wide, so that a phone shows one, and a desktop screen several side by
 * side. A node is drawn from top to bottom as follows, with two links (one each
 * way) wherever the picture shows one:
 *
 *   NVSwitch | GPUs in a ring, with their NVLinks
 *   GPUs
 *   PCIe switches, the ones nearest to a CPU last
 *   NICs, each above its port to the network
 *   CPUs with their memory, and the links between sockets
 *
 * Boxes and links are listed in drawing order. A link is a line through two to
 * four points.
 */
#ifndef COMMLAB_TOPO_DRAWING_H
#define COMMLAB_TOPO_DRAWING_H

#include "topo/topo.h"

enum { DRAWING_WIDTH = 360, DRAWING_POINTS = 4 };

enum drawing_kind {
    DRAWING_GPU,
    DRAWING_SWITCH, /* switches NVLinks, PCIe, or the network */
    DRAWING_CPU,
    DRAWING_NIC,
    DRAWING_PORT /* leads to the network */
};

struct drawing_box {
    enum drawing_kind kind;
    int x, y, w, h;
    char label[32];
};

struct drawing_link {
    int resource;
    int npoints, x[DRAWING_POINTS], y[DRAWING_POINTS];
};

struct drawing_panel {
    char title[48];
    int height;
    size_t nboxes, nlinks;
    struct drawing_box *box;
    struct drawing_link *link;
};

struct drawing {
    size_t n;
    struct drawing_panel *panel;
};

/* Draw the machine. Returns 0, or -1 if memory runs out. Call drawing_release()
 * in either case. */
int drawing_init(struct drawing *d, const struct topo *t);
void drawing_release(struct drawing *d);

#endif
