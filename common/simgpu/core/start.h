/*
 * start.h: how a process begins and ends
 */
#ifndef SIMGPU_CORE_START_H
#define SIMGPU_CORE_START_H

#include "core/proc.h"

/*
 * Read the launcher's environment and the SIMGPU_* settings, load the machine,
 * open the graph, and start what every process needs: control page, fault
 * handler, watchdog. Called once, by simgpu_proc(); nothing that it calls may
 * call simgpu_proc(). A bad setting ends the process with status 70.
 */
void core_start(struct proc *self);

#endif
