/*
 * xml.h: from a topology file to a machine's parts (private to common/topo)
 */
#ifndef COMMLAB_TOPO_XML_H
#define COMMLAB_TOPO_XML_H

#include "topo/machine.h"

/*
 * Fill t's parts and calibration from a file, GPUs in the order of their dev.
 * t is zeroed but for cal, which has been through calibration_init(). A
 * <cluster> also reads the file of its node. On failure -1, with "file:line:
 * what" in err. No file, however damaged, does more harm than that.
 */
int xml_read(struct topo *t, const char *path, char *err, size_t err_nbytes);

#endif
