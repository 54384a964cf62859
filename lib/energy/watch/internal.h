/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_ENERGY_WATCH_INTERNAL_H
#define SSDPM_LIB_ENERGY_WATCH_INTERNAL_H

#include <ssdpm/energy/watch.h>

#include <stdbool.h>
#include <time.h>

#define SECOND_NS 1000000000ull

struct drive_ios {
	uint64_t begun;
	uint64_t in_flight;
};

struct watched {
	struct ssdpm_device *device;
	struct ssdpm_disk *disks;
	size_t n_disks;
	uint32_t flags;
	/* While the trace is off: up to the last line on it, and now. */
	struct drive_ios told, seen;
};

/* When the trace costs too much, and what is counted in its place. */
struct watch_load {
	int64_t budget; /* line ns; below 0: more were read than may be */
	uint64_t paid_ns;
	uint64_t n_lines;
	uint64_t step_ns;  /* processor time when this step began */
	uint64_t count_ns; /* processor time that the last count took */
	bool stays_on;	   /* the kernel does not count I/Os */
	bool is_off;	   /* the trace */
	uint64_t from_ns;  /* of the gap that is not told yet */
	uint64_t quiet_ns; /* since then the drives do little */
	uint64_t looked_ns;
};

struct ssdpm_watch {
	struct ssdpm_machine *machine;
	struct ssdpm_observation *observation;
	struct ssdpm_tracer *tracer;
	struct watched *drives;
	size_t n;
	char *remarks; /* lines of a recording before events; NULL: none */
	struct watch_load load;
	uint64_t now_ns;
	uint64_t looked_ns; /* whether the drives are there */
	bool is_empty;	    /* all text that there was is read */
	bool rests;	    /* more text is waited for with a timer alone */
	ssdpm_watch_write_fn write_fn;
	void *userdata;
	char text[64 << 10];
};

uint64_t ssdpm__watch_read_clock(clockid_t clock);

/* The number of its NVMe controller, or SSDPM_NO_CONTROLLER. */
uint32_t ssdpm__controller_of(const struct ssdpm_device *device);

/* The text of the trace, to the observation and to the recording. */
int ssdpm__watch_feed(struct ssdpm_watch *watch, const char *text, size_t size,
		      struct ssdpm_error *reterr);

/* From this time until now nothing is known but the number of I/Os. */
int ssdpm__watch_tell_gap(struct ssdpm_watch *watch,
			  const struct watched *drive, uint64_t from_ns,
			  uint64_t n_ios, struct ssdpm_error *reterr);

/* A line, once, that a recording must have, too, if it begins later. */
int ssdpm__watch_remark(struct ssdpm_watch *watch, const char *line,
			struct ssdpm_error *reterr);

/* The devices of file systems with names. */
int ssdpm__watch_tell_backings(struct ssdpm_watch *watch,
			       struct ssdpm_error *reterr);

/* root: where cgroup v2 is mounted; only those that were seen are told. */
int ssdpm__watch_name_cgroups(struct ssdpm_watch *watch, const char *root,
			      struct ssdpm_error *reterr);

/* What a recording needs before the text of events. */
int ssdpm__watch_write_head(const struct ssdpm_watch *watch,
			    struct ssdpm_error *reterr);

/* The time up to now has no more events. Nothing is written any more. */
void ssdpm__watch_end_recording(struct ssdpm_watch *watch);

void ssdpm__load_begin(struct ssdpm_watch *watch);
/* From here on its processor time counts. */
void ssdpm__load_begin_step(struct ssdpm_watch *watch);
/* Until the next look at the drives */
uint32_t ssdpm__load_get_wait_ms(const struct ssdpm_watch *watch);
/* Was more text read than may be, or did it take too long? */
bool ssdpm__load_is_too_much(struct ssdpm_watch *watch);
/* Before the trace is turned off, and after it. */
void ssdpm__load_begin_gap(struct ssdpm_watch *watch);
void ssdpm__load_begin_gap_time(struct ssdpm_watch *watch);
/* A look at the drives, after a while. Do they do little now? */
bool ssdpm__load_is_quiet(struct ssdpm_watch *watch);
/* Until now the drives were only counted: a line for each that worked. */
int ssdpm__load_tell_gaps(struct ssdpm_watch *watch,
			  struct ssdpm_error *reterr);

#endif
