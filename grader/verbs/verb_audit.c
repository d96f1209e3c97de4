/*
 * verb_audit.c: grade audit
 */
#include <stdio.h> /* printf */

#include "grader/base/names.h"
#include "grader/verbs/verbs.h"
#include "grader/vet/audit.h"

struct options {
    int by_nvcc;
    const char *given;
};

static const struct verb_option known[] = {
    VERB_OPTION(VERB_FLAG, "nvcc", NULL, offsetof(struct options, by_nvcc),
                "nvcc made the objects of .cu files, not simnvcc"),
    VERB_OPTION(VERB_TEXT, "given", "FILE", offsetof(struct options, given),
                "names that they may use besides: a lab's kit.api"),
    {.name = NULL}};
static const struct verb audit_verb = {
    .name = "audit",
    .intro = "Print what the grader would refuse in object files.",
    .options = known,
    .operand = "OBJECT",
    .many = 1,
    .outro = "Exit status: 0 nothing, 1 something, 2 usage."};

int verb_audit(int argc, char **argv)
{
    struct options o = {0};
    struct audit a = {.by_nvcc = 0};
    int status;
    const int first = verb_parse(&audit_verb, argc, argv, &o, &status);
    if (first < 0)
        return status;
    status = EXIT_FULL;
    a.by_nvcc = o.by_nvcc;
    if (o.given && names_load(&a.given, o.given) != 0) {
        fprintf(stderr, "grade audit: %s: %m\n", o.given);
        return EXIT_USAGE;
    }
    for (int i = first; i < argc; i++)
        audit_defined(&a, argv[i]);
    for (int i = first; i < argc; i++)
        if (audit_object(&a, argv[i]) != 0) {
            printf("%s: %s\n", argv[i], a.why);
            status = EXIT_NOT_FULL;
        }
    names_release(&a.given);
    return status;
}
