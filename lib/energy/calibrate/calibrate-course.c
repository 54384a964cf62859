/* SPDX-License-Identifier: MIT */
/* What a drive did while its power was measured. */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

static void note(void *userdata, uint64_t time_ns, uint32_t phase,
		 uint32_t state)
{
	struct drawn_course *course = userdata;

	if (course->n_changes == course->max_changes) {
		size_t max = 2 * course->max_changes + 64;
		struct level_change *changes =
			realloc(course->changes, max * sizeof(*changes));

		if (!changes) {
			course->failed = true;
			return;
		}
		course->changes = changes;
		course->max_changes = max;
	}
	course->changes[course->n_changes++] =
		(struct level_change){ time_ns, phase, state };
}

/*
 * One value for each parameter leaves one course to simulate. A wake takes no
 * time, because a recorded service includes it.
 */
static int make_certain(struct ssdpm_parameter *parameters, size_t n,
			const struct ssdpm_sim_params *params,
			struct ssdpm_error *reterr)
{
	for (size_t i = 0; i < n; i++) {
		if (params->parameters)
			parameters[i] = params->parameters[i];
		struct ssdpm_parameter value = parameters[i];

		if (value.kind == SSDPM_PARAMETER_EXIT_LATENCY)
			value.nominal = 0;
		value.low = value.high = value.nominal;
		int err = ssdpm_parameters_set(parameters, n, &value, reterr);
		if (err)
			return err;
	}
	return 0;
}

static int simulate(struct drawn_course *course,
		    const struct ssdpm_model *model,
		    const struct ssdpm_sim_params *params,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_sim *sim;
	int err;

	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA &&
	    params->lpm < SSDPM_LPM_MAX_PERFORMANCE)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "lpm: the policy of the link is not known");
	err = ssdpm_sim_new(model, params, &sim, reterr);
	if (err)
		return err;
	ssdpm_sim_set_change_fn(sim, note, course);
	err = ssdpm_sim_feed(sim, course->ios, course->n_ios, reterr);
	if (err == 0)
		err = ssdpm_sim_finish(sim, course->end_ns, reterr);
	ssdpm_sim_free(sim);
	if (err == 0 && course->failed)
		err = ssdpm__no_memory(reterr);
	return err;
}

static int check_ios(const struct drawn_course *course,
		     struct ssdpm_error *reterr)
{
	if (!course->n_ios)
		return ssdpm__fail(reterr, -ENODATA, 0, "no I/O");
	for (size_t i = 0; i < course->n_ios; i++) {
		const struct ssdpm_io *io = &course->ios[i];

		if (io->service_ns == SSDPM_SERVICE_UNKNOWN)
			return ssdpm__fail(
				reterr, -ENODATA, 0,
				"I/O %zu has no service time: record completions too",
				i);
		if (io->start_ns > INT64_MAX / 2)
			return ssdpm__fail(reterr, -ERANGE, 0,
					   "I/O %zu is beyond 2^62 ns", i);
	}
	return 0;
}

int ssdpm__course_find(struct drawn_course *course,
		       const struct ssdpm_model *model,
		       const struct ssdpm_sim_params *params,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params mine = *params;
	size_t n = params->n_parameters;
	int err = check_ios(course, reterr);

	if (err)
		return err;
	if (n > SSDPM_MAX_PARAMETERS)
		return ssdpm__fail(reterr, -EINVAL, 0, "too many parameters");
	struct ssdpm_parameter *parameters =
		calloc(SSDPM_MAX_PARAMETERS, sizeof(*parameters));

	course->arrivals = calloc(course->n_ios, sizeof(*course->arrivals));
	if (!parameters || !course->arrivals)
		err = ssdpm__no_memory(reterr);
	if (err == 0 && !params->parameters)
		err = ssdpm_parameters_from_model(
			model, params->pcie_link, parameters,
			SSDPM_MAX_PARAMETERS, &n, reterr);
	if (err == 0)
		err = make_certain(parameters, n, params, reterr);
	if (err == 0) {
		mine.parameters = parameters;
		mine.n_parameters = n;
		mine.loop = SSDPM_LOOP_OPEN;
		mine.interval_ns = 0;
		err = simulate(course, model, &mine, reterr);
	}
	free(parameters);
	return err;
}

static void add(struct drawn_course *course, uint64_t begin_ns, uint64_t end_ns,
		uint32_t kind, uint32_t index)
{
	if (begin_ns >= end_ns)
		return;
	if (course->n_pieces == course->max_pieces) {
		size_t max = 2 * course->max_pieces + 64;
		struct calibrate_piece *pieces =
			realloc(course->pieces, max * sizeof(*pieces));

		if (!pieces) {
			course->failed = true;
			return;
		}
		course->pieces = pieces;
		course->max_pieces = max;
	}
	course->pieces[course->n_pieces++] =
		(struct calibrate_piece){ begin_ns, end_ns, kind, index,
					  false };
}

