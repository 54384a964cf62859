/* SPDX-License-Identifier: MIT */
/*
 * What all files of the binding share.
 *
 * C++ computes, Python validates and explains: whatever comes in here has been
 * checked by ssdpm/<stage>/, so these functions take plain types only.
 */
#ifndef SSDPM_BINDING_COMMON_H
#define SSDPM_BINDING_COMMON_H

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <ssdpm-energy.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace py = pybind11;

/* A counted reference to a model. */
class Model
{
      public:
	/* Takes over the caller's reference. */
	explicit Model(struct ssdpm_model *model) : model(model)
	{
	}
	~Model()
	{
		ssdpm_model_unref(model);
	}
	Model(const Model &) = delete;
	Model &operator=(const Model &) = delete;

	struct ssdpm_model *get() const
	{
		return model;
	}

      private:
	struct ssdpm_model *model;
};

/* A counted reference to a catalogue. */
class Catalogue
{
      public:
	/* Takes over the caller's reference. */
	explicit Catalogue(struct ssdpm_catalogue *catalogue)
	    : catalogue(catalogue)
	{
	}
	~Catalogue()
	{
		ssdpm_catalogue_free(catalogue);
	}
	Catalogue(const Catalogue &) = delete;
	Catalogue &operator=(const Catalogue &) = delete;

	const struct ssdpm_catalogue *get() const
	{
		return catalogue;
	}

      private:
	struct ssdpm_catalogue *catalogue;
};

/* What the library allocated with malloc(). */
struct Free {
	void operator()(void *memory) const
	{
		free(memory);
	}
};

using OptionalText = std::optional<std::string>;

inline const char *c_str(const OptionalText &text)
{
	return text ? text->c_str() : nullptr;
}

/* Raise the ssdpm.Error of an error; reading: the input is a text. */
[[noreturn]] void raise_error(const struct ssdpm_error &error, bool reading);

/* A text of the machine, in whatever encoding; NULL and "" become None. */
py::object text_or_none(const char *text);
py::str text_from(const char *text);

/* The names that a host and the facts of a machine both have. */
template <typename Named> void put_names(py::dict &result, const Named &from)
{
	result["linux_release"] = text_or_none(from.linux_release);
	result["sys_vendor"] = text_or_none(from.sys_vendor);
	result["product_name"] = text_or_none(from.product_name);
	result["product_version"] = text_or_none(from.product_version);
	result["board_vendor"] = text_or_none(from.board_vendor);
	result["board_name"] = text_or_none(from.board_name);
	result["bios_date"] = text_or_none(from.bios_date);
}

/* Call the library without the GIL; reading: as raise_error() has it. */
template <typename Call> void without_gil(Call call, bool reading = false)
{
	struct ssdpm_error error = {};
	int err;
	{
		py::gil_scoped_release release;

		err = call(&error);
	}
	if (err)
		raise_error(error, reading);
}

/* What the library writes: write(&text, &error), without the GIL. */
template <typename Write> py::str written(Write write)
{
	char *text = nullptr;

	without_gil(
		[&](struct ssdpm_error *error) { return write(&text, error); });
	const std::unique_ptr<char, Free> owner(text);

	return text_from(text);
}

/* Raise MemoryError where n elements of this size are more than the machine
 * has: ssdpm.base.convert.check_memory(). */
void check_memory(size_t n, size_t each, const char *name);

/* The name of each number, as in {"nvme": 1, "sata": 2}. */
py::dict words(const char *(*to_string)(uint32_t), bool bits = false);

/* The words of some bits. */
py::list bit_words(const char *(*to_string)(uint32_t), uint32_t bits);

/* The same for the name of a file, as os.fsdecode() does it. */
py::object path_or_none(const char *path);

/* What is read: bytes, which its owner has to keep, or a descriptor. */
struct Input {
	explicit Input(const py::object &source)
	{
		std::string_view bytes;

		if (!py::isinstance<py::bytes>(source)) {
			fd = source.cast<int>();
			return;
		}
		bytes = py::reinterpret_borrow<py::bytes>(source);
		data = bytes.data();
		size = bytes.size();
	}

	const char *data = nullptr;
	size_t size = 0;
	int fd = -1;
};

/* A reader of an input: of bytes with the one call, of a descriptor with the
 * other. */
template <typename Reader, typename Params>
Reader *opened(const py::object &source, const Params &params,
	       int (*open_data)(const void *, size_t, const Params *, Reader **,
				struct ssdpm_error *),
	       int (*open)(int, const Params *, Reader **,
			   struct ssdpm_error *))
{
	const Input input(source);
	Reader *reader = nullptr;

	without_gil(
		[&](struct ssdpm_error *error) {
			return input.data ?
				       open_data(input.data, input.size,
						 &params, &reader, error) :
				       open(input.fd, &params, &reader, error);
		},
		true);
	return reader;
}

