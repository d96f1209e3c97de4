# run.mk: which suites run, in which order, and what each waits for
#
#   make test                     the suites that aren't slow, in five minutes
#   make test-all                 all suites
#   make test TEST="graph labs/lab3"   these, changed or not, slow or not
#   make test SCHEDULE=random:7   under that schedule: what a test runs without
#                                 one of its own has SIMGPU_SCHEDULE=random:7
#
# A suite that passed is not run again until something it depends on changes;
# ALWAYS=1 runs it all the same. Only what the suites need is built. suites.mk
# has a line for each suite, tests/run.sh runs them.

.PHONY: test test-all test-begin cuda-links
ifdef SCHEDULE
export SIMGPU_SCHEDULE := $(SCHEDULE)
endif
RUN := $(BUILD)/tests/run
RUN_SH := TEST_RUN=$(RUN) TEST_GUARD=$(BUILD)/tests/guard \
	ALWAYS="$(ALWAYS)$(TEST)" VERBOSE="$(VERBOSE)$(TEST)" CC="$(CC)" \
	tests/run.sh

# ---- the words of suites.mk --------------------------------------------------

need_machines := $(TOPOS)
need_sim := $(SIMGPU) $(filter %.13 %.12 %.10 %.3 %.2 %.1,$(SIM_LIBRARIES)) \
	$(SIM_HOME)/bin/simnvcc common/simgpu/include $(call extra,include) $(FORWARDS) $(TOPOS)
need_commgraph := $(BUILD)/commgraph $(TOPOS)
need_given := $(GIVEN_PROGRAMS) common/staff/slow
need_plan := $(BUILD)/plan grader/plans
need_probe := $(BUILD)/probe $(need_sim)
# What submissions are compiled and linked with; staff code comes with its lab.
need_grade := $(BUILD)/grade $(TOOLCHAIN) $(BACKEND) grader/plans $(addprefix common/,base cuda \
	judge lab nn) $(call lib,nn lab nnref judge graph topo base) \
	$(need_sim)
need_tidy-grade := $(TIDY_GRADE) $(need_grade)
define need_lab
need_$(call short,$(1)) := $(wildcard $(addsuffix /$(1),labs solutions \
	common/staff) tests/section.sh $(addsuffix /$(1).patch,tests/mutants tests/twins)) $(filter %/$(call short,$(1)),$(SOLUTIONS) \
	$(LAB_PROGRAMS)) $(call objs,$(call code_in,common/staff/$(1))) $(need_sim)
endef
$(foreach l,$(LABS),$(eval $(call need_lab,$(l))))
need_cuda := $(wildcard $(addprefix $(CUDA_HOME)/,version.json include/nccl.h))
need_kit := $(wildcard .ci Makefile common grader labs solutions tests) $(KIT) \
	$(need_grade)
need_code := $(need_kit) $(PROGS)
need_everything := $(need_code) $(wildcard README.md handouts)

# ---- the table ---------------------------------------------------------------

# What these stand for, each by a path (which has a dot or a slash) or a word.
paths = $(foreach n,$(1),$(if $(findstring /,$(n))$(findstring .,$(n)),$(n),$(or \
	$(need_$(n)),$(error suites.mk: there is no need_$(n)))))

# mark(name,needs): a suite with the word slow among its needs is slow.
mark = $(if $(filter slow,$(2)),$(eval SLOW += $(1)))$(eval SUITES += $(1))
needed = $(call paths,$(filter-out slow,$(1)))

# suite(name,seconds,needs), if it is in this copy of the kit
test_of = $(subst /,/test_,$(1))
define suite_line
seconds_$(1) := $(2)
command_$(1) := $(BUILD)/tests/$(call test_of,$(1))
needs_$(1) = $(BUILD)/tests/$(call test_of,$(1)) $(filter-out $(TEST_SRC) $(PROG_SRC),$(wildcard \
	tests/$(dir $(1))*)) $$(call needed,$(3)) $(if $(filter sim,$(3)),$(filter \
	$(BUILD)/tests/$(dir $(1))%,$(PROGS)))
endef
suite = $(if $(wildcard tests/$(call test_of,$(1)).c),$(eval \
	$(suite_line))$(call mark,$(1),$(3)))

# parted(name,seconds,needs,quick): a slow suite but for its test cases that
# have the tag quick. These are a suite of their own, NAME/quick, which takes
# `quick` seconds.
define parted_lines
$(call suite,$(1),$(2),slow $(3))
SUITES += $(1)/quick
seconds_$(1)/quick := $(4)
needs_$(1)/quick = $$(needs_$(1))
command_$(1)/quick := env CK_INCLUDE_TAGS=quick $$(command_$(1))
command_$(1) := env CK_EXCLUDE_TAGS=quick $$(command_$(1))
endef
parted = $(if $(wildcard tests/$(call test_of,$(1)).c),$(eval $(parted_lines)))

