/*
 * view_files.h: the files in graph/view, as they are in the tree
 */
#ifndef COMMLAB_GRAPH_VIEW_FILES_H
#define COMMLAB_GRAPH_VIEW_FILES_H

/* NUL-terminated. */
extern const char view_page_html[], view_style[];
extern const char view_run[], view_draw[], view_memory[], view_machine[],
    view_script[]; /* in this order */

#endif
