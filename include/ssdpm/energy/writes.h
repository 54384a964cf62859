/* SPDX-License-Identifier: MIT */
/*
 * Sustained writes: what garbage collection adds to them.
 *
 *     spare factor -> write amplification -> energy and time of each byte
 *     a simulated flash translation layer, second by second
 *
 * See ssdpm_writes(3).
 */
#ifndef SSDPM_WRITES_H
#define SSDPM_WRITES_H

#include <ssdpm/energy/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum ssdpm_wa_formula - write amplification of uniform random writes
 *
 * The spare factor is the share of the flash that holds no data: spare area by
 * all of it. Each is good for a garbage collection that erases...
 */
enum ssdpm_wa_formula {
	/* ...any block: 1 / spare factor. */
	SSDPM_WA_RANDOM = 1,
	/* ...the block written longest ago (Xiang and Kurkoski 2012; as LRW:
	 * Desnoyers 2014). What greedy comes to with large blocks. */
	SSDPM_WA_FIFO = 2,
	/* ...the block with the fewest valid pages (Desnoyers 2014). */
	SSDPM_WA_GREEDY = 3,
	/* ...the same, older and too optimistic (Agarwal and Marrow 2010). */
	SSDPM_WA_AGARWAL = 4,
};

/**
 * ssdpm_wa_calculate() - write amplification by a formula
 * @formula:         enum ssdpm_wa_formula
 * @spare_factor:    above 0, below 1: of 512 GiB of flash that hold 476 GiB of
 *                   data, 0.07. What parity takes is not spare: take it off
 * @pages_per_block: of SSDPM_WA_GREEDY; 2 to 65536. Others do not read it
 * @ret_wa:          pages programmed by pages that the host wrote, 1 or more
 *
 * Return: 0; -EINVAL (@formula), -ERANGE (@spare_factor, @pages_per_block, or
 * where the formula is not valid: Agarwal's is below 1, greedy's below 1 or
 * above the pages of a block).
 */
SSDPM_API int ssdpm_wa_calculate(uint32_t formula, double spare_factor,
				 uint32_t pages_per_block, double *ret_wa,
				 struct ssdpm_error *reterr);

/** More classes than people tell apart. */
#define SSDPM_MAX_WRITE_CLASSES 16

/**
 * struct ssdpm_write_class - addresses that are written alike (frozen, 16
 * bytes)
 * @address_share: of all addresses, above 0
 * @write_share:   of all writes: 0.2 and 0.8 are the hot addresses of 80/20
 */
struct ssdpm_write_class {
	double address_share;
	double write_share;
};

/**
 * ssdpm_wa_calculate_classes() - write amplification where some is hotter
 * @spare_factor: as for ssdpm_wa_calculate()
 * @classes:      their shares of addresses come to 1, and those of writes
 * @n_classes:    1 to SSDPM_MAX_WRITE_CLASSES
 * @ret_wa:       of SSDPM_WA_FIFO, with one stream of writes for all classes
 *
 * Return: 0; -ERANGE (@spare_factor), -EINVAL (shares below 0, or that do not
 * come to 1).
 */
SSDPM_API int ssdpm_wa_calculate_classes(
	double spare_factor, const struct ssdpm_write_class *classes,
	size_t n_classes, double *ret_wa, struct ssdpm_error *reterr);

/**
 * ssdpm_spare_factor_trim() - the spare factor that TRIM makes
 * @spare_factor:     without TRIM
 * @trim_share:       of requests that are TRIM, below 0.5; the others write
 * @ret_spare_factor: with it, for any of the formulas
 *
 * Source: Frankie, Hughes and Kreutz-Delgado 2012: of the addresses a share of
 * (1 - 2q) / (1 - q) is in use.
 *
 * Return: 0; -ERANGE.
 */
