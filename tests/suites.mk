# suites.mk: how long suites take, and what their results depend on
#
#   $(call suite,FOLDER/X,SECONDS,NEEDS)      of tests/FOLDER/test_X.c
#   $(call parted,FOLDER/X,SECONDS,NEEDS,QUICK)   the same in two suites:
#                                             FOLDER/X/quick has the test cases
#                                             with the tag quick
#   $(call script,NAME,SECONDS,NEEDS)         of tests/NAME.sh
#   $(call page,FILE,SECONDS)                 what a handout shows; page_NAME
#                                             has those of more than one
#
# SECONDS is the CPU time of the whole suite on an idle machine, as `make test`
# prints it. The longest start first, and a suite is cut into slices of about
# SLICE_SEC, which run in parallel. A wrong number costs time, nothing else.
#
# `make test` leaves out what is slow: each suite with the word slow among its
# NEEDS, every page, and a parted suite except its quick part, which takes QUICK
# seconds. Slow are suites of 10 seconds and more, suites that need all programs
# of the tree, and suites whose programs take long to build. `make test` is to
# take 5 minutes on two cores, what it builds included.
#
# NEEDS is what the suite reads or runs: a suite that passed is not run again
# while the contents of all of it are the same. Each suite needs its own
# program, and the data and scripts in tests/FOLDER. Beyond that:
#
#   sim                 simgpu, and the programs of tests/FOLDER that run on it
#   machines            the machines' descriptions, as programs find them
#   given               the programs that handouts give: first, slow
#   grade commgraph plan probe    that tool, and what it needs itself
#   tidy-grade          grade that says what it has not freed or closed
#   lab1 lab2 ...       that lab: both programs, sources, plans; its mutants
#   everything          the whole tree and all that is built from it
#   code                the same without handouts and README
#   kit                 the same without the programs of tests
#   cuda                the CUDA toolkit, and all that is built with it
#   a/path              that file or folder of the tree
#
# A suite without a line needs everything, and one of tests/labs its lab. When
# in doubt, name more: tests/needs.sh lists what a suite opens that is not
# named.

# run.mk defines the words.

SLICE_SEC := 30

# ---- suites ------------------------------------------------------------------

$(call suite,base/clex,1)
$(call suite,base/gpu_name,1)
$(call suite,base/map,1)
$(call suite,base/maxmin,3,sim)
$(call suite,base/must,1)
$(call suite,base/narrow,1)
$(call suite,base/near,1)
$(call suite,base/no_input,1)
$(call suite,base/recorder,1)
$(call suite,base/siphash,1)
$(call suite,base/size,1)
$(call suite,conformance/conformance,2,sim grade probe tests/labs/one-gpu.xml tests/gpu)
$(call suite,core/check,1,machines)
$(call suite,core/clock,1,machines)
$(call suite,core/core,1,machines)
$(call suite,core/decode,1)
$(call suite,core/fault,1,machines)
$(call suite,core/flag,1,machines)
$(call suite,core/hang,1,machines)
$(call suite,core/heap,1,machines)
$(call suite,core/host_clock,1,machines)
$(call suite,core/late,1,machines)
$(call suite,core/mapped,1,machines)
$(call suite,core/model,1,machines)
$(call suite,core/ops,1,machines)
$(call suite,core/part,1,machines)
$(call suite,core/peers,1,machines)
$(call suite,core/rounds,1,machines)
$(call suite,core/plant,1)
$(call suite,core/settings,1,machines)
$(call suite,core/site,1,machines)
$(call suite,core/waits,1,machines)
$(call suite,core/work,1,machines)
$(call suite,cublas/cublas,1,sim)
$(call suite,cublas/recorded,1,sim)
$(call parted,explain/explain,10,sim commgraph given tests/section.sh,6)
$(call suite,extras/captured,4,sim commgraph)
$(call suite,extras/curand,3,sim)
$(call suite,extras/curand_skip,1)
$(call suite,extras/libraries,8,slow sim commgraph)
$(call suite,extras/nccl_profiler,5,sim tests/extras/plugin_profiler.c \
	tests/extras/nccl_profiler.awk)
