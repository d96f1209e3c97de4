/*
 * check: would the grader accept these files? For `make labN`
 *
 *     check [--given FILE] [--folder DIR]... [--nvcc] SOURCE TEXT OBJECT ...
 *
 * Each of a lab's files takes three operands: the source, its preprocessed
 * text, and its object. Prints what is refused, in a compiler's format. Exit
 * status: 0, 1 if something is refused, 2 for wrong usage.
 */
#include <stdio.h>  /* fprintf */
#include <string.h> /* strcmp, strrchr */

#include "grader/vet/vet.h"

static int usage(void)
{
    fputs("usage: check [--given FILE] [--folder DIR]... [--nvcc] SOURCE TEXT "
          "OBJECT ...\n",
          stderr);
    return 2;
}

/* Read the options. Returns the number of arguments that they take, or -1. */
static int options(struct vet *c, int argc, char **argv)
{
    int i = 1, nfolders = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--nvcc") == 0) {
            c->audit.by_nvcc = 1;
        } else if (i + 1 < argc && strcmp(argv[i], "--given") == 0) {
            if (names_load(&c->audit.given, argv[++i]) != 0)
                return -1;
        } else if (i + 1 < argc && strcmp(argv[i], "--folder") == 0 &&
                   nfolders < VET_FOLDERS) {
            c->folder[nfolders++] = argv[++i];
        } else {
            return -1;
        }
    }
    return i;
}

/* Check one file: 0 if the grader would accept it. */
static int look_at(struct vet *c, char **file)
{
    const char *const slash = strrchr(file[0], '/');
    if (vet_source(c, file[0]) == 0 && vet_preprocessed(c, file[1]) == 0 &&
        vet_object(c, file[2], file[1], slash ? slash + 1 : file[0]) == 0)
        return 0;
    fprintf(stderr, "%s\n", c->why);
    return 1;
}

int main(int argc, char **argv)
{
    struct vet c = {.folder = {NULL}};
    const int first = options(&c, argc, argv);
    int refused = 0;
    if (first < 0 || (argc - first) % 3 != 0)
        return usage();
    for (int i = first; i < argc; i += 3)
        audit_defined(&c.audit, argv[i + 2]);
    for (int i = first; i < argc; i += 3)
        refused |= look_at(&c, argv + i);
    names_release(&c.audit.given);
    return refused;
}