# page(file,seconds): what a handout shows is checked page by page, so that a
# changed line costs its page alone
define page_line
SUITES += $(1)
SLOW += $(1)
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
seconds_$(1) := $(2)
whole_$(1) := 1
command_$(1) := tests/$(1).sh $(BUILD) $(CUDA_HOME)
needs_$(1) = $$(call needed,$(3)) tests/$(1).sh
endef
script = $(if $(and $(filter sim,$(GPU)),$(wildcard solutions)),$(eval \
	$(script_line))$(call mark,$(1),$(3)))

SUITES :=
SLOW :=
include tests/suites.mk
ALL_SUITES := $(subst /test_,/,$(TEST_SRC:tests/%.c=%))
$(foreach s,$(filter-out $(SUITES),$(ALL_SUITES)),$(if $(filter labs/%,$(s)),$(call \
	parted,$(s),60,$(s:labs/%=%) grade plan,10),$(call suite,$(s),60,slow everything)))

# ---- this run ----------------------------------------------------------------

# TEST names suites, or folders of them, and WITHOUT what a run without TEST
# leaves out.
DEFAULT := $(filter-out $(if $(filter test-all,$(MAKECMDGOALS)),,$(SLOW)) $(WITHOUT) \
	$(WITHOUT:%=%/%),$(SUITES))
CHOSEN := $(if $(TEST),$(foreach t,$(subst /test_,/,$(TEST)),$(or $(filter $(t) \
	$(t)/%,$(SUITES)),$(error TEST=$(t): there are $(sort $(SUITES))))),$(DEFAULT))
LEFT_OUT := $(if $(TEST),,$(filter-out $(CHOSEN),$(SUITES)))
# "suite:slices:seconds", the longest first.
SLICED := $(shell printf '%s\n' $(foreach s,$(CHOSEN),$(s):$(seconds_$(s)):$(whole_$(s))) | \
	sort -t : -k 2,2nr -k 1,1 | awk -F : -v sec=$(SLICE_SEC) '{ \
	print $$1 ":" ($$3 ? 1 : int(($$2 + sec - 1) / sec)) ":" $$2 }')
name_of = $(firstword $(subst :, ,$(1)))
nslices_of = $(word 2,$(subst :, ,$(1)))
NUMBERS := 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
slices = $(foreach i,$(wordlist 1,$(call nslices_of,$(1)),$(NUMBERS)),test/$(call \
	name_of,$(1))/$(i))

# suite_rules(name,slices): a key from what it needs, then each slice
define suite_rules
.PHONY: $(call slices,$(1):$(2))
$(RUN)/key/$(1)/key: $(filter $(BUILD)/%,$(needs_$(1))) $(BUILD)/tests/guard FORCE \
	| test-begin
	@$(RUN_SH) key $(1) $(needs_$(1))
$(call slices,$(1):$(2)): test/$(1)/%: $(RUN)/key/$(1)/key
	@$(RUN_SH) slice $(1) $$*/$(2) $(or $(DEADLINE),1800) $(command_$(1))
endef
ifneq ($(filter test test-all,$(MAKECMDGOALS)),)
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
test-all: $(if $(TEST),,cuda-links) ## run all tests: an hour on two cores
test test-all: $(foreach s,$(SLICED),$(call slices,$(s)))
	@$(RUN_SH) report $(words $(LEFT_OUT))
test-all: $(if $(TEST),,all programs)

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
	$(grader_SRC) grader/verbs/main.c $(call c_in,common/graph/commgraph))
	@$(if $(and $(CUDA_HOME),$(wildcard $(CUDA_HOME)/include/nccl.h)),\
	    $(MAKE) GPU=cuda BUILD=$(BUILD)/with-cuda PLAIN_O=$(O) TEST= all programs gpu-programs \
	        NVCC_WARN="-Werror all-warnings -Xcompiler -Werror" SYMBOLS= \
	        CU_FLAGS='$$(UNRUN_CU_FLAGS)' CICC_FASTEST="$$($(NVCC) --help \
	        | sed -n 's/^\(--Ofast-compile\) .*/-Xcicc \1=max/p')",\
	    echo "skipped: GPU=cuda build (no CUDA toolkit with NCCL here)")
$(RUN)/key/real-libraries/key: cuda-links
