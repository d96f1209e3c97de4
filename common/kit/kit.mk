# kit.mk: instructors' targets. The students' copy lacks this file, so its `make
# help` lists only targets that work there.

.PHONY: quickstart solutions skeletons plans handouts pages slides site new-lab \
	remove-lab lint-labs mutant-lists mutant-table idea-table release \
	class-200

slides:                ## build a deck for each lab: build/handouts/slides-lab1.html
	@common/kit/slides.sh $(BUILD)/handouts
site: pages            ## build handouts, guides and slides as one site
	@common/kit/slides.sh $(BUILD)/handouts
quickstart: deps       ## install, build, run lab 1, grade skeleton and solution
	$(MAKE) all
	tests/quickstart.sh
solutions: $(SOLUTIONS)   ## build the reference solutions: build/solutions/labN
skeletons:             ## regenerate labs/ from solutions/ (FORCE=1 overwrites)
	@FORCE=$(FORCE) common/kit/skeletons.sh
handouts: all          ## rerun the commands that handouts show, build pages
	@common/kit/handouts.sh
	@common/kit/pages.sh --optional $(BUILD)/handouts
# The folder of LAB=lab3, or of its full name; nothing without LAB.
GIVEN_LAB = $(if $(LAB),$(firstword $(filter $(LAB) $(LAB)-%,$(LABS)) $(LAB)))
TIMED = $(if $(LAB),$(BUILD)/solutions/$(call short,$(LAB)),$(SOLUTIONS))
plans: $(TIMED) $(GPU_READY)   ## time the solutions for the plans; LAB=lab3: one
	common/kit/plans.sh $(BUILD) $(GIVEN_LAB)
new-lab:               ## create a complete lab: NAME=lab11-topic [TITLE=...]
	@common/kit/new-lab.sh "$(NAME)" "$(TITLE)"
remove-lab:            ## remove a lab and what names it: NAME=lab11-topic
	@FORCE=$(FORCE) common/kit/remove-lab.sh "$(NAME)"
# QUICK=1 leaves out the suites, which grade every mutant.
lint-labs: $(BUILD)/plan ## check that all labs are complete; LAB=lab11-topic: one
	@common/kit/lint-labs.sh $(if $(QUICK),--no-suites) $(GIVEN_LAB)
# Needed after adding a case, which some mutants may fail, too.
mutant-lists:          ## regrade mutants, rewrite what they fail; LAB=lab3: one
	@MUTANT_LISTS=1 CK_RUN_CASE=mutants $(MAKE) test RUN=$(BUILD)/mutant-lists \
	    TEST=labs$(if $(LAB),/$(call short,$(LAB)))
	@git diff --stat -- tests/mutants
mutant-table:          ## mutants and the points they lose; LAB=lab3: one
	@$(LOSSES)
idea-table:            ## parts, programs that lack their idea, what those lose
	@export MUTANT_IDEAS=1; $(LOSSES)
# A row is "LAB MUTANT part N: LOST of POINTS LOST of 100".
LOSSES = rm -f $(BUILD)/mutants.txt; \
    MUTANT_TABLE=$(abspath $(BUILD)/mutants.txt) CK_RUN_CASE=mutants ALWAYS=1 $(MAKE) \
    test RUN=$(BUILD)/mutant-table TEST=labs$(if $(LAB),/$(call short,$(LAB))); \
    status=$$?; sort -b -k1,1 -k4,4n -k2,2 $(BUILD)/mutants.txt && exit $$status
class-200: all         ## grade STUDENTS=200, a fifth hostile: here, then by Slurm
	dir=$$(mktemp -d /tmp/commlab-class-XXXXXX) && chmod 755 $$dir && \
	    tests/grader/class.sh $(BUILD) $$dir $(STUDENTS) $(KILLS) && \
	    { tests/grader/slurm.sh $(BUILD) $$dir/cluster $$dir || [ $$? = 77 ]; } && \
	    rm -r $$dir
class-200: STUDENTS = 200
class-200: KILLS = 20
sanitize:              ## run the solutions under compute-sanitizer, on GPUs
mutate:                ## break the kit's code and list what the tests miss
release:               ## pack the students' copy: build/release
	@common/kit/release.sh

.PHONY: deliver
deliver:               ## pack a lab's autograder for Gradescope, Autolab, GitHub
	@common/kit/deliver.sh $(LAB)

# Install to PREFIX, below DESTDIR when building a package.
PREFIX ?= /usr/local
.PHONY: install deb
install: $(SIMGPU) $(BUILD)/commgraph  ## install simgpu for other projects: PREFIX
	@common/kit/install.sh $(BUILD) "$(PREFIX)" "$(DESTDIR)"
deb: $(SIMGPU) $(BUILD)/commgraph  ## the same as a Debian package: build/simgpu.deb
	@common/kit/install.sh --deb $(BUILD) $(BUILD)/simgpu.deb
