#include "lab/flags.h"

#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strncmp */

#include "judge/data.h"

/* Write the choices as "a|b|c" to out. */
static const char *list_names(const struct flag_choice *c, char *out,
                              size_t nbytes)
{
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; c->names[i] && at < nbytes; i++)
        at += (size_t)snprintf(out + at, nbytes - at, "%s%s", i ? "|" : "",
                               c->names[i]);
    return out;
}

/* Print what is wrong with `option value`, and all options. Returns -1. */
static int wrong(const struct lab_run *r, char **argv, const char *option,
                 const char *value, const char *why, const struct flag *flags)
{
    static const char *const kinds[] = {" N",       " TYPE", " TEXT",
                                        " N,N,...", "",      ""};
    char names[DATA_NAMES];
    if (r->rank != 0)
        return -1;
    fprintf(stderr, "%s: %s: %s%s%s: %s\nusage: %s", lab.name, argv[0], option,
            value ? " " : "", value ? value : "", why, argv[0]);
    for (const struct flag *f = flags; f->name; f++)
        if (f->kind == FLAG_CHOICE)
            fprintf(stderr, " [%s %s]", f->name,
                    list_names(f->value, names, sizeof names));
        else
            fprintf(stderr, " [%s%s]", f->name, kinds[f->kind]);
    fprintf(stderr, "\n");
    return -1;
}

/* Read a number that ends at `until`. Returns 0 or -1. */
static int take_number(const struct flag *f, const char *value, char until,
                       long *out, const char **rest)
{
    char *end;
    const long number = strtol(value, &end, 10);
    if (end == value || (*end && *end != until) || number < f->least ||
        number > f->most)
        return -1;
    *out = number;
    *rest = *end ? end + 1 : end;
    return 0;
}

static int take_list(const struct flag *f, const char *value)
{
    struct flag_list list = {.n = 0};
    do {
        if (list.n == FLAG_LIST_MOST ||
            take_number(f, value, ',', &list.number[list.n++], &value) != 0)
            return -1;
    } while (*value);
    *(struct flag_list *)f->value = list;
    return 0;
}

static int take_choice(struct flag_choice *c, const char *value)
{
    for (int i = 0; c->names[i]; i++)
        if (strcmp(c->names[i], value) == 0) {
            c->chosen = i;
            return 0;
        }
    return -1;
}

/* Read a value. Returns 0, or -1 with the reason in why. */
static int take(const struct flag *f, const char *value, char *why,
                size_t why_nbytes)
{
    char names[DATA_NAMES];
    int type;
    switch (f->kind) {
    case FLAG_NUMBER:
        snprintf(why, why_nbytes, "not a number from %ld to %ld", f->least,
                 f->most);
        return take_number(f, value, '\0', f->value, &value);
    case FLAG_LIST:
        snprintf(why, why_nbytes, "not at most %d numbers from %ld to %ld",
                 FLAG_LIST_MOST, f->least, f->most);
        return take_list(f, value);
    case FLAG_CHOICE:
        snprintf(why, why_nbytes, "not one of %s",
                 list_names(f->value, names, sizeof names));
        return take_choice(f->value, value);
    case FLAG_SET: *(long *)f->value = 1; return 0;
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

/* The flag that an argument names; its name ends at the "=" if there is one. */
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
        if (f->kind == FLAG_SET && equals)
            return wrong(r, argv, argv[i], NULL, "takes no value", flags);
        if (f->kind != FLAG_SET && !equals && i + 1 == argc)
            return wrong(r, argv, f->name, NULL, "needs a value", flags);
        const char *const value = equals                ? equals + 1
                                  : f->kind == FLAG_SET ? NULL
                                                        : argv[++i];
        if (take(f, value, why, sizeof why) != 0)
            return wrong(r, argv, f->name, value, why, flags);
    }
    return 0;
}
