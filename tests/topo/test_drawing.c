/* Drawings of machines: everything is there, and nothing overlaps. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "machine.h"
#include "suite.h"
#include "topo/drawing.h"

/* Besides the shipped ones: networks, a rack twice, a shuffled machine. */
static const char *const others[] = {
    "4x:dgx-h100@ndr", "2x:gb200-nvl72@ndr", "64x:dgx-a100@roce",
    "shuffled:3:a100-cubemesh", "2x:pcie-4090@ndr"};
enum { OTHERS = sizeof others / sizeof *others };

typedef void check_fn(const struct topo *t, const struct drawing *d);

static void check_machine(const char *name, check_fn *check)
{
    struct topo *const t = machine_load(name);
    struct drawing d;
    ck_assert_int_eq(drawing_init(&d, t), 0);
    check(t, &d);
    drawing_release(&d);
    topo_free(t);
}

static void check_all(check_fn *check)
{
    char names[1000];
    topo_list(names, sizeof names);
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", "))
        check_machine(name, check);
    for (int i = 0; i < OTHERS; i++)
        check_machine(others[i], check);
}

/* What a person would call a link. */
static int is_link(const char *name)
{
    static const char *const kinds[] = {"nvlink", "c2c",  "out ",
                                        "in ",    "leaf", "host n"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return i < 5 || strstr(name, "memory") != NULL;
    // Switches and NICs without anything below them aren't drawn.
    return strncmp(name, "pcie G", 6) == 0;
}

static void has_every_link(const struct topo *t, const struct drawing *d)
{
    const int n = topo_nresources(t);
    char *const drawn = calloc((size_t)n, 1);
    ck_assert_ptr_nonnull(drawn);
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->panel[i].nlinks; k++) {
            const int resource = d->panel[i].link[k].resource;
            ck_assert(resource >= 0 && resource < n);
            drawn[resource] = 1;
        }
    for (int i = 0; i < n; i++)
        ck_assert_msg(drawn[i] || !is_link(topo_resource(t, i)->name),
                      "%s: %s is not drawn", topo_name(t),
                      topo_resource(t, i)->name);
    free(drawn);
}

static void has_every_gpu(const struct topo *t, const struct drawing *d)
{
    for (int gpu = 0; gpu < topo_ngpus(t); gpu++) {
        char label[16];
        int found = 0;
        snprintf(label, sizeof label, "G%d", gpu);
        for (size_t i = 0; i < d->n; i++)
            for (size_t k = 0; k < d->panel[i].nboxes; k++)
                found |= strcmp(d->panel[i].box[k].label, label) == 0;
        ck_assert_msg(found, "%s: no %s", topo_name(t), label);
    }
}

static int overlap(const struct drawing_box *a, const struct drawing_box *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h &&
           b->y < a->y + a->h;
}

/* The widest of 11 pixels' digits and capitals. */
static int label_width(const struct drawing_box *b)
{
    return 7 * (int)strlen(b->label);
}

static void nothing_overlaps(const struct topo *t, const struct drawing *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct drawing_panel *const p = &d->panel[i];
        for (size_t a = 0; a < p->nboxes; a++) {
            const struct drawing_box *const b = &p->box[a];
            ck_assert_msg(b->x >= 0 && b->x + b->w <= DRAWING_WIDTH &&
                              b->y >= 0 && b->y + b->h <= p->height,
                          "%s: %s is outside", topo_name(t), b->label);
            ck_assert_msg(label_width(b) <= b->w + 2, "%s: %s in %d units",
                          topo_name(t), b->label, b->w);
            for (size_t k = a + 1; k < p->nboxes; k++)
                ck_assert_msg(!overlap(b, &p->box[k]), "%s: %s is over %s",
                              topo_name(t), b->label, p->box[k].label);
        }
        for (size_t k = 0; k < p->nlinks; k++)
            for (int j = 0; j < p->link[k].npoints; j++)
                ck_assert(p->link[k].x[j] >= 0 &&
                          p->link[k].x[j] <= DRAWING_WIDTH &&
                          p->link[k].y[j] >= 0 && p->link[k].y[j] <= p->height);
    }
}

/* True if a point is on the edge of a box or inside. */
static int is_at_box(const struct drawing_panel *p, int x, int y)
{
    for (size_t k = 0; k < p->nboxes; k++) {
        const struct drawing_box *const b = &p->box[k];
        if (x >= b->x && x <= b->x + b->w && y >= b->y && y <= b->y + b->h)
            return 1;
    }
    return 0;
}

static void links_join_boxes(const struct topo *t, const struct drawing *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct drawing_panel *const p = &d->panel[i];
        for (size_t k = 0; k < p->nlinks; k++) {
            const struct drawing_link *const l = &p->link[k];
            const int last = l->npoints - 1;
            ck_assert_msg(is_at_box(p, l->x[0], l->y[0]) &&
                              is_at_box(p, l->x[last], l->y[last]),
                          "%s: %s goes from (%d, %d) to (%d, %d), where no box "
                          "is",
                          topo_name(t), topo_resource(t, l->resource)->name,
                          l->x[0], l->y[0], l->x[last], l->y[last]);
        }
    }
}

START_TEST(every_link_is_drawn)
{
    check_all(has_every_link);
}
END_TEST

START_TEST(links_end_at_boxes)
{
    check_all(links_join_boxes);
}
END_TEST

START_TEST(every_gpu_is_drawn)
{
    check_all(has_every_gpu);
}
END_TEST

START_TEST(boxes_have_room)
{
    check_all(nothing_overlaps);
}
END_TEST

/* ---- as they were -------------------------------------------------------- */

static void print_panel(FILE *out, const struct drawing_panel *p)
{
    fprintf(out, "%s, %d high:", p->title, p->height);
    for (size_t i = 0; i < p->nboxes; i++)
        fprintf(out, " %d %d,%d %dx%d \"%s\"", p->box[i].kind, p->box[i].x,
                p->box[i].y, p->box[i].w, p->box[i].h, p->box[i].label);
    for (size_t i = 0; i < p->nlinks; i++) {
        fprintf(out, "%s%d", i ? ", " : "\n", p->link[i].resource);
        for (int k = 0; k < p->link[i].npoints; k++)
            fprintf(out, " %d,%d", p->link[i].x[k], p->link[i].y[k]);
    }
    fprintf(out, "\n");
}

START_TEST(drawings_look_as_they_did)
{
    static const char *const names[] = {"dgx-a100",
                                        "pcie-4090",
                                        "gh200",
                                        "shuffled:3:a100-cubemesh",
                                        "2x:gb200-nvl72@ndr,fat-tree:2",
                                        "3x:dgx-h100@slingshot",
                                        "2x:tests/topo/figures/odd.xml@rail:1"};
    FILE *const out = golden_begin();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct topo *const t = machine_load(names[i]);
        struct drawing d;
        ck_assert_int_eq(drawing_init(&d, t), 0);
        fprintf(out, "== %s: %zu panels\n", names[i], d.n);
        for (size_t k = 0; k < d.n; k++) // the first, the second and the last
            if (k < 2 || k + 1 == d.n)
                print_panel(out, &d.panel[k]);
        drawing_release(&d);
        topo_free(t);
    }
    golden_end(out, "tests/topo/figures/drawings.txt");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("drawing");
    TCase *const t = tcase_create("drawing");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, every_link_is_drawn);
    tcase_add_test(t, links_end_at_boxes);
    tcase_add_test(t, every_gpu_is_drawn);
    tcase_add_test(t, boxes_have_room);
    tcase_add_test(t, drawings_look_as_they_did);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
