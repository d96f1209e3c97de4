/*
 * page_files.h: the files in page/, as they are in the tree
 */
#ifndef GRADER_PAGE_FILES_H
#define GRADER_PAGE_FILES_H

/* NUL-terminated. */
extern const char page_html[], page_style[], page_script[], page_live[],
    page_class[], page_student[], page_diff[], page_similar[], page_pair[];

#endif
