/* SPDX-License-Identifier: MIT */
#include "input/power-cap.h"

#include "options/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
#define IO_BYTES 131072

static enum exit_status parse_cap(const struct common *common, const char *text,
				  struct power_cap *ret_cap)
{
	char *end;

	if (!strcmp(text, "none")) {
		ret_cap->cap_uw = SSDPM_CAP_NONE;
		return STATUS_DONE;
	}
	if (!strncmp(text, "PS", 2)) {
		unsigned long state = strtoul(text + 2, &end, 10);

		if (text[2] < '0' || text[2] > '9' || *end ||
		    state >= SSDPM_MAX_STATES)
			return usage_error(
				common,
				"--power-cap %s: a state is PS0 to PS%d", text,
				SSDPM_MAX_STATES - 1);
		ret_cap->state = (uint32_t)state;
		return STATUS_DONE;
	}
	if (text[0] < '0' || text[0] > '9')
		return usage_error(common,
				   "--power-cap %s: write a power, none or a "
				   "state, as in 10W or PS2",
				   text);
	if (parse_number(common, "power-cap", text, POWER_UW, &ret_cap->cap_uw))
		return STATUS_USAGE;
	return ret_cap->cap_uw ?
		       STATUS_DONE :
		       usage_error(common, "--power-cap %s: must be above 0",
				   text);
}

static enum exit_status parse_item(const struct common *common,
				   const char *text, size_t length, bool last,
				   struct power_cap *ret_cap)
{
	char item[64], *time;

	*ret_cap = (struct power_cap){ 0 };
	if (length >= sizeof(item))
		return usage_error(common, "--power-cap: %.*s... is too long",
				   (int)sizeof(item) - 1, text);
	memcpy(item, text, length);
	item[length] = 0;
	time = strchr(item, ':');
	if (time) {
		*time++ = 0;
		if (parse_number(common, "power-cap", time, TIME_NS,
				 &ret_cap->duration_ns))
			return STATUS_USAGE;
	}
	if (parse_cap(common, item, ret_cap))
		return STATUS_USAGE;
	if ((last && !time) || ret_cap->duration_ns)
		return STATUS_DONE;
	return usage_error(common,
			   "--power-cap %s: say how long it holds, as in "
			   "20W:60s; the last one may hold to the end",
			   item);
}

enum exit_status parse_power_caps(const struct common *common, const char *text,
				  struct power_caps *ret_caps)
{
	enum exit_status status = STATUS_DONE;
	size_t length;

	if (ret_caps->n)
		return usage_error(common,
				   "--power-cap is given twice; caps that "
				   "change are none:60s,20W:60s,10W");
	for (bool last = false; !last && !status; text += length + 1) {
		length = strcspn(text, ",");
		last = !text[length];
		if (ret_caps->n == MAX_CAPS)
			return usage_error(common,
					   "--power-cap: more than %d caps",
					   MAX_CAPS);
		status = parse_item(common, text, length, last,
				    &ret_caps->caps[ret_caps->n++]);
	}
	return status;
}

/* From one power state to another; the latencies of others are not known. */
static enum exit_status resolve(const struct drive *drive,
				const struct power_caps *caps,
				struct ssdpm_cap_segment *segments)
{
	uint32_t before = UINT32_MAX;
	struct ssdpm_error error;

	for (size_t i = 0; i < caps->n; i++) {
		const struct power_cap *cap = &caps->caps[i];

		segments[i] = (struct ssdpm_cap_segment){
			.duration_ns = cap->duration_ns,
			.cap_uw = cap->cap_uw,
		};
		if (!cap->cap_uw &&
		    ssdpm_cap_segment_set_state(&segments[i], drive->model,
						before, cap->state, &error)) {
			complain("%s, --power-cap PS%u: %s%s", drive->name,
				 cap->state, error.message,
				 error.code == -ENODATA ? ": write the watts" :
							  "");
			return STATUS_DEVICE_CANNOT;
		}
		before = cap->cap_uw ? UINT32_MAX : cap->state;
	}
	return STATUS_DONE;
}

static uint64_t lowest(const struct ssdpm_cap_segment *segments, size_t n)
{
	uint64_t uw = SSDPM_CAP_NONE;

	for (size_t i = 0; i < n; i++)
		if (segments[i].cap_uw < uw)
			uw = segments[i].cap_uw;
	return uw;
}

static enum exit_status make_points(struct cap_answer *answer)
{
	answer->points = calloc(answer->n_points, sizeof(*answer->points));
	if (answer->points)
		return STATUS_DONE;
	return out_of_memory();
}

enum exit_status run_power_caps(const struct plan *plan,
				const struct estimate *estimate,
				const struct power_caps *caps,
				struct cap_answer *ret_answer)
{
	const struct subject *subject = estimate->subject;
	const struct job *job = &estimate->jobs[0];
	struct ssdpm_sim_params params = sim_params_of(plan, subject);
	uint32_t kind = ssdpm_model_get_info(subject->drive->model)->kind;
	struct ssdpm_cap_segment segments[MAX_CAPS];
	struct ssdpm_cap_schedule schedule = { .size = sizeof(schedule),
					       .segments = segments };
	struct ssdpm_error error;
	enum exit_status status = resolve(subject->drive, caps, segments);

