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
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        FILE *const out = argc < 2 ? stderr : stdout;
        fprintf(out, "usage: grade audit OBJECT...\n\n"
                     "Say what the grader would say of object files.\n");
        return argc < 2 ? EXIT_USAGE : EXIT_FULL;
    }
    for (int i = 1; i < argc; i++)
        if (audit_object(argv[i], why, sizeof why) != 0) {
            printf("%s: %s\n", argv[i], why);
            status = EXIT_NOT_FULL;
        }
    return status;
}
