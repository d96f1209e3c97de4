# run.mk: which suites run, in which order, and what each waits for
#
#   make test                     what is new, failed, or depends on a change
#   make test-all                 everything
#   make test TEST="graph labs/lab3"   these, changed or not, building no more
#                                 than they need
#
# suites.mk has a line for each suite, tests/run.sh runs them.

.PHONY: test test-all test-begin cuda-links
RUN := $(BUILD)/tests/run
RUN_SH := TEST_RUN=$(RUN) TEST_GUARD=$(BUILD)/tests/guard \
	ALWAYS="$(ALWAYS)$(TEST)" CC="$(CC)" tests/run.sh

# ---- the words of suites.mk --------------------------------------------------

need_machines := $(TOPOS)
need_sim := $(SIMGPU) $(addprefix $(SIM_HOME)/,lib/libcudart.so.13 lib/libnccl.so.2 \
	lib/libcublas.so.13 lib/libcublasLt.so.13 lib/libcurand.so.10 lib/libcuda.so.1 \
	lib/libcufft.so.12 lib/libnvidia-ml.so.1 bin/simnvcc) common/simgpu/include \
	$(TOPOS)
need_commgraph := $(BUILD)/commgraph $(TOPOS)
need_plan := $(BUILD)/plan grader/plans
need_probe := $(BUILD)/probe $(need_sim)
# What submissions are compiled and linked with; staff code comes with its lab.
need_grade := $(BUILD)/grade $(TOOLCHAIN) $(BACKEND) grader/plans $(addprefix common/,base cuda \
	judge lab nn) $(call lib,nn lab nnref judge graph topo base) \
	$(need_sim)
need_tidy-grade := $(TIDY_GRADE) $(need_grade)
define need_lab
need_$(call short,$(1)) := $(wildcard $(addsuffix /$(1),labs solutions \
	common/staff tests/mutants tests/twins)) $(filter %/$(call short,$(1)),$(SOLUTIONS) \
	$(LAB_PROGRAMS)) $(call objs,$(call code_in,common/staff/$(1))) $(need_sim)
endef
$(foreach l,$(LABS),$(eval $(call need_lab,$(l))))
need_cuda := $(wildcard $(addprefix $(CUDA_HOME)/,version.json include/nccl.h))
need_code := $(wildcard .ci Makefile common grader labs solutions tests) $(KIT) \
	$(PROGS) $(need_grade)
need_everything := $(need_code) $(wildcard README.md handouts)

# ---- the table ---------------------------------------------------------------

# What these stand for, each by a path (which has a dot or a slash) or a word.
paths = $(foreach n,$(1),$(if $(findstring /,$(n))$(findstring .,$(n)),$(n),$(or \
	$(need_$(n)),$(error suites.mk: there is no need_$(n)))))

# suite(name,seconds,needs), if it is in this copy of the kit
test_of = $(subst /,/test_,$(1))
define suite_line
SUITES += $(1)
seconds_$(1) := $(2)
command_$(1) := $(BUILD)/tests/$(call test_of,$(1))
needs_$(1) = $$(command_$(1)) $(filter-out $(TEST_SRC) $(PROG_SRC),$(wildcard \
	tests/$(dir $(1))*)) $$(call paths,$(3)) $(if $(filter sim,$(3)),$(filter \
	$(BUILD)/tests/$(dir $(1))%,$(PROGS)))
endef
suite = $(if $(wildcard tests/$(call test_of,$(1)).c),$(eval $(suite_line)))

# page(file,seconds): what a handout shows is checked page by page, so that a
# changed line costs its page alone
define page_line
SUITES += $(1)
seconds_$(1) := $(2)
whole_$(1) := 1
command_$(1) := tests/handouts/page.sh $(3)
needs_$(1) = $$(call paths,code) $(3) $(wildcard handouts/figures) \
	tests/handouts/page.sh
endef
page = $(if $(and $(filter sim,$(GPU)),$(wildcard solutions),$(wildcard $(1))),\
	$(eval $(call page_line,pages/$(basename $(notdir $(1))),$(2),$(1))))

# script(name,seconds,needs): one slice, whatever it takes, unless suites.mk
# says that it deals what it does by SUITE_SLICE
define script_line
SUITES += $(1)
seconds_$(1) := $(2)
whole_$(1) := 1
command_$(1) := tests/$(1).sh $(BUILD) $(CUDA_HOME)
needs_$(1) = $$(call paths,$(3)) tests/$(1).sh
endef
script = $(if $(and $(filter sim,$(GPU)),$(wildcard solutions)),$(eval $(script_line)))

SUITES :=
include tests/suites.mk
ALL_SUITES := $(subst /test_,/,$(TEST_SRC:tests/%.c=%))
$(foreach s,$(filter-out $(SUITES),$(ALL_SUITES)),$(call suite,$(s),60,$(if \
	$(filter labs/%,$(s)),$(s:labs/%=%) grade plan,everything)))

# ---- this run ----------------------------------------------------------------

