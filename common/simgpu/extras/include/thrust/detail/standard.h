/*
 * standard.h: C++ headers that Thrust's and CUB's own headers include, so that
 * programs use them without including them
 */
#ifndef SIMGPU_THRUST_STANDARD_H
#define SIMGPU_THRUST_STANDARD_H

#include <array>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>

#endif
