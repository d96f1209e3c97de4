/*
 * dependent.h: members of templates that are templates themselves
 *
 * In device code nvcc compiles X<T>::f<N>(x), where C++ demands the keyword of
 * X<T>::template f<N>(x): it finds f in the template X. g++ takes the < for a
 * comparison. Functions that are also the host's are compiled by g++ for nvcc,
 * too, and need the keyword there.
 */
#ifndef SIMNVCC_DEPENDENT_H
#define SIMNVCC_DEPENDENT_H

#include "edit.h"
#include "tokens.h"

/* Insert the keyword in front of the name before token i, a <, if it is such
 * a member. */
void dependent_edit(const struct tokens *t, size_t i, struct edits *e);

#endif
