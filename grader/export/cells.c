#include "grader/export/cells.h"

#include "grader/base/text.h"

void cells_text(FILE *f, const char *text, char end)
{
    text_csv(f, text);
    fputc(end, f);
}

void cells_login(FILE *f, const struct student *s, char end)
{
    text_csv_key(f, s->key);
    fputc(end, f);
}

void cells_number(FILE *f, int known, double value, const char *none, char end)
{
    if (known)
        fprintf(f, "%.2f%c", value, end);
    else
        fprintf(f, "%s%c", none, end);
}

void cells_canvas_title(FILE *f, const char *title, const char *assignment,
                        char end)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s%s%s", title, assignment ? " (" : "",
             assignment ? assignment : "", assignment ? ")" : "");
    cells_text(f, text, end);
}
