# kit.mk: what those who teach can do. Students' copies don't have this folder,
# so their `make help` lists only what works there.

.PHONY: skeletons plans handouts pages new-lab lint-labs release

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
