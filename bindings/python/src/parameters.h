/* SPDX-License-Identifier: MIT */
/* Parameters of a drive, and a simulation's, as several files take them. */
#ifndef SSDPM_BINDING_PARAMETERS_H
#define SSDPM_BINDING_PARAMETERS_H

#include "common.h"

#include <string>
#include <tuple>
#include <vector>

/* kind, index, provenance, low, nominal, high, rule */
using ParameterTuple = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t,
				  uint64_t, uint64_t, std::string>;
using ParameterTuples = std::vector<ParameterTuple>;
using Parameters = std::vector<struct ssdpm_parameter>;

Parameters parameters_from(const ParameterTuples &from);
py::list parameter_list(const struct ssdpm_parameter *parameters, size_t n);

/* What Python makes an Estimate and a Saving of. */
py::tuple result_tuple(const struct ssdpm_result &result,
		       const struct ssdpm_sim *sim,
		       const py::object &changes = py::none());
py::tuple saving_tuple(const struct ssdpm_saving &saving);

/* struct ssdpm_sim_params with all that it points to. */
class SimParams
{
      public:
	SimParams(const ParameterTuples &from, const ApstTable *apst,
		  uint32_t lpm, uint32_t loop, uint32_t flags,
		  uint32_t operational_state, uint64_t interval_ns,
		  uint32_t pcie_link);
	SimParams(const SimParams &) = delete;
	SimParams &operator=(const SimParams &) = delete;

	const struct ssdpm_sim_params *get() const
	{
		return &params;
	}

      private:
	struct ssdpm_sim_params params;
	Parameters parameters;
	struct ssdpm_apst table;
};

#endif
