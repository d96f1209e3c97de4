/*
 * view_files.h: the contents of the files in graph/view
 */
#ifndef COMMLAB_GRAPH_VIEW_FILES_H
#define COMMLAB_GRAPH_VIEW_FILES_H

/* Texts ended by NUL. */
extern const char view_page_html[], view_style[];
extern const char view_run[], view_draw[], view_memory[], view_machine[],
    view_script[]; /* in this order */

#endif
