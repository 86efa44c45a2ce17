/* SPDX-License-Identifier: MIT */
/* The part of the family of energy that is a model, for the table of energy.c. */
#ifndef AM_FAMILY_ENERGY_H
#define AM_FAMILY_ENERGY_H

#include "family/family.h"

/* What is drawn at rest, per core, per operation and per byte, and how well that predicts. */
am_derive_fn am_energy_derive_model;

#endif
