#include "topo/drawing.h"

#include <math.h>   /* cos */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* realloc */

#include "topo/fabric.h"
#include "topo/machine.h"

enum {
    WIDTH = DRAWING_WIDTH,
    SLOTS = 8,      /* in a panel, unless a switch has more */
    MOST_RING = 16, /* most GPUs in a ring of NVLinks */
    BOX = 22,       /* height of a box */
    GAP = 24,       /* between rows */
    APART = 3,      /* half of the distance between two directions */
    MOST_SOCKETS = 6
};

/* A slot of a panel: a GPU, and a NIC below it; -1: none. */
struct slot {
    int gpu, nic, parent, cpu; /* parent: PCIe switch, -1: the CPU */
};

struct sketch {
    const struct topo *t;
    struct drawing *d;
    int node, failed;
    const struct slot *slot; /* the slots of this panel */
    int nslots, nic_y, cpu_y;
};

static struct drawing_panel *panel(struct sketch *s)
{
    return &s->d->panel[s->d->n - 1];
}

__attribute__((format(printf, 2, 3))) static void
add_panel(struct sketch *s, const char *format, ...)
{
    struct drawing_panel *const more =
        realloc(s->d->panel, (s->d->n + 1) * sizeof *more);
    s->failed |= !more;
    if (!more)
        return;
    s->d->panel = more;
    more[s->d->n++] = (struct drawing_panel){0};
    va_list args;
    va_start(args, format);
    vsnprintf(panel(s)->title, sizeof panel(s)->title, format, args);
    va_end(args);
}

__attribute__((format(printf, 4, 5))) static void
add_box(struct sketch *s, enum drawing_kind kind, const int at[4],
        const char *format, ...)
{
    struct drawing_panel *const p = panel(s);
    struct drawing_box *const more =
        realloc(p->box, (p->nboxes + 1) * sizeof *more);
    s->failed |= !more;
    if (!more)
        return;
    p->box = more;
    struct drawing_box *const b = &more[p->nboxes++];
    *b = (struct drawing_box){
        .kind = kind, .x = at[0], .y = at[1], .w = at[2], .h = at[3]};
    va_list args;
    va_start(args, format);
    vsnprintf(b->label, sizeof b->label, format, args);
    va_end(args);
}

/* Add a link of node 0, drawn as a link of the sketch's node. */
static void add_link(struct sketch *s, int resource, int n, const int x[],
                     const int y[])
{
    struct drawing_panel *const p = panel(s);
    struct drawing_link *const more =
        realloc(p->link, (p->nlinks + 1) * sizeof *more);
    s->failed |= !more;
    if (!more)
        return;
    p->link = more;
    struct drawing_link *const l = &more[p->nlinks++];
    *l = (struct drawing_link){.npoints = n};
    l->resource = resource + s->node * s->t->per_node;
    for (int i = 0; i < n; i++) {
        l->x[i] = x[i];
        l->y[i] = y[i];
    }
}

static void add_line(struct sketch *s, int resource, int x0, int y0, int x1,
                     int y1)
{
    add_link(s, resource, 2, (int[]){x0, x1}, (int[]){y0, y1});
}

/* Add both directions of a vertical link. */
static void add_pair(struct sketch *s, int one, int other, int x, int y0,
                     int y1)
{
    add_line(s, one, x - APART, y0, x - APART, y1);
    add_line(s, other, x + APART, y0, x + APART, y1);
}

/* ---- slots --------------------------------------------------------------- */

static int slot_x(const struct sketch *s, int slot)
{
    return 2 + slot * (WIDTH - 4) / s->nslots;
}

static int slot_width(const struct sketch *s)
{
    return (WIDTH - 4) / s->nslots;
}

/* The x of the link from a slot's GPU or switch downwards. */
static int down_x(const struct sketch *s, int slot)
{
    return slot_x(s, slot) + slot_width(s) * 84 / 100;
}

/* Put a NIC below a GPU of its switch or CPU, or else in a slot of its own. */
static int place_nic(struct slot *slot, int n, int nic, int parent, int cpu)
{
    int i = 0, after = n;
    for (; i < n; i++)
        if (slot[i].parent == parent && slot[i].cpu == cpu) {
            if (slot[i].nic < 0) {
                slot[i].nic = nic;
                return n;
            }
            after = i + 1;
        }
    for (i = n; i > after; i--)
        slot[i] = slot[i - 1];
    slot[after] = (struct slot){-1, nic, parent, cpu};
    return n + 1;
}

