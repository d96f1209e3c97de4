# rules.mk: the only build rules; those of tests are in tests/tests.mk
#
#   GPU=sim|cuda   the libraries that programs link: simgpu, or CUDA and NCCL.
#                  Default: cuda where nvcc and a GPU are found, else sim.
#   DEBUG=1        for debuggers: -Og -g3, in a build folder of its own
#   BUILD=dir      output folder (default build, or build-debug)
#   CC, CXX        host compilers; NVCC for GPU=cuda
#   V=1            show the commands
#
# Sources are found by wildcard, so adding a file needs no edit here. Objects go
# to build/sim or build/cuda; the compiler tracks header dependencies. A program
# is described by its prerequisites: the objects and archives that it links.

# One job per core, unless -j says otherwise. Tests also wait, for what hangs
# and for ranks that were told to be late, more than half of their time.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell expr $$(nproc) \
	$(if $(filter test test-all,$(MAKECMDGOALS)),\* 3,))
endif
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
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
# What -Og leaves unknown of values makes these two warn of correct code.
# Results and modelled times are the same on every machine: no fused
# multiply-add.
BASE = -Wall -Wextra $(if $(DEBUG),-Wno-format-truncation \
	-Wno-maybe-uninitialized) $(OPT) $(SYMBOLS) -fno-omit-frame-pointer \
	-ffp-contract=off -pthread
# Of the kit's own code, lines for backtraces: a debug build has its variables.
$(O)/obj/common/%.o $(O)/obj/grader/%.o: SYMBOLS := $(if $(DEBUG),-g,-g1)
# Macros for gdb. Not in preprocessed text, which -g3 fills with definitions.
MACROS := $(if $(DEBUG),-g3)
CFLAGS_ALL = -std=gnu11 $(BASE) -Werror -Icommon -MMD -MP $(CFLAGS)
CXXFLAGS_ALL = -std=c++17 $(BASE) -Werror -Icommon -MMD -MP $(CXXFLAGS)
comma := ,
# Without MPI's C++ bindings, whose library nothing here is linked with.
MPI_CFLAGS := $(shell pkg-config --cflags mpich 2>/dev/null) -DMPICH_SKIP_MPICXX
# Ubuntu names what libmpich.so itself is linked with, too, but doesn't install
# what linking with that takes.
MPI_LIBS := $(filter -L% -Wl$(comma)-rpath% -lmpi%, \
	$(shell pkg-config --libs mpich 2>/dev/null))

# Labs that do not use cuBLAS or the driver do not load them.
CUBLAS_LIB := -Wl,--push-state,--as-needed -lcublas -Wl,--pop-state
CUDA_LIB := -Wl,--push-state,--as-needed -lcuda -Wl,--pop-state
GPU_CFLAGS_sim := -I$(SIM_HOME)/include
GPU_LIBS_sim := -L$(SIM_HOME)/lib $(CUBLAS_LIB) -lnccl $(CUDA_LIB) -lcudart
GPU_CFLAGS_cuda := -isystem $(CUDA_HOME)/include -Icommon/cuda
# libcuda comes with the driver; the toolkit may have a stub of it.
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
# A module is a static archive, libNAME.a: its sources, and the libraries that a
# program that links it needs. $(call lib,NAME...) are the archives' files.
#
# Objects of the folders in PLAIN are the same for all GPU libraries. A make for
# another one may be told to take those that are there: PLAIN_O=build/sim.

