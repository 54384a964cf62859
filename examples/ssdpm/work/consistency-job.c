/* SPDX-License-Identifier: MIT */
/* The job that fio does for ssdpm consistency. It names no drive. */
#include "work/consistency.h"

/*
 * Random writes go to any block at any time, as norandommap has it: a map of
 * what was written already would make garbage collection easier than it is.
 */
static void write_phases(FILE *file, const char *size, uint64_t duration_s,
			 const char *prefix)
{
	fprintf(file,
		"[fill]\nstonewall\nrw=write\nbs=128k\nsize=%s\n\n"
		"[random]\nstonewall\nrw=randwrite\nbs=4k\nsize=%s\n"
		"norandommap=1\nrandom_generator=tausworthe64\n"
		"time_based\nruntime=%llus\n"
		"write_iops_log=%s\nlog_avg_msec=1000\nper_job_logs=0\n",
		size, size, (unsigned long long)duration_s, prefix);
}

void write_fio_job(FILE *file, const struct consistency_options *options,
		   bool trim, const char *prefix)
{
	char size[32];

	/* fio takes whole parts of a hundred only. */
	snprintf(size, sizeof(size), "%u%%",
		 (unsigned int)(options->share_ppm / 10000));
	fputs("[global]\nioengine=libaio\ndirect=1\niodepth=32\n"
	      "refill_buffers=1\nexitall_on_error=1\n\n",
	      file);
	if (trim)
		fputs("[precondition]\nstonewall\nrw=trim\nbs=16m\niodepth=1\n"
		      "size=100%\n\n",
		      file);
	write_phases(file, size, options->duration_s, prefix);
}