/* Find the slots of a node; those of one switch or CPU are adjacent. */
static int find_slots(const struct topo *t, struct slot *slot)
{
    int n = 0;
    for (int i = 0; i < t->npcis; i++) {
        const struct machine_pci *const p = &t->pci[i];
        if (p->leaf_gpu < 0)
            continue;
        int at = n;
        for (int k = n; k > 0; k--)
            if (slot[k - 1].cpu == p->cpu && slot[k - 1].parent == p->parent) {
                at = k;
                break;
            }
        for (int k = n++; k > at; k--)
            slot[k] = slot[k - 1];
        slot[at] = (struct slot){p->leaf_gpu, -1, p->parent, p->cpu};
    }
    for (int i = 0; i < t->nnics; i++) {
        const struct machine_nic *const c = &t->nic[i];
        n = place_nic(slot, n, i, c->pci < 0 ? -1 : t->pci[c->pci].parent,
                      c->cpu);
    }
    return n;
}

/* True if a switch lies between a slot and its CPU. */
static int is_over(const struct topo *t, const struct slot *slot, int pci)
{
    for (int p = slot->parent; p >= 0; p = t->pci[p].parent)
        if (p == pci)
            return 1;
    return 0;
}

/* ---- a node, from top to bottom ------------------------------------------ */

/* Draw GPUs in a ring: each pair of NVLinks is a chord. Returns the height. */
static int draw_ring(struct sketch *s)
{
    const struct topo *const t = s->t;
    const int n = t->ngpus, radius = 120, down = 105;
    int x[MOST_RING], y[MOST_RING];
    if (n > MOST_RING)
        return 4;
    for (int i = 0; i < n; i++) {
        const double angle = 6.283185307179586 * (i + .5) / n;
        x[i] = WIDTH / 2 + (int)(radius * sin(angle));
        y[i] = down + 14 - (int)(down * cos(angle));
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            if (!t->nvlinks[a][b])
                continue;
            // keep each direction on its own side
            const double dx = x[b] - x[a], dy = y[b] - y[a];
            const double length = sqrt(dx * dx + dy * dy);
            const int sx = (int)lround(dy / length * APART);
            const int sy = (int)lround(-dx / length * APART);
            add_line(s, t->bundle[a][b], x[a] + sx, y[a] + sy, x[b] + sx,
                     y[b] + sy);
        }
    for (int i = 0; i < n; i++)
        add_box(s, DRAWING_GPU, (int[]){x[i] - 18, y[i] - BOX / 2, 36, BOX},
                "G%d", s->node * n + i);
    return 2 * down + 14 + BOX + GAP;
}

static int draw_gpus(struct sketch *s, int y)
{
    const struct topo *const t = s->t;
    if (t->switched) {
        add_box(s, DRAWING_SWITCH, (int[]){2, y, WIDTH - 4, BOX}, "NVSwitches");
        for (int i = 0; i < s->nslots; i++) {
            const int gpu = s->slot[i].gpu;
            if (gpu >= 0 && t->gpu[gpu].switch_links)
                add_pair(s, t->gpu[gpu].up, t->gpu[gpu].down,
                         slot_x(s, i) + slot_width(s) / 2, y + BOX + GAP,
                         y + BOX);
        }
        y += BOX + GAP;
    }
    for (int i = 0; i < s->nslots; i++)
        if (s->slot[i].gpu >= 0)
            add_box(s, DRAWING_GPU,
                    (int[]){slot_x(s, i) + 2, y, slot_width(s) - 4, BOX}, "G%d",
                    s->node * t->ngpus + s->slot[i].gpu);
    return y + BOX;
}

/* The y of the next switch or CPU below a GPU, NIC or switch. */
static int below(const struct sketch *s, int parent, int depth, int top)
{
    return parent < 0
               ? s->cpu_y
               : top + GAP + (depth - s->t->pci[parent].nbridges) * (BOX + GAP);
}