	*ret_answer = (struct cap_answer){
		.subject = subject,
		.estimate = estimate,
		.changes = caps->n > 1,
		.run.size = sizeof(ret_answer->run),
		.n_points = caps->n,
	};
	if (!status)
		status = make_points(ret_answer);
	if (status)
		return status;
	ret_answer->lowest_uw = lowest(segments, caps->n);
	if (kind == SSDPM_KIND_NVME)
		params.apst = &job->row.resolved.apst;
	else
		params.lpm = job->row.resolved.lpm;
	schedule.n_segments = caps->n;
	schedule.ios = plan->records->ios;
	schedule.n_ios = plan->records->n;
	if (!ssdpm_cap_simulate(subject->drive->model, &params, &schedule,
				&ret_answer->run, ret_answer->points, &error))
		return STATUS_DONE;
	return failure("%s on %s, --power-cap %s: %s", subject->drive->name,
		       estimate->trace, cap_text(ret_answer->lowest_uw).text,
		       error.message);
}

void cap_streams(const struct cap_answer *answer,
		 struct ssdpm_cap_stream streams[2])
{
	const double read = (double)answer->read_ppm / WHOLE_PPM;

	streams[0] = (struct ssdpm_cap_stream){
		.op = SSDPM_OP_READ,
		.share = read,
		.io_bytes = IO_BYTES,
	};
	streams[1] = (struct ssdpm_cap_stream){
		.op = SSDPM_OP_WRITE,
		.share = 1 - read,
		.io_bytes = IO_BYTES,
	};
}

static int calculate(const struct plan *plan,
		     const struct ssdpm_cap_schedule *schedule,
		     struct cap_answer *answer, struct ssdpm_error *error)
{
	const struct subject *subject = answer->subject;
	const struct ssdpm_sim_params sim = sim_params_of(plan, subject);
	struct ssdpm_cap_params params = { .size = sizeof(params) };
	struct ssdpm_cap_stream streams[2];
	bool reads = answer->read_ppm, writes = answer->read_ppm < WHOLE_PPM;
	int err;

	cap_streams(answer, streams);
	err = ssdpm_cap_params_from_model(
		subject->drive->model, &sim, streams + !reads,
		(size_t)reads + writes, &params, error);
	if (!err)
		err = ssdpm_cap_timeline(&params, schedule, answer->points,
					 answer->n_points, &answer->n_points,
					 error);
	return err;
}

static enum exit_status run_mix_caps(const struct plan *plan,
				     const struct subject *subject,
				     uint64_t read_ppm,
				     const struct power_caps *caps,
				     uint64_t interval_ns,
				     struct cap_answer *ret_answer)
{
	struct ssdpm_cap_segment segments[MAX_CAPS];
	const struct ssdpm_cap_schedule schedule = {
		.size = sizeof(schedule),
		.segments = segments,
		.n_segments = caps->n,
		.interval_ns = interval_ns,
	};
	struct ssdpm_error error;
	enum exit_status status = resolve(subject->drive, caps, segments);
	int err;

	*ret_answer =
		(struct cap_answer){ .subject = subject, .read_ppm = read_ppm };
	if (status)
		return status;
	if (!segments[caps->n - 1].duration_ns)
		segments[caps->n - 1].duration_ns = NS_PER_S;
	err = calculate(plan, &schedule, ret_answer, &error);
	if (!err) {
		if (make_points(ret_answer))
			return STATUS_FAILED;
		err = calculate(plan, &schedule, ret_answer, &error);
	}
	if (!err)
		return STATUS_DONE;
	return failure("%s, --power-cap: %s", subject->drive->name,
		       error.message);
}

/* *ret_caps: one for each of n, all empty; free_caps(). */
static enum exit_status make_caps(size_t n, struct cap_answer **ret_caps)
{
	*ret_caps = calloc(n ? n : 1, sizeof(**ret_caps));
	if (*ret_caps)
		return STATUS_DONE;
	return out_of_memory();
}

void free_caps(struct cap_answer *caps, size_t n)
{
	for (size_t i = 0; caps && i < n; i++)
		free(caps[i].points);
	free(caps);
}

/* *ret_caps stays NULL where no cap is asked for. */
enum exit_status run_caps(const struct plan *plan,
			  const struct power_caps *caps,
			  const struct estimates *all,
			  struct cap_answer **ret_caps)
{
	enum exit_status status;

	if (!caps->n)
		return STATUS_DONE;
	status = make_caps(all->n, ret_caps);
	for (size_t i = 0; i < all->n && !status; i++)
		status = run_power_caps(plan, &all->estimates[i], caps,
					&(*ret_caps)[i]);
	return status;
}

enum exit_status run_mixes(const struct plan *plan,
			   const struct subject *subjects, size_t n,
			   uint64_t read_ppm, const struct power_caps *caps,
			   uint64_t interval_ns, struct cap_answer **ret_caps)
{
	enum exit_status status = make_caps(n, ret_caps);

	for (size_t i = 0; i < n && !status; i++)
		status = run_mix_caps(plan, &subjects[i], read_ppm, caps,
				      interval_ns, &(*ret_caps)[i]);
	return status;
}
