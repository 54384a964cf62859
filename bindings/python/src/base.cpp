/* SPDX-License-Identifier: MIT */
/* <ssdpm/base.h>: the error and the version; and the module itself. */
#include "common.h"

#include <cerrno>
#include <cstring>
#include <new>

void raise_error(const struct ssdpm_error &error, bool reading)
{
	if (error.code == -ENOMEM) {
		PyErr_SetString(PyExc_MemoryError, error.message);
		throw py::error_already_set();
	}

	/* A message may quote input, cut in the middle of a character. */
	py::str message = text_from(error.message);
	py::object exception =
		py::module_::import("ssdpm.base.errors")
			.attr("error_from_c")(-error.code, message, error.line,
					      error.nvme_status, reading);
	PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
	throw py::error_already_set();
}

void check_memory(size_t n, size_t each, const char *name)
{
	py::module_::import("ssdpm.base.convert")
		.attr("check_memory")(n, each, name);
}

py::dict words(const char *(*to_string)(uint32_t), bool bits)
{
	py::dict result;
	uint32_t number = 1;

	for (const char *word; (word = to_string(number));
	     number = bits ? number << 1 : number + 1)
		result[word] = number;
	return result;
}

py::list bit_words(const char *(*to_string)(uint32_t), uint32_t bits)
{
	py::list result;

	for (uint32_t bit = 1; bit; bit <<= 1) {
		const char *word = bits & bit ? to_string(bit) : NULL;

		if (word)
			result.append(word);
	}
	return result;
}

py::str text_from(const char *text)
{
	py::object result = py::reinterpret_steal<py::object>(
		PyUnicode_DecodeUTF8(text, strlen(text), "replace"));

	if (!result)
		throw py::error_already_set();
	return result;
}

py::object text_or_none(const char *text)
{
	return text && *text ? py::object(text_from(text)) : py::none();
}

py::object path_or_none(const char *path)
{
	if (!path || !*path)
		return py::none();
	py::object result = py::reinterpret_steal<py::object>(
		PyUnicode_DecodeFSDefault(path));
	if (!result)
		throw py::error_already_set();
	return result;
}

#if PYBIND11_VERSION_HEX >= 0x020D0000
/* What changes after it was made has a lock: free threads may share all of it.
 */
PYBIND11_MODULE(_core, module, py::mod_gil_not_used())
#else
PYBIND11_MODULE(_core, module)
#endif
{
	py::module_ energy = module.def_submodule("energy");
	py::module_ ftl = module.def_submodule("ftl");
	py::module_ observe = module.def_submodule("observe");
	py::module_ suspend = module.def_submodule("suspend");

	module.attr("JSON_MAX_BYTES") = SSDPM_JSON_MAX_BYTES;
	module.def("version", &ssdpm_version);
	add_model(module);
	add_policy(module);
	add_device(module);
	add_intent(module);
	add_apply(module);
	add_object(module);
	add_workload(energy);
	add_estimate(energy);
	add_recommend(energy);
	add_report(energy);
	add_likely(energy);
	add_caps(energy);
	add_budget(energy);
	add_compare(energy);
	add_measure(energy);
	add_survey(energy);
	add_writes(energy);
	add_ftl(ftl);
	add_observe(observe);
	add_watch(observe);
	add_suspend(suspend);
}
