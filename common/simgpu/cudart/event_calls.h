/*
 * event_calls.h: recording events and waiting for them, for graphs
 */
#ifndef SIMGPU_CUDART_EVENT_CALLS_H
#define SIMGPU_CUDART_EVENT_CALLS_H

#include "cudart/api.h"

/* Record the event in the stream; make the stream wait for it. */
cudaError_t event_record_on(struct stream *s, cudaEvent_t event, uint32_t site);
cudaError_t event_wait_on(struct stream *s, cudaEvent_t event, uint32_t site);

#endif