$(call suite,extras/shmem,3,sim tests/extras/shmem_peers.awk)
$(call suite,extras/shmem_graph,1,sim)
$(call suite,extras/shmem_probes,11,slow sim commgraph)
$(call suite,extras/texture,1,machines)
$(call suite,gpu/gpu,6,slow code)
$(call suite,grader/agree,150,slow grade lab0 lab1 lab2 lab3 lab4 lab5 lab6 lab7 lab8 lab9 lab10 \
	tests/mistakes)
$(call suite,grader/allow,1)
$(call suite,grader/audit,1)
$(call suite,grader/audited,1)
$(call suite,grader/batch,1,grade)

$(call suite,grader/blocked,2,grade)
$(call suite,grader/build,2)
$(call suite,grader/cases,1,machines)
$(call suite,grader/changes,1,tidy-grade)
$(call suite,grader/class,155,slow grade plan lab1 common/ grader/ tests/fuzz)
$(call suite,grader/confine,1)
$(call suite,grader/cluster,1,tidy-grade lab1)
$(call suite,grader/course,2,tidy-grade)
$(call suite,grader/commands,1)
$(call suite,grader/download,1,tidy-grade lab1)
$(call suite,grader/export,1,tidy-grade)
$(call suite,grader/faults,5,tidy-grade lab1)
$(call suite,grader/files,1)
$(call suite,grader/grader,225,slow grade lab0 lab1 lab2 lab3 lab4 lab5 lab6 lab7 lab8 lab9 lab10 \
	tests/cheats)
$(call suite,grader/full,5,grade lab1)
$(call suite,grader/groups,1)
$(call suite,grader/html,1)
$(call suite,grader/infra,10,slow grade lab1)
$(call suite,grader/intake,2)
$(call suite,grader/joins,1)
$(call suite,grader/killed,20,slow grade lab1)
$(call suite,grader/ledger,1)
$(call suite,grader/machine,1)
$(call suite,grader/match,1)
$(call suite,grader/listed,1)
$(call suite,grader/local,2,grade)
$(call suite,grader/measured,95,slow grade lab1 lab2 lab3 lab4 lab5 lab6 lab7)
$(call suite,grader/moved,12,slow grade lab1)
$(call suite,grader/objects,15,slow)
$(call suite,grader/pages,35,slow tidy-grade)
$(call suite,grader/people,3,tidy-grade lab1)
$(call suite,grader/picture,1,machines)
$(call suite,grader/place,1,grade)
$(call suite,grader/reasons,1)
$(call suite,grader/recorder,1)
$(call suite,grader/records,1)