SSDPM_API int ssdpm_spare_factor_trim(double spare_factor, double trim_share,
				      double *ret_spare_factor,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_nand - what bytes cost inside of a drive (sized parameters)
 * @size:       sizeof(struct ssdpm_nand)
 * @link_pj:    pJ for each byte of the host
 * @program_pj: pJ for each byte that is programmed
 * @read_pj:    pJ for each byte that is read to be moved
 * @erase_pj:   pJ for each byte of a block that is erased
 * @program_bytes_per_s: of all flash together; 0: without limit
 * @read_bytes_per_s: likewise
 */
struct ssdpm_nand {
	size_t size;
	double link_pj;
	double program_pj;
	double read_pj;
	double erase_pj;
	double program_bytes_per_s;
	double read_bytes_per_s;
};

/**
 * struct ssdpm_write_cost - of each byte that the host writes (frozen, 16
 * bytes)
 * @byte_pj:     link + WA (program + erase) + (WA - 1) read
 * @bytes_per_s: that the flash keeps up with: 1 / (WA / program +
 *               (WA - 1) / read); infinite: no limit was given
 */
struct ssdpm_write_cost {
	double byte_pj;
	double bytes_per_s;
};

/**
 * ssdpm_write_cost_calculate() - what write amplification does to a byte
 * @wa: 1 or more
 *
 * Return: 0; -EINVAL (numbers below 0 or not finite, @wa below 1), -E2BIG.
 */
SSDPM_API int ssdpm_write_cost_calculate(const struct ssdpm_nand *nand,
					 double wa,
					 struct ssdpm_write_cost *ret_cost,
					 struct ssdpm_error *reterr);

/**
 * struct ssdpm_sustained_writes - writes to a drive without erased flash (sized
 * parameters)
 * @size:         sizeof(struct ssdpm_sustained_writes)
 * @spare_factor: as for ssdpm_wa_calculate()
 * @measured_wa:  write amplification at which what is known of writes was
 *                measured; 0: 1, as it is on erased flash and in sequence
 * @operational_state: the state in which the drive works
 * @reserved:     0
 */
struct ssdpm_sustained_writes {
	size_t size;
	double spare_factor;
	double measured_wa;
	uint32_t operational_state;
	uint32_t reserved;
};

/**
 * struct ssdpm_background_work - the work behind the writes of the host
 * (frozen, 56 bytes)
 * @low_wa, @nominal_wa, @high_wa: write amplification: 1, as in sequence; even
 *               writes (SSDPM_WA_FIFO); any block is collected
 * @low_ps_per_byte, @nominal_ps_per_byte, @high_ps_per_byte: time that the
 *               drive works for each byte of the host after it has that
 * @power_uw:    that it takes all in all while it does so; nominal
 */
struct ssdpm_background_work {
	double low_wa;
	double nominal_wa;
	double high_wa;
	uint64_t low_ps_per_byte;
	uint64_t nominal_ps_per_byte;
	uint64_t high_ps_per_byte;
	uint64_t power_uw;
};

/**
 * ssdpm_parameters_set_spare() - a drive whose spare factor is known
 * @model:      the drive; what it says of its maximum power is a bound
 * @parameters: all else is as it should be: from ssdpm_parameters_from_model(),
 *              ssdpm_parameters_calibrate(), ssdpm_parameters_set()
 * @n:          how many
 * @writes:     what is known
 * @ret_background: what is behind it, or NULL
 *
 * Each byte that is written makes work, which takes
 * SSDPM_PARAMETER_BACKGROUND_TIME. The energy of the work above that of an idle
 * drive is added to the energy of the byte. While it goes on, the drive takes
 * no more than the maximum power of the state in which it works. If that is not
 * known, it takes no more than I/Os take at most. ssdpm_writes(3) has the
 * formula, and what is assumed where only a sum is known: the provenance of
 * both is then SSDPM_PROVENANCE_ASSUMED. The time that an I/O takes stays as it
 * is.
 *
 * Return: 0; -ERANGE (a spare factor not above 0 and below 1, or too small for
 * a parameter to hold the work; @measured_wa; a bandwidth of 0), -EINVAL
 * (@parameters are not of this drive, which has no such state or does not work
 * in it), -E2BIG.
 */
SSDPM_API int ssdpm_parameters_set_spare(
	const struct ssdpm_model *model, struct ssdpm_parameter *parameters,
	size_t n, const struct ssdpm_sustained_writes *writes,
	struct ssdpm_background_work *ret_background,
	struct ssdpm_error *reterr);

/** Bytes of a page: where a number of a drive is in bytes. */
#define SSDPM_FTL_PAGE_BYTES 4096
/** A usual drive: 16 GiB of flash. */
#define SSDPM_FTL_PAGES_PER_BLOCK 256
#define SSDPM_FTL_BLOCKS 16384

/** Which block is erased next: struct ssdpm_ftl_params.collector. */
enum ssdpm_ftl_collector {
	SSDPM_FTL_GREEDY = 1,  /* with the fewest valid pages */
	SSDPM_FTL_FIFO = 2,    /* the one written longest ago */
	SSDPM_FTL_CHOICES = 3, /* the best of a few random ones */
};

/**
 * struct ssdpm_ftl_params - a drive with a page map (sized parameters)
 * @size:            sizeof(struct ssdpm_ftl_params)
 * @seed:            of its random numbers: the same seed, the same result
 * @n_user_pages:    that the host can write
 * @n_blocks:        of flash, spare ones too
 * @pages_per_block: 2 to 65536; a page is what the map maps, 4 KiB
 * @reserve_blocks:  erased ones that are kept ready; 0: 1
 * @collector:       enum ssdpm_ftl_collector
 * @choices:         of SSDPM_FTL_CHOICES, how many; 1: any block
 * @reserved:        0
 */
struct ssdpm_ftl_params {
	size_t size;
	uint64_t seed;
	uint64_t n_user_pages;
	uint32_t n_blocks;
	uint32_t pages_per_block;
	uint32_t reserve_blocks;
	uint32_t collector;
	uint32_t choices;
	uint32_t reserved;
};

/**
 * struct ssdpm_ftl_counts - what a simulated drive did (sized result)
 * @size:          set by the caller
 * @n_written:     pages that the host wrote
 * @n_trimmed:     pages that it gave back, those that held no data too
 * @n_moved:       valid pages that garbage collection wrote again
 * @n_erased:      blocks
 * @n_mapped:      pages that hold data now
 * @n_free_blocks: erased now
 * @reserved:      0
 *
 * Write amplification is (@n_written + @n_moved) / @n_written, of the
 * difference of two counts.
 */
struct ssdpm_ftl_counts {
	size_t size;
	uint64_t n_written;
	uint64_t n_trimmed;
	uint64_t n_moved;
	uint64_t n_erased;
	uint64_t n_mapped;
	uint32_t n_free_blocks;
	uint32_t reserved;
};

struct ssdpm_ftl;

/**
 * ssdpm_ftl_new() - an erased drive
 * @ret_ftl: free it with ssdpm_ftl_free(); 8 bytes for each page of flash and
 *           less than 32 for each block
 *
 * Return: 0; -EINVAL, -ERANGE (more than 2^32 - 2 pages of flash; spare blocks
 * for less than the reserve, the block being written and one to collect),
 * -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_ftl_new(const struct ssdpm_ftl_params *params,
			    struct ssdpm_ftl **ret_ftl,
			    struct ssdpm_error *reterr);

/** ssdpm_ftl_free() - @ftl may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_ftl *ssdpm_ftl_free(struct ssdpm_ftl *ftl);

/**
 * ssdpm_ftl_write() - the host writes pages, one after the other
 * @first_page: of the host's
 * @n_pages:    how many
 *
 * Return: 0; -ERANGE (beyond the pages of the host; nothing was written).
 */
SSDPM_API int ssdpm_ftl_write(struct ssdpm_ftl *ftl, uint64_t first_page,
			      uint64_t n_pages, struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_trim() - the host gives pages back
 *
 * Return: as ssdpm_ftl_write().
 */
SSDPM_API int ssdpm_ftl_trim(struct ssdpm_ftl *ftl, uint64_t first_page,
			     uint64_t n_pages, struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_feed() - the writes and discards of a trace
 * @ios:        the next records, any number at a time
 * @n:          how many
 * @page_bytes: of a page
 *
 * A write of a part of a page writes all of it, as a drive does that maps
 * pages. A discard gives back the pages that it covers. Reads and flushes do
 * nothing, and times are not looked at.
 *
 * Return: 0; -ERANGE (a write or discard beyond the pages of the host: the
 * records before it are done), -EINVAL (an unknown operation, likewise;
 * @page_bytes). @reterr has the number of the record, counted from the first
 * one fed.
 */
SSDPM_API int ssdpm_ftl_feed(struct ssdpm_ftl *ftl, const struct ssdpm_io *ios,
			     size_t n, uint32_t page_bytes,
			     struct ssdpm_error *reterr);

/** Where a pattern writes: struct ssdpm_ftl_pattern.order. */
enum ssdpm_ftl_order {
	SSDPM_FTL_SEQUENTIAL = 1, /* and from the begin again */
	SSDPM_FTL_UNIFORM = 2,	  /* any page */
	SSDPM_FTL_CLASSES = 3,	  /* any page of a class, by its share */
};

/**
 * struct ssdpm_ftl_pattern - writes of one page each (sized parameters)
 * @size:       sizeof(struct ssdpm_ftl_pattern)
 * @first_page: where it begins
 * @n_pages:    that it writes to; 0: to the end
 * @n_classes:  1 to SSDPM_MAX_WRITE_CLASSES
 * @order:      enum ssdpm_ftl_order
 * @classes:    of SSDPM_FTL_CLASSES, from the begin of the pages on
 */
struct ssdpm_ftl_pattern {
	size_t size;
	uint64_t first_page;
	uint64_t n_pages;
	uint32_t n_classes;
	uint32_t order;
	const struct ssdpm_write_class *classes;
};

/**
 * ssdpm_ftl_write_pattern() - the host writes by a pattern
 * @n_writes: how many pages
 *
 * A sequential pattern goes on where the last one of the same pages ended.
 *
 * Return: 0; -EINVAL (@pattern), -ERANGE (beyond the pages of the host).
 */
SSDPM_API int ssdpm_ftl_write_pattern(struct ssdpm_ftl *ftl,
				      const struct ssdpm_ftl_pattern *pattern,
				      uint64_t n_writes,
				      struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_get_counts() - what it did so far
 * @ret_counts: its size member is set by the caller
 *
 * Return: 0; -EINVAL, -E2BIG.
 */
SSDPM_API int ssdpm_ftl_get_counts(const struct ssdpm_ftl *ftl,
				   struct ssdpm_ftl_counts *ret_counts,
				   struct ssdpm_error *reterr);

/**
 * struct ssdpm_ftl_cost - what the work of a simulated drive takes (sized
 * parameters)
 * @size:        sizeof(struct ssdpm_ftl_cost)
 * @host_ns:     the least time between two pages of the host: link, commands,
 *               queue depth; above 0
 * @program_ns:  of a page, all flash working side by side
 * @read_ns:     of a page that is moved, likewise
 * @erase_ns:    of a block
 * @buffer_ns:   work that the drive may be behind before the host waits; 0:
 *               that of one block that is collected
 * @host_nj:     for each page of the host
 * @program_nj:  for each page programmed
 * @read_nj:     for each page moved
 * @erase_nj:    for each block
 * @idle_uw:     at all times
 * @cache_pages: of a cache in front, which takes writes until it is full. Then
 *               each write first moves the oldest page of the cache to where
 *               it belongs. 0: none
 * @cache_ns, @cache_nj: to program a page of the cache
 * @background_uw: on top, while the drive moves what was there before: valid
 *               pages of a block that it collects, the oldest of a full cache
 */
struct ssdpm_ftl_cost {
	size_t size;
	uint64_t host_ns;
	uint64_t program_ns;
	uint64_t read_ns;
	uint64_t erase_ns;
	uint64_t buffer_ns;
	uint64_t host_nj;
	uint64_t program_nj;
	uint64_t read_nj;
	uint64_t erase_nj;
	uint64_t idle_uw;
	uint64_t cache_pages;
	uint64_t cache_ns;
	uint64_t cache_nj;
	uint64_t background_uw;
};

/**
 * struct ssdpm_ftl_second - one second of a run (frozen, 40 bytes)
 * @n_written:     pages of the host
 * @n_programmed:  for these, those of the cache too: by @n_written it is the
 *                 write amplification of the second
 * @n_erased:      blocks
 * @background_ns: work to move what was there before. All work counts where
 *                 the host handed over the page that it is for, and may be more
 *                 than a second
 * @power_w:       mean power; NaN where the costs have no power or energy
 */
struct ssdpm_ftl_second {
	uint64_t n_written;
	uint64_t n_programmed;
	uint64_t n_erased;
	uint64_t background_ns;
	double power_w;
};

/**
 * ssdpm_ftl_run() - writes at full speed, second by second
 * @pattern:     as for ssdpm_ftl_write_pattern()
 * @cost:        up to 10^9 ns and 10^12 nJ each
 * @n_seconds:   how long
 * @ret_seconds: room for @n_seconds
 *
 * A run begins with an empty cache, whose pages are in their places after it.
 * The host never pauses: a drive in idle would empty its cache.
 *
 * Return: 0; as ssdpm_ftl_write_pattern(), -EINVAL (@cost), -ENOMEM.
 */
SSDPM_API int ssdpm_ftl_run(struct ssdpm_ftl *ftl,
			    const struct ssdpm_ftl_pattern *pattern,
			    const struct ssdpm_ftl_cost *cost, size_t n_seconds,
			    struct ssdpm_ftl_second *ret_seconds,
			    struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_cost_calculate() - the times of flash from its bandwidth
 * @program_bytes_per_s: at which all flash together programs pages of
 *                       SSDPM_FTL_PAGE_BYTES; 0: 80 MB/s
 * @pages_per_block:     2 to 65536
 * @ret_cost:            its size member is set by the caller
 *
 * The host is as fast as flash. Reading a page takes a tenth of programming it.
 * Erasing a block takes a hundredth of programming all of it. No part takes
 * power or energy, and there is no cache: the caller sets what is known.
 *
 * Return: 0; -ERANGE (@pages_per_block, or a time that ssdpm_ftl_run() does not
 * take), -EINVAL (@ret_cost is shorter than its size member), -E2BIG.
 */
SSDPM_API int ssdpm_ftl_cost_calculate(uint64_t program_bytes_per_s,
				       uint32_t pages_per_block,
				       struct ssdpm_ftl_cost *ret_cost,
				       struct ssdpm_error *reterr);

/**
 * ssdpm_ftl_get_spare_factors() - those that are compared if nobody names any
 * @ret_n: how many
 *
 * Source: AnandTech's review of the Crucial M500 (2013), on consistency.
 *
 * Return: ascending; valid for ever.
 */
SSDPM_API const double *ssdpm_ftl_get_spare_factors(size_t *ret_n);

/**
 * ssdpm_ftl_simulate() - a drive with spare area under sustained writes
 * @params:       @n_user_pages is 0: the spare factor says it. If @choices is 0
 *                for SSDPM_FTL_CHOICES, they are 10
 * @spare_factor: as for ssdpm_wa_calculate(); the host has the nearest number
 *                of whole pages
 * @cost:         as for ssdpm_ftl_run(); NULL: ssdpm_ftl_cost_calculate() of
 * the usual bandwidth
 * @n_seconds:    how long
 * @ret_seconds:  room for @n_seconds
 *
 * An erased drive is filled in the order of its addresses. Then the host writes
 * to any page at full speed. ssdpm_consistency_measure() takes n_written and
 * power_w of the seconds.
 *
 * Return: 0; as ssdpm_ftl_new() and ssdpm_ftl_run(), -ERANGE (@spare_factor).
 */
SSDPM_API int ssdpm_ftl_simulate(const struct ssdpm_ftl_params *params,
				 double spare_factor,
				 const struct ssdpm_ftl_cost *cost,
				 size_t n_seconds,
				 struct ssdpm_ftl_second *ret_seconds,
				 struct ssdpm_error *reterr);

/** ssdpm_wa_formula_to_string() - "random", "fifo" and so on, or NULL */
SSDPM_API const char *ssdpm_wa_formula_to_string(uint32_t formula);
SSDPM_API uint32_t ssdpm_wa_formula_from_string(const char *word);

/** ssdpm_ftl_collector_to_string() - "greedy", "fifo", "choices", or NULL */
SSDPM_API const char *ssdpm_ftl_collector_to_string(uint32_t collector);
SSDPM_API uint32_t ssdpm_ftl_collector_from_string(const char *word);

/** ssdpm_ftl_order_to_string() - "sequential", "uniform", "classes", or NULL */
SSDPM_API const char *ssdpm_ftl_order_to_string(uint32_t order);
SSDPM_API uint32_t ssdpm_ftl_order_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
