# rules.mk: the only build rules; those of tests are in tests/tests.mk
#
#   GPU=sim|cuda   the libraries that programs link: simgpu, or CUDA and NCCL.
#                  Default: cuda where nvcc and a GPU are found, else sim.
#   EXTRAS=0       simgpu without what no lab uses (common/simgpu/extras)
#   DEBUG=1        for debuggers: -Og -g3, in a build folder of its own
#   BUILD=dir      output folder (default build, or build-debug)
#   CC, CXX        host compilers; NVCC: the compiler for GPU=cuda
#   V=1            show the commands
#
# Sources are found by wildcard, so adding a file needs no edit here. Objects go
# to build/sim or build/cuda; the compiler tracks header dependencies. A program
# is described by its prerequisites: the objects and archives that it links.

# One job per core, unless -j says otherwise. Tests wait more than half of their
# time, for programs that hang and for ranks that start late on purpose.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell expr $$(nproc) \
	$(if $(filter test test-all,$(MAKECMDGOALS)),\* 3,))
endif
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
# $$ in prerequisites is expanded for each target: $$* is what % stands for.
.SECONDEXPANSION:
.DEFAULT_GOAL := all

BUILD ?= build$(if $(DEBUG),-debug)
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(firstword \
	$(realpath $(shell command -v nvcc)) $(wildcard /usr/local/cuda/bin/nvcc)))
NVCC ?= $(CUDA_HOME)/bin/nvcc
GPU ?= $(if $(and $(CUDA_HOME),$(wildcard /dev/nvidia0)),cuda,sim)
ifeq ($(filter $(GPU),sim cuda),)
$(error GPU=$(GPU): unknown; use GPU=sim (no GPU needed) or GPU=cuda)
endif

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

O := $(BUILD)/$(GPU)
SIM_HOME := $(BUILD)/simgpu
SIMGPU := $(SIM_HOME)/.complete

# ---- flags ----------------------------------------------------------------

OPT ?= $(if $(DEBUG),-Og,-O2)
SYMBOLS := -g
# With -Og the compiler knows less about values, and these two warnings hit
# correct code. No fused multiply-add, so results and modelled times are the
# same on every machine.
BASE = -Wall -Wextra $(if $(DEBUG),-Wno-format-truncation \
	-Wno-maybe-uninitialized) $(OPT) $(SYMBOLS) -fno-omit-frame-pointer \
	-ffp-contract=off -pthread
# The kit's own code has line numbers for backtraces, and variables if DEBUG.
$(O)/obj/common/%.o $(O)/obj/grader/%.o: SYMBOLS := $(if $(DEBUG),-g,-g1)
# Macros for gdb, but not in preprocessed text, which -g3 fills with
# definitions.
MACROS := $(if $(DEBUG),-g3)
CFLAGS_ALL = -std=gnu11 $(BASE) -Werror -Icommon -MMD -MP $(CFLAGS)
CXXFLAGS_ALL = -std=c++17 $(BASE) -Werror -Icommon -MMD -MP $(CXXFLAGS)
# In students' files. A function whose body is still missing uses none of its
# parameters, variables and helpers; nvcc's own number for that is 177.
UNFINISHED := -Wno-unused-parameter -Wno-unused-variable -Wno-unused-function
# A student's function that ends in a call of the kit's stays on the stack, so a
# report about what the kit did for it has its line.
IN_REPORTS := -fno-optimize-sibling-calls
UNFINISHED_CU := -diag-suppress 177 $(addprefix -Xcompiler ,$(UNFINISHED))
comma := ,
# simgpu needs MPICH. With GPU=cuda, MPI is the one whose mpirun is in the path,
# by the name that pkg-config has for it; MPI=mpich or MPI=ompi-c, which is Open
# MPI, chooses another. Without pkg-config's files, mpicc is asked.
ifeq ($(GPU),sim)
override MPI := mpich
else
MPI ?= $(if $(findstring Open MPI,$(shell mpirun --version 2>&1)),ompi-c,mpich)
endif
mpi_flags = $(or $(shell pkg-config --$(1) $(MPI) 2>/dev/null),$(if $(filter \
	cuda,$(GPU)),$(shell mpicc --showme:$(2) 2>/dev/null)))
# Leave out MPI's C++ bindings, whose library no program here links.
MPI_CFLAGS := $(filter -I% -D%,$(call mpi_flags,cflags,compile)) \
	$(if $(filter mpich,$(MPI)),-DMPICH_SKIP_MPICXX,-DOMPI_SKIP_MPICXX)
# Ubuntu's pkg-config also lists the libraries that libmpich.so links itself,
# but the packages needed to link those aren't installed.
MPI_LIBS := $(filter -L% -Wl$(comma)-rpath% -lmpi%,$(call mpi_flags,libs,link))

