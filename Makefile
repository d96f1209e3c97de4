# commlab: what can be done here. `make help` lists it; the rules themselves
# are in common/rules.mk, and what those who teach can do in common/kit/kit.mk.

include common/deps.mk
include common/rules.mk
-include common/kit/kit.mk

all: $(KIT)            ## build all that this machine can build (default)
simgpu: $(SIMGPU)      ## the CPU implementation of CUDA and NCCL: build/simgpu
solutions: $(SOLUTIONS)     ## reference solutions: build/solutions/labN
help:                  ## this list
	@sed -n 's/^\([a-zA-Z0-9_-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort -u \
	    | expand -t 16

quickstart: deps       ## install, build, run lab 1, grade skeleton and solution
	$(MAKE) all
	tests/quickstart.sh

doctor:                ## can this machine build and run labs? says what is missing
	@common/kit/doctor.sh $(BUILD)
probe: $(BUILD)/probe  ## the GPUs that programs find here, and versions
	@$(BUILD)/probe
test:                  ## all tests; ends with their count
fuzz: all              ## damaged input for all readers, 10 minutes each
	tests/fuzz/fuzz.sh $(BUILD) $(BUILD)/fuzz 600
bench:                 ## speeds, as ratios within one run
test-gpu:              ## labs and API programs on this machine's GPUs
sanitize:              ## labs' solutions under compute-sanitizer, on GPUs
bench-gpu:             ## the kit's kernels against what the GPU can do
lint: lint-format lint-code   ## format and static checks
clean:                 ## remove everything built
	rm -rf $(BUILD)