/* An I/O that wakes the drive for an unknown time. */
static void add_vague(struct drawn_course *course, uint64_t begin_ns,
		      uint64_t end_ns)
{
	size_t n = course->n_pieces;

	add(course, begin_ns, end_ns, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	if (course->n_pieces > n)
		course->pieces[n].vague = true;
}

/* The last change before a time, searched from the change "at" on. */
static size_t change_before(const struct drawn_course *course, size_t at,
			    uint64_t time_ns)
{
	while (at + 1 < course->n_changes &&
	       course->changes[at + 1].time_ns < time_ns)
		at++;
	return at;
}

/* Adds time without I/Os; op is that of the last I/O. */
static size_t add_gap(struct drawn_course *course, size_t at, uint64_t begin_ns,
		      uint64_t end_ns, uint32_t op)
{
	while (begin_ns < end_ns) {
		at = change_before(course, at, begin_ns + 1);
		const struct level_change *change = &course->changes[at];
		uint64_t until_ns = end_ns;

		if (at + 1 < course->n_changes && change[1].time_ns < end_ns)
			until_ns = change[1].time_ns;
		if (change->phase == SSDPM_PHASE_BUSY)
			add(course, begin_ns, until_ns,
			    SSDPM_PARAMETER_ACTIVE_POWER, op - 1);
		else if (change->phase == SSDPM_PHASE_ENTRY ||
			 change->phase == SSDPM_PHASE_EXIT)
			add(course, begin_ns, until_ns,
			    SSDPM_PARAMETER_TRANSITION_POWER, 0);
		else
			add(course, begin_ns, until_ns,
			    SSDPM_PARAMETER_IDLE_POWER, change->state);
		begin_ns = until_ns;
	}
	return at;
}

/* Notes an I/O after a gap. Return: the end of the wake, or EXIT_UNKNOWN. */
static uint64_t arrive(struct drawn_course *course, size_t io, size_t at,
		       const uint64_t exit_ns[SSDPM_MAX_STATES])
{
	const struct level_change *change = &course->changes[at];
	uint64_t time_ns = course->ios[io].start_ns;

	course->arrivals[course->n_arrivals++] =
		(struct arrival){ io, change->phase, change->state };
	if (change->phase != SSDPM_PHASE_RESIDENT &&
	    change->phase != SSDPM_PHASE_ENTRY)
		return time_ns;
	if (exit_ns[change->state] == EXIT_UNKNOWN)
		return EXIT_UNKNOWN;
	if (change->phase == SSDPM_PHASE_RESIDENT)
		return time_ns + exit_ns[change->state];
	/* An entry that has begun ends before the drive wakes. */
	if (at + 1 < course->n_changes && change[1].time_ns > time_ns)
		time_ns = change[1].time_ns;
	return time_ns + exit_ns[change->state];
}

int ssdpm__course_cut(struct drawn_course *course,
		      const uint64_t exit_ns[SSDPM_MAX_STATES])
{
	uint64_t busy_ns = course->ios[0].start_ns;
	uint32_t op = course->ios[0].op;
	size_t at = 0;

	course->n_pieces = course->n_arrivals = 0;
	for (size_t i = 0; i < course->n_ios; i++) {
		const struct ssdpm_io *io = &course->ios[i];
		uint64_t end_ns = io->start_ns + io->service_ns;

		if (io->start_ns > busy_ns) {
			at = add_gap(course, at, busy_ns, io->start_ns, op);
			at = change_before(course, at, io->start_ns);
			uint64_t awake_ns = arrive(course, i, at, exit_ns);

			busy_ns = awake_ns < end_ns ? awake_ns : end_ns;
			if (awake_ns == EXIT_UNKNOWN)
				add_vague(course, io->start_ns, end_ns);
			else
				add(course, io->start_ns, busy_ns,
				    SSDPM_PARAMETER_TRANSITION_POWER, 0);
		}
		op = io->op;
		add(course, busy_ns, end_ns, SSDPM_PARAMETER_ACTIVE_POWER,
		    op - 1u);
		busy_ns = busy_ns > end_ns ? busy_ns : end_ns;
	}
	add_gap(course, at, busy_ns, course->end_ns, op);
	return course->failed ? -ENOMEM : 0;
}

void ssdpm__course_free(struct drawn_course *course)
{
	free(course->changes);
	free(course->arrivals);
	free(course->pieces);
}
