/* SPDX-License-Identifier: MIT */
/* Samples of power from a file: text or raw, packed or not. */
#include "power/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "base/bytes.h"

static bool is_sane(double value)
{
	return value >= 0 && isfinite(value);
}

static int check_params(const struct ssdpm_power_params *given,
			struct ssdpm_power_params *ret_params,
			struct ssdpm_error *reterr)
{
	struct ssdpm_power_params params = { .size = sizeof(params) };
	int err = ssdpm__sized_in(&params, sizeof(params), given,
				  "ssdpm_power_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(params.reserved,
					    "ssdpm_power_params", reterr);
	if (err)
		return err;
	if (params.format > SSDPM_POWER_INT16)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "unknown format of samples: %u",
				   params.format);
	if (!is_sane(params.rate_hz) || params.rate_hz > NS_PER_S)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a rate is between 0 and 1e9 Hz");
	if (!is_sane(params.shunt_ohm) || !is_sane(params.supply_v) ||
	    !is_sane(params.counter_j) || !isfinite(params.scale))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the scale, the resistance, the supply and "
				   "the counter are finite, and none below 0 "
				   "but the scale");
	bool raw = params.format > SSDPM_POWER_CSV;
	if (raw && (!(params.rate_hz > 0) || params.columns))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "raw samples have no times and no columns: "
				   "they need a rate, and only that");
	if (!raw && params.scale != 0)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a scale is of raw samples only");
	if (params.scale == 0)
		params.scale = 1;
	*ret_params = params;
	return 0;
}

static int open_text(struct ssdpm_power *power, const char *columns,
		     struct ssdpm_error *reterr)
{
	int err = ssdpm__input_text(&power->input, reterr);

	if (err < 0)
		return err;
	if (!err)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "this is no text: if these are raw samples, "
				   "name their format and their rate");
	return ssdpm__power_csv_open(power, columns, reterr);
}

static int open_raw(struct ssdpm_power *power, struct ssdpm_error *reterr)
{
	int err = ssdpm__input_need(&power->input, 1, reterr);

	if (err == 0)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "there are no samples: the file is empty");
	return err < 0 ? err : 0;
}

static int begin(struct ssdpm_power *power, struct given_bytes given,
		 struct ssdpm_error *reterr)
{
	const char *columns = power->params.columns;
	int err = ssdpm__input_open(&power->input, given, reterr);

	if (err)
		return err;
	power->params.columns = NULL;
	if (power->params.format > SSDPM_POWER_CSV)
		return open_raw(power, reterr);
	return open_text(power, columns, reterr);
}

static int open_power(struct given_bytes given,
		      const struct ssdpm_power_params *params,
		      struct ssdpm_power **ret_power,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_power_params checked;
	int err = check_params(params, &checked, reterr);

	if (err)
		return err;
	struct ssdpm_power *power = calloc(1, sizeof(*power));
	if (!power)
		return ssdpm__no_memory(reterr);
	power->params = checked;
	err = begin(power, given, reterr);
	if (err) {
		ssdpm_power_free(power);
		return err;
	}
	*ret_power = power;
	return 0;
}

int ssdpm_power_open(int fd, const struct ssdpm_power_params *params,
		     struct ssdpm_power **ret_power, struct ssdpm_error *reterr)
{
	return open_power(ssdpm__of_fd(fd), params, ret_power, reterr);
}

int ssdpm_power_open_data(const void *data, size_t size,
			  const struct ssdpm_power_params *params,
			  struct ssdpm_power **ret_power,
			  struct ssdpm_error *reterr)
{
	return open_power(ssdpm__in_memory(data, size), params, ret_power,
			  reterr);
}

static double raw_value(const char *at, uint32_t format)
{
	const uint8_t *bytes = (const uint8_t *)at;

	if (format == SSDPM_POWER_INT16)
		return (int16_t)ssdpm__little_endian(bytes, 2);
	uint32_t bits = (uint32_t)ssdpm__little_endian(bytes, 4);
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int next_raw(struct ssdpm_power *power, struct power_sample *ret_sample,
		    struct ssdpm_error *reterr)
{
	struct input *input = &power->input;
	size_t width = power->params.format == SSDPM_POWER_INT16 ? 2 : 4;
	int err = ssdpm__input_need(input, width, reterr);

	if (err < 0)
		return err;
	if (err == 0 && input->at == input->end)
		return 0;
	if (err == 0)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the file ends within a sample: is the "
				   "format another one?");
	if (!ssdpm__power_row_time(power, power->n_rows, &ret_sample->time_ns))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "more samples than 2^63 ns have");
	ret_sample->power_w = raw_value(input->at, power->params.format) *
			      power->params.scale;
	input->at += width;
	power->n_rows++;
	return 1;
}

static size_t read_samples(struct ssdpm_power *power, int64_t *time_ns,
			   double *power_w, size_t capacity)
{
	bool raw = power->params.format > SSDPM_POWER_CSV;
	size_t n = 0;

	while (n < capacity) {
		struct power_sample sample;
		struct ssdpm_error error = { 0 };
		int err = raw ? next_raw(power, &sample, &error) :
				ssdpm__power_csv_next(power, &sample, &error);

		if (err < 0)
			power->failed = error;
		if (err <= 0)
			break;
		time_ns[n] = sample.time_ns;
		power_w[n++] = sample.power_w;
	}
	return n;
}

int ssdpm_power_read(struct ssdpm_power *power, int64_t *ret_time_ns,
		     double *ret_power_w, size_t capacity, size_t *ret_n,
		     struct ssdpm_error *reterr)
{
	size_t n = 0;

	if (!capacity)
		return ssdpm__fail(reterr, -EINVAL, 0, "no room for a sample");
	if (!power->failed.code)
		n = read_samples(power, ret_time_ns, ret_power_w, capacity);
	power->counts.n_samples += n;
	if (n == 0 && power->failed.code) {
		if (reterr)
			*reterr = power->failed;
		return power->failed.code;
	}
	*ret_n = n;
	return 0;
}

const struct ssdpm_power_counts *ssdpm_power_get_counts(
	const struct ssdpm_power *power)
{
	return &power->counts;
}

struct ssdpm_power *ssdpm_power_free(struct ssdpm_power *power)
{
	if (!power)
		return NULL;
	ssdpm__input_close(&power->input);
	free(power);
	return NULL;
}

static const char sample_type_words[][8] = {
	[SSDPM_SAMPLE_FLOAT32] = "float32",
	[SSDPM_SAMPLE_FLOAT64] = "float64",
};
ENUM_WORDS(sample_type)

static const char power_format_words[][8] = {
	[SSDPM_POWER_CSV] = "csv",
	[SSDPM_POWER_FLOAT32] = "float32",
	[SSDPM_POWER_INT16] = "int16",
};
ENUM_WORDS(power_format)
