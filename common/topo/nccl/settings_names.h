/*
 * settings_names.h: the names of NCCL's variables (private to common/topo)
 */
#ifndef COMMLAB_TOPO_NCCL_SETTINGS_NAMES_H
#define COMMLAB_TOPO_NCCL_SETTINGS_NAMES_H

/* The names of NCCL's variables, without NCCL_, in alphabetical order. */
extern const char *const settings_names[];
extern const int settings_nnames;

/* The name most like this one, or NULL if none is similar. */
const char *settings_like(const char *name);

#endif