# Labs that do not use cuBLAS or the driver do not load them.
CUBLAS_LIB := -Wl,--push-state,--as-needed -lcublas -Wl,--pop-state
CUDA_LIB := -Wl,--push-state,--as-needed -lcuda -Wl,--pop-state
GPU_CFLAGS_sim := -I$(SIM_HOME)/include
GPU_LIBS_sim := -L$(SIM_HOME)/lib $(CUBLAS_LIB) -lnccl $(CUDA_LIB) -lcudart
GPU_CFLAGS_cuda := -isystem $(CUDA_HOME)/include -Icommon/cuda
# libcuda comes with the driver; the toolkit may have a stub for it.
CUDA_DRIVER := $(firstword $(wildcard $(addsuffix /libcuda.so, \
	$(CUDA_HOME)/lib64/stubs $(CUDA_HOME)/lib/stubs \
	/usr/lib/$(shell uname -m)-linux-gnu /usr/lib64 /usr/lib/wsl/lib)))
GPU_LIBS_cuda := -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib \
	-Wl,-rpath,$(CUDA_HOME)/lib64:$(CUDA_HOME)/lib $(CUBLAS_LIB) -lnccl \
	$(subst -lcuda,$(CUDA_DRIVER),$(CUDA_LIB)) -lcudart
NVCC_ARCH ?= -gencode arch=compute_80,code=sm_80 \
	-gencode arch=compute_90,code=[sm_90,compute_90]

# The include path of programs that run on GPUs: labs, tests, the runner.
GPU_INC := $(GPU_CFLAGS_$(GPU)) $(MPI_CFLAGS)

# ---- modules ----------------------------------------------------------------
#
# A module is a static archive, libNAME.a: its sources, and the libraries that
# programs linked with it need. $(call lib,NAME...) are the archives' files.
#
# Objects of the folders in PLAIN are the same for all GPU libraries, so a make
# for another one may be told to use existing ones: PLAIN_O=build/sim. The make
# that tells it so has built them, or with -n only says that it would.

