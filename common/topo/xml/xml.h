/*
 * xml.h: reading a topology file (private to common/topo)
 */
#ifndef COMMLAB_TOPO_XML_XML_H
#define COMMLAB_TOPO_XML_XML_H

#include "topo/machine.h"

/*
 * Fill t's parts and calibration from a file, with GPUs in the order of their
 * dev. t must be zeroed, and its cal initialised by calibration_init(). For a
 * <cluster>, reads the file of its node, too. On failure, even if the file is
 * damaged, returns -1 with "file:line: reason" in err.
 */
int xml_read(struct topo *t, const char *path, char *err, size_t err_nbytes);

/*
 * Read a network's profile into a machine that xml_read() has read. Otherwise
 * like xml_read().
 */
int xml_read_network(struct topo *t, const char *path, char *err,
                     size_t err_nbytes);

#endif
