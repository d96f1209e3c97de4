#include "placement.h"

#include <math.h>  /* log10 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "machine.h"
#include "output.h"

static cudaStream_t stream_of(int gpu)
{
    return machine_peers()->link[gpu][gpu == 0];
}

/* A GPU whose memory this one can map; -1 if there is none. */
static int find_peer(int gpu)
{
    for (int other = 0; other < machine_peers()->n; other++) {
        int can = 0;
        if (other != gpu)
            CUDA_MUST(cudaDeviceCanAccessPeer(&can, gpu, other));
        if (can)
            return other;
    }
    return -1;
}

static ncclResult_t place_host(struct placement *p, enum memory m)
{
    const int node = host_node(machine_peers(), p->gpu, m == MEMORY_FAR);
    LAB_TRY_CUDA(cudaSetDevice(p->gpu));
    LAB_TRY(
        host_alloc(p->gpu, node, p->nbytes, stream_of(p->gpu), &p->host[m]));
    p->at[m] = p->host[m].at;
    return ncclSuccess;
}

ncclResult_t placement_init(struct placement *p, struct lab_run *r, int gpu,
                            size_t nbytes)
{
    const cudaStream_t stream = stream_of(gpu);
    *p = (struct placement){
        .gpu = gpu, .peer = find_peer(gpu), .nbytes = nbytes};
    if (p->peer < 0)
        return ncclInvalidUsage;
    p->at[MEMORY_OWN] = machine_input(r, gpu, gpu, nbytes / sizeof(float));
    p->at[MEMORY_PEER] = machine_output(r, p->peer, nbytes);
    p->copy = machine_output(r, gpu, nbytes);
    p->sums = machine_output(r, gpu, sizeof(unsigned[MEMORIES][2]));
    LAB_TRY(place_host(p, MEMORY_NEAR));
    LAB_TRY(place_host(p, MEMORY_FAR));
    LAB_TRY_CUDA(
        cudaMemsetAsync(p->sums, 0, sizeof(unsigned[MEMORIES][2]), stream));
    for (int m = MEMORY_PEER; m < MEMORIES; m++)
        LAB_TRY_CUDA(cudaMemcpyAsync((void *)p->at[m], p->at[MEMORY_OWN],
                                     nbytes, cudaMemcpyDefault, stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(stream));
    LAB_TRY_CUDA(cudaSetDevice(0));
    return ncclSuccess;
}

ncclResult_t placement_measure(struct placement *p, int nreads)
{
    LAB_TRY_CUDA(cudaSetDevice(p->gpu));
    for (int m = 0; m < MEMORIES; m++)
        for (int by_copy = 0; by_copy < 2; by_copy++)
            LAB_TRY(measure_reads(p->at[m], p->nbytes, by_copy ? p->copy : NULL,
                                  nreads, &p->sums[2 * m + by_copy],
                                  stream_of(p->gpu), &p->ms[m][by_copy]));
    LAB_TRY_CUDA(cudaSetDevice(0));
    return ncclSuccess;
}

ncclResult_t placement_release(struct placement *p)
{
    for (int m = 0; m < MEMORIES; m++)
        LAB_TRY(peers_free_host(&p->host[m], stream_of(p->gpu)));
    return ncclSuccess;
}

/* ---- --placement --------------------------------------------------------- */

struct rates { /* GB/s: of one read in place; of a copy; of a copy and a read */
    double place[MEMORIES], copy[MEMORIES], both[MEMORIES];
    int pays[MEMORIES]; /* reads from which on the copy pays, 0: never */
};

/* The time of a copy alone is that of a copy and a read, less that of a
 * read. */
static struct rates rates_of(const struct placement *p)
{
    struct rates s = {.pays = {0}};
    const double own_ms = p->ms[MEMORY_OWN][0];
    for (int m = 0; m < MEMORIES; m++) {
        const double copy_ms = p->ms[m][1] - own_ms;
        s.place[m] = (double)p->nbytes / p->ms[m][0] * 1e-6;
        s.copy[m] = (double)p->nbytes / copy_ms * 1e-6;
        s.both[m] = (double)p->nbytes / p->ms[m][1] * 1e-6;
        s.pays[m] = m ? reads_that_pay(p->ms[m][0], copy_ms, own_ms) : 0;
    }
    return s;
}

static void print_table(const struct placement *p, const struct rates *s)
{
    struct cudaDeviceProp prop;
    CUDA_MUST(cudaGetDeviceProperties(&prop, p->gpu));
    printf("GPU %d (%s) reads %.0f MB (1e6 bytes); peer: GPU %d\n\n", p->gpu,
           prop.name, (double)p->nbytes * 1e-6, p->peer);
    printf("                in place       copy  copy, read  a copy pays\n");
    printf("memory              GB/s       GB/s        GB/s   from reads\n");
    for (int m = 0; m < MEMORIES; m++) {
        printf("%-12s %11.2f %10.2f %11.2f ", memory_name(m), s->place[m],
               s->copy[m], s->both[m]);
        if (s->pays[m])
            printf("%12d\n", s->pays[m]);
        else
            printf("%12s\n", "never");
    }
}

static void write_csv(FILE *f, const struct rates *s)
{
    fprintf(f, "memory,place_GBps,copy_GBps,copy_read_GBps,pays\n");
    for (int m = 0; m < MEMORIES; m++)
        fprintf(f, "%s,%.3f,%.3f,%.3f,%d\n", memory_name(m), s->place[m],
                s->copy[m], s->both[m], s->pays[m]);
}

enum { LEFT = 72, WIDTH = 340, TOP = 44, ROW = 46, BAR = 18, DECADES = 4 };

/* The position of a rate on an axis from 1 to 10^DECADES GB/s. */
static double along(double GBps)
{
    const double decades = GBps > 1 ? log10(GBps) : 0;
    return WIDTH * (decades < DECADES ? decades / DECADES : 1);
}

static void draw_bar(FILE *f, double y, double GBps, const char *color)
{
    fprintf(f,
            "<rect x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" "
            "fill=\"%s\"/>\n<text x=\"%.1f\" y=\"%.0f\">%.0f</text>\n",
            LEFT, y, along(GBps), BAR, color, LEFT + along(GBps) + 5, y + 14,
            GBps);
}

static void write_svg(FILE *f, const struct placement *p, const struct rates *s)
{
    static const char place[] = "#4878a8", both[] = "#d08030";
    struct cudaDeviceProp prop;
    CUDA_MUST(cudaGetDeviceProperties(&prop, p->gpu));
    const int bottom = TOP + MEMORIES * ROW;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"18\">%s: one read, GB/s</text>\n"
            "<text x=\"%d\" y=\"36\" fill=\"%s\">in place</text>\n"
            "<text x=\"%d\" y=\"36\" fill=\"%s\">copied, then read</text>\n",
            LEFT + WIDTH + 48, bottom + 30, LEFT, prop.name, LEFT, place,
            LEFT + 70, both);
    for (int d = 0, GBps = 1; d <= DECADES; d++, GBps *= 10)
        fprintf(f,
                "<path d=\"M%.1f %d V%d\" stroke=\"#ddd\"/>\n<text x=\"%.1f\" "
                "y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                LEFT + along(GBps), TOP, bottom, LEFT + along(GBps),
                bottom + 18, GBps);
    for (int m = 0; m < MEMORIES; m++) {
        const double y = TOP + m * ROW + 4;
        fprintf(f, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n",
                LEFT - 8, y + 23, memory_name(m));
        draw_bar(f, y, s->place[m], place);
        draw_bar(f, y + BAR + 2, s->both[m], both);
    }
    fprintf(f, "</svg>\n");
}

