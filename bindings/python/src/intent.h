/* SPDX-License-Identifier: MIT */
/* What apply.cpp takes from intent.cpp. */
#pragma once

#include "common.h"

/* The files of a machine; it never changes, and threads may share it. */
class Intent
{
      public:
	explicit Intent(const Machine &machine)
	{
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_intent_read(machine.get(), &intent, error);
		});
	}
	~Intent()
	{
		ssdpm_intent_free(intent);
	}
	Intent(const Intent &) = delete;
	Intent &operator=(const Intent &) = delete;

	const struct ssdpm_intent *get() const
	{
		return intent;
	}

      private:
	struct ssdpm_intent *intent = nullptr;
};

void add_intent(py::module_ &module);