c_in = $(wildcard $(addsuffix /*.c,$(1)))
PLAIN := $(addsuffix /%,common/base common/graph common/judge common/topo grader)
PLAIN_O := $(O)
objs = $(foreach s,$(basename $(1)),$(if $(filter \
	$(PLAIN),$(s)),$(PLAIN_O),$(O))/obj/$(s).o)
ifneq ($(PLAIN_O),$(O))
$(PLAIN_O)/obj/%.o: ;
endif
lib = $(patsubst %,$(O)/lib%.a,$(1))

MODULES := base topo graph judge nnref nn lab grader simgpu simnccl simcuda \
	simcublas simcurand simcufft simnvml simnvshmem tests

base_SRC := $(call c_in,common/base)
topo_SRC := $(call c_in,common/topo common/topo/*)
topo_LIBS := -lexpat
graph_SRC := $(filter-out common/graph/commgraph/%,$(call c_in,common/graph/*))
graph_LIBS := -ldw -lelf
judge_SRC := $(call c_in,common/judge common/judge/graph common/judge/origin)
judge_LIBS := -lyaml -ljansson
# The networks: nnref is what judges need, nn what runs on devices.
nnref_SRC := $(addprefix common/nn/,shape.c draws.c reference.c task.c lm_shape.c \
	lm_reference.c)
nn_SRC := $(filter-out $(nnref_SRC),$(wildcard common/nn/*.c common/nn/*.cu))
lab_SRC := $(call c_in,common/lab)
lab_LIBS := -Wl,@common/lab/meter.wrap
grader_SRC := $(filter-out grader/verbs/main.c,$(call c_in,grader/*))
grader_LIBS := -larchive -lseccomp -lsodium -lsqlite3 -luv \
	-lmicrohttpd
# What no lab uses is in extras/: libraries of its own, and parts of these.
EXTRAS ?= 1
extra = $(if $(filter-out 0,$(EXTRAS)),$(addprefix common/simgpu/extras/,$(1)))
simgpu_SRC := $(call c_in,$(addprefix common/simgpu/,core core/* cudart cudart/* \
	device device/* mpi)) $(wildcard $(call extra,curand/device_*.c texture/texture.c \
	texture/objects.c))
simgpu_LIBS := -ldl
simnccl_SRC := $(call c_in,common/simgpu/nccl $(or $(call \
	extra,profiler),common/simgpu/nccl/without))
simcuda_SRC := $(call c_in,common/simgpu/driver) $(call extra,texture/driver.c)
simcublas_SRC := $(call c_in,common/simgpu/cublas)
simnvshmem_SRC := $(call c_in,$(call extra,nvshmem))
# cublasLt is a separate library that uses cuBLAS's operands.
simcublaslt_SRC := $(call c_in,$(call extra,cublaslt)) $(addprefix \
	common/simgpu/cublas/,blas.c column.c operand.c status.c)
simcurand_SRC := $(filter-out %/device_xorwow.c %/device_mrg32k3a.c,$(call c_in,$(call \
	extra,curand)))
simcufft_SRC := $(call c_in,$(call extra,cufft))
simnvml_SRC := $(call c_in,$(call extra,nvml))
tests_SRC := $(call c_in,tests/support)
# support/suite.c wraps this function to cut suites into slices.
tests_LIBS := -Wl,--wrap=_tcase_add_test $(shell pkg-config --libs check \
	2>/dev/null)

$(call lib,$(MODULES)): $(O)/lib%.a: $$(call objs,$$($$*_SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

# ---- objects ----------------------------------------------------------------

# Print one line for each step.
Q := $(if $(V),,@)
say = @$(if $(V),true,printf '  %-5s %s\n' $(1) $(2))

# Include paths and flags of a folder's sources, besides -Icommon.
$(O)/obj/common/base/%.o: INC = -fPIC $(MPI_CFLAGS)
$(O)/obj/common/graph/%.o $(O)/obj/common/topo/%.o: INC = -fPIC
$(O)/obj/grader/%.o \
	$(addprefix $(O)/obj/common/kit/,check.o plan.o): INC = -I.
$(O)/obj/common/simgpu/%.o: INC = -fPIC -Icommon/simgpu \
	-Icommon/simgpu/include $(addprefix -I,$(call extra,include)) \
	$(MPI_CFLAGS)
# Its functions save every register that they use: the flag keeps these few.
$(O)/obj/common/simgpu/device/hooks_at.o: INC += -mgeneral-regs-only
# Loops that are worth vectorising.
$(O)/obj/common/simgpu/nccl/reduce.o $(O)/obj/common/nn/reference.o \
	$(O)/obj/common/nn/lm_reference.o: OPT := $(if $(DEBUG),$(OPT),-O3)
$(O)/obj/common/lab/%.o $(O)/obj/common/nn/%.o $(O)/obj/common/cuda/%.o \
	$(O)/obj/common/kit/probe.o: INC = $(GPU_INC)

# simgpu's headers are copied before anything is compiled, since any source may
# include them; a .cu file is compiled by nvcc or simnvcc.
ifeq ($(GPU),sim)
GPU_READY := $(SIMGPU)
GPU_HEADERS := $(SIM_HOME)/.headers
CU := $(SIM_HOME)/bin/simnvcc
else
CU_FLAGS = -lineinfo $(NVCC_ARCH)
endif
# nvcc's levels of optimisation are numbers, and it has no -g1.
CU_ALL = $(or $(CU),$(NVCC)) -ccbin $(CXX) -std=c++17 \
	$(if $(DEBUG),-O0 -Xcompiler -Og,$(OPT)) \
	$(SYMBOLS:-g1=-Xcompiler -g1) --extended-lambda $(CU_FLAGS) \
	-Xcompiler -Wall,-Wextra

$(O)/obj/%.o: %.c | $(GPU_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(MACROS) $(INC) -c $< -o $@
$(O)/obj/%.o: %.cpp | $(GPU_HEADERS)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(MACROS) $(INC) -c $< -o $@
$(O)/obj/%.o: %.cu $(CU) | $(GPU_HEADERS)
	@mkdir -p $(@D)
	$(call say,CU,$<)
	$(Q)$(CU_ALL) $(NVCC_WARN) -Icommon $(INC) -MD -MP -MF $(@:.o=.d) \
	    -c $< -o $@

CHECK := $(BUILD)/check

# CHECK needs the preprocessed text of a student's file. The kit's headers count
# as system headers in it, so they can be told from the student's.
PRE_INC = $(patsubst -I%,-isystem %,-Icommon $(INC)) -E $< -o $@
$(O)/obj/%.i: %.c $(O)/obj/%.o
	$(Q)$(CC) $(filter-out -M% -Icommon,$(CFLAGS_ALL)) $(PRE_INC)
$(O)/obj/%.i: %.cu $(O)/obj/%.o
	$(Q)$(CU_ALL) $(PRE_INC)

# ---- programs ---------------------------------------------------------------

# Objects and archives among the prerequisites, and the archives' libraries. Any
# archive may use any other.
linked = $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group
libs = $(strip $(foreach m,$(MODULES),$(if $(filter $(call lib,$(m)),$^),\
	$($(m)_LIBS))) $(LIBS) -lm -pthread)

define link
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(linked) $(libs)
endef

# A program for GPUs is linked as a user would link it: with CUDA or simgpu, and
# MPI. Its path to simgpu is relative, so a build folder can be copied.
rpath = $(if $(filter sim,$(GPU)),-Wl$(comma)-rpath$(comma)'$$ORIGIN/$(shell \
	realpath -m --relative-to=$(@D) $(SIM_HOME)/lib)')
define link_gpu
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) -o $@ $(linked) $(GPU_LIBS_$(GPU)) $(rpath) $(MPI_LIBS) $(libs)
endef

# lines(STRINGS): write a file with a string on each line, if it changes
define lines
	@mkdir -p $(@D)
	@printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
endef

# The libraries that the programs in BUILD link, and where CUDA is. Programs are
# relinked when this changes.
BACKEND := $(BUILD)/backend
$(BACKEND): FORCE
	$(call lines,$(GPU) '$(if $(CU),,$(realpath $(CUDA_HOME)))')

# How the grader compiles and links a submission: shell text, in which $GPU and
# $COMMON are folders of the sandbox (grader/build/compiler.c). The flags are
# the kit's, except that no code of a submission may run before main.
LAB_MODULES := nn lab nnref judge graph topo base
in_sandbox = $(subst $(if $(CU),$(SIM_HOME),$(CUDA_HOME)),$$GPU,$(subst \
	common/,$$COMMON/,$(1:-Icommon=-I$$COMMON)))
TOOLCHAIN := $(O)/toolchain
$(TOOLCHAIN): FORCE
	$(call lines,'cc="$(CC) -std=gnu11 $(BASE) $(UNFINISHED) \
	    $(IN_REPORTS)"' 'cxx="$(CXX)"' \
	    'cu="$(call in_sandbox,$(CU_ALL) $(if $(CU),--no-constructors) \
	    $(UNFINISHED_CU))"' \
	    'headers="$(call in_sandbox,-Icommon $(GPU_INC))"' \
	    'system="$(patsubst -I%,-isystem %,$(call \
	    in_sandbox,-Icommon $(GPU_INC)))"' \
	    'archives="$(if $(CU),,$(LAB_MODULES:%=lib%.a))"' \
	    'kit="$(if $(CU),kit.o kit.contract)"' 'api="kit.api"' \
	    'objects="$(patsubst %.c,%.o,$(call c_in,common/$(GPU)))"' \
	    'libs="$(call in_sandbox,$(GPU_LIBS_$(GPU)) $(if \
	    $(CU),-Wl$(comma)-rpath$(comma)$(SIM_HOME)/lib) $(MPI_LIBS) \
	    $(foreach m,$(LAB_MODULES),$($(m)_LIBS)) -lm -pthread)"')

# ---- simgpu: shared libraries in a prefix of their own ----------------------

# $(call so,NAME,MAJOR,SOURCES,LIBS,PREFIX): a library with the real soname, and
# its unversioned link. Libraries that use libcudart are linked after it. It
# exports the names that begin with PREFIX, under the version node that the real
# library has; NVML and NVSHMEM have none. Without PREFIX, libNAME.map is its
# version script.
map_node = $(if $(filter nvml nvshmem,$(5)),,lib$(1).so.$(2) )
define so
$(SIM_HOME)/lib/lib$(1).so.$(2): $(if $(5),,common/simgpu/lib$(1).map) \
	$(call objs,$(3)) \
	$(if $(filter cudart,$(1)),,| $(SIM_HOME)/lib/libcudart.so.13)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$(if $(5),@echo '$(map_node){ global: $(5)*; local: *; };' > $(O)/lib$(1).map)
	$$(Q)$$(CC) -shared -o $$@ -Wl,-soname,lib$(1).so.$(2) \
	    -Wl,--version-script,$(if $(5),$(O),common/simgpu)/lib$(1).map -Wl,-z,defs \
	    -Wl,-rpath,'$$$$ORIGIN' $$(filter %.o %.a,$$^) $(4) -lm -pthread
	@ln -sf lib$(1).so.$(2) $(SIM_HOME)/lib/lib$(1).so
SIM_LIBRARIES += $(SIM_HOME)/lib/lib$(1).so.$(2)
endef
CUDART := -L$(SIM_HOME)/lib -lcudart
# What libcudart uses at fixed offsets from the thread pointer: device/live.c.
LIVE := common/simgpu/device/live.c
SIM_LIVE := $(SIM_HOME)/lib/libsimgpu_live.so.1
$(SIM_LIVE): $(call objs,$(LIVE))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -o $@ -Wl,-soname,$(@F) $(filter %.o,$^)
SIM_LIBRARIES += $(SIM_LIVE)
$(eval $(call so,cudart,13,$(filter-out $(LIVE),$(simgpu_SRC)),$(SIM_LIVE) \
	$(simgpu_LIBS) $(graph_LIBS) $(topo_LIBS)))
$(SIM_HOME)/lib/libcudart.so.13: | $(SIM_LIVE)
$(SIM_HOME)/lib/libcudart.so.13: $(call lib,graph topo base)
$(eval $(call so,nccl,2,$(simnccl_SRC),$(CUDART)))
$(eval $(call so,cublas,13,$(simcublas_SRC),$(CUDART) -ldl,cublas))
$(eval $(call so,cuda,1,$(simcuda_SRC),$(CUDART)))
ifneq ($(call extra,.),)
$(eval $(call so,cublasLt,13,$(simcublaslt_SRC),$(CUDART) -ldl,cublasLt))
$(eval $(call so,curand,10,$(simcurand_SRC),$(CUDART),curand))
$(eval $(call so,cufft,12,$(simcufft_SRC),$(CUDART),cufft))
$(eval $(call so,nvidia-ml,1,$(simnvml_SRC),$(CUDART),nvml))
$(eval $(call so,nvshmem_host,3,$(simnvshmem_SRC),$(CUDART) $(MPI_LIBS),nvshmem))
endif
# Programs name these libraries (CMake does for C++), but their contents are
# elsewhere: NVSHMEM's device half in libnvshmem_host, CUDA's device runtime in
# libcudart.
SIM_NAMED := $(patsubst %,$(SIM_HOME)/lib/lib%.a,$(if $(call \
	extra,.),nvshmem_device) cudadevrt)
$(SIM_NAMED):
	@mkdir -p $(@D)
	@ar rcs $@
$(SIM_HOME)/lib/libcudart_static.a:
	@mkdir -p $(@D)
	@echo 'INPUT(-lcudart)' > $@ # for ld
SIM_LIBRARIES += $(SIM_NAMED) $(SIM_HOME)/lib/libcudart_static.a
# Whether the prefix has extras. A change takes all libraries away, since those
# that stay have other contents.
WITH_EXTRAS := $(O)/extras
$(WITH_EXTRAS): FORCE
	@mkdir -p $(@D)
	@echo '$(EXTRAS)' | cmp -s - $@ || { rm -f $(SIM_HOME)/lib/lib*; echo '$(EXTRAS)' > $@; }
$(SIM_LIBRARIES) $(SIM_HOME)/.headers: $(WITH_EXTRAS)

SIM_HEADERS := $(addprefix $(SIM_HOME)/include/,$(shell find common/simgpu/include \
	$(call extra,include) -type f -printf '%P\n') simgpu/narrow.h)
# Headers that only include others are lines of a table.
FORWARDS := common/simgpu/forwards $(call extra,forwards)
FORWARDED := $(addprefix $(SIM_HOME)/include/,$(shell awk \
	'/^[a-z]/ { print $$1 }' $(FORWARDS)))
# simgpu and commgraph look for machines in the prefix.
TOPOS := $(patsubst common/topo/machines/%,$(SIM_HOME)/share/topo/%,$(wildcard \
	common/topo/machines/*.xml common/topo/machines/net/*.xml))
simnvcc_SRC := $(call c_in,common/simgpu/simnvcc common/simgpu/simnvcc/ptx)
$(SIM_HOME)/bin/simnvcc: $(call objs,$(simnvcc_SRC) common/base/clex.c)
	$(link)
# Let build systems that expect CUDA's toolkit find it.
CUDA_TARGET := $(if $(filter aarch64,$(shell uname -m)),sbsa,x86_64)-linux
$(SIM_HOME)/bin/nvcc: $(SIM_HOME)/bin/simnvcc
	@ln -sf simnvcc $@
	@ln -sfn lib $(SIM_HOME)/lib64
	@mkdir -p $(SIM_HOME)/targets/$(CUDA_TARGET)
	@ln -sfn ../../lib ../../include $(SIM_HOME)/targets/$(CUDA_TARGET)
	@mkdir -p $(SIM_HOME)/nvvm/libdevice # CMake recognises CUDA's folder by this
$(SIM_HOME)/share/topo/%.xml: common/topo/machines/%.xml
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/include/%: common/simgpu/extras/include/%
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/include/%: common/simgpu/include/%
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/include/simgpu/narrow.h: common/base/narrow.h
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/.headers: $(SIM_HEADERS) common/simgpu/forwards.awk $(FORWARDS)
	@find $(SIM_HOME)/include -type f $(patsubst %,! -path %,$(SIM_HEADERS) \
	    $(FORWARDED)) -delete
	@awk -v to=$(SIM_HOME)/include -f common/simgpu/forwards.awk $(FORWARDS)
	@touch $@
$(SIMGPU): $(SIM_HOME)/.headers $(SIM_HOME)/bin/nvcc $(TOPOS) \
	$(SIM_LIBRARIES)
	@touch $@
# What a lab needs of it: a first build is shorter without the rest.
ifeq ($(GPU),sim)
LAB_READY := $(SIM_HOME)/.headers $(SIM_HOME)/bin/simnvcc $(TOPOS) $(SIM_LIVE) \
	$(SIM_HOME)/lib/libcudart.so.13 $(SIM_HOME)/lib/libnccl.so.2 \
	$(SIM_HOME)/lib/libcublas.so.13 $(SIM_HOME)/lib/libcuda.so.1
endif

# ---- labs -------------------------------------------------------------------
#
# build/labN links labs/LAB and common/staff/LAB, build/solutions/labN links
# solutions/LAB and common/staff/LAB. The staff code is compiled once, because
# the header with the contracts is the same in both.

LABS := $(notdir $(wildcard common/staff/lab?-* common/staff/lab??-*))
short = $(firstword $(subst -, ,$(1)))
code_in = $(wildcard $(addsuffix /*.c,$(1)) $(addsuffix /*.cu,$(1)))
contracts = $(firstword $(wildcard solutions/$(1) labs/$(1)))
full = $(filter $(1)-%,$(LABS))
# The lab that a file of an object folder belongs to.
lab_in = $(lastword $(filter $(LABS),$(subst /, ,$(1))))

# On simgpu the kit's half of a lab is one object, kit.o. It hides all names
# except those in kit.api, which its contracts declare. `student` joins the
# student's objects and hides the names that aren't in kit.contract. So neither
# half can use or replace a name of the other. kit.o has no section groups: for
# an inline function in both halves, the linker would keep one copy, whose name
# the other half can't see.
kit_half = $(if $(filter sim,$(GPU)),$(O)/staff/$(1)/kit.o,$(call objs,$(call \
	code_in,common/staff/$(1))) $(call lib,$(LAB_MODULES)))
# Labs that train no network don't need the networks.
uses_nn = $(shell grep -ls '"nn/' common/staff/$(1)/* $(call contracts,$(1))/*)
modules_of = $(if $(call uses_nn,$(1)),$(LAB_MODULES),$(filter-out nn \
	nnref,$(LAB_MODULES)))
whole = $(filter %/libnn.a %/liblab.a,$(1))
define hide_kit
	@mkdir -p $(@D)
	$(call say,HIDE,$@)
	$(Q)ld -r --force-group-allocation -o $@.all --whole-archive $(call whole,$^) --no-whole-archive \
	    $(filter $(O)/obj/common/%,$^) --start-group $(filter-out \
	    $(call whole,$^),$(filter %.a,$^)) --end-group
	$(Q)common/kit/contract.sh $@.all $(@D) $(filter-out \
	    $(O)/obj/common/%,$(filter %.o,$^))
	$(Q)objcopy --keep-global-symbols=$(@D)/kit.api $@.all $@ && rm $@.all
endef
define hide_student
	@mkdir -p $(@D)
	$(Q)$(CHECK) --given $(filter %/kit.api,$^) --folder $(patsubst \
	    $(O)/joined/%.o,%,$@) --folder common/staff/$(basename $(@F)) \
	    $(foreach o,$(filter $(O)/obj/%.o,$^),$(wildcard $(patsubst \
	    $(O)/obj/%.o,%.c,$(o)) $(patsubst $(O)/obj/%.o,%.cu,$(o))) \
	    $(o:.o=.i) $(o))
	$(Q)ld -r -o $@ $(filter $(O)/obj/%.o,$^)
	$(Q)objcopy --keep-global-symbols=$(filter %/kit.contract,$^) $@
endef

# Half-written code must compile: a warning about a student's file is an error
# only if the code cannot be right.
LENIENT := -Wno-error -Werror=implicit-function-declaration \
	-Werror=int-conversion -Werror=incompatible-pointer-types $(UNFINISHED)
$(O)/obj/labs/%.o: CFLAGS += $(LENIENT)
$(O)/obj/labs/%.o $(O)/obj/solutions/%.o: CFLAGS += $(IN_REPORTS)
$(O)/obj/labs/%.o: override NVCC_WARN := $(UNFINISHED_CU)
$(O)/obj/labs/% $(O)/obj/solutions/%: \
	INC = $(GPU_INC) -Icommon/staff/$(call lab_in,$@)
$(O)/obj/common/staff/%.o: INC = $(GPU_INC) -Icommon/staff/$(call lab_in,$@) \
	-I$(call contracts,$(call lab_in,$@))

programs_of = $(foreach l,$(notdir $(wildcard $(1)/lab*)), \
	$(2)/$(call short,$(l)))
LAB_PROGRAMS := $(call programs_of,labs,$(BUILD))
SOLUTIONS := $(call programs_of,solutions,$(BUILD)/solutions)
# On real GPUs, labs also link common/cuda, as objects: the meter's references
# to it are weak and would pull nothing out of an archive.
lab_parts = $(call objs,$(call c_in,common/$(GPU))) $(call student_half,$(1)/$(2)) \
	$(call kit_half,$(2)) $(BACKEND)
$(LAB_PROGRAMS): $(BUILD)/%: $$(call lab_parts,labs,$$(call full,$$*))
$(SOLUTIONS): $(BUILD)/solutions/%: $$(call lab_parts,solutions,$$(call full,$$*))
$(LAB_PROGRAMS) $(SOLUTIONS): | $(LAB_READY)
	$(link_gpu)
$(LAB_PROGRAMS) $(SOLUTIONS): LIBS := $(foreach m,$(LAB_MODULES),$($(m)_LIBS)) \
	-Wl,-z,relro,-z,now,-z,noexecstack

KIT_API := $(LABS:%=$(O)/staff/%/kit.api)
contract_objs = $(call objs,$(call code_in,$(call contracts,$(1))))
ifeq ($(GPU),sim)
$(O)/obj/labs/%.o $(O)/obj/solutions/%.o: CU_FLAGS = --no-constructors
student_half = $(O)/joined/$(1).o
$(patsubst %,$(O)/joined/%.o,$(wildcard labs/lab* solutions/lab*)): \
	$(O)/joined/%.o: $$(call objs,$$(call code_in,$$*)) \
		$$(addsuffix .i,$$(basename $$(call objs,$$(call code_in,$$*)))) \
		$(O)/staff/$$(notdir $$*)/kit.contract \
		$(O)/staff/$$(notdir $$*)/kit.api | $(CHECK)
	$(hide_student)
$(LABS:%=$(O)/staff/%/kit.o): $(O)/staff/%/kit.o: $$(call objs,$$(call \
		code_in,common/staff/$$*)) $$(call contract_objs,$$*) \
		$$(call lib,$$(call modules_of,$$*)) common/kit/contract.sh
	$(hide_kit)
$(KIT_API): %.api: %.o ;
$(KIT_API:.api=.contract): %.contract: %.o ;
else # the grader needs the interface on real GPUs, too
student_half = $(call objs,$(call code_in,$(1)))
$(KIT_API): $(O)/staff/%/kit.api: $$(call kit_half,$$*) \
		$$(call contract_objs,$$*) common/kit/contract.sh
	@mkdir -p $(@D)
	$(Q)common/kit/contract.sh "$(call kit_half,$*)" $(@D) $(call \
	    contract_objs,$*)
$(LAB_PROGRAMS): $(BUILD)/%: | $(O)/staff/$$(call full,$$*)/kit.api
$(SOLUTIONS): $(BUILD)/solutions/%: | $(O)/staff/$$(call full,$$*)/kit.api
endif

# `make first` builds the program that lab 0 begins with, `make slow` those that
# some labs' task 0 profiles. They and the labs' goals also build what shows
# their runs.
GIVEN := $(patsubst %.cu,%,$(notdir $(wildcard \
	common/staff/lab0-*/first/first.cu common/staff/slow/slow.cu)))
