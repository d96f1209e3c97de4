/*
 * verb_audit.c: grade audit
 *
 * Exit status: 0 nothing to say of the objects, 1 something, 2 usage.
 */
#include <string.h> /* strcmp */

#include "audit.h"
#include "verb.h"

int verb_audit(int argc, char **argv)
{
    char why[256];
    int status = EXIT_FULL;
    const int by_nvcc = argc > 1 && strcmp(argv[1], "--nvcc") == 0;
    const int first = 1 + by_nvcc;
    if (argc <= first || strcmp(argv[1], "--help") == 0) {
        FILE *const out = argc <= first ? stderr : stdout;
        fprintf(out, "usage: grade audit [--nvcc] OBJECT...\n\n"
                     "Say what the grader would say of object files. --nvcc: "
                     "nvcc made those of .cu\nfiles, not simnvcc.\n");
        return argc <= first ? EXIT_USAGE : EXIT_FULL;
    }
    for (int i = first; i < argc; i++)
        if (audit_object(argv[i], by_nvcc, why, sizeof why) != 0) {
            printf("%s: %s\n", argv[i], why);
            status = EXIT_NOT_FULL;
        }
    return status;
}
