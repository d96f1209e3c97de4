/*
 * start.h: starting and ending a process
 */
#ifndef SIMGPU_CORE_START_H
#define SIMGPU_CORE_START_H

#include "core/proc.h"

/*
 * Read the launcher's environment and the SIMGPU_* settings, load the machine,
 * open the graph, and start what every process needs: control page, fault
 * handler, watchdog. simgpu_proc() calls this once, and nothing called from
 * here may call simgpu_proc(). A bad setting ends the process with status 70.
 */
void core_start(struct proc *self);

#endif
