/* SPDX-License-Identifier: MIT */
/* ssdpm consistency: how even sustained writes go. */
#include "options/apst-options.h"
#include "work/consistency.h"
#include "options/units.h"

static struct consistency_options the_settings = {
	.capacity = (uint64_t)SSDPM_FTL_BLOCKS * SSDPM_FTL_PAGES_PER_BLOCK *
		    SSDPM_FTL_PAGE_BYTES,
	.seed = 1,
	.collector = SSDPM_FTL_GREEDY,
	.duration_s = 2000,
	.share_ppm = WHOLE_PPM,
	.log = { .size = sizeof(struct ssdpm_iops_log_params) },
	.params = { .size = sizeof(struct ssdpm_consistency_params) },
};

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	struct consistency_options o =
		*(const struct consistency_options *)data;
	enum exit_status status =
		check_consistency_options(common, &o, operands, n);
	struct iops_list list = { 0 };

	if (status)
		return status;
	if (o.mode == MODE_JOB) {
		fold_lines(false);
		write_fio_job(stdout, &o, !o.no_trim, "ssdpm");
		return STATUS_DONE;
	}
	if (o.mode == MODE_READ)
		status = read_logs(&o, operands, n, &list);
	else if (o.mode == MODE_SIMULATE)
		status = simulate_drives(common, &o, &list);
	else
		status = run_on_drive(common, &o, &list);
	if (!status)
		status = print_consistency(common, &o, &list);
	free_series(&list);
	return status;
}

static const struct group_use groups[] = {
	USE(&page_option_group, &the_settings.page),
};

const struct subcommand cmd_consistency = {
	.name = "consistency",
	.operands = "LOG...",
	.operands_optional = true,
	.list = "series",
	.summary = "Measure how steady sustained writes are, from a log or "
		   "simulated.",
	.own = &consistency_option_group,
	GROUPS(groups),
	.examples =
		"  ssdpm consistency --threshold 1000 a_iops.log b_iops.log\n"
		"  ssdpm consistency --simulate --spare 7% --spare 25%\n"
		"  ssdpm consistency --html p.html --from 1400s a_iops.log\n"
		"  ssdpm consistency --job > consistency.fio\n",
	.run = run,
	.settings = &the_settings,
};
