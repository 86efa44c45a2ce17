/* SPDX-License-Identifier: MIT */
/* A run's points on another machine. */
#ifndef AM_DOCUMENT_PREDICTION_H
#define AM_DOCUMENT_PREDICTION_H

#include "document/document.h"
#include "family/family.h"
#include "model/predict.h"

struct am_prediction_view {
    const struct am_result_set *set; /* the run */
    const struct am_machine_model *machine;
    const struct am_predictions *all;
    const struct am_analysis *analyses;
    size_t n_analyses;
};

struct am_document am_document_prediction(const struct am_prediction_view *view);

#endif
