# rules.mk: the only build rules
#
#   GPU=sim|cuda   which libraries programs link: our simgpu, or CUDA and NCCL.
#                  Default: cuda where nvcc and a GPU are found, else sim.
#   BUILD=dir      where everything goes (default build)
#   CC, CXX        host compilers; NVCC for GPU=cuda
#
# A folder's sources are found by wildcard, so adding a file needs no edit
# here. Objects lie in build/sim or build/cuda, header dependencies are tracked
# by the compiler, programs are build/lab1, build/solutions/lab1, build/grade.

# As many jobs as there are cores, unless -j says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

BUILD ?= build
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(firstword \
	$(realpath $(shell command -v nvcc)) $(wildcard /usr/local/cuda/bin/nvcc)))
NVCC ?= $(CUDA_HOME)/bin/nvcc
GPU ?= $(if $(and $(CUDA_HOME),$(wildcard /dev/nvidia0)),cuda,sim)
ifeq ($(filter $(GPU),sim cuda),)
$(error GPU=$(GPU) is not known: use GPU=sim (no GPU needed) or GPU=cuda)
endif

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

O := $(BUILD)/$(GPU)
PREFIX := $(BUILD)/simgpu

# ---- flags ----------------------------------------------------------------

WARN := -Wall -Wextra -Werror
OPT ?= -O2
BASE = $(OPT) -g -fno-omit-frame-pointer -pthread -Icommon -MMD -MP
MPI_CFLAGS := $(shell pkg-config --cflags mpich 2>/dev/null)
MPI_LIBS := $(shell pkg-config --libs mpich 2>/dev/null)
CFLAGS_ALL = -std=gnu11 $(WARN) $(BASE) $(CFLAGS)
CXXFLAGS_ALL = -std=c++17 $(WARN) $(BASE) $(CXXFLAGS)

GPU_CFLAGS_sim := -I$(PREFIX)/include
# A lab that makes no use of cuBLAS, or of the driver, does not load it.
CUBLAS_LIB := -Wl,--push-state,--as-needed -lcublas -Wl,--pop-state
CUDA_LIB := -Wl,--push-state,--as-needed -lcuda -Wl,--pop-state
GPU_LIBS_sim := -L$(PREFIX)/lib $(CUBLAS_LIB) -lnccl \
	$(CUDA_LIB) -lcudart
GPU_CFLAGS_cuda := -isystem $(CUDA_HOME)/include -Icommon/cuda
# The driver's library comes with a driver; the toolkit may have a stub of it.
CUDA_DRIVER := $(firstword $(wildcard $(addsuffix /libcuda.so, \
	$(CUDA_HOME)/lib64/stubs $(CUDA_HOME)/lib/stubs \
	/usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib/wsl/lib)))
GPU_LIBS_cuda := -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib \
	-Wl,-rpath,$(CUDA_HOME)/lib64:$(CUDA_HOME)/lib $(CUBLAS_LIB) -lnccl \
	$(subst -lcuda,$(CUDA_DRIVER),$(CUDA_LIB)) -lcudart
GPU_CFLAGS := $(GPU_CFLAGS_$(GPU))
GPU_LIBS := $(GPU_LIBS_$(GPU))
NVCC_ARCH ?= -gencode arch=compute_80,code=sm_80 \
	-gencode arch=compute_90,code=[sm_90,compute_90]

# A line for each step; V=1 shows the commands.
Q := $(if $(V),,@)
say = @$(if $(V),true,printf '  %-5s %s\n' $(1) $(2))