GIVEN_PROGRAMS := $(GIVEN:%=$(BUILD)/%)
.PHONY: $(GIVEN)
$(GIVEN): %: $(BUILD)/% $(BUILD)/commgraph
$(GIVEN_PROGRAMS): $(BUILD)/%: $$(call objs,$$(wildcard \
	common/staff/*/$$*/$$*.cu common/staff/$$*/$$*.cu)) $(BACKEND) | $(LAB_READY)
	$(link_gpu)

# `make lab3` builds build/lab3; `make grade-lab3` grades what is in labs/;
# `make hint-lab3 HINT=2` shows a hint for part 2, and `make DEBUG=1 gdb-lab3
# RANK=2 CASE=...` runs it with rank 2 under gdb; `make predict-lab3` asks for a
# prediction before the code.
SHORT := $(foreach l,$(LABS),$(call short,$(l)))
LAB_GOALS := $(SHORT) $(foreach g,grade hint gdb predict,$(SHORT:%=$(g)-%))
.PHONY: $(LAB_GOALS)
MISSING := $(filter-out $(LAB_GOALS),$(filter lab% grade-lab% hint-lab% \
	gdb-lab% predict-lab%,$(MAKECMDGOALS)))
ifneq ($(MISSING),)
$(error $(firstword $(MISSING)): there is no such lab; the labs are \
    $(SHORT))