$(call suite,grader/regrade,1,grade)
$(call suite,grader/replay,1,grade)
$(call suite,grader/result,1)
$(call suite,grader/roster,1)
$(call suite,grader/rows,1)
$(call suite,grader/sandbox,30,slow grade)
$(call suite,grader/serve,1)
$(call suite,grader/sessions,5,tidy-grade)
$(call suite,grader/similar,2,tidy-grade lab1)
$(call suite,grader/taken,1)
$(call suite,grader/spool,1,grade)
$(call suite,grader/term,1,tidy-grade lab1)
$(call suite,grader/totals,6,sim grade lab0)
$(call suite,grader/slurm,3,grade)
$(call suite,grader/submission,1)
$(call suite,grader/text,1)
$(call suite,grader/unpack,1)
$(call suite,grader/tokens,1)
$(call suite,grader/vet,1)
$(call suite,grader/wardens,1)
$(call suite,graph/anyrun,2,commgraph)
$(call suite,graph/apart,1)
$(call suite,graph/ask,1,machines)
$(call suite,graph/clock,1,sim)
$(call suite,graph/commands,2,commgraph tests/topo/measured)
$(call suite,graph/commgraph,1,commgraph)
$(call suite,graph/cost,1,machines)
$(call suite,graph/dataless,2,sim)
$(call suite,graph/drawn,1,machines)
$(call suite,graph/ends,1)
$(call suite,graph/harm,1,machines)
$(call suite,graph/live,1,machines)
$(call suite,graph/match,1,machines)
$(call suite,graph/memory,2,machines)
$(call suite,graph/open,1,machines)
$(call suite,graph/overwrite,1)
$(call suite,graph/path,1,sim commgraph lab1)
$(call suite,graph/pictures,1,machines)
$(call suite,graph/puts,1,machines)
$(call suite,graph/read,3,machines)
$(call suite,graph/record,1,machines)
$(call suite,graph/refused,1,machines)
$(call suite,graph/replay,1,machines)
$(call suite,graph/same,9,sim lab1 lab5)
$(call suite,graph/scarce,2,machines)
$(call suite,graph/segment,1)
$(call suite,graph/site,1)
$(call suite,graph/small,1,machines)
$(call suite,graph/span,1)
$(call suite,graph/steps,1,machines)
$(call suite,graph/timeline,1,machines)
$(call suite,graph/tool,2,machines tests/topo/measured)
$(call suite,graph/view,20,slow commgraph)
$(call suite,graph/whatif,1,machines)
$(call suite,graph/whole,1,commgraph)
$(call suite,handouts/handouts,8,slow everything)
$(call suite,hazards/corpus,45,slow sim commgraph)
$(call suite,hazards/crossed,5,sim)
$(call suite,hazards/order,1)
$(call suite,hazards/ranges,1)
$(call suite,hazards/unwritten,1)
$(call suite,hazards/words,1)
$(call suite,judge/answers,1)
$(call suite,judge/blocks,1)
$(call suite,judge/calls,1)
$(call suite,judge/counts,1)
$(call suite,judge/data,1)
$(call suite,judge/draw,1)
$(call suite,judge/drawn,1,machines)
$(call suite,judge/guess,1)
$(call suite,judge/evidence,1)
$(call suite,judge/interval,1)
$(call suite,judge/judge,1)
$(call suite,judge/limits,1)
$(call suite,judge/moved,1,machines)
$(call suite,judge/origin,1,machines)
$(call suite,judge/formula,1)
$(call suite,judge/plan,1,machines)
$(call suite,judge/points,1)
$(call suite,judge/recorded,1,machines)
$(call suite,judge/report,1)
$(call suite,judge/sets,1)
$(call suite,judge/scarce,1,machines)
$(call suite,judge/spans,1)
$(call suite,judge/traced,1)
$(call suite,judge/words,1)
$(call suite,kit/container,10,slow code .devcontainer)
$(call suite,kit/debug,85,slow code)
$(call suite,kit/deliver,19,slow code)
$(call suite,kit/doctor,30,slow code)
$(call suite,kit/install,13,slow code)
$(call suite,kit/hints,6,slow code handouts/hints)
$(call suite,kit/kit,80,slow code)
$(call suite,kit/lint,17,slow everything)
$(call suite,kit/probe,2,probe tests/labs/one-gpu.xml)
$(call suite,lab/bench,6,sim lab1 lab2 lab3 lab4)
$(call suite,lab/again,3,sim)
$(call suite,lab/runner,7,sim)
$(call suite,lab/warden,1)
$(call parted,labs/lab0,100,lab0 grade plan,4)
$(call parted,labs/lab1,80,lab1 grade plan \
	common/kit/skeletons.sh common/kit/skeleton.awk solutions/ labs/,4)
$(call parted,labs/lab2,65,lab2 grade plan common/topo/FORMAT.md,4)
$(call parted,labs/lab3,115,lab3 lab2 grade plan commgraph common/topo/FORMAT.md,4)
$(call parted,labs/lab4,175,lab4 grade plan,4)
$(call parted,labs/lab5,450,lab5 lab1 grade plan,4)
$(call parted,labs/lab6,100,lab6 grade plan $(BUILD)/tests/labs/prog_lab6 \
	tests/topo/measured,4)
$(call parted,labs/lab7,600,lab7 grade,4)
$(call parted,labs/lab8,160,lab8 grade plan $(BUILD)/tests/labs/prog_lab8,4)
$(call parted,labs/lab9,55,lab9 grade plan,4)
$(call parted,labs/lab10,115,lab10 grade plan,4)
# A lab that was removed took its way to train along.
$(call suite,labs/curve,9,sim $(patsubst %.c,$(BUILD)/%, \
	$(wildcard tests/labs/prog_curve_*.c)))
