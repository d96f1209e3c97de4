# tests.mk: how tests are built; included by common/rules.mk
#
# run.mk says how they are run, suites.mk what each depends on.
#
# tests/MODULE/test_*.c     Check programs, linked with our static archives
# tests/MODULE/prog_*.c...  programs that tests start: linked as a user links
#                           (.c .cpp .cu; against build/simgpu or CUDA, MPI)

TEST_SRC := $(wildcard tests/*/test_*.c)
PROG_SRC := $(wildcard tests/*/prog_*.c tests/*/prog_*.cpp tests/*/prog_*.cu)
# Not those for NCCL 2.32, the device API among them, where GPU=cuda finds an
# older header; nor NVSHMEM's; nor NVML's, where a toolkit lacks its header; nor
# one for Open MPI's mpi-ext.h, where MPI is another; nor kernels that no GPU
# could run, or none before sm_90.
ifneq ($(GPU),sim)
PROG_SRC := $(filter-out $(shell echo tests/*/prog_shmem*),$(PROG_SRC))
PROG_SRC := $(filter-out tests/simgpu/prog_library.cu tests/hazards/prog_cluster.cu,$(PROG_SRC))
NCCL_FOUND := $(shell echo NCCL_VERSION_CODE | \
	$(CC) -E -P $(GPU_INC) -include nccl.h - 2>/dev/null | tail -n 1)
ifeq ($(shell [ "0$(NCCL_FOUND)" -ge 23200 ] 2>/dev/null && echo new),)
PROG_SRC := $(filter-out tests/simgpu/prog_nccl32_% tests/runtime/prog_nccl32_% tests/extras/prog_nccl32_% \
	tests/simgpu/prog_nccl_device.% tests/simgpu/prog_nccl_device_% \
	tests/hazards/prog_device_% tests/probes/prog_dev_%,$(PROG_SRC))
endif
ifeq ($(wildcard $(addsuffix /mpi-ext.h,$(patsubst -I%,%,$(filter -I%,$(MPI_CFLAGS))))),)
PROG_SRC := $(filter-out %/prog_mpi_ext.c,$(PROG_SRC))
endif
ifeq ($(wildcard $(CUDA_HOME)/include/nvml.h),)
PROG_SRC := $(filter-out %/prog_nvml.cu,$(PROG_SRC))
endif
endif
# Not those of extras, and the programs that name a library of them, where the
# build has none.
ifeq ($(call extra,.),)
TEST_SRC := $(filter-out tests/extras/%,$(TEST_SRC))
PROG_SRC := $(filter-out tests/extras/% tests/cublas/prog_recorded.c \
	tests/cublas/prog_refused_more.c tests/hazards/prog_shmem.cu,$(PROG_SRC))
endif
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))
PROGS := $(patsubst tests/%,$(BUILD)/tests/%,$(basename $(PROG_SRC)))

$(O)/obj/tests/%.o: INC = -Itests/support -Icommon/simgpu -I. $(GPU_INC)
# Deprecated functions are part of the API too.
$(O)/obj/tests/simgpu/%.o $(O)/obj/tests/runtime/%.o $(O)/obj/tests/extras/%.o: \
	CFLAGS += -Wno-deprecated-declarations
ifneq ($(GPU),sim)
$(O)/obj/tests/runtime/%.o: CFLAGS += -Wno-clobbered
$(O)/obj/tests/runtime/%.o: INC += -DSAY_CRASHES
$(O)/obj/tests/runtime/%.o: override CU_FLAGS += -Xcompiler -Wno-clobbered
endif

# A kernel of it launches another one.
ifeq ($(GPU),sim)
$(O)/obj/tests/probes/prog_failed_later.o: CU_FLAGS += -rdc=true
endif

# Suites run once: what they test is compiled as it is used, they are compiled
# fast.
$(TESTS:$(BUILD)/%=$(O)/obj/%.o): SYMBOLS := $(if $(DEBUG),-g,-g1)
$(TESTS:$(BUILD)/%=$(O)/obj/%.o): OPT := $(if $(DEBUG),-Og,-O1)
$(TESTS): $(BUILD)/tests/%: $(O)/obj/tests/%.o $(call lib,tests simnccl simgpu \
	nnref judge graph topo base) | $(TOPOS)
	$(link)
# What the grader compiles with lies beside its own program: for a suite that
# has the grader's code in itself, too.
BESIDE := $(addprefix $(BUILD)/tests/grader/,backend sim cuda simgpu)
$(BESIDE):
	@mkdir -p $(@D)
	@ln -sfn ../../$(@F) $@
$(filter $(BUILD)/tests/grader/%,$(TESTS)): | $(BESIDE)
$(filter $(BUILD)/tests/grader/%,$(TESTS)): $(call lib,grader) $(JUDGE_OBJS)
# grade, as it is, and a check at its end that it has freed and closed all.
TIDY_GRADE := $(BUILD)/tests/grader/grade
$(TIDY_GRADE): $(call objs,grader/verbs/main.c tests/grader/tidy.c) $(JUDGE_OBJS) \
	$(call lib,tests grader nnref judge graph topo base) | $(TOPOS) $(BESIDE)
	$(link)
$(BUILD)/tests/simgpu/test_limits: $(call objs,common/simgpu/simnvcc/division.c)
$(addprefix $(BUILD)/tests/simnvcc/test_,direct drawn rewrite views): $(call objs,$(filter-out \
	%/main.c,$(simnvcc_SRC)))
$(BUILD)/tests/graph/test_tool: $(call objs,$(filter-out %/main.c,$(call \
	c_in,common/graph/commgraph)))
$(BUILD)/tests/lab/test_warden: $(call objs,common/lab/warden_calls.c)

# A program's first lines say what it links besides its own source and GPU_LIBS:
#   /* links: nn base judges -lcufft solutions/lab9-long-context/
# That is modules of rules.mk, the judges of all labs, libraries, sources or
# folders of them, and what simnvcc would tell the linker.
# LINKS has PROGRAM:WORD for each word.
LINKS := $(shell awk 'FNR == 1 { head = 1; p = FILENAME; gsub("^tests/|[.].*", \
	"", p) } head && (head = sub(/.*links: /, "")) { sub("[*]/", ""); \
	for (i = 1; i <= NF; i++) print p ":" $$i }' $(PROG_SRC))
links = $(patsubst $(1):%,%,$(filter $(1):%,$(LINKS)))
linked_files = $(call lib,$(filter $(MODULES),$(1))) $(call objs,$(filter \
	%.c %.cu,$(1)) $(call code_in,$(patsubst %/,%,$(filter %/,$(1))))) \
	$(if $(filter judges,$(1)),$(JUDGE_OBJS))
$(PROGS): $(BUILD)/tests/%: $(O)/obj/tests/%.o $(BACKEND) \
	$$(call linked_files,$$(call links,$$*)) | $(GPU_READY)
	$(link_gpu)
$(PROGS): private LIBS = $(filter -l% $(if $(filter sim,$(GPU)),-Wl%),$(call links,$(@:$(BUILD)/tests/%=%)))
ifeq ($(GPU),sim) # compiled as labs are
$(O)/obj/tests/probes/prog_unlaunched.o \
	$(O)/obj/tests/simgpu/prog_library.o: CU_FLAGS = --no-constructors
# Their kernels call functions of the host's library, as a cheat might.
$(O)/obj/tests/simgpu/prog_library.o \
	$(O)/obj/tests/simgpu/prog_nccl_device_faults.o: export SIMNVCC_CLANG =
$(O)/obj/tests/simgpu/prog_accesses_called.o: CU_FLAGS = -Xcompiler -fPIC
endif
# The real Thrust and CUB take minutes for each architecture, and most of that
# for host code if it is optimised. Where -O2 would warn of our source, it does
# so under simnvcc.
USE_CCCL := $(addprefix tests/extras/prog_,thrust cub cub_more)
$(USE_CCCL:%=$(O)/obj/%.o): NVCC_ARCH = -arch=sm_80
ifneq ($(GPU),sim)
$(USE_CCCL:%=$(O)/obj/%.o): OPT = -O0
endif
LAB8 := lab8-sharded-training
LAB9 := lab9-long-context
$(O)/obj/tests/gpu/prog_%.o: INC = $(GPU_INC) \
	-I$(call contracts,lab1-collectives)
$(O)/obj/tests/simgpu/prog_host_memory.o: INC = --extended-lambda -Itests/support
$(O)/obj/tests/probes/prog_dev_lsa.o \
	$(O)/obj/tests/extras/prog_thrust.o: INC += --extended-lambda
$(O)/obj/tests/labs/prog_lab8.o: INC = $(GPU_INC) \
	-Itests/support -I$(call contracts,$(LAB8))

curve_lab = $(O)/obj/tests/labs/prog_curve_$(1).o: INC = $(GPU_INC) \
	-Itests/labs -Icommon/staff/$(2) -I$(call contracts,$(2))
$(eval $(call curve_lab,ddp,lab3-ddp-overlap))
$(eval $(call curve_lab,tensor,lab4-tensor-pipeline))
$(eval $(call curve_lab,shard,$(LAB8)))
$(eval $(call curve_lab,ring,$(LAB9)))
$(O)/obj/tests/torch/prog_shard.o: INC = $(GPU_INC) -I$(call contracts,$(LAB8))
$(O)/obj/tests/torch/prog_seq.o: INC = $(GPU_INC) \
	-Icommon/staff/$(LAB9) -I$(call contracts,$(LAB9))

$(BUILD)/tests/guard: $(O)/obj/tests/guard.o $(call lib,base)
	$(link)
include tests/run.mk

.PHONY: programs bench
programs: $(PROGS)
bench: all $(PROGS)
	@tests/bench.sh $(BUILD)

# ---- on real GPUs: a build of its own, so that none is disturbed ----------

# The programs of tests/gpu/programs.txt that GPUs can run, and those beside it.
GPU_PROGS := $(addprefix $(BUILD)/tests/,$(shell awk \
	'$$2 ~ /[0-9]/ { print $$1 }' tests/gpu/programs.txt 2>/dev/null)) \
	$(filter $(addprefix $(BUILD)/tests/,conformance/% gpu/% runtime/%),$(PROGS))
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

# ---- tests of the tests: mutants of the kit's code --------------------------

# N mutants of ONLY, drawn by SEED; J at a time, for MINUTES. See
# tests/mutate/mutate.sh.
.PHONY: mutate
$(BUILD)/mutants: $(call objs,$(addprefix tests/mutate/,mutants.c tokens.c) \
	common/base/clex.c)
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^
$(BUILD)/tests/mutate/test_mutate: | $(BUILD)/mutants
mutate: $(BUILD)/mutants
	@tests/mutate/mutate.sh $< $(BUILD)/mutate '$(N)' '$(SEED)' '$(ONLY)' '$(J)' \
	    '$(MINUTES)'