endif
$(SHORT): %: $(BUILD)/% $(BUILD)/commgraph
$(SHORT:%=gdb-%): gdb-%: $(BUILD)/%
	@common/kit/gdb-rank.sh "$(or $(RANK),0)" "$(or $(RANKS),4)" $< \
	    $(if $(CASE),--case $(CASE))
$(SHORT:%=hint-%): hint-%:
	@common/kit/hint.sh $* "$(HINT)"
$(SHORT:%=grade-%): grade-%: $(BUILD)/grade $(TOOLCHAIN) $(GPU_READY)
	$(BUILD)/grade run --isolation $$(common/kit/isolation.sh) --lab $* \
	    labs/$(call full,$*)

$(SHORT:%=predict-%): predict-%: $(BUILD)/grade
	@$(BUILD)/grade predict labs/$(call full,$*)/answers.txt

# ---- tools ------------------------------------------------------------------

# The judge of each lab (judge.c and judge_*.c), without the code that calls the
# student's functions. judges.c lists the judges; it changes when a lab is added
# or removed.
JUDGES := $(wildcard $(LABS:%=common/staff/%/judge.c) \
	$(LABS:%=common/staff/%/judge_*.c))
JUDGE_NAMES := $(foreach l,$(LABS),judge_$(call short,$(l)))
judges_c = '\#include "judge/judge.h"' \
	$(JUDGE_NAMES:%='extern const struct judge_lab %;') 'const struct \
	judge_lab *const judge_labs[] = {$(JUDGE_NAMES:%=&%$(comma)) 0};'