$(call suite,layers/layers,20,kit)
$(call script,lint/rules,1,tests/lint common/ grader/ solutions/ tests/support)
$(call suite,mutate/mutate,13,slow $(BUILD)/mutants tests/tests.mk)
$(call script,mutate/claims,1,common/ grader/ tests/mutate tests/suites.mk)
$(call suite,loading/loading,2,sim)
$(call suite,mistakes/mistakes,140,slow lab0 lab1 lab2 lab3 lab4 lab5 lab6 lab7 lab8 lab9 lab10 grade)
$(call suite,nn/lm,1,sim)
$(call suite,nn/nn,1,sim)
$(call suite,probes/rt,1,slow sim commgraph)
$(call suite,simgpu/accesses,2,sim)
$(call suite,simgpu/calls,1,sim)
$(call suite,simgpu/aligned,1,sim machines)
$(call suite,simgpu/blocks,1,sim)
$(call suite,simgpu/coll,1)
$(call suite,simgpu/cores,3,sim)
$(call suite,simgpu/driver,2,sim)
$(call suite,simgpu/half,1,sim)
$(call suite,simgpu/hint,1)
$(call suite,simgpu/host_memory,2,sim machines)
$(call suite,simgpu/hub,1)
$(call suite,simgpu/kill,3,sim)
$(call suite,simgpu/leave,2,sim)
$(call suite,simgpu/limits,2,sim)
$(call suite,simgpu/many_ranks,85,slow sim lab0 lab1 lab2 lab3 lab4 lab5 lab6 lab7 lab8 lab9 lab10)
$(call suite,simgpu/mpi,1,sim)
$(call suite,simgpu/mpi_graph,1,sim)
$(call suite,simgpu/mpi_mismatch,1,sim)
$(call suite,simgpu/nap,1,machines)
$(call suite,simgpu/nccl,4,sim)
$(call suite,simgpu/planted,3,sim)
$(call suite,simgpu/nccl_connect,8,sim)
$(call suite,simgpu/nccl_debug,1)
$(call suite,simgpu/nccl_device,1,sim)
$(call suite,simgpu/nccl_graph,1,sim)
$(call suite,simgpu/nccl_mismatch,2,sim)
$(call suite,simgpu/nccl_texts,1,sim)
$(call suite,simgpu/nvtx,1,sim)
$(call suite,simgpu/open_group,3,sim)
$(call suite,simgpu/unpolled,3,sim)
$(call suite,simgpu/parts,1)
$(call suite,simgpu/peers,2,sim)
$(call suite,simgpu/pmix,1)
$(call suite,simgpu/ranks,9,sim lab1)
$(call suite,simgpu/refused,1,sim)
$(call suite,simgpu/reduce,2)
$(call suite,simgpu/shuffle,1,sim)
$(call suite,simgpu/signal,3,sim)
$(call suite,probes/devcomm,13,slow sim commgraph)
$(call suite,probes/probes,25,slow sim)
$(call suite,probes/published,150,slow sim machines tests/topo/measured common/topo/machines handouts/accuracy.md)
$(call suite,simgpu/simgpu,2,sim)
$(call suite,simgpu/touched,1)
$(call suite,simgpu/unlinked,1,machines)
$(call suite,runtime/runtime,2,sim)
$(call suite,runtime/h100,2,sim)
$(call suite,simnvcc/commands,1,sim)
$(call suite,simnvcc/direct,1)
$(call suite,simnvcc/drawn,1)
$(call suite,simnvcc/options,8,sim)
$(call suite,simnvcc/plain,8,sim)
$(call suite,simnvcc/rewrite,1)
$(call suite,simnvcc/sides,30,sim)
$(call suite,simnvcc/views,1)
$(call suite,skeleton/skeleton,10,common/kit/skeletons.sh common/kit/skeleton.awk \
	grade labs/ common/staff)
$(call suite,suites/golden,6,sim $(addprefix $(BUILD)/tests/,judge/test_drawn runtime/test_h100 \
	topo/test_figures hazards/test_words) $(filter $(BUILD)/tests/runtime/%,$(PROGS)) \
	tests/judge/drawn tests/runtime tests/topo/figures tests/hazards)
