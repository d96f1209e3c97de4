/*
 * names.h: names that cross from one of simgpu's libraries to another
 *
 * libnccl, libcuda and libcublas call the core that lives in libcudart. A
 * program of the student's may well define a function called heap_alloc or
 * stream_new; the dynamic linker would then hand ours to it. So what crosses
 * has a prefix that programs don't use, and everything else stays local to
 * its library (see libcudart.map).
 */
#ifndef SIMGPU_CORE_NAMES_H
#define SIMGPU_CORE_NAMES_H

#define proc              simgpu_proc
#define proc_place        simgpu_proc_place
#define proc_thread       simgpu_proc_thread
#define proc_attach       simgpu_proc_attach
#define peer_rank         simgpu_peer_rank
#define peer_pid          simgpu_peer_pid
#define peer_graph_fd     simgpu_peer_graph_fd
#define peer_alive        simgpu_peer_alive
#define proc_peer         simgpu_proc_peer
#define proc_meet         simgpu_proc_meet
#define proc_wait         simgpu_proc_wait
#define proc_wait_for     simgpu_proc_wait_for
#define proc_wake         simgpu_proc_wake
#define proc_wake_some    simgpu_proc_wake_some
#define proc_progress     simgpu_proc_progress
#define proc_wait_begin   simgpu_proc_wait_begin
#define proc_wait_end     simgpu_proc_wait_end
#define proc_fault        simgpu_proc_fault
#define proc_warn         simgpu_proc_warn
#define dataless_fault    simgpu_dataless_fault
#define heap_alloc        simgpu_heap_alloc
#define heap_free         simgpu_heap_free
#define heap_find         simgpu_heap_find
#define heap_raw          simgpu_heap_raw
#define heap_export       simgpu_heap_export
#define heap_raw_ref      simgpu_heap_raw_ref
#define heap_import       simgpu_heap_import
#define heap_unimport     simgpu_heap_unimport
#define heap_shadow       simgpu_heap_shadow
#define heap_registered   simgpu_heap_registered
#define proc_started      simgpu_proc_started
#define device_bound      simgpu_device_bound
#define device_unbind     simgpu_device_unbind
#define flag_write        simgpu_flag_write
#define flag_update       simgpu_flag_update
#define flag_read         simgpu_flag_read
#define flag_check        simgpu_flag_check
#define flag_wait         simgpu_flag_wait
#define op_part           simgpu_op_part
#define heap_usage        simgpu_heap_usage
#define heap_kernel_enter simgpu_heap_kernel_enter
#define heap_kernel_leave simgpu_heap_kernel_leave
#define heap_describe     simgpu_heap_describe
#define op_new            simgpu_op_new
#define op_after          simgpu_op_after
#define stream_enqueue    simgpu_stream_enqueue
#define op_amend          simgpu_op_amend
#define op_fail           simgpu_op_fail
#define stream_new        simgpu_stream_new
#define stream_release    simgpu_stream_release
#define stream_of         simgpu_stream_of
#define stream_device     simgpu_stream_device
#define stream_kind_of    simgpu_stream_kind_of
#define stream_priority   simgpu_stream_priority
#define stream_queue      simgpu_stream_queue
#define stream_tail       simgpu_stream_tail
#define mark_passed       simgpu_mark_passed
#define mark_demand       simgpu_mark_demand
#define marks_join        simgpu_marks_join
#define device_marks      simgpu_device_marks
#define device_current    simgpu_device_current
#define device_set        simgpu_device_set
#define device_error      simgpu_device_error
#define api_return        simgpu_api_return
#define api_last_error    simgpu_api_last_error
#define host_call         simgpu_host_call
#define host_record       simgpu_host_record
#define clock_host_ps     simgpu_clock_host_ps
#define clock_elapsed_ms  simgpu_clock_elapsed_ms
#define clock_note_abort  simgpu_clock_note_abort
#define model_bad_setting simgpu_model_bad_setting
#define model_choice      simgpu_model_choice
#define model_estimate    simgpu_model_estimate
#define model_channels    simgpu_model_channels
#define model_ring        simgpu_model_ring
#define model_bus_id      simgpu_model_bus_id
#define proc_site         simgpu_proc_site
#define check_note        simgpu_check_note
#define proc_site_text    simgpu_proc_site_text
#define proc_locate       simgpu_proc_locate
#define proc_locate_text  simgpu_proc_locate_text

#endif
