/*
 * verbs.h: the verbs of build/grade
 *
 * Each verb gets its arguments, starting with its own name, as main() would,
 * and returns the program's exit status.
 */
#ifndef GRADER_VERBS_H
#define GRADER_VERBS_H

#include "grader/base/verb.h"

int verb_run(int argc, char **argv);    /* grade one submission */
int verb_intake(int argc, char **argv); /* sort a download by student */
int verb_batch(int argc, char **argv);  /* grade a roster's submissions */
/* grade a share of a batch, in a Slurm job */
int verb_work(int argc, char **argv);
int verb_status(int argc, char **argv); /* list what a ledger holds */
int verb_verify(int argc, char **argv); /* check a ledger for tampering */
int verb_replay(int argc, char **argv); /* repeat one grading */
int verb_export(int argc, char **argv);
int verb_course(int argc, char **argv);   /* one gradebook over all labs */
int verb_key(int argc, char **argv);      /* where a ledger's key is */
int verb_backup(int argc, char **argv);   /* copy a ledger */
int verb_delete(int argc, char **argv);   /* forget a ledger's people */
int verb_override(int argc, char **argv); /* people's changes to a grading */
int verb_clear(int argc, char **argv);
int verb_excuse(int argc, char **argv);
int verb_extend(int argc, char **argv);
int verb_comment(int argc, char **argv);
/* grade again after a change of the plan */
int verb_regrade(int argc, char **argv);
int verb_serve(int argc, char **argv);  /* show live progress */
int verb_doctor(int argc, char **argv); /* list what a machine lacks */
/* ask for a prediction, before the code */
int verb_predict(int argc, char **argv);
int verb_similarity(int argc, char **argv);
int verb_audit(int argc, char **argv);

#endif