/* A read-only array onto memory that base keeps alive. */
template <typename T>
py::array view(const T *data, size_t n, const py::object &base)
{
	const std::vector<py::ssize_t> shape = { (py::ssize_t)n };
	const std::vector<py::ssize_t> strides = { (py::ssize_t)sizeof(T) };
	py::array array(py::dtype::of<T>(), shape, strides, data, base);

	py::detail::array_proxy(array.ptr())->flags &=
		~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
	return array;
}

/* Records, as ssdpm/workload/ has checked them: one dimension, no gaps. */
using IoArray = py::array_t<struct ssdpm_io, py::array::c_style>;

/* base_ns and bytes_per_second of struct ssdpm_service. */
using OpNumbers = std::array<uint64_t, SSDPM_N_OPS>;
using ServiceNumbers = std::pair<OpNumbers, OpNumbers>;

struct ssdpm_service service_from(const ServiceNumbers &numbers);

/*
 * Give an array to the library without the GIL, a piece at a time, so that a
 * signal is heard within milliseconds.
 */
template <typename Feed> void feed_all(const IoArray &ios, Feed feed)
{
	const size_t piece = 1 << 20;
	const struct ssdpm_io *at = ios.data();
	size_t left = (size_t)ios.size();

	while (left) {
		size_t n = left < piece ? left : piece;

		without_gil([&](struct ssdpm_error *error) {
			return feed(at, n, error);
		});
		if (PyErr_CheckSignals())
			throw py::error_already_set();
		at += n;
		left -= n;
	}
}

/* What policy.cpp and the files of later stages share. */
class ApstTable
{
      public:
	struct ssdpm_apst table;
};

class ApstParams
{
      public:
	struct ssdpm_apst_params params;

	ApstParams();
};

/* Parameters, and the range of the limit. */
py::tuple describe(const struct ssdpm_model *model,
		   const struct ssdpm_apst_params &params);

struct ssdpm_profile_settings settings_from(const py::dict &from);
py::dict settings_dict(const struct ssdpm_profile_settings &settings);

py::str object_json(struct ssdpm_object object, uint32_t kind);

/* [(target, value), ...] */
py::list change_list(const struct ssdpm_change *changes, size_t n);

/* The members of struct ssdpm_host, as quirks_find() takes them. */
py::dict host_dict(const struct ssdpm_host &host);

/* What device.cpp and apply.cpp share. */
class Machine
{
      public:
	/* log is called with the level and the message, or is None. */
	Machine(const OptionalText &root, const py::object &log,
		uint32_t log_level);
	~Machine();
	Machine(const Machine &) = delete;
	Machine &operator=(const Machine &) = delete;

	struct ssdpm_machine *get() const
	{
		return machine;
	}

	/* As it was given; nullptr: this machine. */
	const char *get_root() const
	{
		return c_str(root);
	}

      private:
	static void tell(void *userdata, uint32_t level, const char *message);

	const OptionalText root;
	py::object log;
	struct ssdpm_machine *machine = nullptr;
};

/* What to do, as the command says it; free it. "": there is nothing to do. */
char *advice_of(const Machine &machine, const struct ssdpm_device *device,
		const struct ssdpm_diagnosis &diagnosis);

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

struct ssdpm_machine_facts read_facts(struct ssdpm_machine *machine);

/* A counted reference to a device; the machine is kept for its log. */
class Device
{
      public:
	/* Takes over the caller's reference. */
	Device(struct ssdpm_device *device,
	       const std::shared_ptr<Machine> &machine)
	    : machine(machine), device(device)
	{
	}
	~Device()
	{
		ssdpm_device_unref(device);
	}
	Device(const Device &) = delete;
	Device &operator=(const Device &) = delete;

	struct ssdpm_device *get() const
	{
		return device;
	}

      private:
	std::shared_ptr<Machine> machine;
	struct ssdpm_device *device;
};

void add_model(py::module_ &module);
void add_policy(py::module_ &module);
void add_device(py::module_ &module);
void add_apply(py::module_ &module);
void add_object(py::module_ &module);

/* Those of _core.energy. */
void add_workload(py::module_ &module);
void add_estimate(py::module_ &module);
void add_recommend(py::module_ &module);
void add_report(py::module_ &module);
void add_likely(py::module_ &module);
void add_caps(py::module_ &module);
void add_budget(py::module_ &module);
void add_compare(py::module_ &module);
void add_measure(py::module_ &module);
void add_survey(py::module_ &module);
void add_writes(py::module_ &module);

/* That of _core.ftl. */
void add_ftl(py::module_ &module);

/* Those of _core.observe. */
void add_observe(py::module_ &module);
void add_watch(py::module_ &module);

/* Those of _core.suspend. */
void add_suspend(py::module_ &module);

#endif
