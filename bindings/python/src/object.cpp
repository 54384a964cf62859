/* SPDX-License-Identifier: MIT */
/* <ssdpm/object.h> */
#include "common.h"

#include <pybind11/stl.h>

py::str object_json(struct ssdpm_object object, uint32_t kind)
{
	object.size = sizeof(object);
	object.kind = kind;
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_object_to_json(&object, text, error);
	});
}

static py::str catalogue_row(const Catalogue &self, uint32_t index)
{
	struct ssdpm_object object = {};

	object.catalogue = self.get();
	object.index = index;
	return object_json(object, SSDPM_OBJECT_LIST);
}

/* What measures, as the end of a machine. */
static int meters_text(const Machine &self, char **text,
		       struct ssdpm_error *error)
{
	struct ssdpm_meter *meters = nullptr;
	size_t n;
	int err = ssdpm_machine_read_meters(self.get(), &meters, &n, error);
	const std::unique_ptr<struct ssdpm_meter, Free> memory(meters);

	return err ? err : ssdpm_meters_to_json(meters, n, text, error);
}

static py::str machine(const Machine &self)
{
	const struct ssdpm_machine_facts facts = read_facts(self.get());
	struct ssdpm_object object = {};
	struct ssdpm_owner *owners = nullptr;
	struct ssdpm_error error = {};
	char *meters = nullptr;
	int err;

	{
		py::gil_scoped_release release;

		err = ssdpm_machine_read_owners(self.get(), &owners,
						&object.n_owners, &error);
		if (!err)
			err = meters_text(self, &meters, &error);
	}
	const std::unique_ptr<struct ssdpm_owner, Free> memory(owners);
	const std::unique_ptr<char, Free> text(meters);

	if (err)
		raise_error(error, false);
	object.machine = &facts;
	object.owners = owners;
	object.more_json = meters;
	return object_json(object, SSDPM_OBJECT_MACHINE);
}

/* What a device is, what is known of it, and what follows from that. */
class DeviceObject
{
      public:
	DeviceObject(const Device &device, const Machine &machine,
		     const Model *model, const ApstTable *table)
	    : facts(read_facts(machine.get()))
	{
		object.device = device.get();
		object.machine = &facts;
		object.model = model ? model->get() : nullptr;
		without_gil([&](struct ssdpm_error *error) {
			return read(machine, table, error);
		});
	}
	DeviceObject(const DeviceObject &) = delete;
	DeviceObject &operator=(const DeviceObject &) = delete;

	struct ssdpm_object object = {};

      private:
	int read(const Machine &machine, const ApstTable *table,
		 struct ssdpm_error *error)
	{
		struct ssdpm_diagnosis_params params = {};
		struct ssdpm_diagnosis *found;
		int err;

		/* One that cannot be read is none. */
		journal.size = sizeof(journal);
		if (!ssdpm_journal_read(machine.get(), nullptr, &journal,
					nullptr))
			object.journal = &journal;
		params.size = sizeof(params);
		params.facts = &facts;
		params.model = object.model;
		params.table = table ? &table->table : nullptr;
		err = ssdpm_device_diagnose(object.device, &params, &found,
					    &object.n_diagnoses, error);
		if (!err)
			advise(machine, found);
		return err;
	}

	void advise(const Machine &machine, struct ssdpm_diagnosis *found)
	{
		diagnoses.reset(found);
		for (size_t i = 0; i < object.n_diagnoses; i++)
			texts.emplace_back(
				advice_of(machine, object.device, found[i]));
		for (const std::unique_ptr<char, Free> &text : texts)
			advice.push_back(text.get());
		object.diagnoses = found;
		object.advice = advice.data();
	}

	const struct ssdpm_machine_facts facts;
	struct ssdpm_journal journal = {};
	std::unique_ptr<struct ssdpm_diagnosis, Free> diagnoses;
	std::vector<std::unique_ptr<char, Free>> texts;
	std::vector<const char *> advice;
};

static py::str device(const Device &self, const Machine &machine,
		      const Model *model, const ApstTable *table)
{
	const DeviceObject of(self, machine, model, table);

	return object_json(of.object, SSDPM_OBJECT_DEVICE);
}

static struct ssdpm_object drive(const Model &model, const std::string &name)
{
	struct ssdpm_object object = {};

	object.model = model.get();
	object.name = name.c_str();
	return object;
}

/* quirks: in force, and those that may be */
static py::str apst(const Model &model, const std::string &name,
		    const ApstParams &params,
		    const std::pair<uint32_t, uint32_t> &quirks)
{
	struct ssdpm_object object = drive(model, name);

	object.params = &params.params;
	object.quirks = quirks.first;
	object.quirks_unknown = quirks.second;
	return object_json(object, SSDPM_OBJECT_APST);
}

/* Two tables, each with its name. */
using Named = std::pair<OptionalText, const ApstTable *>;

static py::str apst_diff(const Model &model, const std::string &name,
			 const ApstParams *params, const Named &table,
			 const Named &other)
{
	struct ssdpm_object object = drive(model, name);

	object.params = params ? &params->params : nullptr;
	object.table_name = c_str(table.first);
	object.table = &table.second->table;
	object.other_name = c_str(other.first);
	object.other = &other.second->table;
	return object_json(object, SSDPM_OBJECT_APST_DIFF);
}

static py::str apst_infer(const Model &model, const std::string &name,
			  const std::string &table,
			  const std::vector<const ApstParams *> &found)
{
	struct ssdpm_object object = drive(model, name);
	std::vector<struct ssdpm_apst_params> params;

	for (const ApstParams *one : found)
		params.push_back(one->params);
	object.table_name = table.c_str();
	object.params = params.data();
	object.n_params = params.size();
	return object_json(object, SSDPM_OBJECT_APST_INFER);
}

static py::str apst_reach(const Model &model, const std::string &name,
			  const ApstParams &params, const ApstTable &table,
			  const Named &wanted)
{
	struct ssdpm_object object = drive(model, name);
	struct ssdpm_change *changes = nullptr;
	struct ssdpm_error error = {};

	if (ssdpm_device_get_apst_changes(nullptr, nullptr, &params.params,
					  &changes, &object.n_changes, &error))
		raise_error(error, false);
	const std::unique_ptr<struct ssdpm_change, Free> memory(changes);

	object.changes = changes;
	object.params = &params.params;
	object.table = &table.table;
	object.other_name = c_str(wanted.first);
	object.other = &wanted.second->table;
	return object_json(object, SSDPM_OBJECT_APST_REACH);
}

/* The object of a whole call. */
static py::str answer(const std::string &name, const std::string &list,
		      const std::vector<std::string> &items,
		      const std::vector<std::string> &errors)
{
	struct ssdpm_object object = {};
	std::vector<const char *> texts, failures;

	for (const std::string &item : items)
		texts.push_back(item.c_str());
	for (const std::string &error : errors)
		failures.push_back(error.c_str());
	object.name = name.c_str();
	object.list = list.c_str();
	object.items = texts.data();
	object.n_items = texts.size();
	object.errors = failures.data();
	object.n_errors = failures.size();
	return object_json(object, SSDPM_OBJECT_ANSWER);
}

void add_object(py::module_ &module)
{
	module.def("answer_json", &answer);
	module.def("catalogue_row_json", &catalogue_row);
	module.def("machine_json", &machine);
	module.def("device_json", &device);
	module.def("apst_json", &apst);
	module.def("apst_diff_json", &apst_diff);
	module.def("apst_infer_json", &apst_infer);
	module.def("apst_reach_json", &apst_reach);
}
