# What every command has, by name.
s|TEMP_FOLDER/simnvcc-......|TEMP|g
s|TEMP_FOLDER|FOLDER|g
s|SIMGPU_FOLDER|SIMGPU|g
s| -fno-plt||
s|-D__SIMNVCC__ -D__NVCC__ -D__CUDACC__ -D__CUDACC_VER_MAJOR__=13 -D__CUDACC_VER_MINOR__=0 -D__CUDACC_VER_BUILD__=48 -D__CUDA_ARCH_LIST__=900|CUDA|
s|-include cuda_runtime.h -include simgpu/rewritten.h|RUNTIME|
s|-fsanitize=thread -fno-lto -fno-omit-frame-pointer|THREAD|
s|--param=tsan-distinguish-volatile=1 --param=tsan-instrument-func-entry-exit=0 -fno-schedule-insns2 -fno-optimize-sibling-calls -fno-tree-tail-merge -fno-crossjumping|GCC|
s|-fno-strict-aliasing "-DSIMGPU_GLOBAL=__attribute__((flatten, noinline))" -fno-semantic-interposition -DSIMGPU_DEVICE= -DSIMGPU_HOST= -DSIMGPU_CONSTANT= -DSIMGPU_MANAGED= -DSIMGPU_OUTSIDE=simgpu_outside "-DSIMGPU_SHARED=static thread_local __attribute__((aligned(16)))"|WORDS|
s|-include SIMGPU/include/simgpu/builtins.h -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -fno-builtin-memcmp -fno-builtin-bcmp .* -fno-builtin-strstr|NO_BUILTIN|
s|-include SIMGPU/include/simgpu/inlined.h -S|INLINED|
s|--remove-section=.init_array.00099 --remove-section=.rela.init_array.00099 --redefine-sym=memcpy=simgpu_memcpy --redefine-sym=memmove=simgpu_memmove --redefine-sym=memset=simgpu_memset --redefine-sym=memcmp=simgpu_memcmp|RENAMED|
s|-LSIMGPU/lib -Wl,-rpath,SIMGPU/lib -Wl,--push-state,--no-as-needed -lcudart -Wl,--pop-state|LIBCUDART|
s|-Wl,--wrap=clock_gettime -Wl,--wrap=timespec_get -Wl,--wrap=gettimeofday -Wl,--wrap=_ZNSt6chrono3_V212steady_clock3nowEv -Wl,--wrap=_ZNSt6chrono3_V212system_clock3nowEv -Wl,--wrap=omp_get_wtime -Wl,--wrap=nanosleep -Wl,--wrap=clock_nanosleep -Wl,--wrap=usleep -Wl,--wrap=sleep -Wl,--wrap=pthread_cond_timedwait -Wl,--wrap=pthread_cond_clockwait|CLOCKS|
s|#. TOP=SIMGPU|TOP|
s|#. INCLUDES="-ISIMGPU/include"|INCLUDES|
s|#. LIBRARIES=-LSIMGPU/bin/../lib|LIBRARIES|
s|#. -arch compute_90|ARCH|