$(call suite,suites/suites,15,$(BUILD)/tests/guard $(BUILD)/tests/judge/test_interval \
	./Makefile common/rules.mk $(wildcard tests/*.sh tests/*.mk) solutions/ tests/mutants)
$(call suite,torch/torch,2,sim)
$(call suite,topo/advice,4,machines commgraph)
$(call suite,topo/answers,2,machines)
$(call suite,topo/bounds,1,machines)
$(call suite,topo/channels,1,machines)
$(call suite,topo/collective,1,machines)
$(call suite,topo/command,2,commgraph)
$(call suite,topo/drawing,1,machines)
$(call suite,topo/drawn,2,machines)
$(call suite,topo/exchange,1,machines)
$(call suite,topo/figures,1,machines)
$(call suite,topo/fit,4,machines commgraph lab1)
$(call suite,topo/fitted,2,machines)
$(call suite,topo/foreign,1,machines)
$(call suite,topo/fuzz,5,machines)
$(call suite,topo/given,1,machines)
$(call suite,topo/leastsq,1)
$(call suite,topo/load,1,machines)
$(call suite,topo/measured,1,machines)
$(call suite,topo/nccl,1,machines)
$(call suite,topo/route,1,machines)
$(call suite,topo/rows,1,machines tests/topo/measured $(wildcard handouts/*.md))
$(call suite,topo/scarce,2,machines)
$(call suite,topo/settings,2,machines commgraph)
$(call suite,topo/sets,1)
$(call suite,topo/sites,4,machines tests/topo/measured)
$(call suite,topo/tables,1,machines)
$(call suite,topo/times,9,machines)
$(call suite,topo/variant,5,machines)

# ---- handouts: what they show is what the kit prints -------------------------

page_lab0-first-steps := 4
page_lab1-collectives := 9
page_lab2-gradient-sync := 10
page_lab3-ddp-overlap := 11
page_lab4-tensor-pipeline := 16
page_lab5-symmetric-memory := 100
page_lab6-peer-bandwidth := 20
page_lab7-expert-parallel := 80
page_lab8-sharded-training := 15
page_lab9-long-context := 4
page_lab10-failures := 4
page_profiling := 3
$(foreach p,README.md $(wildcard handouts/*.md),$(call page,$(p),$(or \
	$(page_$(basename $(notdir $(p)))),1)))

# What they ask readers to try works.
$(call script,handouts/tries,130,slow everything)

# ---- scripts: what lists what there is, or compares it with the real APIs ----

$(call script,api-table,1,cuda sim handouts/simgpu.md)
$(call script,cheat-table,1,tests/cheats grader/THREATS.md)
$(call script,cuda-kernels,13,slow cuda common/ solutions/)
$(call script,cuda-mutants,75,slow cuda common/ solutions/ tests/mutants tests/section.sh)
whole_cuda-mutants := # it deals its patches
$(call script,openmpi,22,slow cuda common/ solutions/lab0-first-steps solutions/lab1-collectives)
$(call script,nccl-tests,1,sim commgraph)
$(call script,faults,4,slow sim lab1 lab10)
command_faults := tests/faults.sh $(BUILD) --labs --from 1 --count 12 \
	"4 solutions/lab1 --case first-all-reduce,halving-doubling" \
	"4 solutions/lab10 --case train-killed,rebuild,seal"
# an argument: NCCL remarks on variables of this name that it doesn't know
unexport NCCL_TESTS NCCL_NEWEST NCCL_SRC NVSHMEM_HOME
command_nccl-tests := tests/nccl-tests.sh $(BUILD) $(NCCL_TESTS)
$(call script,topo/oracle,1,sim commgraph tests/topo/oracle.cc)
command_topo/oracle := tests/topo/oracle.sh $(BUILD) $(NCCL_SRC)
$(call script,nccl-table,1,sim handouts/simgpu.md tests/simgpu/nccl.txt \
	tests/simgpu/nccl_table.awk)
command_nccl-table := tests/nccl-table.sh $(BUILD) $(CUDA_HOME) $(NCCL_NEWEST)
$(call script,nccl-device-table,1,handouts/simgpu.md tests/simgpu/nccl_device.txt \
	tests/simgpu/nccl_table.awk common/simgpu/include)
command_nccl-device-table := tests/nccl-device-table.sh $(CUDA_HOME) $(NCCL_NEWEST)
$(call script,real-libraries,14,slow cuda sim common/simgpu common/cuda tests/simgpu \
	tests/cublas tests/extras tests/conformance tests/support)
command_real-libraries := tests/real-libraries.sh $(BUILD) $(CUDA_HOME) \
	$(NCCL_NEWEST)
$(call script,nvshmem-table,1,sim handouts/simgpu.md tests/extras/nvshmem.txt \
	$(wildcard tests/*/prog_shmem*.cu))
command_nvshmem-table := tests/nvshmem-table.sh $(BUILD) $(NVSHMEM_HOME)
