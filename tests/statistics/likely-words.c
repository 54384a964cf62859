/* SPDX-License-Identifier: MIT */
/*
 * How often a word on a saving is wrong, for drives of the catalogue whose
 * hidden values do not follow the priors. The values spread half as wide again,
 * are shifted by a standard deviation, or have the tails of Student's t with 3
 * degrees of freedom. A planted fault counts an undecided saving as a saving.
 * Also, how often the likely ranges of savings and mean powers hold: nine of
 * ten times if the hidden values follow the priors. Values that do not are the
 * other planted fault.
 *
 * usage: likely-words [PAIRS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/drawn.h"
#include "../support/fixture.h"

#include "binomial.h"
#include "common/random.h"

#define N_IOS 400
#define N_HIDDEN 10 /* drives for each word */
#define N_TABLES 4
#define N_WORDS (SSDPM_SAVING_TOO_SMALL + 1)

enum truth { AS_SAID, WIDE, SHIFTED, TAILS, N_TRUTHS };

static const char *const truth_names[N_TRUTHS] = {
	[AS_SAID] = "as the priors say",
	[WIDE] = "spread 1.5 times as wide",
	[SHIFTED] = "shifted by one standard deviation",
	[TAILS] = "with the tails of t3",
};

struct counts {
	unsigned int n[N_WORDS], wrong[N_WORDS];
	/* Counts of the likely ranges. */
	unsigned int inside, power_inside, all;
};

static struct random numbers;

static uint32_t below(uint32_t limit)
{
	return (uint32_t)ssdpm__random_below(&numbers, limit);
}

