#include "heatmap.h"

#include <math.h> /* log */

#include "graph/draw/escape.h"

enum { CELL_W = 46, CELL_H = 26, LEFT = 44, TOP = 58, MARGIN = 12 };

/* A colour from white for the least to a dark blue for the most. */
static void shade(double share, int rgb[3])
{
    static const int dark[3] = {8, 69, 148};
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)(247 + share * (dark[i] - 247));
}

static void cell(FILE *f, int row, int column, double value, double share)
{
    const int x = LEFT + column * CELL_W, y = TOP + row * CELL_H;
    int rgb[3];
    shade(share, rgb);
    fprintf(f,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "fill=\"#%02x%02x%02x\"/>\n"
            "<text x=\"%d\" y=\"%d\" fill=\"%s\">%.*f</text>\n",
            x, y, CELL_W - 1, CELL_H - 1, rgb[0], rgb[1], rgb[2],
            x + CELL_W / 2, y + 17, share > .55 ? "#fff" : "#222", value < 100,
            value);
}

static void numbers(FILE *f, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(f,
                "<text x=\"%d\" y=\"%d\">%d</text>\n"
                "<text x=\"%d\" y=\"%d\">%d</text>\n",
                LEFT + i * CELL_W + CELL_W / 2, TOP - 6, i, LEFT - 16,
                TOP + i * CELL_H + 17, i);
}

int heatmap_svg(FILE *f, const char *title, const double *at, int n)
{
    const int width = LEFT + n * CELL_W + MARGIN;
    const int height = TOP + n * CELL_H + MARGIN;
    double least = INFINITY, most = 0;
    for (int i = 0; i < n * n; i++)
        if (i / n != i % n) {
            least = fmin(least, at[i]);
            most = fmax(most, at[i]);
        }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" "
            "text-anchor=\"middle\" fill=\"#222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"20\" font-size=\"14\">",
            width, height, width / 2);
    escape_xml(f, title);
    fprintf(f,
            "</text>\n<text x=\"20\" y=\"%d\">from</text>\n"
            "<text x=\"%d\" y=\"36\">to</text>\n",
            TOP - 6, LEFT + n * CELL_W / 2);
    numbers(f, n);
    for (int i = 0; i < n * n; i++)
        if (i / n != i % n)
            cell(f, i / n, i % n, at[i],
                 most > least ? log(at[i] / least) / log(most / least) : .5);
    fprintf(f, "</svg>\n");
    return ferror(f) ? -1 : 0;
}
