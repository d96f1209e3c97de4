/*
 * args.h: a growing command line
 *
 * The arguments belong to the caller. What is added to a command line lives as
 * long as the program. One that is too long ends it with a message.
 */
#ifndef SIMNVCC_ARGS_H
#define SIMNVCC_ARGS_H

enum { MAX_ARGS = 4096, EXIT_USAGE = 2 };

struct nvcc_args {
    const char *v[MAX_ARGS];
    int n;
};

void args_add(struct nvcc_args *a, const char *arg);
void args_add2(struct nvcc_args *a, const char *arg, const char *value);
void args_append(struct nvcc_args *a, const struct nvcc_args *more);

/* True if the text is one of the arguments. */
int args_have(const struct nvcc_args *a, const char *arg);

/* The two texts as one. */
char *args_joined(const char *a, const char *b);

/*
 * Add each word of a list, which ends at a comma; "\\," stands for a comma, and
 * a comma in double quotes ends no word. For a list of another program's
 * arguments, a word also ends at white space, and quotes and backslashes are
 * removed as a shell does. Before each word goes an argument `prefix`, unless
 * it is "".
 */
void args_split(struct nvcc_args *to, const char *prefix, const char *list,
                int of_arguments);

/* Add each word of a list with commas, joined to `letter`: -Ia -Ib. */
void args_add_each(struct nvcc_args *to, const char *letter, const char *list);

#endif
