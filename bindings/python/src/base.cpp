/* SPDX-License-Identifier: MIT */
/* <ssdpm/base.h>: the error and the version; and the module itself. */
#include "common.h"

#include <cerrno>
#include <cstring>
#include <new>

void raise_error(const struct ssdpm_error &error, bool reading)
{
	if (error.code == -ENOMEM)
		throw std::bad_alloc();

	/* A message may quote input, cut in the middle of a character. */
	py::object message =
		py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
			error.message, strlen(error.message), "replace"));
	if (!message)
		throw py::error_already_set();
	py::object exception =
		py::module_::import("ssdpm.base")
			.attr("_error_from_c")(-error.code, message, error.line,
					       reading);
	PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
	throw py::error_already_set();
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

#if PYBIND11_VERSION_HEX >= 0x020D0000
/* What changes after it was made has a lock: free threads may share all of it.
 */
PYBIND11_MODULE(_core, module, py::mod_gil_not_used())
#else
PYBIND11_MODULE(_core, module)
#endif
{
	module.attr("JSON_MAX_BYTES") = SSDPM_JSON_MAX_BYTES;
	module.def("version", &ssdpm_version);
	add_model(module);
	add_policy(module);
	add_workload(module);
	add_estimate(module);
}