c_in = $(wildcard $(addsuffix /*.c,$(1)))
PLAIN := $(addsuffix /%,common/base common/graph common/judge common/topo grader)
PLAIN_O := $(O)
objs = $(foreach s,$(basename $(1)),$(if $(filter \
	$(PLAIN),$(s)),$(PLAIN_O),$(O))/obj/$(s).o)
lib = $(patsubst %,$(O)/lib%.a,$(1))

MODULES := base topo graph judge nnref nn lab grader simgpu simnccl simcuda \
	simcublas simcurand simcufft simnvml simnvshmem tests

base_SRC := $(call c_in,common/base)
topo_SRC := $(call c_in,common/topo)
topo_LIBS := -lexpat
graph_SRC := $(call c_in,common/graph)
graph_LIBS := -ldw -lelf
judge_SRC := $(call c_in,common/judge)
judge_LIBS := -lyaml -ljansson
# The network: what its judges need, and what runs on devices.
nnref_SRC := $(addprefix common/nn/,shape.c draws.c reference.c task.c lm_shape.c \
	lm_reference.c)
nn_SRC := $(filter-out $(nnref_SRC),$(wildcard common/nn/*.c common/nn/*.cu))
lab_SRC := $(call c_in,common/lab)
lab_LIBS := -Wl,@common/lab/meter.wrap
grader_SRC := $(filter-out grader/main.c,$(call c_in,grader))
grader_LIBS := -larchive -lseccomp -lsodium -lsqlite3 -luv
simgpu_SRC := $(call c_in,$(addprefix common/simgpu/,core cudart device mpi))
simgpu_LIBS := -ldl
simnccl_SRC := $(call c_in,common/simgpu/nccl)
simcuda_SRC := $(call c_in,common/simgpu/driver)
simnvshmem_SRC := $(call c_in,common/simgpu/nvshmem)
# cublasLt is a library of its own, with cuBLAS's operands.
simcublas_SRC := $(filter-out %/lt_check.c %/lt_desc.c %/lt_matmul.c,$(call c_in, \
	common/simgpu/cublas))
simcublaslt_SRC := $(addprefix common/simgpu/cublas/,lt_check.c lt_desc.c lt_matmul.c \
	blas.c column.c operand.c status.c)
simcurand_SRC := $(call c_in,common/simgpu/curand)
simcufft_SRC := $(call c_in,common/simgpu/cufft)
simnvml_SRC := $(call c_in,common/simgpu/nvml)
tests_SRC := $(call c_in,tests/support)
# support/suite.c cuts suites into slices.
tests_LIBS := -Wl,--wrap=_tcase_add_test $(shell pkg-config --libs check \
	2>/dev/null)

$(foreach m,$(MODULES),$(eval $(call lib,$(m)): $(call objs,$($(m)_SRC))))
$(call lib,$(MODULES)):
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

# ---- objects ----------------------------------------------------------------

# A line for each step.
Q := $(if $(V),,@)
say = @$(if $(V),true,printf '  %-5s %s\n' $(1) $(2))

# Include paths and flags of a folder's sources, besides -Icommon.
$(O)/obj/common/base/%.o: INC = -fPIC $(MPI_CFLAGS)
$(O)/obj/common/graph/%.o $(O)/obj/common/topo/%.o: INC = -fPIC
$(O)/obj/common/simgpu/%.o: INC = -fPIC -Icommon/simgpu \
	-Icommon/simgpu/include $(MPI_CFLAGS)
# Its functions preserve all registers: these are few then.
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
CU_ALL = $(or $(CU),$(NVCC)) -ccbin $(CXX) -std=c++17 $(OPT) $(SYMBOLS) \
	$(CU_FLAGS) -Xcompiler -Wall,-Wextra

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

# What the preprocessor makes of a student's file, for CHECK: where the kit's
# headers are the system's, and not the student's.
PRE_INC = $(patsubst -I%,-isystem %,-Icommon $(INC)) -E $< -o $@
$(O)/obj/%.i: %.c $(O)/obj/%.o
	$(Q)$(CC) $(filter-out -M% -Icommon,$(CFLAGS_ALL)) $(PRE_INC)
$(O)/obj/%.i: %.cu $(O)/obj/%.o
	$(Q)$(CU_ALL) $(PRE_INC)

# ---- programs ---------------------------------------------------------------

# Objects and archives among the prerequisites, and the archives' libraries. An
# archive may use any other.
linked = $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group
libs = $(strip $(foreach m,$(MODULES),$(if $(filter $(call lib,$(m)),$^),\
	$($(m)_LIBS))) $(LIBS) -lm -pthread)

define link
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(linked) $(libs)
endef

# A program for GPUs is linked as a user links it: with CUDA or simgpu, and MPI.
# Its path to simgpu is relative, so that a build folder can be copied.
rpath = $(if $(filter sim,$(GPU)),-Wl$(comma)-rpath$(comma)'$$ORIGIN/$(shell \
	realpath -m --relative-to=$(@D) $(SIM_HOME)/lib)')
define link_gpu
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) -o $@ $(linked) $(GPU_LIBS_$(GPU)) $(rpath) $(MPI_LIBS) $(libs)
endef

# lines(STRINGS): a file with a string on each line, written when it changes
define lines
	@mkdir -p $(@D)
	@printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
endef

# Which libraries the programs in BUILD link, and where CUDA is. When that
# changes, they are linked again.
BACKEND := $(BUILD)/backend
$(BACKEND): FORCE
	$(call lines,$(GPU) '$(if $(CU),,$(realpath $(CUDA_HOME)))')

# How the grader compiles and links a submission: shell text, in which $GPU and
# $COMMON are folders of the sandbox (grader/compiler.c). The flags are those of
# the kit, but no code of a submission runs before main.
LAB_MODULES := nn lab nnref judge graph topo base
in_sandbox = $(subst $(if $(CU),$(SIM_HOME),$(CUDA_HOME)),$$GPU,$(subst \
	common/,$$COMMON/,$(1:-Icommon=-I$$COMMON)))
TOOLCHAIN := $(O)/toolchain
$(TOOLCHAIN): FORCE
	$(call lines,'cc="$(CC) -std=gnu11 $(BASE)"' 'cxx="$(CXX)"' \
	    'cu="$(call in_sandbox,$(CU_ALL) $(if $(CU),--no-constructors))"' \
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

# $(call so,NAME,MAJOR,SOURCES,LIBS): a library with its real soname and its
# unversioned link. Those that use libcudart are linked after it.
define so
$(SIM_HOME)/lib/lib$(1).so.$(2): common/simgpu/lib$(1).map $(call objs,$(3)) \
	$(if $(filter cudart,$(1)),,| $(SIM_HOME)/lib/libcudart.so.13)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) -shared -o $$@ -Wl,-soname,lib$(1).so.$(2) \
	    -Wl,--version-script,common/simgpu/lib$(1).map -Wl,-z,defs \
	    -Wl,-rpath,'$$$$ORIGIN' $$(filter %.o %.a,$$^) $(4) -lm -pthread
	@ln -sf lib$(1).so.$(2) $(SIM_HOME)/lib/lib$(1).so
SIM_LIBRARIES += $(SIM_HOME)/lib/lib$(1).so.$(2)
endef
CUDART := -L$(SIM_HOME)/lib -lcudart
$(eval $(call so,cudart,13,$(simgpu_SRC),$(simgpu_LIBS) $(graph_LIBS) \
	$(topo_LIBS)))
$(SIM_HOME)/lib/libcudart.so.13: $(call lib,graph topo base)
$(eval $(call so,nccl,2,$(simnccl_SRC),$(CUDART)))
$(eval $(call so,cublas,13,$(simcublas_SRC),$(CUDART) -ldl))
$(eval $(call so,cublasLt,13,$(simcublaslt_SRC),$(CUDART) -ldl))
$(eval $(call so,curand,10,$(simcurand_SRC),$(CUDART)))
$(eval $(call so,cufft,12,$(simcufft_SRC),$(CUDART)))
$(eval $(call so,nvidia-ml,1,$(simnvml_SRC),$(CUDART)))
$(eval $(call so,cuda,1,$(simcuda_SRC),$(CUDART)))
$(eval $(call so,nvshmem_host,3,$(simnvshmem_SRC),$(CUDART) $(MPI_LIBS)))
# Device code's half of NVSHMEM is in the same library, CUDA's device runtime in
# libcudart: these are only named, as CMake does where C++ links.
SIM_NAMED := $(patsubst %,$(SIM_HOME)/lib/lib%.a,nvshmem_device cudadevrt)
$(SIM_NAMED):
	@mkdir -p $(@D)
	@ar rcs $@
$(SIM_HOME)/lib/libcudart_static.a:
	@mkdir -p $(@D)
	@echo 'INPUT(-lcudart)' > $@ # for ld
SIM_LIBRARIES += $(SIM_NAMED) $(SIM_HOME)/lib/libcudart_static.a

SIM_HEADERS := $(patsubst common/simgpu/%,$(SIM_HOME)/%,$(shell find \
	common/simgpu/include -type f)) $(SIM_HOME)/include/simgpu/narrow.h
# Machines: simgpu and commgraph look for them in the prefix.
TOPOS := $(patsubst common/topo/%,$(SIM_HOME)/share/topo/%,$(wildcard \
	common/topo/*.xml common/topo/net/*.xml))
$(SIM_HOME)/bin/simnvcc: $(call objs,$(call c_in,common/simgpu/simnvcc))
	$(link)
# Build systems that know CUDA's toolkit find their way.
$(SIM_HOME)/bin/nvcc: $(SIM_HOME)/bin/simnvcc
	@ln -sf simnvcc $@
	@ln -sfn lib $(SIM_HOME)/lib64
	@mkdir -p $(SIM_HOME)/nvvm/libdevice # by which CMake knows CUDA's folder
$(SIM_HOME)/share/topo/%.xml: common/topo/%.xml
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/include/%: common/simgpu/include/%
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/include/simgpu/narrow.h: common/base/narrow.h
	@mkdir -p $(@D)
	@cp $< $@
$(SIM_HOME)/.headers: $(SIM_HEADERS)
	@find $(SIM_HOME)/include -type f $(patsubst %,! -path %,$^) -delete
	@touch $@
$(SIMGPU): $(SIM_HOME)/.headers $(SIM_HOME)/bin/nvcc $(TOPOS) \
	$(SIM_LIBRARIES)
	@touch $@

# ---- labs -------------------------------------------------------------------
#
# build/labN links labs/LAB and common/staff/LAB, build/solutions/labN links
# solutions/LAB and common/staff/LAB. The staff code is compiled once: the
# header with the contracts is the same in both.

LABS := $(notdir $(wildcard common/staff/lab*))
short = $(firstword $(subst -, ,$(1)))
code_in = $(wildcard $(addsuffix /*.c,$(1)) $(addsuffix /*.cu,$(1)))
contracts = $(firstword $(wildcard solutions/$(1) labs/$(1)))

# On simgpu the kit's half of a lab is one object, kit.o, whose names are hidden
# but for kit.api: what its contracts declare. Of a student's half, the names
# that are not in kit.contract are hidden (students' objects are joined by
# `student`), so neither half can meet, or take the place of, the other's.
# kit.o has no section groups: the linker would keep only one half's copy of an
# inline function, whose name the other half cannot see.
kit_half = $(if $(filter sim,$(GPU)),$(O)/staff/$(1)/kit.o,$(call objs,$(call \
	code_in,common/staff/$(1))) $(call lib,$(LAB_MODULES)))
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

# Half-written code compiles: in a student's files a warning, such as an unused
# variable, is no error, unless it is a mistake for certain.
LENIENT_labs := -Wno-error -Werror=implicit-function-declaration \
	-Werror=int-conversion -Werror=incompatible-pointer-types

# lab_program(HOME,LAB,PROGRAM)
define lab_program
$(O)/obj/$(1)/$(2)/%.o: CFLAGS += $(LENIENT_$(1))
$(if $(LENIENT_$(1)),$(O)/obj/$(1)/$(2)/%.o: override NVCC_WARN :=)
$(O)/obj/$(1)/$(2)/%.o $(O)/obj/$(1)/$(2)/%.i: \
	INC = $(GPU_INC) -Icommon/staff/$(2)
ifeq ($(GPU),sim)
$(O)/obj/$(1)/$(2)/%.o: CU_FLAGS = --no-constructors
$(O)/joined/$(1)/$(2).o: $(call objs,$(call code_in,$(1)/$(2))) \
		$(patsubst %.o,%.i,$(call objs,$(call code_in,$(1)/$(2)))) \
		$(O)/staff/$(2)/kit.contract $(O)/staff/$(2)/kit.api | $(CHECK)
	$$(hide_student)
$(3): $(O)/joined/$(1)/$(2).o
else
$(3): $(call objs,$(call code_in,$(1)/$(2))) | $(O)/staff/$(2)/kit.api
endif
$(3): $(call kit_half,$(2))
endef
# `make lab3` builds build/lab3; `make grade-lab3` grades what is in labs/;
# `make hint-lab3 HINT=2` shows a hint for part 2, and `make DEBUG=1 gdb-lab3
# RANK=2 CASE=...` runs it with rank 2 under gdb.
define lab
$(O)/obj/common/staff/$(1)/%.o: INC = $(GPU_INC) -Icommon/staff/$(1) \
	-I$(call contracts,$(1))
ifeq ($(GPU),sim)
$(O)/staff/$(1)/kit.o: $(call objs,$(call code_in,common/staff/$(1) \
		$(call contracts,$(1)))) $(call lib,$(LAB_MODULES)) \
		common/kit/contract.sh
	$$(hide_kit)
$(O)/staff/$(1)/kit.contract $(O)/staff/$(1)/kit.api: $(O)/staff/$(1)/kit.o ;
else # the grader has to know the interface here, too
$(O)/staff/$(1)/kit.api: $(call kit_half,$(1)) $(call objs,$(call code_in,$(call \
		contracts,$(1)))) common/kit/contract.sh
	@mkdir -p $$(@D)
	$$(Q)common/kit/contract.sh "$(call kit_half,$(1))" $$(@D) $(call \
	    objs,$(call code_in,$(call contracts,$(1))))
endif
$(call lab_program,labs,$(1),$(BUILD)/$(2))
$(call lab_program,solutions,$(1),$(BUILD)/solutions/$(2))
.PHONY: $(2) grade-$(2) hint-$(2) gdb-$(2)
$(2): $(BUILD)/$(2)
gdb-$(2): $(BUILD)/$(2)
	@common/kit/gdb-rank.sh "$$(or $$(RANK),0)" "$$(or $$(RANKS),4)" $(BUILD)/$(2) \
	    $$(if $$(CASE),--case $$(CASE))
hint-$(2):
	@common/kit/hint.sh $(2) "$$(HINT)"
grade-$(2): $(BUILD)/grade $(TOOLCHAIN) $(GPU_READY)
	$(BUILD)/grade run --isolation $$$$(common/kit/isolation.sh) --lab $(2) \
	    labs/$(1)
endef
$(foreach l,$(LABS),$(eval $(call lab,$(l),$(call short,$(l)))))

programs_of = $(foreach l,$(notdir $(wildcard $(1)/lab*)), \
	$(2)/$(call short,$(l)))
LAB_PROGRAMS := $(call programs_of,labs,$(BUILD))
SOLUTIONS := $(call programs_of,solutions,$(BUILD)/solutions)
# Labs on real GPUs also link common/cuda, as objects: the meter's references to
# them are weak, and would take nothing out of an archive.
$(LAB_PROGRAMS) $(SOLUTIONS): $(call objs,$(call c_in,common/$(GPU))) \
	$(BACKEND) | $(GPU_READY)
	$(link_gpu)
$(LAB_PROGRAMS) $(SOLUTIONS): LIBS := $(foreach m,$(LAB_MODULES),$($(m)_LIBS)) \
	-Wl,-z,relro,-z,now,-z,noexecstack

# ---- tools ------------------------------------------------------------------

# The judge of each lab (judge.c and judge_*.c), without the code that calls the
# student's functions. judges.c lists them; it changes when a lab comes or goes.
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

$(BUILD)/grade: $(call objs,grader/main.c) $(JUDGE_OBJS) \
	$(call lib,grader nnref judge graph topo base) | $(TOPOS)
$(BUILD)/commgraph: $(call objs,$(call c_in,common/graph/commgraph)) \
	$(call lib,graph topo base) | $(TOPOS)
$(BUILD)/commgraph: LIBS := -ljansson
$(O)/obj/common/graph/view_files.o: $(wildcard common/graph/view/*)
$(CHECK): $(call objs,common/kit/check.c $(addprefix grader/,vet.c tokens.c \
	skipped.c lexer.c audit.c audit_machine.c audit_nvcc.c allow.c \
	allow_source.c allow_advice.c names.c))
$(CHECK): LIBS := -lelf
$(BUILD)/plan: $(call objs,common/kit/plan.c) $(call lib,judge graph topo base)
TOOLS := $(BUILD)/grade $(BUILD)/commgraph \
	$(if $(wildcard common/kit/plan.c),$(BUILD)/plan)
$(BUILD)/grade $(BUILD)/commgraph $(BUILD)/plan $(CHECK):
	$(link)

# The GPUs that programs find on this machine.
$(BUILD)/probe: $(call objs,common/kit/probe.c) $(BACKEND) | $(GPU_READY)
	$(link_gpu)
$(BUILD)/probe: LIBS := -ljansson -ldl

KIT := $(GPU_READY) $(TOOLCHAIN) $(BUILD)/probe $(TOOLS) $(SOLUTIONS) $(LAB_PROGRAMS)

include tests/tests.mk

.PHONY: FORCE all help simgpu lint clean lint-format lint-comments lint-code \
	doctor probe compile_commands pages
# The seed of new labs is left out: it is not C until @N@ is a name.
C_FILES = $(filter-out common/kit/seed/%,$(shell git ls-files '*.c' '*.h' \
	'*.cu' '*.cuh'))
lint-format:
	@clang-format --dry-run --Werror $(filter-out labs/%,$(C_FILES))
# clang-format leaves comments alone: they are held to 80 columns here.
SCRIPTS = $(shell git ls-files '*.sh' '*.mk' '*.awk' Makefile .ci/run)
lint-comments:
	@awk 'length > 80 && (FILENAME ~ /\.(c|h|cu|cuh|cpp)$$/ ? \
	    /\/\*|\/\/|^ *\*/ : /^[ \t]*#/) { n++; print FILENAME ":" FNR \
	    ": a comment of " length " columns" } END { exit n > 0 }' \
	    $(filter-out labs/%,$(C_FILES)) $(SCRIPTS)
# cppcheck does not see that a call fills what it gets the address of, and does
# not expand macros whose arguments are lists in parentheses.
lint-code:
	@cppcheck --quiet --error-exitcode=1 --suppress=legacyUninitvar \
	    --suppress=uninitvar --suppress=ctuuninitvar \
	    --suppress=autoVariables --suppress=preprocessorErrorDirective \
	    '-DNCCL_ALIAS(name)=' '-Djson_array_foreach(a, i, v)=for (;;)' -Icommon $(patsubst %,-Icommon/staff/% \
	    -Isolutions/%,$(LABS)) $(filter common/% grader/% solutions/%, \
	    $(filter %.c,$(C_FILES)))

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
