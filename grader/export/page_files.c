#include "grader/export/page_files.h"

#include "base/embed.h"

#define FILE_AS(name, file) EMBED_PUBLIC(name, "grader/export/page/" file)

FILE_AS(page_html, "page.html");
FILE_AS(page_style, "page.css");
FILE_AS(page_script, "page.js");
FILE_AS(page_live, "live.js");
FILE_AS(page_class, "class.js");
FILE_AS(page_student, "student.js");
FILE_AS(page_diff, "diff.js");
FILE_AS(page_similar, "similar.js");
FILE_AS(page_pair, "pair.js");
