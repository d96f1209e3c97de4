# commlab: what can be done here; `make help` lists it. The rules are in
# common/rules.mk, instructors' targets in common/kit/kit.mk.

include common/deps.mk
include common/rules.mk
-include common/kit/kit.mk

all: $(KIT)            ## build everything that this machine can build (default)
simgpu: $(SIMGPU)      ## build simgpu, CUDA and NCCL on CPU processes
help:                  ## list these targets
	@sed -n 's/^\([a-zA-Z0-9_-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort -u \
	    | expand -t 18
	@printf '%s\t%s\n' labN 'build a lab: N is one of $(foreach l,$(LABS),$(patsubst lab%,%,$(call short,$(l))))' \
	    grade-labN 'grade it as the course does, without its hidden cases' \
	    predict-labN 'predict a time before you write code' \
	    hint-labN 'list its hints; HINT=2 shows the next one of part 2' \
	    gdb-labN 'run it with rank RANK of RANKS under gdb; CASE=name' \
	    DEBUG=1 'with any target: for debuggers, in build-debug' \
	    | expand -t 18

doctor:                ## check that this machine can build and run labs
	@common/kit/doctor.sh $(BUILD)
probe: $(BUILD)/probe  ## list the GPUs and versions that programs find here
	@$(BUILD)/probe
compile_commands: $(GPU_READY)  ## write compile_commands.json, for editors (clangd)
	@$(MAKE) -nB V=1 all 2>/dev/null | common/kit/compile-commands.sh \
	    > compile_commands.json
pages:                 ## build what students read as HTML and PDF
	@common/kit/pages.sh $(BUILD)/handouts
test:                  ## run the quick tests: 5 minutes on two cores
fuzz: all              ## feed damaged input to all readers, 10 minutes each
	tests/fuzz/fuzz.sh $(BUILD) $(BUILD)/fuzz 600
bench:                 ## measure speeds, as ratios within one run
test-gpu:              ## run labs and API programs on this machine's GPUs
bench-gpu:             ## compare the kit's kernels with the GPU's limits
lint: lint-format lint-comments lint-english lint-code   ## check format, English, code
clean:                 ## remove the build folder
	rm -rf $(BUILD)