static int save(const struct placement *p, const struct rates *s,
                const char *csv, const char *svg)
{
    static const char command[] = "--placement";
    FILE *const table = csv ? output_open(command, csv) : NULL;
    FILE *const picture = svg ? output_open(command, svg) : NULL;
    int failed = (csv && !table) || (svg && !picture);
    if (table) {
        write_csv(table, s);
        failed |= output_close(table, command, csv) != 0;
    }
    if (picture) {
        write_svg(picture, p, s);
        failed |= output_close(picture, command, svg) != 0;
    }
    return failed;
}

/* Run a pass that counts, after one to warm up. */
static ncclResult_t measure_twice(struct placement *p, struct lab_run *r,
                                  int gpu, size_t nbytes)
{
    LAB_TRY(placement_init(p, r, gpu, nbytes));
    LAB_TRY(placement_measure(p, 1));
    LAB_TRY(placement_measure(p, 1));
    return placement_release(p);
}

int placement_run(struct lab_run *r, int argc, char **argv)
{
    long size_mb = 64, gpu = 0;
    const char *csv = NULL, *svg = NULL;
    const struct flag flags[] = {{"--size-mb", FLAG_NUMBER, &size_mb, 1, 1024},
                                 {"--gpu", FLAG_NUMBER, &gpu, 0, PEERS - 1},
                                 {"--output", FLAG_TEXT, &csv, 0, 0},
                                 {"--svg", FLAG_TEXT, &svg, 0, 0},
                                 {NULL, FLAG_NUMBER, NULL, 0, 0}};
    struct placement p;
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (r->nranks > 1 || gpu >= machine_peers()->n) {
        if (r->rank == 0)
            fprintf(stderr, r->nranks > 1
                                ? "--placement drives all GPUs from one "
                                  "process: use mpirun -n 1\n"
                                : "--placement: --gpu: there is no such GPU\n");
        return 2;
    }
    const ncclResult_t result =
        measure_twice(&p, r, (int)gpu, (size_t)size_mb * 1000000);
    if (result != ncclSuccess) {
        fprintf(stderr, "--placement: %s\n", ncclGetErrorString(result));
        return 1;
    }
    const struct rates s = rates_of(&p);
    print_table(&p, &s);
    return save(&p, &s, csv, svg);
}