# TEST names suites, or folders of them.
CHOSEN := $(if $(TEST),$(foreach t,$(subst /test_,/,$(TEST)),$(or $(filter $(t) \
	$(t)/%,$(SUITES)),$(error TEST=$(t): there are $(sort $(SUITES))))),$(SUITES))
# "suite:slices", the longest first.
SLICED := $(shell printf '%s\n' $(foreach s,$(CHOSEN),$(s):$(seconds_$(s)):$(whole_$(s))) | \
	sort -t : -k 2,2nr -k 1,1 | awk -F : -v sec=$(SLICE_SEC) '{ \
	print $$1 ":" ($$3 ? 1 : int(($$2 + sec - 1) / sec)) }')
name_of = $(firstword $(subst :, ,$(1)))
nslices_of = $(lastword $(subst :, ,$(1)))
NUMBERS := 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
slices = $(foreach i,$(wordlist 1,$(call nslices_of,$(1)),$(NUMBERS)),test/$(call \
	name_of,$(1))/$(i))

# suite_rules(name,slices): a key from what it needs, then each slice
define suite_rules
.PHONY: $(call slices,$(1):$(2))
$(RUN)/key/$(1): $(filter $(BUILD)/%,$(needs_$(1))) $(BUILD)/tests/guard FORCE \
	| test-begin
	@$(RUN_SH) key $(1) $(needs_$(1))
$(call slices,$(1):$(2)): test/$(1)/%: $(RUN)/key/$(1)
	@$(RUN_SH) slice $(1) $$*/$(2) $(or $(DEADLINE),1800) $(command_$(1))
endef
ifneq ($(filter test,$(MAKECMDGOALS)),)
$(foreach s,$(SLICED),$(eval $(call suite_rules,$(call name_of,$(s)),$(call \
	nslices_of,$(s)))))
endif

# needs/SUITE builds what a suite needs, and no more.
NEEDED := $(patsubst needs/%,%,$(filter needs/%,$(MAKECMDGOALS)))
.PHONY: $(addprefix needs/,$(NEEDED))
$(foreach s,$(NEEDED),$(eval needs/$(s): $(filter $(BUILD)/%,\
	$(or $(needs_$(s)),$(error needs/$(s): no such suite)))))

test-begin:
	@$(RUN_SH) begin $(SLICED)
# nvcc takes a minute for some programs: they come first, not after all suites.
test: $(if $(TEST),,cuda-links) $(foreach s,$(SLICED),$(call slices,$(s))) \
	$(if $(TEST),,all programs)
	@$(RUN_SH) report
test-all:              ## all tests, also where nothing has changed
	@$(MAKE) test ALWAYS=1

# GPU=cuda has to build and link without a warning wherever the toolkit is, GPU
# or not: labs, solutions, mutants, and the programs of tests, none left out.
# What no header of CUDA's is in is not compiled again.
#
# None of its kernels ever run, so they are compiled as fast as nvcc can: its
# front ends and ptxas still see each line, and cuda-kernels.sh looks at
# optimised code. Host code stays at -O2, on which gcc's warnings depend.
# Kernels that do not ask for the architecture are the same source for all:
# they are compiled for the oldest, which has the fewest features.
HEADERS_OF = $(wildcard $(addsuffix /*.h,$(1)) $(addsuffix /*.cuh,$(1)))
FOR_EACH_ARCH = $(shell grep -ls __CUDA_ARCH__ $< $(call HEADERS_OF,$(<D) $(sort \
	$(filter-out common/simgpu/,$(dir $(wildcard common/*/*.*h common/staff/*/*.*h \
	solutions/*/*.*h labs/*/*.*h))) tests/support)))
#
# Thrust and CUB are made of small functions: inlining none of them saves cicc
# less than it costs ptxas.
UNRUN_CICC = $(if $(filter $(USE_CCCL:%=%.cu),$<),$(CICC_FASTEST:max=mid),$(CICC_FASTEST))
UNRUN_CU_FLAGS = $(if $(FOR_EACH_ARCH),$(NVCC_ARCH),$(wordlist 1,2,$(NVCC_ARCH))) \
	$(UNRUN_CICC) -Xptxas -O0
cuda-links: $(call objs,$(base_SRC) $(topo_SRC) $(graph_SRC) $(judge_SRC) \
	$(grader_SRC) grader/main.c $(call c_in,common/graph/commgraph))
	@$(if $(and $(CUDA_HOME),$(wildcard $(CUDA_HOME)/include/nccl.h)),\
	    $(MAKE) GPU=cuda BUILD=$(BUILD)/with-cuda PLAIN_O=$(O) TEST= all programs gpu-programs \
	        NVCC_WARN="-Werror all-warnings -Xcompiler -Werror" SYMBOLS= \
	        CU_FLAGS='$$(UNRUN_CU_FLAGS)' CICC_FASTEST="$$($(NVCC) --help \
	        | sed -n 's/^\(--Ofast-compile\) .*/-Xcicc \1=max/p')",\
	    echo "skipped: GPU=cuda build (no CUDA toolkit with NCCL here)")
$(RUN)/key/real-libraries: cuda-links