static void draw_switches(struct sketch *s, int depth, int top)
{
    const struct topo *const t = s->t;
    for (int i = 0; i < t->npcis; i++) {
        int from = -1, to = -1;
        for (int k = 0; k < s->nslots; k++)
            if (is_over(t, &s->slot[k], i)) {
                from = from < 0 ? k : from;
                to = k;
            }
        if (from < 0)
            continue;
        const int x = slot_x(s, from) + 2, y = below(s, i, depth, top);
        const int wide = slot_x(s, to) + slot_width(s) - 2 - x;
        add_pair(s, t->pci[i].up, t->pci[i].down, down_x(s, to), y + BOX,
                 below(s, t->pci[i].parent, depth, top));
        add_box(s, DRAWING_SWITCH, (int[]){x, y, wide, BOX},
                wide >= 76 ? "PCIe switch" : "PCIe");
    }
}

static void draw_nic(struct sketch *s, int slot, int depth, int top)
{
    const struct topo *const t = s->t;
    const struct slot *const at = &s->slot[slot];
    const struct machine_nic *const c = &t->nic[at->nic];
    const int wide = slot_width(s) * 58 / 100, x = slot_x(s, slot) + 2;
    const int middle = x + wide / 2, y = s->nic_y;
    if (c->pci >= 0 && at->parent >= 0)
        add_pair(s, t->pci[c->pci].up, t->pci[c->pci].down, middle, y,
                 below(s, at->parent, depth, top) + BOX);
    else if (c->pci >= 0) {
        const int x1 = x + wide, x2 = x1 + 3;
        const int yy[] = {y + BOX / 2 - APART, y + BOX / 2 - APART, s->cpu_y};
        const int low[] = {y + BOX / 2 + APART, s->cpu_y};
        add_link(s, t->pci[c->pci].up, 3,
                 (int[]){x1, x2 + 2 * APART, x2 + 2 * APART}, yy);
        add_link(s, t->pci[c->pci].down, 3, (int[]){x1, x2, x2},
                 (int[]){low[0], low[0], low[1]});
    }
    add_pair(s, c->out, c->in, middle, y + BOX, y + BOX + GAP);
    add_box(s, DRAWING_NIC, (int[]){x, y, wide, BOX},
            wide >= 30 ? "NIC %d" : "N%d", at->nic);
    add_box(s, DRAWING_PORT, (int[]){x, y + BOX + GAP, wide, 14}, "net");
}

static void draw_leaves(struct sketch *s, int depth, int top)
{
    const struct topo *const t = s->t;
    for (int i = 0; i < s->nslots; i++) {
        const struct slot *const at = &s->slot[i];
        if (at->gpu >= 0) {
            const struct machine_gpu *const g = &t->gpu[at->gpu];
            add_pair(s, t->pci[g->pci].up, t->pci[g->pci].down, down_x(s, i),
                     top, below(s, at->parent, depth, top));
            if (g->c2c_GBps > 0) // past all switches and the NIC
                add_pair(s, g->c2c_up, g->c2c_down,
                         slot_x(s, i) + slot_width(s) * 68 / 100, top,
                         s->cpu_y);
        }
        if (at->nic >= 0)
            draw_nic(s, i, depth, top);
    }
}

/* Draw the links between sockets, below the CPUs. Returns the lowest y. */
static int draw_sockets(struct sketch *s, const int *cpu, const int *x, int n)
{
    int y = s->cpu_y + BOX, drawn = 0;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n && drawn < MOST_SOCKETS; k++) {
            if (!machine_same_host(s->t, cpu[i], cpu[k]))
                continue;
            const int low = y + 12 + 14 * drawn, side = 6 * (k - i);
            const int a = x[i] + side, b = x[k] - side, top = y;
            add_link(s, s->t->cpu[cpu[i]].to[cpu[k]], 4,
                     (int[]){a + APART, a + APART, b - APART, b - APART},
                     (int[]){top, low - APART, low - APART, top});
            add_link(s, s->t->cpu[cpu[k]].to[cpu[i]], 4,
                     (int[]){b + APART, b + APART, a - APART, a - APART},
                     (int[]){top, low + APART, low + APART, top});
            drawn++;
        }
    return y + 14 * drawn;
}

