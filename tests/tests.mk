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
# older header; nor NVSHMEM's; nor NVML's, where a toolkit lacks its header.
ifneq ($(GPU),sim)
PROG_SRC := $(filter-out $(shell echo tests/*/prog_shmem*),$(PROG_SRC))
NCCL_FOUND := $(shell echo NCCL_VERSION_CODE | \
	$(CC) -E -P $(GPU_INC) -include nccl.h - 2>/dev/null | tail -n 1)
ifeq ($(shell [ "0$(NCCL_FOUND)" -ge 23200 ] 2>/dev/null && echo new),)
PROG_SRC := $(filter-out tests/simgpu/prog_nccl32_% tests/runtime/prog_nccl32_% \
	tests/simgpu/prog_nccl_device.% tests/simgpu/prog_nccl_device_% \
	tests/hazards/prog_device_% tests/probes/prog_dev_%,$(PROG_SRC))
endif
ifeq ($(wildcard $(CUDA_HOME)/include/nvml.h),)
PROG_SRC := $(filter-out %/prog_nvml.cu,$(PROG_SRC))
endif
endif
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))
PROGS := $(patsubst tests/%,$(BUILD)/tests/%,$(basename $(PROG_SRC)))

$(O)/obj/tests/%.o: INC = -Itests/support -Icommon/simgpu -Igrader $(GPU_INC)
# Deprecated functions are part of the API too.
$(O)/obj/tests/simgpu/%.o $(O)/obj/tests/runtime/%.o: \
	CFLAGS += -Wno-deprecated-declarations
ifneq ($(GPU),sim)
$(O)/obj/tests/runtime/%.o: CFLAGS += -Wno-clobbered
$(O)/obj/tests/runtime/%.o: INC += -DSAY_CRASHES
$(O)/obj/tests/runtime/%.o: override CU_FLAGS += -Xcompiler -Wno-clobbered
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
$(TIDY_GRADE): $(call objs,grader/main.c tests/grader/tidy.c) $(JUDGE_OBJS) \
	$(call lib,tests grader nnref judge graph topo base) | $(TOPOS) $(BESIDE)
	$(link)
$(BUILD)/tests/simgpu/test_limits: $(call objs,common/simgpu/simnvcc/division.c)
$(addprefix $(BUILD)/tests/simnvcc/test_,drawn rewrite views): $(call objs,$(filter-out \
	%/main.c,$(call c_in,common/simgpu/simnvcc)))
$(BUILD)/tests/graph/test_tool: $(call objs,$(filter-out %/main.c,$(call \
	c_in,common/graph/commgraph)))
$(BUILD)/tests/lab/test_warden: $(call objs,common/lab/warden_calls.c)

# Programs, and what of the kit they link besides their own source.
$(PROGS): $(BUILD)/tests/%: $(O)/obj/tests/%.o $(BACKEND) | $(GPU_READY)
	$(link_gpu)
ifeq ($(GPU),sim) # compiled as labs are
$(O)/obj/tests/probes/prog_unlaunched.o: CU_FLAGS = --no-constructors
$(O)/obj/tests/simgpu/prog_accesses_called.o: CU_FLAGS = -Xcompiler -fPIC
endif
# The real Thrust and CUB take minutes for each architecture, and most of that
# for host code if it is optimised. Where -O2 would warn of our source, it does
# so under simnvcc.
USE_CCCL := $(addprefix tests/probes/prog_,thrust cub cub_more)
$(USE_CCCL:%=$(O)/obj/%.o): NVCC_ARCH = -arch=sm_80
ifneq ($(GPU),sim)
$(USE_CCCL:%=$(O)/obj/%.o): OPT = -O0
endif
# NVSHMEM's programs.
$(foreach p,$(PROGS),$(if $(findstring /prog_shmem,$(p)),$(p))): \
	private LIBS := -lnvshmem_host
$(BUILD)/tests/cublas/prog_cublaslt: private LIBS := -lcublasLt
$(BUILD)/tests/cublas/prog_recorded $(BUILD)/tests/cublas/prog_refused_more: \
	private LIBS := -lcublasLt -lcufft -lcurand
$(addprefix $(BUILD)/tests/curand/prog_curand_,host calls misuse): \
	private LIBS := -lcurand
$(addprefix $(BUILD)/tests/probes/prog_,cufft cufft_plans cufft_fault): \
	private LIBS := -lcufft
$(BUILD)/tests/probes/prog_nvml: private LIBS := -lnvidia-ml
uses = $(addprefix $(BUILD)/tests/,$(1)): $(call lib,$(2)) $(call objs,$(3))
LAB6 := solutions/lab6-peer-bandwidth
STAFF6 := common/staff/lab6-peer-bandwidth
LAB8 := lab8-sharded-training
LAB9 := lab9-long-context
$(call uses,graph/prog_clock $(addprefix simgpu/prog_,accesses accesses_called peers),base)
$(call uses,bench/prog_replay_speed,graph topo base)
$(call uses,bench/prog_recorded,grader nnref judge graph topo base)
$(BUILD)/tests/bench/prog_recorded: $(JUDGE_OBJS)
$(call uses,cublas/prog_cublas,,tests/support/minifloat.c)
$(call uses,lab/prog_sweep lab/prog_runner lab/prog_meter,lab judge graph topo base)
$(call uses,nn/prog_lm torch/prog_dump,nn nnref judge graph topo base)
$(call uses,torch/prog_seq,nn base,$(call code_in,solutions/$(LAB9)) \
	common/staff/$(LAB9)/support.c)
$(call uses,torch/prog_shard,nn nnref judge graph topo base,$(call code_in,solutions/$(LAB8)) \
	$(addprefix common/staff/$(LAB8)/,support.c disk.c norm.cu))
$(call uses,nn/prog_nn,nn nnref judge graph topo base, \
	tests/support/minifloat.c)
$(call uses,nn/prog_attend,nn nnref judge graph topo base)
$(call uses,gpu/prog_ceilings,nn nnref judge graph topo base, \
	common/staff/lab1-collectives/reduce.cu)
$(call uses,labs/prog_lab6,graph topo base,$(LAB6)/infer.c $(LAB6)/schedule.c \
	$(STAFF6)/cards.c $(STAFF6)/peers.c)
$(call uses,labs/prog_lab8,nnref judge graph topo base, \
	$(addprefix solutions/$(LAB8)/,checkpoint.c flat.c))
$(BUILD)/tests/base/prog_simgrid_flows: LIBS := -lsimgrid
$(O)/obj/tests/gpu/prog_%.o: INC = $(GPU_INC) \
	-I$(call contracts,lab1-collectives)
$(O)/obj/tests/labs/prog_lab8.o: INC = $(GPU_INC) \
	-Itests/support -I$(call contracts,$(LAB8))

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
$(BUILD)/mutants: $(call objs,$(addprefix tests/mutate/,mutants.c tokens.c))
	$(call say,LINK,$@)
	$(Q)$(CC) -o $@ $^
$(BUILD)/tests/mutate/test_mutate: | $(BUILD)/mutants
mutate: $(BUILD)/mutants
	@tests/mutate/mutate.sh $< $(BUILD)/mutate '$(N)' '$(SEED)' '$(ONLY)' '$(J)' \
	    '$(MINUTES)'
