/* SPDX-License-Identifier: MIT */
/* A drive with known parameters, and noisy runs of it. */
#ifndef SSDPM_TESTS_CALIBRATE_TRUTH_H
#define SSDPM_TESTS_CALIBRATE_TRUTH_H

#include "fixture.h"

#define TRUTH_STATES 4

/*
 * A step that the drive takes by itself after an idle time in the state before.
 */
struct truth_step {
	size_t state;
	double idle_s;
	double entry_s;
};

/* The faults of a meter besides its noise. All 0: none. */
struct truth_meter {
	double response_s; /* time constant of a low pass of first order */
	bool point;  /* a sample is of its instant, not the mean of its step */
	double gain; /* it reads too high by this share */
	double walk_w; /* its zero walks at random: sigma at the end */
	double clock;  /* its steps are longer than stated by this share */
	bool no_wait;  /* the I/Os: services do not include the wait */
};

/* The truth, in W and s. */
struct truth {
	uint32_t lpm; /* SATA: enum ssdpm_lpm; 0: NVMe */
	struct truth_step steps[TRUTH_STATES - 1];
	size_t n_steps;

	double idle_w[TRUTH_STATES];
	double active_w[2]; /* by op - 1 */
	double transition_w;
	double exit_s[TRUTH_STATES];
	double io_j[2];
	double byte_j[2];

	double phi; /* of the noise of the samples */
	double sigma_w;
	double quantum_w; /* 0: not quantised */
	double drift_w;
	double spikes; /* share of the samples */
	int64_t offset_ns;
	struct truth_meter meter;
};

struct truth_run {
	struct ssdpm_model *model;
	struct ssdpm_apst apst;
	uint32_t lpm;
	/* SATA: the times when the link goes down are known; otherwise none. */
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_io *ios;
	size_t n_ios;
	struct ssdpm_samples samples;
	double *power_w;
	/* Rows of samples: idle, active, transition, drift, and with energies
	 * those of I/Os and of bytes. */
	double *design;
	uint8_t *spikes;
	size_t n;
	size_t n_wakes[TRUTH_STATES]; /* out of a state, not on the way to it */
};

enum {
	TRUTH_ACTIVE = TRUTH_STATES, /* the first column of it */
	TRUTH_TRANSITION = TRUTH_ACTIVE + 2,
	TRUTH_DRIFT,
	TRUTH_IO,
	TRUTH_BYTE = TRUTH_IO + 2,
	TRUTH_COLUMNS = TRUTH_BYTE + 2,
};

/* Sets the steps of the NVMe drive's table. */
void truth_follow_table(struct truth *truth);

/* A random drive and noise. */
struct truth truth_random(uint64_t *seed);

/* A SATA drive whose link goes down, and a noise as above. */
struct truth truth_random_sata(uint64_t *seed);

/* With energies of I/Os and of bytes. */
void truth_add_energies(struct truth *truth, uint64_t *seed);

/* With clocks that differ. */
void truth_add_offset(struct truth *truth, uint64_t *seed);

/* A run of this many samples; free it with truth_run_free(). */
struct truth_run truth_run(const struct truth *truth, size_t n, double step_s,
			   uint64_t *seed);
/* A run of 1000 to 4000 samples, each of 20 to 100 ms. */
struct truth_run truth_run_random(const struct truth *truth, uint64_t *seed);
void truth_run_free(struct truth_run *run);

double truth_uniform(uint64_t *seed);
double truth_normal(uint64_t *seed);

/* In the unit of the kind; NAN: none. */
double truth_value(const struct truth *truth, uint32_t kind, uint32_t index);

/* The policy in force, and the values known before. */
struct ssdpm_sim_params truth_sim_params(const struct truth_run *run);

/* Calls ssdpm_calibrate() with it. */
int truth_calibrate(const struct truth_run *run,
		    const struct ssdpm_calibrate_params *params,
		    struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS],
		    struct ssdpm_calibration *calibration,
		    struct ssdpm_error *reterr);

#endif
