/* SPDX-License-Identifier: MIT */
/* ssdpm consistency: how even sustained writes go, second by second. */
#ifndef SSDPM_COMMAND_CONSISTENCY_H
#define SSDPM_COMMAND_CONSISTENCY_H

#include "html/html.h"
#include "options/numbers.h"

#define MAX_SPARES 16

enum consistency_mode {
	MODE_READ = 1,
	MODE_SIMULATE = 2,
	MODE_JOB = 4,
	MODE_RUN = 8,
};

struct consistency_options {
	uint32_t mode;	/* enum consistency_mode; 0: none was named */
	uint64_t given; /* a bit for each option of its table */
	uint64_t spares_ppm[MAX_SPARES];
	size_t n_spares;
	uint64_t capacity;
	uint64_t bandwidth;	 /* 0: the library's */
	uint64_t host_bandwidth; /* 0: as fast as flash */
	/* 0: not stated */
	uint32_t idle_uw;
	uint32_t background_uw;
	uint64_t byte_pj;
	uint64_t seed;
	uint32_t collector;
	uint64_t duration_s;
	uint64_t share_ppm; /* of the addresses of a drive */
	bool no_trim;
	bool destroy_data;
	bool series;
	const char *device;
	const char *save;
	struct ssdpm_iops_log_params log;
	struct ssdpm_consistency_params params;
	struct page_options page;
};

/* A log, or a drive that was simulated. */
struct iops_series {
	char *name;
	uint64_t spare_ppm; /* 0: it is a log */
	double *iops;
	double *power_w; /* NULL: not known */
	size_t n;
	struct ssdpm_consistency found;
};

struct iops_list {
	struct iops_series *series;
	size_t n;
};

/* Takes name, iops and power_w, in any case; measures them. */
enum exit_status add_series(struct iops_list *list,
			    const struct consistency_options *options,
			    struct iops_series *series);
void free_series(struct iops_list *list);

/* consistency-options.c */
extern const struct option_group consistency_option_group;
enum exit_status check_consistency_options(const struct common *common,
					   struct consistency_options *options,
					   char **operands, size_t n);

/* consistency-read.c: the logs that are named; one that fails is left out. */
enum exit_status read_logs(const struct consistency_options *options,
			   char **operands, size_t n, struct iops_list *list);

/* fd is closed. */
enum exit_status read_iops_log(const struct consistency_options *options,
			       const char *name, int fd,
			       struct iops_list *list);

/* consistency-simulate.c: a drive for each spare area. */
enum exit_status simulate_drives(const struct common *common,
				 const struct consistency_options *options,
				 struct iops_list *list);

/* consistency-print.c: text or JSON, and the page before that. */
enum exit_status print_consistency(const struct common *common,
				   const struct consistency_options *options,
				   const struct iops_list *list);

/* A job for fio without a drive in it; the log is PREFIX_iops.log. */
void write_fio_job(FILE *file, const struct consistency_options *options,
		   bool trim, const char *prefix);

/* consistency-run.c: write to a drive, and read the log of that. */
enum exit_status run_on_drive(const struct common *common,
			      const struct consistency_options *options,
			      struct iops_list *list);

/* consistency-disk.c: a whole drive that nothing uses. */
struct disk {
	const char *path;
	int fd; /* opened with O_EXCL */
	char *sysfs;
	char model[64];
	char serial[64];
	uint64_t n_bytes;
	bool trims;
};

/* May it be written to? The words about it come with their data. */
enum exit_status open_disk(const char *path, bool writable,
			   struct disk *ret_disk);
void close_disk(struct disk *disk);

/* Again, just before the first write: what uses it now? */
enum exit_status check_unused(const struct disk *disk);
enum exit_status say_what_is_lost(const struct disk *disk);

#endif