c_in = $(wildcard $(addsuffix /*.c,$(1)))
objs = $(patsubst %,$(O)/obj/%.o,$(basename $(1)))

# ---- static archives: one for each module that others link ----------------

GRAPH_SRC := $(call c_in,common/graph common/topo)
JUDGE_SRC := $(call c_in,common/judge)
LAB_SRC := $(call c_in,common/lab)
# The network: what runs on devices, and what judges it.
NNREF_SRC := $(addprefix common/nn/,shape.c reference.c task.c)
NN_SRC := $(filter-out $(NNREF_SRC),$(wildcard common/nn/*.c common/nn/*.cu))
GRADER_SRC := $(filter-out grader/main.c,$(call c_in,grader))
SIM_SRC := $(call c_in,$(addprefix common/simgpu/,core cudart device mpi))
DRIVER_SRC := $(call c_in,common/simgpu/driver)
NCCL_SRC := $(call c_in,common/simgpu/nccl)
CUBLAS_SRC := $(call c_in,common/simgpu/cublas)

ARCHIVES := graph judge lab nn nnref grader simgpu simnccl
$(O)/libgraph.a: $(call objs,$(GRAPH_SRC))
$(O)/libjudge.a: $(call objs,$(JUDGE_SRC))
$(O)/liblab.a: $(call objs,$(LAB_SRC))
$(O)/libnn.a: $(call objs,$(NN_SRC))
$(O)/libnnref.a: $(call objs,$(NNREF_SRC))
$(O)/libgrader.a: $(call objs,$(GRADER_SRC))
$(O)/libsimgpu.a: $(call objs,$(SIM_SRC))
$(O)/libsimnccl.a: $(call objs,$(NCCL_SRC))
$(ARCHIVES:%=$(O)/lib%.a):
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

# Sources that see the GPU's headers, and simgpu's own, which also see its core.
$(O)/obj/common/lab/%.o $(O)/obj/common/cuda/%.o: INC = $(GPU_CFLAGS) \
	$(MPI_CFLAGS)
$(O)/obj/common/nn/%.o: INC = $(GPU_CFLAGS) $(MPI_CFLAGS)
# The same bits everywhere: no multiply-add that the source does not ask for.
$(O)/obj/common/graph/%.o $(O)/obj/common/topo/%.o: INC = -fPIC \
	-ffp-contract=off
$(O)/obj/common/simgpu/%.o: INC = -fPIC -Icommon/simgpu \
	-Icommon/simgpu/include $(MPI_CFLAGS)
$(O)/obj/solutions/%.o $(O)/obj/labs/%.o: INC = $(GPU_CFLAGS) $(MPI_CFLAGS)
$(O)/obj/tests/%.o: INC = -Itests/support -Icommon/simgpu -Igrader \
	$(GPU_CFLAGS) $(MPI_CFLAGS)

$(O)/obj/common/simgpu/nccl/reduce.o: OPT = -O3

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(INC) -c $< -o $@
$(O)/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(INC) -c $< -o $@

# A .cu file: nvcc for real GPUs, simnvcc elsewhere.
CU_sim = $(PREFIX)/bin/simnvcc -ccbin $(CXX) -std=c++17 $(OPT) -g \
	-Xcompiler -Wall,-Wextra
CU_cuda = $(NVCC) -ccbin $(CXX) -std=c++17 $(OPT) -g -lineinfo $(NVCC_ARCH) \
	-Xcompiler -Wall,-Wextra $(NVCC_WARN)
$(O)/obj/%.o: %.cu
	@mkdir -p $(@D)
	$(call say,CU,$<)
	$(Q)$(CU_$(GPU)) -Icommon $(INC) -MD -MF $(@:.o=.d) -c $< -o $@
ifeq ($(GPU),sim)
$(patsubst %,$(O)/obj/%.o,$(basename $(shell find common solutions labs tests \
	-name '*.cu' 2>/dev/null))): $(PREFIX)/bin/simnvcc
endif

# ---- simgpu: shared libraries in a prefix of their own ---------------------

SIMGPU := $(PREFIX)/.complete
SIM_LIBS := -lexpat -ldw -lelf -ldl -pthread -lm

# so(name,major,link): a library with its real soname and unversioned link.
define so
$(PREFIX)/lib/lib$(1).so.$(2): common/simgpu/lib$(1).map
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) -shared -o $$@ -Wl,-soname,lib$(1).so.$(2) \
	    -Wl,--version-script,common/simgpu/lib$(1).map -Wl,-z,defs \
	    -Wl,-rpath,'$$$$ORIGIN' $$(filter %.o,$$^) $(3)
	@ln -sf lib$(1).so.$(2) $(PREFIX)/lib/lib$(1).so
endef
$(eval $(call so,cudart,13,$(SIM_LIBS)))
$(eval $(call so,nccl,2,-L$(PREFIX)/lib -lcudart -pthread -lm))
$(eval $(call so,cublas,13,-L$(PREFIX)/lib -lcudart -lopenblas -lm))
$(eval $(call so,cuda,1,-L$(PREFIX)/lib -lcudart))
$(PREFIX)/lib/libcudart.so.13: $(call objs,$(SIM_SRC) $(GRAPH_SRC))
$(PREFIX)/lib/libnccl.so.2: $(call objs,$(NCCL_SRC)) \
	| $(PREFIX)/lib/libcudart.so.13
$(PREFIX)/lib/libcuda.so.1: $(call objs,$(DRIVER_SRC)) \
	| $(PREFIX)/lib/libcudart.so.13
$(PREFIX)/lib/libcublas.so.13: $(call objs,$(CUBLAS_SRC)) \
	| $(PREFIX)/lib/libcudart.so.13

SIM_HEADERS := $(shell find common/simgpu/include -type f)
# The machines: simgpu and commgraph look for them in the prefix.
TOPOS := $(patsubst common/topo/%,$(PREFIX)/share/topo/%,$(wildcard \
	common/topo/*.xml))
$(PREFIX)/bin/simnvcc: $(call objs,$(call c_in,common/simgpu/simnvcc))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $^ -o $@
$(PREFIX)/share/topo/%.xml: common/topo/%.xml
	@mkdir -p $(@D)
	@cp $< $@
$(PREFIX)/.headers: $(SIM_HEADERS)
	@mkdir -p $(@D)
	@rm -rf $(PREFIX)/include
	cp -r common/simgpu/include $(PREFIX)/include
	@touch $@
$(SIMGPU): $(PREFIX)/.headers $(PREFIX)/bin/simnvcc $(TOPOS) \
	$(PREFIX)/lib/libcudart.so.13 $(PREFIX)/lib/libnccl.so.2 \
	$(PREFIX)/lib/libcublas.so.13 $(PREFIX)/lib/libcuda.so.1
	@touch $@
ifeq ($(GPU),sim)
GPU_READY := $(SIMGPU)
$(O)/obj/common/kit/probe.o $(call objs,$(LAB_SRC) $(NN_SRC)) $(call objs, \
	$(wildcard solutions/*/*.c labs/*/*.c solutions/*/*.cu labs/*/*.cu)): | $(PREFIX)/.headers
endif

# ---- backend ------------------------------------------------------------------

# Which library programs in BUILD are linked with, and what the grader compiles
# submissions for GPUs with. It changes with GPU, and then they are linked anew.
BACKEND := $(BUILD)/backend
BACKEND_IS := $(GPU)\n$(if $(filter cuda,$(GPU)),$(realpath \
	$(CUDA_HOME)))\n$(if $(filter cuda,$(GPU)),$(NVCC_ARCH))\n
$(BACKEND): FORCE
	@mkdir -p $(@D)
	@printf '$(BACKEND_IS)' | cmp -s - $@ 2>/dev/null || \
	    printf '$(BACKEND_IS)' > $@

# ---- labs -------------------------------------------------------------------

LABS := $(patsubst solutions/%,%,$(wildcard solutions/lab*))
ifeq ($(LABS),)
LABS := $(patsubst labs/%,%,$(wildcard labs/lab*))
endif
short = $(firstword $(subst -, ,$(1)))

LAB_ARCHIVES := $(addprefix $(O)/lib,nn.a lab.a nnref.a judge.a graph.a)
# What only real GPUs' labs need: no archive, since the meter's references to it
# are weak, and would take nothing out of one.
CUDA_SRC := $(call c_in,common/$(GPU))
# lab_program(folder,program): everything in a lab's folder, and the runner
define lab_program
$(2): $$(call objs,$$(wildcard $(1)/*.c $(1)/*.cu) $(CUDA_SRC)) $(LAB_ARCHIVES) \
	$(BACKEND) | $(GPU_READY)
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$$(CXX) -o $$@ $$(filter %.o,$$^) $(LAB_ARCHIVES) \
	    -Wl,@common/lab/meter.wrap $(GPU_LIBS) $(3) $(MPI_LIBS) \
	    $(JUDGE_LIBS) -lm -pthread
endef
# The judge replays graphs, on machines that are XML.
JUDGE_LIBS := -lyaml -ljansson -lexpat -ldw -lelf -lm
comma := ,
RPATH_top := $(if $(filter sim,$(GPU)),-Wl$(comma)-rpath$(comma)'$$$$ORIGIN/simgpu/lib')
RPATH_sub := $(if $(filter sim,$(GPU)),-Wl$(comma)-rpath$(comma)'$$$$ORIGIN/../simgpu/lib')
$(foreach l,$(LABS),$(if $(wildcard labs/$(l)),$(eval $(call \
	lab_program,labs/$(l),$(BUILD)/$(call short,$(l)),$(RPATH_top)))))
$(foreach l,$(LABS),$(if $(wildcard solutions/$(l)),$(eval $(call \
	lab_program,solutions/$(l),$(BUILD)/solutions/$(call short,$(l)),$(RPATH_sub)))))

LAB_PROGRAMS := $(foreach l,$(LABS),$(if $(wildcard labs/$(l)),$(BUILD)/$(call short,$(l))))
SOLUTIONS := $(foreach l,$(LABS),$(if $(wildcard solutions/$(l)),$(BUILD)/solutions/$(call short,$(l))))

# `make lab3` builds build/lab3; `make grade-lab3` grades what is in labs/.
.PHONY: $(foreach l,$(LABS),$(call short,$(l)) grade-$(call short,$(l)))
$(foreach l,$(LABS),$(eval $(call short,$(l)): $(BUILD)/$(call short,$(l))))
$(foreach l,$(LABS),$(eval grade-$(call short,$(l)): $(BUILD)/grade $(GPU_READY) ; \
	$(BUILD)/grade run --lab $(call short,$(l)) labs/$(l)))

# ---- tools ------------------------------------------------------------------

# The judge of each lab (judge.c and judge_*.c), without the code that calls the
# student's functions; judges.c lists them, written anew when a lab comes or
# goes.
JUDGES := $(foreach l,$(LABS),$(firstword \
	$(wildcard solutions/$(l)/judge.c labs/$(l)/judge.c)))
JUDGE_NAMES := $(foreach f,$(JUDGES),judge_$(call short,$(notdir $(f:/judge.c=))))
JUDGES += $(wildcard $(JUDGES:judge.c=judge_*.c))
judges_c = \#include "judge/judge.h"\n$(foreach j,$(JUDGE_NAMES),extern \
	const struct judge_lab $j;\n)const struct judge_lab *const \
	judge_labs[] = {$(foreach j,$(JUDGE_NAMES),&$j,) 0};\n
GRADER_LIBS := $(JUDGE_LIBS) -lelf -larchive -lseccomp -lsodium -lsqlite3 \
	-luv -lm -pthread
$(O)/judges.c: FORCE
	@mkdir -p $(@D)
	@printf '$(judges_c)' | cmp -s - $@ 2>/dev/null || printf '$(judges_c)' > $@
$(O)/judges.o: $(O)/judges.c
	$(Q)$(CC) $(CFLAGS_ALL) -c $< -o $@
$(BUILD)/grade: $(call objs,$(wildcard grader/main.c) $(JUDGES)) \
	$(O)/judges.o $(addprefix $(O)/lib,grader.a nnref.a judge.a graph.a) \
	| $(TOPOS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(GRADER_LIBS)
$(BUILD)/commgraph: $(call objs,$(call c_in,common/graph/commgraph)) \
	$(O)/libgraph.a | $(TOPOS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ -lexpat -ljansson -ldw -lelf -lm -pthread

$(BUILD)/plan: $(call objs,$(wildcard common/kit/plan.c)) $(O)/libjudge.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^ $(JUDGE_LIBS)

# What programs find on this machine: linked as labs are.
$(O)/obj/common/kit/probe.o: INC = $(GPU_CFLAGS) $(MPI_CFLAGS)
$(BUILD)/probe: $(O)/obj/common/kit/probe.o $(BACKEND) | $(GPU_READY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $< $(GPU_LIBS) $(subst $$$$,$$,$(RPATH_top)) \
	    $(MPI_LIBS) -ljansson -ldl

TOOLS := $(BUILD)/probe $(BUILD)/grade \
	$(if $(wildcard common/kit/plan.c),$(BUILD)/plan) \
	$(if $(wildcard common/graph/commgraph/*.c),$(BUILD)/commgraph)
KIT := $(if $(filter sim,$(GPU)),$(SIMGPU)) $(TOOLS) $(SOLUTIONS) $(LAB_PROGRAMS)

# ---- tests ------------------------------------------------------------------
#
# tests/MODULE/test_*.c     Check programs, linked with our static archives
# tests/MODULE/prog_*.c...  programs that tests start: linked as a user links
#                           (.c .cpp .cu; against build/simgpu or CUDA, MPI)

TEST_SRC := $(wildcard tests/*/test_*.c)
PROG_SRC := $(wildcard tests/*/prog_*.c tests/*/prog_*.cpp tests/*/prog_*.cu)
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))
PROGS := $(patsubst tests/%,$(BUILD)/tests/%,$(basename $(PROG_SRC)))
SUPPORT_OBJ := $(call objs,$(call c_in,tests/support))
CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null)
TEST_ARCHIVES := $(addprefix $(O)/,libsimnccl.a libsimgpu.a libgraph.a \
	libnnref.a libjudge.a)

$(TESTS): $(BUILD)/tests/%: $(O)/obj/tests/%.o $(SUPPORT_OBJ) $(TEST_ARCHIVES) \
	| $(TOPOS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) \
	    -Wl,--end-group $(CHECK_LIBS) $(JUDGE_LIBS) $(SIM_LIBS) $(TEST_LIBS)
GRADER_TESTS := $(filter $(BUILD)/tests/grader/%,$(TESTS))
$(GRADER_TESTS): TEST_LIBS := $(GRADER_LIBS)
$(GRADER_TESTS): $(O)/libgrader.a $(O)/judges.o $(call objs,$(JUDGES))
$(PROGS): $(BUILD)/tests/%: $(O)/obj/tests/%.o $(BACKEND) | $(GPU_READY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CXX) -o $@ $< $(PROG_LIBS) $(GPU_LIBS) \
	    $(MPI_LIBS) -Wl,-rpath,$(abspath $(PREFIX)/lib) -lm -pthread
$(BUILD)/tests/graph/prog_simgrid_flows: PROG_LIBS := -lsimgrid
$(addprefix $(BUILD)/tests/,graph/prog_clock simgpu/prog_peers): PROG_LIBS := \
	$(O)/obj/common/lab/must.o
$(addprefix $(BUILD)/tests/,graph/prog_clock simgpu/prog_peers): \
	$(O)/obj/common/lab/must.o
LAB_ARCHIVES := $(addprefix $(O)/lib,lab.a judge.a graph.a)
$(addprefix $(BUILD)/tests/lab/prog_,sweep runner): PROG_LIBS := \
	$(LAB_ARCHIVES) $(JUDGE_LIBS) \
	-Wl,@common/lab/meter.wrap
$(addprefix $(BUILD)/tests/lab/prog_,sweep runner): $(LAB_ARCHIVES)
NN_ARCHIVES := $(addprefix $(O)/lib,nn.a nnref.a judge.a graph.a)
LAB6_PURE := $(call objs,$(addprefix solutions/lab6-peer-bandwidth/,infer.c \
	schedule.c cards.c peers.c)) $(O)/libgraph.a
$(BUILD)/tests/labs/prog_lab6: PROG_LIBS := $(LAB6_PURE) -lexpat -ldw -lelf
$(BUILD)/tests/labs/prog_lab6: $(LAB6_PURE)
$(BUILD)/tests/nn/prog_nn: PROG_LIBS := $(NN_ARCHIVES) $(JUDGE_LIBS)
$(BUILD)/tests/nn/prog_nn: $(NN_ARCHIVES)
LAB1 := $(firstword $(wildcard solutions/lab1-collectives \
	labs/lab1-collectives))
CEILINGS_OBJ := $(NN_ARCHIVES) $(call objs,$(LAB1)/reduce.cu \
	common/lab/must.c)
$(O)/obj/tests/gpu/prog_%.o: INC = -I$(LAB1) $(GPU_CFLAGS) $(MPI_CFLAGS)
$(BUILD)/tests/gpu/prog_ceilings: PROG_LIBS := $(filter %.o,$(CEILINGS_OBJ)) \
	$(NN_ARCHIVES) $(JUDGE_LIBS)
$(BUILD)/tests/gpu/prog_ceilings: $(CEILINGS_OBJ)
$(BUILD)/tests/cublas/prog_cublas: PROG_LIBS := $(O)/libjudge.a $(JUDGE_LIBS)
$(BUILD)/tests/cublas/prog_cublas: $(O)/libjudge.a
$(BUILD)/tests/bench/prog_replay_speed: PROG_LIBS := $(O)/libgraph.a \
	-lexpat -ldw -lelf
$(BUILD)/tests/bench/prog_replay_speed: $(O)/libgraph.a
$(call objs,$(PROG_SRC) $(TEST_SRC)): | $(if $(filter sim,$(GPU)),$(PREFIX)/.headers)

# GPU=cuda has to build and link without a warning wherever the toolkit is, GPU
# or not: labs, solutions, mutants, and the programs of tests, none left out.
.PHONY: test fuzz bench cuda-links programs
test: all $(TESTS) $(PROGS) cuda-links
	@$(if $(filter sim,$(GPU)),tests/real-libraries.sh $(BUILD) $(CUDA_HOME))
	@tests/run.sh $(TESTS)
programs: $(PROGS)
cuda-links:
	@$(if $(and $(CUDA_HOME),$(wildcard $(CUDA_HOME)/include/nccl.h)),\
	    $(MAKE) GPU=cuda BUILD=$(BUILD)/with-cuda all programs \
	        NVCC_WARN="-Werror all-warnings -Xcompiler -Werror",\
	    echo "skipped: GPU=cuda build (no CUDA toolkit with NCCL here)")
	@tests/cuda-mutants.sh $(CUDA_HOME)
	@tests/cuda-kernels.sh $(CUDA_HOME)
bench: all $(PROGS)
	@tests/bench.sh $(BUILD)

# ---- on real GPUs: a build of its own, so that none is disturbed ---------------

# The programs of tests/gpu/programs.txt that GPUs can run, and those beside it.
GPU_PROGS := $(addprefix $(BUILD)/tests/,$(shell awk '$$2 ~ /[0-9]/ { print $$1 }' \
	tests/gpu/programs.txt 2>/dev/null)) $(filter $(BUILD)/tests/conformance/% \
	$(BUILD)/tests/gpu/%,$(PROGS))
# Deprecated functions are the API too.
$(O)/obj/tests/simgpu/%.o: CFLAGS += -Wno-deprecated-declarations
.PHONY: test-gpu sanitize bench-gpu gpu-build gpu-programs
gpu-programs: $(BUILD)/probe $(LAB_PROGRAMS) $(SOLUTIONS) $(sort $(GPU_PROGS))
gpu-build:
	@$(if $(and $(CUDA_HOME),$(wildcard $(CUDA_HOME)/include/nccl.h \
	    /usr/include/nccl.h)),$(MAKE) GPU=cuda BUILD=$(BUILD)/gpu gpu-programs,\
	    echo "skipped: GPU=cuda build (no CUDA toolkit with NCCL here)")
test-gpu: gpu-build
	@tests/gpu/test-gpu.sh $(BUILD)/gpu
sanitize: gpu-build
	@tests/gpu/sanitize.sh $(BUILD)/gpu
bench-gpu: gpu-build
	@tests/gpu/bench-gpu.sh $(BUILD)/gpu

.PHONY: FORCE all help quickstart simgpu solutions lint clean lint-format \
	lint-code doctor probe
# Not the seed of new labs, which is no C before its @N@ is a name.
C_FILES = $(filter-out common/kit/seed/%,$(shell git ls-files '*.c' '*.h' \
	'*.cu' '*.cuh'))
lint-format:
	@clang-format --dry-run --Werror $(filter-out labs/%,$(C_FILES))
# cppcheck doesn't see that a call fills what it gets the address of.
lint-code:
	@cppcheck --quiet --error-exitcode=1 --suppress=legacyUninitvar \
	    --suppress=uninitvar --suppress=autoVariables \
	    '-DNCCL_ALIAS(name)=' -Icommon $(filter common/% grader/% \
	    solutions/%,$(filter %.c,$(C_FILES)))

# Objects are kept: make would delete those it takes for intermediate.
.SECONDARY:
-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
