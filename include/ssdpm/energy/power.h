/* SPDX-License-Identifier: MIT */
/*
 * Samples of power: in memory, and read from a file.
 *
 * Samples are doubles or floats in watts: they come from an instrument, and
 * none is exact. Times are whole nanoseconds. See ssdpm_power(3).
 */
#ifndef SSDPM_POWER_H
#define SSDPM_POWER_H

#include <ssdpm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What struct ssdpm_samples.power points to. */
enum ssdpm_sample_type {
	SSDPM_SAMPLE_FLOAT32 = 1,
	SSDPM_SAMPLE_FLOAT64 = 2,
};

/**
 * struct ssdpm_samples - power over time: a view (frozen, 48 bytes where a
 * pointer has 8)
 * @power_w:     @n values in watts, of @type
 * @time_ns:     the time of each, or NULL: one each @interval_ns
 * @n:           how many
 * @start_ns:    time of the first, read where @time_ns is NULL
 * @interval_ns: from one to the next, read there too: 1 or more, and not a
 * whole number for 48 kHz
 * @type:        enum ssdpm_sample_type
 * @reserved:    0
 */
struct ssdpm_samples {
	const void *power_w;
	const int64_t *time_ns;
	size_t n;
	int64_t start_ns;
	double interval_ns;
	uint32_t type;
	uint32_t reserved;
};

/** How a file of samples is written. */
enum ssdpm_power_format {
	/* Lines with a power, or with what a power is made of. */
	SSDPM_POWER_CSV = 1,
	SSDPM_POWER_FLOAT32 = 2, /* one after the other, little endian */
	SSDPM_POWER_INT16 = 3,	 /* likewise */
};

/**
 * struct ssdpm_power_params - how samples are read (sized parameters)
 * @size:        sizeof(struct ssdpm_power_params)
 * @columns:     CSV: what each column is, in words with commas between them, as
 *               ssdpm_power(3) lists them; NULL: from the names in the first
 *               line
 * @rate_hz:     samples per second, where the file has no times; up to 1e9
 * @scale:       watts for one unit of a raw sample; 0: 1
 * @shunt_ohm:   R of the shunt, for a column shunt_v: the power of what is
 *               behind it is (V / R) (U - V)
 * @supply_v:    U before the shunt, or of a current, where no column volts has
 *               it. With R and U, the only voltage of a file is that of the
 *               shunt
 * @counter_j:   a counter of energy begins anew there; 0: unknown, and the
 *               power of a step in which it did is NaN
 * @format:      enum ssdpm_power_format; 0: CSV
 * @reserved:    0
 */
struct ssdpm_power_params {
	size_t size;
	const char *columns;
	double rate_hz;
	double scale;
	double shunt_ohm;
	double supply_v;
	double counter_j;
	uint32_t format;
	uint32_t reserved;
};

/**
 * struct ssdpm_power_counts - what was met so far (frozen, 32 bytes)
 * @n_lines:   lines, those without a sample too; 0: the file has none
 * @n_samples: given out
 * @n_wraps:   a counter began anew at @counter_j of the parameters
 * @n_resets:  a counter fell otherwise: the power of that step is NaN
 */
struct ssdpm_power_counts {
	uint64_t n_lines;
	uint64_t n_samples;
	uint64_t n_wraps;
	uint64_t n_resets;
};

struct ssdpm_power;

/**
 * ssdpm_power_open() - begin to read samples of power
 * @fd:        stays the caller's, and must stay open; pipes too; gzip,
 *             zstd and xz are unpacked
 * @params:    or NULL
 * @ret_power: close it with ssdpm_power_free()
 *
 * Return: 0; -EINVAL (columns that make no power, or are unknown; a rate or a
 * resistance that is missing; no text, where CSV was to be read), -ENODATA
 * (empty; the first line has no names of columns, and @params neither),
 * -EOPNOTSUPP (packed, and this build cannot unpack it), -E2BIG (@params; a
 * line above 1 MiB), -EIO (packed, and damaged), -ENOMEM, and what read(2) has.
 */
SSDPM_API int ssdpm_power_open(int fd, const struct ssdpm_power_params *params,
			       struct ssdpm_power **ret_power,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_power_open_data() - the same from memory
 * @data: must stay as it is until ssdpm_power_free()
 *
 * Return: as ssdpm_power_open().
 */
SSDPM_API int ssdpm_power_open_data(const void *data, size_t size,
				    const struct ssdpm_power_params *params,
				    struct ssdpm_power **ret_power,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_power_read() - the next samples
 * @ret_time_ns: room for @capacity
 * @ret_power_w: likewise; NaN where the file has no number, infinite where one
 *               is larger than a double can be
 * @capacity:    1 or more
 * @ret_n:       how many there were; 0: the end
 *
 * The first time is 0. Times are as the file has them: they may jump, and
 * ssdpm_integral_feed() counts where they do. The power of a line with a
 * counter is the mean since the line before; the first line has that of the
 * second.
 *
 * Return: 0; -EINVAL (a line that cannot be read, whose number is in @reterr; a
 * raw file that ends within a sample; no room), -E2BIG, -EIO, -ENOMEM, and what
 * read(2) has. All samples before that have been given out then; it stays so.
 */
SSDPM_API int ssdpm_power_read(struct ssdpm_power *power, int64_t *ret_time_ns,
			       double *ret_power_w, size_t capacity,
			       size_t *ret_n, struct ssdpm_error *reterr);

/** ssdpm_power_get_counts() - of what was read; lives as long as @power. */
SSDPM_API const struct ssdpm_power_counts *ssdpm_power_get_counts(
	const struct ssdpm_power *power);

/** ssdpm_power_free() - @power may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_power *ssdpm_power_free(struct ssdpm_power *power);

/** ssdpm_sample_type_to_string() - "float32", "float64", or NULL */
SSDPM_API const char *ssdpm_sample_type_to_string(uint32_t type);
SSDPM_API uint32_t ssdpm_sample_type_from_string(const char *word);

/** ssdpm_power_format_to_string() - "csv", "float32", "int16", or NULL */
SSDPM_API const char *ssdpm_power_format_to_string(uint32_t format);
SSDPM_API uint32_t ssdpm_power_format_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