static double uniform(void)
{
	return ((double)(ssdpm__random_next(&numbers) >> 11) + 0.5) /
	       9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double deviation(enum truth truth)
{
	double chi = 0;

	if (truth == AS_SAID)
		return normal();
	if (truth == WIDE)
		return 1.5 * normal();
	if (truth == SHIFTED)
		return normal() + (below(2) ? 1 : -1);
	for (int i = 0; i < 3; i++) {
		double z = normal();

		chi += z * z;
	}
	return normal() / sqrt(chi / 3);
}

/* Idle times: heavy-tailed, exponential, or bursts. */
static void make_ios(struct ssdpm_io ios[N_IOS])
{
	uint32_t how = below(3);
	uint64_t at = 0;

	for (uint32_t i = 0; i < N_IOS; i++) {
		double u = uniform();
		double gap = how == 0 ? 2e7 / ((1 - u) * (1 - u) + 1e-5) :
			     how == 1 ? -3e8 * log(u) :
			     i % 20   ? 5e6 :
					4e9 * u;

		at += (uint64_t)fmin(gap, 6e10) + 200000;
		ios[i] = (struct ssdpm_io){
			.start_ns = at,
			.bytes = 4096,
			.service_ns = 100000,
			.op = i % 3 ? SSDPM_OP_READ : SSDPM_OP_WRITE,
		};
	}
}

/*
 * Linux, half its timeouts, its rule before 5.14, none; false: the drive does
 * not support them.
 */
static bool make_tables(const struct ssdpm_model *model,
			struct ssdpm_apst tables[N_TABLES])
{
	struct ssdpm_apst_params params;

	memset(tables, 0, N_TABLES * sizeof(*tables));
	for (int i = 0; i < N_TABLES - 1; i++) {
		ssdpm_apst_params_init(&params, sizeof(params));
		if (i == 1) {
			params.primary_timeout_ms /= 2;
			params.secondary_timeout_ms /= 2;
		}
		if (i == 2)
			params.primary_timeout_ms = 0;
		if (ssdpm_apst_generate(model, &params, &tables[i], NULL) ||
		    ssdpm_apst_validate(model, &tables[i], NULL))
			return false;
	}
	return true;
}

/* Two policies of a drive on a workload. */
struct pair {
	const struct ssdpm_model *model;
	const struct ssdpm_apst *tables[2];
	struct ssdpm_io ios[N_IOS];
};

static void run_pair(const struct pair *pair,
		     const struct ssdpm_parameter *parameters, size_t n,
		     struct ssdpm_sim *sims[2])
{
	for (int i = 0; i < 2; i++) {
		struct ssdpm_sim_params params;

		ssdpm_sim_params_init(&params, sizeof(params));
		params.apst = pair->tables[i];
		params.flags = SSDPM_SIM_LIKELY;
		params.parameters = parameters;
		params.n_parameters = n;
		assert_int_equal(
			ssdpm_sim_new(pair->model, &params, &sims[i], NULL), 0);
		assert_int_equal(
			ssdpm_sim_feed(sims[i], pair->ios, N_IOS, NULL), 0);
	}
	assert_int_equal(ssdpm_sim_finish_together(sims, 2, 0, NULL), 0);
}

static void free_pair(struct ssdpm_sim *sims[2])
{
	ssdpm_sim_free(sims[0]);
	ssdpm_sim_free(sims[1]);
}

/* Asleep, a drive takes no more with its link than idle with the same link. */
static void fit_link(const struct priced_drive *drive,
		     const struct ssdpm_model *model,
		     struct ssdpm_parameter *parameters)
{
	struct ssdpm_parameter *idle =
		&parameters[drive->order.operational_state];
	size_t n, asleep = 0;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	while (asleep < n &&
	       !(states[asleep].flags & SSDPM_STATE_NON_OPERATIONAL))
		asleep++;
	for (size_t i = 0; i < drive->n && asleep < n; i++) {
		struct ssdpm_parameter *p = &parameters[i];
		const uint64_t state = parameters[asleep].nominal;

		if (p->kind != SSDPM_PARAMETER_LINK_POWER ||
		    p->nominal + state <= idle->nominal)
			continue;
		p->nominal = at_least(p->low, idle->nominal > state ?
						      idle->nominal - state :
						      0);
		if (idle->nominal < state + p->nominal)
			idle->nominal = state + p->nominal < idle->high ?
						state + p->nominal :
						idle->high;
	}
}

/* Draws values hidden from the library, in the order of the states. */
static void hide(const struct unknowns *unknowns,
		 const struct ssdpm_model *model, enum truth truth,
		 struct ssdpm_parameter *parameters)
{
	const struct priced_drive *drive = unknowns->drive;
	double deviations[SSDPM_MAX_PARAMETERS];

	for (size_t i = 0; i < unknowns->n; i++)
		deviations[i] = deviation(truth);
	draw_parameters(unknowns, deviations, parameters);
	for (size_t i = 1; i < unknowns->n_states; i++)
		if (parameters[i].nominal > parameters[i - 1].nominal)
			parameters[i].nominal = at_least(
				parameters[i].low, parameters[i - 1].nominal);
	fit_link(drive, model, parameters);
	for (size_t i = 0; i < drive->n; i++)
		parameters[i].low = parameters[i].high = parameters[i].nominal;
}

/* The likely saving of a pair, and the predicted power under the first. */
struct said {
	struct ssdpm_likely likely;
	struct ssdpm_prediction prediction;
};

static void count(const struct pair *pair, const struct said *said,
		  const struct unknowns *unknowns, enum truth truth,
		  struct counts *counts)
{
	const struct ssdpm_likely *likely = &said->likely;
	const struct ssdpm_prediction *p = &said->prediction;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_saving saving;
	struct ssdpm_sim *sims[2];
	uint64_t power_uw;
	const uint32_t word = likely->verdict;
	bool saves = word == SSDPM_SAVING_SAVES ||
		     word == SSDPM_SAVING_PROBABLY_SAVES;
	bool costs = word == SSDPM_SAVING_COSTS ||
		     word == SSDPM_SAVING_PROBABLY_COSTS;

	hide(unknowns, pair->model, truth, parameters);
	run_pair(pair, parameters, unknowns->drive->n, sims);
	assert_int_equal(ssdpm_sim_get_saving(sims[0], sims[1], &saving, NULL),
			 0);
	counts->n[word]++;
	/* The planted fault calls an undecided saving a saving. */
	counts->wrong[word] += costs ? saving.nominal_nj > 0 :
			       saves || word == SSDPM_SAVING_NOT_DECIDED ?
				       saving.nominal_nj < 0 :
				       0;
	counts->all++;
	counts->inside += saving.nominal_nj >= likely->low_nj - 1 &&
			  saving.nominal_nj <= likely->high_nj + 1;
	power_uw = ssdpm_sim_get_result(sims[0])->nominal->mean_power_uw;
	counts->power_inside +=
		power_uw >= p->likely_low_uw && power_uw <= p->likely_high_uw;
	free_pair(sims);
}

static void try_pair(struct pair *pair, struct counts counts[N_TRUTHS])
{
	struct said said = { .likely.size = sizeof(said.likely),
			     .prediction.size = sizeof(said.prediction) };
	struct priced_drive drive;
	struct unknowns unknowns;
	struct ssdpm_sim *sims[2];

	run_pair(pair, NULL, 0, sims);
	assert_int_equal(
		ssdpm_sim_get_likely(sims[0], sims[1], &said.likely, NULL), 0);
	assert_int_equal(
		ssdpm_sim_get_prediction(sims[0], &said.prediction, NULL), 0);
	drive = ssdpm__sim_drive(sims[0]);
	ssdpm__find_unknowns(&drive, UINT32_MAX, &unknowns);
	for (int truth = 0; truth < N_TRUTHS; truth++)
		for (int i = 0; i < N_HIDDEN; i++)
			count(pair, &said, &unknowns, (enum truth)truth,
			      &counts[truth]);
	free_pair(sims);
}

static void try_drive(const struct ssdpm_model *model,
		      struct counts counts[N_TRUTHS])
{
	struct ssdpm_apst tables[N_TABLES];
	struct pair pair = { .model = model };
	uint32_t from = below(N_TABLES);

	if (!make_tables(model, tables))
		return;
	make_ios(pair.ios);
	pair.tables[0] = &tables[from];
	pair.tables[1] = &tables[(from + 1 + below(N_TABLES - 1)) % N_TABLES];
	try_pair(&pair, counts);
}

/*
 * With all cases, the rate is surely below the limit; with few, it is not
 * above.
 */
static unsigned int check(const char *name, unsigned int wrong, unsigned int n,
			  double limit, bool few)
{
	bool fault = few ? binomial_too_high(wrong, n, limit) :
			   n && !binomial_too_low(wrong, n, limit);

	printf("  %-22s %6u, %5.2f %% of them wrong, of %.0f allowed%s\n", name,
	       n, n ? 100.0 * wrong / n : 0, 100 * limit,
	       fault ? ": FAULT" : "");
	return fault;
}

/* Nine of ten lie inside; surely not fewer. */
static unsigned int check_range(const char *name, unsigned int inside,
				unsigned int n)
{
	bool fault = binomial_too_high(n - inside, n, 0.1);

	printf("  the likely range of the %s holds %.1f %%%s\n", name,
	       100.0 * inside / n, fault ? ": FAULT" : "");
	return fault;
}

static unsigned int check_ranges(const struct counts *c)
{
	return check_range("saving", c->inside, c->all) +
	       check_range("power", c->power_inside, c->all);
}

static unsigned int check_words(const struct counts *c, bool few,
				unsigned int *ret_planted)
{
	const uint32_t undecided = SSDPM_SAVING_NOT_DECIDED;
	unsigned int faults = 0;

	faults += check("saves", c->wrong[SSDPM_SAVING_SAVES],
			c->n[SSDPM_SAVING_SAVES], 0.05, few);
	faults += check("costs", c->wrong[SSDPM_SAVING_COSTS],
			c->n[SSDPM_SAVING_COSTS], 0.05, few);
	faults += check("probably saves", c->wrong[SSDPM_SAVING_PROBABLY_SAVES],
			c->n[SSDPM_SAVING_PROBABLY_SAVES], 0.2, few);
	faults += check("probably costs", c->wrong[SSDPM_SAVING_PROBABLY_COSTS],
			c->n[SSDPM_SAVING_PROBABLY_COSTS], 0.2, few);
	*ret_planted += check("not decided, as saves", c->wrong[undecided],
			      c->n[undecided], 0.05, few);
	printf("  too small %u\n", c->n[SSDPM_SAVING_TOO_SMALL]);
	return faults;
}

int main(int argc, char **argv)
{
	static const char *const biases[] = { "who is not decided saves",
					      "the priors are too narrow" };
	const bool few = fixture_cases(4) < 4;
	unsigned int n = few ? 60 : 1200, faults = 0;
	unsigned int planted[2] = { 0 }, *outside;
	struct counts counts[N_TRUTHS] = { 0 };
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model *model;

	if (argc > 1)
		n = (unsigned int)atoi(argv[1]);
	ssdpm__random_seed(&numbers, 19);
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		if (ssdpm_catalogue_get_model(catalogue, below(1141), &model,
					      NULL))
			continue;
		try_drive(model, counts);
		ssdpm_model_unref(model);
	}
	for (int truth = 0; truth < N_TRUTHS; truth++) {
		printf("hidden values %s:\n", truth_names[truth]);
		faults += check_words(&counts[truth], few, &planted[0]);
		outside = truth == AS_SAID ? &faults : &planted[1];
		*outside += check_ranges(&counts[truth]);
	}
	ssdpm_catalogue_free(catalogue);
	return binomial_verdict(faults, biases, planted, 2);
}
