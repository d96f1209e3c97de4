/*
 * event.h: events, for graphs
 */
#ifndef SIMGPU_CUDART_EVENT_H
#define SIMGPU_CUDART_EVENT_H

#include "cudart/api.h"

int event_is_live(cudaEvent_t event);

/* Record the event in the stream; make the stream wait for it. */
cudaError_t event_record_on(struct stream *s, cudaEvent_t event, uint32_t site);
cudaError_t event_wait_on(struct stream *s, cudaEvent_t event, uint32_t site);

#endif