$(O)/judges.c: FORCE
	$(call lines,$(judges_c))
$(O)/judges.o: $(O)/judges.c
	$(Q)$(CC) $(CFLAGS_ALL) -c $< -o $@
JUDGE_OBJS := $(O)/judges.o $(call objs,$(JUDGES))

$(BUILD)/grade: $(call objs,grader/verbs/main.c) $(JUDGE_OBJS) \
	$(call lib,grader nnref judge graph topo base) | $(TOPOS)
$(BUILD)/commgraph: $(call objs,$(call c_in,common/graph/commgraph)) \
	$(call lib,graph topo base) | $(TOPOS)
$(BUILD)/commgraph: LIBS := -ljansson
$(O)/obj/common/graph/draw/view_files.o: $(wildcard common/graph/draw/view/*)
$(O)/obj/grader/export/page_files.o: $(wildcard grader/export/page/*)
$(O)/obj/grader/sandbox/sandbox_args.o: grader/sandbox/sandbox_start.sh
$(O)/obj/grader/verbs/verb_doctor.o: grader/verbs/doctor.sh
$(O)/obj/common/base/version.o: common/VERSION
$(CHECK): $(call objs,common/kit/check.c common/base/clex.c \
	$(filter-out %/similar.c,$(call c_in,grader/vet)) grader/base/names.c)
$(CHECK): LIBS := -lelf
$(BUILD)/plan: $(call objs,common/kit/plan.c grader/intake/roster_time.c) \
	$(call lib,judge graph topo base)
TOOLS := $(BUILD)/grade $(BUILD)/commgraph \
	$(if $(wildcard common/kit/plan.c),$(BUILD)/plan)
$(BUILD)/grade $(BUILD)/commgraph $(BUILD)/plan $(CHECK):
	$(link)

# build/probe lists the GPUs that programs find on this machine.
$(BUILD)/probe: $(call objs,common/kit/probe.c) $(BACKEND) | $(GPU_READY)
	$(link_gpu)
$(BUILD)/probe: LIBS := -ljansson -ldl

KIT := $(GPU_READY) $(TOOLCHAIN) $(BUILD)/probe $(TOOLS) $(SOLUTIONS) $(LAB_PROGRAMS) \
	$(GIVEN_PROGRAMS)

include tests/tests.mk

.PHONY: FORCE all help simgpu lint clean lint-format lint-comments lint-english \
	lint-code doctor probe compile_commands pages
# Leave out the seed of new labs, which is not C until @N@ has a value.
C_FILES = $(filter-out common/kit/seed/%,$(shell git ls-files '*.c' '*.h' \
	'*.cu' '*.cuh'))
lint-format:
	@clang-format --dry-run --Werror $(filter-out labs/%,$(C_FILES))
# clang-format does not wrap comments, so this holds them to 80 columns.
SCRIPTS = $(shell git ls-files '*.sh' '*.mk' '*.awk' Makefile .ci/run)
lint-comments:
	@awk 'length > 80 && (FILENAME ~ /\.(c|h|cu|cuh|cpp)$$/ ? \
	    /\/\*|\/\/|^ *\*/ : /^[ \t]*#/) { n++; print FILENAME ":" FNR \
	    ": a comment of " length " columns" } END { exit n > 0 }' \
	    $(filter-out labs/%,$(C_FILES)) $(SCRIPTS)
lint-english:
	@tests/lint/english.sh
# cppcheck does not understand that a call fills what it gets the address of,
# expand macros whose arguments are lists in parentheses, or parse __thread with
# an initial value.
lint-code:
	@cppcheck --quiet --error-exitcode=1 --suppress=legacyUninitvar \
	    --suppress=uninitvar --suppress=ctuuninitvar \
	    --suppress=autoVariables --suppress=preprocessorErrorDirective \
	    --suppress=internalAstError:common/simgpu/device/index.c \
	    '-DNCCL_ALIAS(name)=' '-Djson_array_foreach(a, i, v)=for (;;)' -I. -Icommon $(patsubst %,-Icommon/staff/% \
	    -Isolutions/%,$(LABS)) $(filter common/% grader/% solutions/%, \
	    $(filter %.c,$(C_FILES)))

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
