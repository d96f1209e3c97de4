#include "graph/draw/view_files.h"

#include "base/embed.h"

#define FILE_AS(name, file) EMBED_PUBLIC(name, "common/graph/draw/view/" file)

FILE_AS(view_page_html, "page.html");
FILE_AS(view_style, "view.css");
FILE_AS(view_run, "run.js");
FILE_AS(view_draw, "draw.js");
FILE_AS(view_memory, "memory.js");
FILE_AS(view_machine, "machine.js");
FILE_AS(view_script, "view.js");
