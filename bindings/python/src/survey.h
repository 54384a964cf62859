/* SPDX-License-Identifier: MIT */
/* What survey.cpp and survey-file.cpp share. */
#ifndef SSDPM_BINDING_SURVEY_H
#define SSDPM_BINDING_SURVEY_H

#include "samples.h"

/* The order is that of the structures; ssdpm/measure/survey/ has the names. */
py::tuple survey_summary(const struct ssdpm_survey_summary &found);
py::tuple survey_merged(const struct ssdpm_survey_merged &found);

/* Of n policies. */
py::tuple survey_analysis(const struct ssdpm_survey_analysis &found, size_t n);

/* Of survey-file.cpp; add_survey() calls it. */
void add_survey_file(py::module_ &module);

#endif
