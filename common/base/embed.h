/*
 * embed.h: a file of the tree, as a string in the program
 *
 *   extern const char doctor_script[];
 *   EMBED(doctor_script, "grader/verbs/doctor.sh");
 *
 * The path starts at the top of the tree, where the build starts the compiler.
 * A zero byte follows the file's last byte. The makefile has to name the file
 * as a prerequisite of the object, since the compiler's list of included files
 * lacks it.
 */
#ifndef COMMLAB_BASE_EMBED_H
#define COMMLAB_BASE_EMBED_H

/* For the source that says it. */
#define EMBED(name, path)                                                      \
    __asm__(".section .rodata\n" #name ":\n.incbin \"" path                    \
            "\"\n.byte 0\n.previous\n")

/* For all sources: a header declares the name. */
#define EMBED_PUBLIC(name, path)                                               \
    __asm__(".global " #name);                                                 \
    EMBED(name, path)

#endif
