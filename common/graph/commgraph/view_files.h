/*
 * view_files.h: the files in commgraph/view, as they are in the tree
 */
#ifndef COMMLAB_COMMGRAPH_VIEW_FILES_H
#define COMMLAB_COMMGRAPH_VIEW_FILES_H

/* NUL-terminated. */
extern const char view_page[], view_style[];
extern const char view_run[], view_draw[], view_memory[], view_machine[],
    view_script[]; /* in this order */

#endif
