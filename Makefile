# commlab: what can be done here; `make help` lists it. The rules are in
# common/rules.mk, instructors' targets in common/kit/kit.mk.

include common/deps.mk
include common/rules.mk
-include common/kit/kit.mk

all: $(KIT)            ## build everything that this machine can build (default)
simgpu: $(SIMGPU)      ## build simgpu, CUDA and NCCL on CPU processes
help:                  ## list these targets
	@sed -n 's/^\([a-zA-Z0-9_-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort -u \
	    | expand -t 16

doctor:                ## check that this machine can build and run labs
	@common/kit/doctor.sh $(BUILD)
probe: $(BUILD)/probe  ## list the GPUs and versions that programs find here
	@$(BUILD)/probe
test:                  ## run all tests; the last line counts them
fuzz: all              ## feed damaged input to all readers, 10 minutes each
	tests/fuzz/fuzz.sh $(BUILD) $(BUILD)/fuzz 600
bench:                 ## measure speeds, as ratios within one run
test-gpu:              ## run labs and API programs on this machine's GPUs
sanitize:              ## run the solutions under compute-sanitizer, on GPUs
bench-gpu:             ## compare the kit's kernels with the GPU's limits
lint: lint-format lint-comments lint-code   ## check format and code
clean:                 ## remove the build folder
	rm -rf $(BUILD)
