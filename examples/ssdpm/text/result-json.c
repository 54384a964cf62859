/* SPDX-License-Identifier: MIT */
#include "text/result-json.h"

#include "text/apst-questions.h"

/* By op - 1, or by axis - 1. */
static void write_array(struct json_writer *w, const char *key,
			const uint64_t *values, size_t n)
{
	ssdpm__json_begin(w, key, '[');
	w->one_line = true;
	for (size_t i = 0; i < n; i++)
		ssdpm__json_uint(w, NULL, values[i]);
	ssdpm__json_end(w, ']');
}

uint64_t all_ios(const struct ssdpm_run *run)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SSDPM_N_OPS; i++)
		sum += run->n_ios[i];
	return sum;
}

static void write_states(struct json_writer *w, const struct ssdpm_run *run,
			 const struct drive *drive)
{
	size_t n;

	ssdpm_model_get_states(drive->model, &n);
	ssdpm__json_begin(w, "states", '[');
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_residency *r = &run->states[i];

		ssdpm__json_begin(w, NULL, '{');
		w->one_line = true;
		ssdpm__json_uint(w, "time_ns", r->time_ns);
		ssdpm__json_uint(w, "entry_ns", r->entry_ns);
		ssdpm__json_uint(w, "exit_ns", r->exit_ns);
		ssdpm__json_uint(w, "energy_nj", r->energy_nj);
		ssdpm__json_uint(w, "n_entries", r->n_entries);
		ssdpm__json_uint(w, "n_wakes", r->n_wakes);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

void write_run(struct json_writer *w, const char *key,
	       const struct ssdpm_run *r, const struct drive *drive)
{
	ssdpm__json_begin(w, key, '{');
	ssdpm__json_uint(w, "duration_ns", r->duration_ns);
	ssdpm__json_uint(w, "busy_ns", r->busy_ns);
	ssdpm__json_uint(w, "idle_ns", r->idle_ns);
	ssdpm__json_uint(w, "entry_ns", r->entry_ns);
	ssdpm__json_uint(w, "exit_ns", r->exit_ns);
	ssdpm__json_uint(w, "energy_nj", r->energy_nj);
	ssdpm__json_uint(w, "transition_nj", r->transition_nj);
	ssdpm__json_uint(w, "mean_power_uw", r->mean_power_uw);
	write_array(w, "busy_ns_by_op", r->busy_ns_by_op, SSDPM_N_OPS);
	write_array(w, "n_ios", r->n_ios, SSDPM_N_OPS);
	write_array(w, "bytes", r->bytes, SSDPM_N_OPS);
	ssdpm__json_uint(w, "n_gaps", r->n_gaps);
	ssdpm__json_uint(w, "n_wakes", r->n_wakes);
	ssdpm__json_uint(w, "n_deepest", r->n_deepest);
	ssdpm__json_uint(w, "deepest_per_day", r->deepest_per_day);
	ssdpm__json_uint(w, "n_delayed", r->n_delayed);
	ssdpm__json_uint(w, "delay_sum_ns", r->delay_sum_ns);
	ssdpm__json_uint(w, "delay_mean_ns", r->delay_mean_ns);
	ssdpm__json_uint(w, "delay_mean_delayed_ns", r->delay_mean_delayed_ns);
	ssdpm__json_uint(w, "delay_p50_ns", r->delay_p50_ns);
	ssdpm__json_uint(w, "delay_p99_ns", r->delay_p99_ns);
	ssdpm__json_uint(w, "delay_p999_ns", r->delay_p999_ns);
	ssdpm__json_uint(w, "delay_max_ns", r->delay_max_ns);
	ssdpm__json_uint(w, "background_ns", r->background_ns);
	write_states(w, r, drive);
	ssdpm__json_end(w, '}');
}

void write_saving(struct json_writer *w, const char *key,
		  const struct ssdpm_saving *s)
{
	ssdpm__json_begin(w, key, '{');
	ssdpm__json_int(w, "low_nj", s->low_nj);
	ssdpm__json_int(w, "nominal_nj", s->nominal_nj);
	ssdpm__json_int(w, "high_nj", s->high_nj);
	ssdpm__json_int(w, "low_uw", s->low_uw);
	ssdpm__json_int(w, "nominal_uw", s->nominal_uw);
	ssdpm__json_int(w, "high_uw", s->high_uw);
	ssdpm__json_end(w, '}');
}

void write_sim_options(struct json_writer *w, const struct sim_options *options,
		       const struct drive *drive)
{
	uint32_t loop = options->loop ? options->loop : SSDPM_LOOP_CLOSED;
	uint32_t link = find_link(options, drive);

	ssdpm__json_string(w, "loop", ssdpm_loop_to_string(loop));
	ssdpm__json_string(w, "pcie_link", ssdpm_pcie_link_to_string(link));
	ssdpm__json_uint(w, "operational_state", options->operational_state);
	ssdpm__json_bool(w, "idle_from_start",
			 options->flags & SSDPM_SIM_IDLE_FROM_START);
	if (options->spare_ppm)
		ssdpm__json_uint(w, "spare_ppm", options->spare_ppm);
}

void write_resolved(struct json_writer *w,
		    const struct ssdpm_resolved_policy *resolved,
		    const struct drive *drive)
{
	uint32_t kind = ssdpm_model_get_info(drive->model)->kind;

	if (kind == SSDPM_KIND_SATA) {
		ssdpm__json_string(w, "lpm",
				   ssdpm_lpm_to_string(resolved->lpm));
		return;
	}
	ssdpm__json_bool(w, "sent", resolved->apst.sent);
	ssdpm__json_bool(w, "enabled", resolved->apst.enabled);
	write_entries(w, &resolved->apst);
}

void write_known(struct json_writer *w, const struct subject *subject)
{
	ssdpm__json_begin(w, "parameters", '[');
	for (size_t i = 0; i < subject->n_parameters; i++) {
		const struct ssdpm_parameter *p = &subject->parameters[i];

		ssdpm__json_begin(w, NULL, '{');
		w->one_line = true;
		ssdpm__json_string(w, "kind",
				   ssdpm_parameter_kind_to_string(p->kind));
		ssdpm__json_uint(w, "index", p->index);
		ssdpm__json_string(w, "provenance",
				   ssdpm_provenance_to_string(p->provenance));
		ssdpm__json_uint(w, "low", p->low);
		ssdpm__json_uint(w, "nominal", p->nominal);
		ssdpm__json_uint(w, "high", p->high);
		ssdpm__json_string(w, "rule", p->rule);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}
