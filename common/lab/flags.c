#include "lab/flags.h"

#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strncmp */

#include "judge/data.h"

/* Print what is wrong with `option value`, and all options. Returns -1. */
static int wrong(const struct lab_run *r, char **argv, const char *option,
                 const char *value, const char *why, const struct flag *flags)
{
    static const char *const kinds[] = {"N", "TYPE", "TEXT"};
    if (r->rank != 0)
        return -1;
    fprintf(stderr, "%s: %s: %s%s%s: %s\nusage: %s", lab.name, argv[0], option,
            value ? " " : "", value ? value : "", why, argv[0]);
    for (const struct flag *f = flags; f->name; f++)
        fprintf(stderr, " [%s %s]", f->name, kinds[f->kind]);
    fprintf(stderr, "\n");
    return -1;
}

/* Take a value. 0, or -1 with the reason in why. */
static int take(const struct flag *f, const char *value, char *why,
                size_t why_nbytes)
{
    char *end, names[DATA_NAMES];
    long number;
    int type;
    switch (f->kind) {
    case FLAG_NUMBER:
        number = strtol(value, &end, 10);
        snprintf(why, why_nbytes, "not a number from %ld to %ld", f->least,
                 f->most);
        if (*end || end == value || number < f->least || number > f->most)
            return -1;
        *(long *)f->value = number;
        return 0;
    case FLAG_TYPE:
        type = data_type(value);
        snprintf(why, why_nbytes, "not a type: %s",
                 data_type_names(names, sizeof names));
        if (type < 0)
            return -1;
        *(int *)f->value = type;
        return 0;
    case FLAG_TEXT: *(const char **)f->value = value; return 0;
    }
    return -1;
}

/* The flag that an argument names, up to its "=" if it has one. */
static const struct flag *find(const struct flag *flags, const char *argument)
{
    const size_t n = strcspn(argument, "=");
    while (flags->name &&
           (strncmp(flags->name, argument, n) != 0 || flags->name[n] != '\0'))
        flags++;
    return flags->name ? flags : NULL;
}

int flags_parse(const struct lab_run *r, int argc, char **argv,
                const struct flag *flags)
{
    char why[DATA_NAMES + 64];
    for (int i = 1; i < argc; i++) {
        const struct flag *const f = find(flags, argv[i]);
        const char *const equals = strchr(argv[i], '=');
        if (!f)
            return wrong(r, argv, argv[i], NULL, "not an option", flags);
        if (!equals && i + 1 == argc)
            return wrong(r, argv, f->name, NULL, "needs a value", flags);
        const char *const value = equals ? equals + 1 : argv[++i];
        if (take(f, value, why, sizeof why) != 0)
            return wrong(r, argv, f->name, value, why, flags);
    }
    return 0;
}
