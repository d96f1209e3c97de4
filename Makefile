# commlab: what can be done here. `make help` lists it; the rules themselves
# are in common/rules.mk.

include common/deps.mk
include common/rules.mk

all: $(KIT)            ## build all that this machine can build (default)
simgpu: $(SIMGPU)      ## the CPU implementation of CUDA and NCCL: build/simgpu
solutions: $(SOLUTIONS)     ## reference solutions: build/solutions/labN
help:                  ## this list
	@sed -n 's/^\([a-zA-Z0-9_-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort -u \
	    | expand -t 16

quickstart: deps       ## install, build, run lab 1, grade skeleton and solution
	$(MAKE) all
	tests/quickstart.sh

test:                  ## all tests; ends with their count
fuzz: all              ## damaged input for all readers, 10 minutes each
	tests/fuzz/fuzz.sh $(BUILD) $(BUILD)/fuzz 600
bench:                 ## speeds, as ratios within one run
skeletons:             ## regenerate labs/ from solutions/ (FORCE=1 overwrites)
	@FORCE=$(FORCE) common/skeletons.sh
handouts: all          ## rerun what the handouts show, then make their pages
	@common/kit/handouts.sh
	@common/kit/pages.sh --optional $(BUILD)/handouts
pages:                 ## the handouts as HTML and PDF: build/handouts
	@common/kit/pages.sh $(BUILD)/handouts
plans: $(SOLUTIONS) $(GPU_READY)   ## time the solutions, for the plans' reference times
	common/plans.sh $(BUILD)
new-lab:               ## plant a lab that is whole: NAME=lab7-topic [TITLE=...]
	@common/kit/new-lab.sh "$(NAME)" "$(TITLE)"
lint-labs: all         ## is every lab whole? LAB=lab7-topic: that one
	@common/kit/lint-labs.sh $(LAB)
release:               ## the students' copy, without solutions: build/release
	@common/kit/release.sh
lint: lint-format lint-code   ## format and static checks
clean:                 ## remove everything built
	rm -rf $(BUILD)