static int draw_cpus(struct sketch *s)
{
    const struct topo *const t = s->t;
    const int one_host = machine_same_host(t, 0, t->ncpus - 1);
    int cpu[2 * SLOTS * 4], middle[2 * SLOTS * 4], n = 0;
    for (int i = 0; i < s->nslots;) {
        const int c = s->slot[i].cpu;
        int to = i;
        while (to < s->nslots && s->slot[to].cpu == c)
            to++;
        const int x = slot_x(s, i) + 2;
        const int wide = slot_x(s, to - 1) + slot_width(s) - 2 - x;
        const int y = s->cpu_y;
        add_box(s, DRAWING_CPU, (int[]){x, y, wide, BOX},
                wide >= 40 ? "CPU %d" : "C%d", one_host ? t->cpu[c].numa : c);
        add_line(s, t->cpu[c].memory, x + 3, y + BOX - 3, x + wide - 3,
                 y + BOX - 3);
        if (n < (int)(sizeof cpu / sizeof *cpu)) {
            cpu[n] = c;
            middle[n++] = x + wide / 2;
        }
        i = to;
    }
    return draw_sockets(s, cpu, middle, n);
}

static void draw_panel(struct sketch *s, int is_first)
{
    const struct topo *const t = s->t;
    int depth = -1, has_nic = 0;
    for (int i = 0; i < s->nslots; i++) {
        const int parent = s->slot[i].parent;
        if (parent >= 0 && t->pci[parent].nbridges > depth)
            depth = t->pci[parent].nbridges;
        has_nic |= s->slot[i].nic >= 0;
    }
    int y = 4;
    if (!t->switched && is_first)
        for (int i = 0; i < t->ngpus; i++)
            if (t->nvlinks[0][i]) {
                y = draw_ring(s);
                break;
            }
    const int top = draw_gpus(s, y);
    y = top + GAP + (depth + 1) * (BOX + GAP);
    s->nic_y = y;
    s->cpu_y = has_nic ? y + BOX + GAP + 14 + 10 : y;
    draw_leaves(s, depth, top);
    draw_switches(s, depth, top);
    panel(s)->height = draw_cpus(s) + 8;
}

/* Draw a node. Panels end between switches or CPUs, once 8 slots are full. */
static void draw_node(struct sketch *s, const struct slot *slot, int n)
{
    const int most = n <= SLOTS + SLOTS / 4 ? n : SLOTS;
    for (int from = 0, part = 1; from < n && !s->failed; part++) {
        int to = from;
        while (to < n && to - from < 2 * SLOTS) {
            int next = to + 1;
            while (next < n && slot[next].cpu == slot[to].cpu &&
                   slot[next].parent == slot[to].parent &&
                   next - from < 2 * SLOTS)
                next++;
            if (to > from && next - from > most)
                break;
            to = next;
        }
        if (to - from == n)
            add_panel(s, "Node %d", s->node);
        else
            add_panel(s, "Node %d, part %d", s->node, part);
        if (s->failed)
            return;
        s->slot = slot + from;
        s->nslots = to - from;
        draw_panel(s, from == 0);
        from = to;
    }
}

/* ---- switches between nodes ---------------------------------------------- */

static void draw_leaf(struct sketch *s, int leaf)
{
    const struct machine_fabric *const f = &s->t->fabric;
    add_panel(s, "Leaf switch %d", leaf);
    if (s->failed)
        return;
    const int y = 4 + BOX + 2 * GAP;
    for (int u = 0; u < f->uplinks; u++) {
        const int link = f->first + 2 * (leaf * f->uplinks + u);
        const int x = (2 * u + 1) * WIDTH / (2 * f->uplinks);
        add_pair(s, link, link + 1, x, y, 4 + BOX);
    }
    add_box(s, DRAWING_SWITCH, (int[]){2, 4, WIDTH - 4, BOX},
            "spine switches 0 to %d", f->uplinks - 1);
    add_box(s, DRAWING_SWITCH, (int[]){2, y, WIDTH - 4, BOX}, "leaf %d", leaf);
    panel(s)->height = y + BOX + 4;
}

int drawing_init(struct drawing *d, const struct topo *t)
{
    *d = (struct drawing){0};
    struct sketch s = {.t = t, .d = d};
    struct slot *const slot =
        calloc((size_t)(t->ngpus + t->nnics), sizeof *slot);
    if (!slot)
        return -1;
    const int n = find_slots(t, slot);
    for (; s.node < t->nnodes && !s.failed; s.node++)
        draw_node(&s, slot, n);
    s.node = 0; // the fabric's resources belong to no node
    for (int leaf = 0; leaf < t->fabric.leaves && !s.failed; leaf++)
        draw_leaf(&s, leaf);
    free(slot);
    return s.failed ? -1 : 0;
}

void drawing_release(struct drawing *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->panel[i].box);
        free(d->panel[i].link);
    }
    free(d->panel);
    *d = (struct drawing){0};
}
