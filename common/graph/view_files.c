#include "graph/view_files.h"

/* The build starts the compiler in the root of the tree. */
#define FILE_AS(name, file)                                                    \
    __asm__(".section .rodata\n.global " #name "\n" #name                      \
            ":\n.incbin \"common/graph/view/" file "\"\n.byte 0\n"             \
            ".previous\n")

FILE_AS(view_page_html, "page.html");
FILE_AS(view_style, "view.css");
FILE_AS(view_run, "run.js");
FILE_AS(view_draw, "draw.js");
FILE_AS(view_memory, "memory.js");
FILE_AS(view_machine, "machine.js");
FILE_AS(view_script, "view.js");
