/*
 * verb_audit.c: grade audit
 */
#include <stdio.h> /* printf */

#include "audit.h"
#include "verb.h"

struct options {
    int by_nvcc;
};

static const struct verb_option known[] = {
    VERB_OPTION(VERB_FLAG, "nvcc", NULL, offsetof(struct options, by_nvcc),
                "nvcc made the objects of .cu files, not simnvcc"),
    {.name = NULL}};
static const struct verb audit_verb = {
    .name = "audit",
    .intro = "Print what the grader would object to in object files.",
    .options = known,
    .operand = "OBJECT",
    .many = 1,
    .outro = "Exit status: 0 nothing, 1 something, 2 usage."};

int verb_audit(int argc, char **argv)
{
    struct options o = {0};
    char why[256];
    int status;
    const int first = verb_parse(&audit_verb, argc, argv, &o, &status);
    if (first < 0)
        return status;
    status = EXIT_FULL;
    for (int i = first; i < argc; i++)
        if (audit_object(argv[i], o.by_nvcc, why, sizeof why) != 0) {
            printf("%s: %s\n", argv[i], why);
            status = EXIT_NOT_FULL;
        }
    return status;
}
