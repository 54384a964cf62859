/* SPDX-License-Identifier: MIT */
/*
 * What happens when memory runs out. This program has its own allocator in
 * front of that of glibc. It counts, and it fails the n-th allocation, once or
 * from then on, for every n until the call succeeds. Not built with sanitizers,
 * and not for valgrind: these bring allocators of their own too.
 *
 * The arguments are the maps of the libraries. Each symbol in them must be
 * here: as one that allocates, which is then made to fail, or as one that must
 * not.
 */
#include "calls.h"
#include "fixture.h"
#include "tracefs.h"

#include "device/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

/* Volatile: compilers know that no malloc() reads what a program keeps. */
static volatile struct {
	bool armed;
	bool forever;
	unsigned long count;   /* allocations since it was armed */
	unsigned long fail_at; /* 0: never */
	long live;	       /* blocks that were not freed */
	size_t bytes;	       /* that were asked for since it was armed */
} heap;

static bool fails(size_t size)
{
	if (!heap.armed)
		return false;
	heap.count++;
	heap.bytes += size;
	if (heap.count != heap.fail_at &&
	    !(heap.forever && heap.fail_at && heap.count > heap.fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *block)
{
	heap.live += block != NULL;
	return block;
}

void *malloc(size_t size)
{
	if (fails(size))
		return NULL;
	return counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	if (fails(n * size))
		return NULL;
	return counted(__libc_calloc(n, size));
}

void *realloc(void *block, size_t size)
{
	if (fails(size))
		return NULL;
	if (!block)
		return counted(__libc_realloc(NULL, size));
	return __libc_realloc(block, size);
}

void free(void *block)
{
	heap.live -= block != NULL;
	__libc_free(block);
}

static void arm(unsigned long fail_at, bool forever)
{
	heap.count = 0;
	heap.bytes = 0;
	heap.fail_at = fail_at;
	heap.forever = forever;
	heap.armed = true;
}

static void disarm(void)
{
	heap.armed = false;
}

/* Inputs, made once and not under test. */
static struct {
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	struct ssdpm_model_info info;
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model *models[3];
	struct ssdpm_model *two_tables;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_trace *trace;
	struct ssdpm_stats *stats;
	struct ssdpm_apst table;
	uint8_t data[SSDPM_APST_BYTES];
	char *one, *three;
	uint8_t ata[512], blob[520];
	char hex[256 * 5 + 1];
	uint8_t npy[SSDPM_NPY_HEADER_BYTES + 2 * sizeof(struct ssdpm_io)];
	int trace_fd;
	char issues[300 * 40]; /* more than fit at first */
	struct ssdpm_model *sleeper;
	struct ssdpm_gaps *gaps;
	struct ssdpm_experiment_matrix *matrix;
	struct ssdpm_integral *integral;
	struct ssdpm_power *power;
	struct ssdpm_survey_file *survey;
	struct ssdpm_survey_file *whole_survey; /* with policies to compare */
	struct ssdpm_survey_result *survey_result;
	struct ssdpm_survey_merge *survey_merge;
	int survey_fd;
	double power_w[100];
	struct ssdpm_samples samples; /* of these */
	struct ssdpm_level *level;    /* with samples */
	struct ssdpm_sim *sim;
	struct ssdpm_model *deep_sleeper;
	struct ssdpm_ftl *ftl;
	struct ssdpm_trial *trial;
	struct ssdpm_bisect *bisect, *new_bisect, *found_bisect;
	struct ssdpm_observation *observation, *unfed;
	const char *tracefs;
	struct ssdpm_tracer *tracer;
	struct ssdpm_watch *watch;
	struct ssdpm_suspend_reading *suspend_reading;
	struct ssdpm_budget_item *budget_item;
	struct ssdpm_budget *budget;
	struct ssdpm_gaps *early_gaps; /* with I/Os that come while it wakes */
	struct ssdpm_machine *capture; /* an empty one, with etc/tuned */
	struct ssdpm_machine *unused;  /* with a disk that nothing uses */
	struct ssdpm_persist *persist;
	struct ssdpm_machine *desktop;		     /* of tests/captures */
	struct ssdpm_machine *laptop;		     /* with a battery */
	struct ssdpm_device *plan_drive, *plan_disk; /* of capture */
	struct ssdpm_plan *plan;
	struct ssdpm_intent *intent;
	struct ssdpm_machine_facts facts;
	struct ssdpm_device *device;
	struct ssdpm_device *disk;   /* SATA */
	struct ssdpm_device *unread; /* without a dump */
	const char *root;	     /* of the capture */
	char **maps;		     /* NULL ends them */
} in;

static const char msr[] = "128166372003061629,usr,0,Read,4096,512,41286\n"
			  "128166372003061600,usr,0,Write,4096,512,7\n";

static const char hdparm[] = "ATA device, with non-removable media\n"
			     "\tModel Number: Fixture SATA SSD\n";

/* What a call returned, in one form for all. */
struct result {
	struct ssdpm_model *model;
	struct ssdpm_model **models;
	struct ssdpm_finding *findings;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_trace *trace;
	struct ssdpm_stats *stats;
	size_t n;
	char *text;
	uint64_t energy_nj;
};

static const struct result untouched = {
	.model = (struct ssdpm_model *)&in,
	.models = (struct ssdpm_model **)&in,
	.findings = (struct ssdpm_finding *)&in,
	.catalogue = (struct ssdpm_catalogue *)&in,
	.trace = (struct ssdpm_trace *)&in,
	.stats = (struct ssdpm_stats *)&in,
	.n = 77,
	.text = (char *)&in,
	.energy_nj = 77,
};

/* An array of n that a call made: how many counts. */
static int keep_count(int err, void *made, size_t n, struct result *ret)
{
	if (err)
		return err;
	ret->energy_nj = n;
	free(made);
	return 0;
}

/* A text that a call made: its length counts. */
static int keep_length(int err, char *text, struct result *ret)
{
	return keep_count(err, text, err ? 0 : strlen(text), ret);
}

static int list_from(const void *data, size_t bytes, struct result *ret,
		     struct ssdpm_error *error)
{
	return ssdpm_model_list_from_data(data, bytes, &ret->models, &ret->n,
					  error);
}

static int list_from_text(const char *text, struct result *ret,
			  struct ssdpm_error *error)
{
	return list_from(text, strlen(text), ret, error);
}

static int open_trace(const void *data, size_t bytes, struct result *ret,
		      struct ssdpm_error *error)
{
	return ssdpm_trace_open_data(data, bytes, NULL, &ret->trace, error);
}

static int open_text_trace(const char *text, struct result *ret,
			   struct ssdpm_error *error)
{
	return open_trace(text, strlen(text), ret, error);
}

static int call_new(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_model_new(&in.info, in.states, SSDPM_MAX_STATES,
			       &ret->model, error);
}

static int call_from_identify(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_model_from_nvme_identify(in.id, sizeof(in.id), &ret->model,
					      error);
}

static int call_parameters_to_model(struct result *ret,
				    struct ssdpm_error *error)
{
	struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS];
	size_t n;

	assert_int_equal(
		make_parameters_of(in.models[0], SSDPM_PCIE_L1_2, p, &n, NULL),
		0);
	return ssdpm_parameters_to_model(in.models[0], p, n, &ret->model,
					 error);
}

static int call_to_json(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_model_to_json(in.models[0], &ret->text, error);
}

/* One with lists in it; a row of the catalogue makes a model. */
static int call_object(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_object object = { .size = sizeof(object),
				       .kind = SSDPM_OBJECT_MACHINE,
				       .machine = &in.facts };
	char *text;
	int err = ssdpm_object_to_json(&object, &text, error);

	if (err)
		return err;
	free(text);
	object.kind = SSDPM_OBJECT_LIST;
	object.catalogue = in.catalogue;
	return ssdpm_object_to_json(&object, &ret->text, error);
}

/* The parts beside a model, and a whole answer. */
static int call_object_of_texts(struct result *ret, struct ssdpm_error *error)
{
	const char *items[1];
	struct ssdpm_object model = { .size = sizeof(model),
				      .kind = SSDPM_OBJECT_MODEL,
				      .model = in.models[0] };
	struct ssdpm_object answer = { .size = sizeof(answer),
				       .kind = SSDPM_OBJECT_ANSWER,
				       .name = "show",
				       .list = "drives",
				       .items = items,
				       .n_items = 1 };
	char *text;
	int err = ssdpm_object_to_json(&model, &text, error);

	if (err)
		return err;
	items[0] = text;
	err = ssdpm_object_to_json(&answer, &ret->text, error);
	free(text);
	return err;
}

static int call_findings_to_json(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_finding finding = {
		.code = SSDPM_FINDING_ZERO_POWER,
		.message = "it is odd",
	};

	return ssdpm_findings_to_json(&finding, 1, &ret->text, error);
}

static int call_meters_to_json(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_meter meter = { .kind = SSDPM_METER_RAPL,
					   .name = "package-0" };

	return ssdpm_meters_to_json(&meter, 1, &ret->text, error);
}

static int call_list_from_one(struct result *ret, struct ssdpm_error *error)
{
	return list_from_text(in.one, ret, error);
}

static int call_list_from_three(struct result *ret, struct ssdpm_error *error)
{
	return list_from_text(in.three, ret, error);
}

static int call_list_from_identify(struct result *ret,
				   struct ssdpm_error *error)
{
	return list_from(in.id, sizeof(in.id), ret, error);
}

static int call_lint(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_model_lint(in.models[0], &ret->findings, &ret->n, error);
}

/* Two tables are in the catalogue for this one. */
static int call_lint_two_tables(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_model_lint(in.two_tables, &ret->findings, &ret->n, error);
}

static int call_list_from_ata(struct result *ret, struct ssdpm_error *error)
{
	return list_from(in.ata, sizeof(in.ata), ret, error);
}

static int call_list_from_ata_hex(struct result *ret, struct ssdpm_error *error)
{
	return list_from_text(in.hex, ret, error);
}

static int call_list_from_blob(struct result *ret, struct ssdpm_error *error)
{
	return list_from(in.blob, sizeof(in.blob), ret, error);
}

static int call_catalogue(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_catalogue_new(NULL, 0, &ret->catalogue, error);
}

static int call_catalogue_of_three(struct result *ret,
				   struct ssdpm_error *error)
{
	return ssdpm_catalogue_new(in.three, strlen(in.three), &ret->catalogue,
				   error);
}

static int call_catalogue_model(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_catalogue_get_model(in.catalogue, 7, &ret->model, error);
}

static int call_trace_npy(struct result *ret, struct ssdpm_error *error)
{
	return open_trace(in.npy, sizeof(in.npy), ret, error);
}

static int call_trace_msr(struct result *ret, struct ssdpm_error *error)
{
	return open_text_trace(msr, ret, error);
}

static int call_trace_columns(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_trace_params params = {
		.size = sizeof(params),
		.columns = "time:ns,offset,bytes,op,device",
		.device = "a",
	};

	return ssdpm_trace_open_data("1,2,3,r,a\n1,2,3,r,b\n", 20, &params,
				     &ret->trace, error);
}

/* Two rows of MQSim, packed. */
#if HAVE_ZLIB
static int call_trace_gzip(struct result *ret, struct ssdpm_error *error)
{
	static const uint8_t packed[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x03, 0x33, 0x50, 0x30, 0x50, 0xb0, 0x00,
		0x42, 0x43, 0x2e, 0x43, 0x38, 0x0b, 0x00, 0x4d,
		0xc4, 0x33, 0x8f, 0x14, 0x00, 0x00, 0x00,
	};

	return open_trace(packed, sizeof(packed), ret, error);
}
#endif

#if HAVE_ZSTD
static int call_trace_zstd(struct result *ret, struct ssdpm_error *error)
{
	static const uint8_t packed[] = {
		0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x14, 0xa1, 0x00, 0x00, 0x30,
		0x20, 0x30, 0x20, 0x38, 0x20, 0x38, 0x20, 0x31, 0x0a, 0x31,
		0x20, 0x30, 0x20, 0x38, 0x20, 0x38, 0x20, 0x31, 0x0a,
	};

	return open_trace(packed, sizeof(packed), ret, error);
}
#endif

#if HAVE_LZMA
static int call_trace_xz(struct result *ret, struct ssdpm_error *error)
{
	static const uint8_t packed[] = {
		0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6,
		0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x0c, 0x00, 0x00, 0x00,
		0x8f, 0x98, 0x41, 0x9c, 0xe0, 0x00, 0x13, 0x00, 0x0e, 0x5d,
		0x00, 0x18, 0x08, 0x1c, 0x04, 0x71, 0xa2, 0x33, 0x1e, 0xe9,
		0x90, 0xc7, 0x2e, 0x10, 0x00, 0x00, 0x00, 0x00, 0x08, 0x5e,
		0x87, 0xf9, 0x53, 0x20, 0x24, 0xf3, 0x00, 0x01, 0x2a, 0x14,
		0x7e, 0xad, 0x37, 0x55, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
	};

	return open_trace(packed, sizeof(packed), ret, error);
}
#endif

#if HAVE_BZIP2
static int call_trace_bzip2(struct result *ret, struct ssdpm_error *error)
{
	static const uint8_t packed[] = {
		0x42, 0x5a, 0x68, 0x31, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59,
		0x8a, 0x76, 0x2d, 0x46, 0x00, 0x00, 0x05, 0x58, 0x00, 0x00,
		0x10, 0x40, 0x00, 0x60, 0x40, 0x20, 0x00, 0x20, 0xaa, 0x69,
		0xa0, 0x66, 0x82, 0xe5, 0xe2, 0x2f, 0x12, 0x1e, 0x2e, 0xe4,
		0x8a, 0x70, 0xa1, 0x21, 0x14, 0xec, 0x5a, 0x8c,
	};

	return open_trace(packed, sizeof(packed), ret, error);
}
#endif

static int call_trace_utf16(struct result *ret, struct ssdpm_error *error)
{
	static const char text[] = "\xff\xfe"
				   "0\0 \0000\0 \0008\0 \0008\0 \0001\0\n";

	return open_trace(text, sizeof(text), ret, error);
}

static int call_trace_fd(struct result *ret, struct ssdpm_error *error)
{
	if (lseek(in.trace_fd, 0, SEEK_SET))
		return -errno;
	return ssdpm_trace_open(in.trace_fd, NULL, &ret->trace, error);
}

static int call_generate_trace(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_generator_params params;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = "lomax";
	return ssdpm_trace_generate(&params, &ret->trace, error);
}

static int call_generate_everyday(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_generator_params params;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = "server-mysql";
	return ssdpm_trace_generate(&params, &ret->trace, error);
}

static int call_to_fio_job(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_generator_params params;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = "apst-1";
	return ssdpm_generator_to_fio_job(&params, &ret->text, error);
}

static int call_stats_new(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_stats_new(NULL, &ret->stats, error);
}

static int call_trace_vscsi(struct result *ret, struct ssdpm_error *error)
{
	static const uint8_t record[32] = { [12] = 0x28, [15] = 1 };

	return open_trace(record, sizeof(record), ret, error);
}

static int call_trace_oracle(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_trace_params params = {
		.size = sizeof(params),
		.format = SSDPM_TRACE_ORACLE_GENERAL,
	};
	static const uint8_t record[24] = { [12] = 1 };

	return ssdpm_trace_open_data(record, sizeof(record), &params,
				     &ret->trace, error);
}

static int call_trace_blkparse(struct result *ret, struct ssdpm_error *error)
{
	return open_text_trace(in.issues, ret, error);
}

static int read_one(struct result *ret, int err, struct ssdpm_error *error)
{
	struct ssdpm_trace *trace = ret->trace;
	struct ssdpm_io io;
	size_t n;

	if (err)
		return err;
	ret->trace = untouched.trace;
	/* What was read before a failure comes before it. */
	do {
		err = ssdpm_trace_read(trace, &io, 1, &n, error);
	} while (!err && n);
	if (err)
		ssdpm_trace_free(trace);
	else
		ret->trace = trace;
	return err;
}

/* The first record brings the device, which is kept. */
static int call_trace_read(struct result *ret, struct ssdpm_error *error)
{
	return read_one(ret, call_trace_msr(ret, error), error);
}

/* Memory for issues that wait grows. */
static int call_trace_read_issues(struct result *ret, struct ssdpm_error *error)
{
	return read_one(ret, call_trace_blkparse(ret, error), error);
}

static int call_diagnose(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = &in.facts,
		.model = in.models[0],
		.table = &in.table,
	};
	struct ssdpm_diagnosis *diagnoses;
	size_t n;
	int err = ssdpm_device_diagnose(in.device, &params, &diagnoses, &n,
					error);

	if (err)
		return err;
	ret->energy_nj = n + diagnoses[0].is_main;
	free(diagnoses);
	return 0;
}

static int call_owners(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_owner *owners = NULL;
	size_t n = 0;
	int err = ssdpm_machine_read_owners(in.laptop, &owners, &n, error);

	return keep_count(err, owners, n, ret);
}

static int call_meters(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_meter *meters = NULL;
	size_t n = 0;
	int err = ssdpm_machine_read_meters(in.laptop, &meters, &n, error);

	return keep_count(err, meters, n, ret);
}

/* As an object, and the second row as another. */
static int comparison_to_json(const struct ssdpm_comparison *comparison,
			      const struct ssdpm_compared_policy *row,
			      struct ssdpm_error *error)
{
	const struct ssdpm_comparison_report all = { .size = sizeof(all),
						     .model = in.sleeper,
						     .comparison = comparison };
	const struct ssdpm_estimate_report one = { .size = sizeof(one),
						   .model = in.sleeper,
						   .resolved = &row->resolved,
						   .sim = row->sim };
	char *text;
	int err = ssdpm_comparison_report_to_json(&all, &text, error);

	if (err)
		return err;
	free(text);
	err = ssdpm_estimate_report_to_json(&one, &text, error);
	if (!err)
		free(text);
	return err;
}

/*
 * The assumptions of the library on the sleeper; the array is for its
 * parameters.
 */
static int assume_sleeper(struct ssdpm_sim_params *ret_params,
			  struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS],
			  struct ssdpm_error *error)
{
	ssdpm_sim_params_init(ret_params, sizeof(*ret_params));
	ret_params->parameters = p;
	return make_parameters_of(in.sleeper, SSDPM_PCIE_L1_2, p,
				  &ret_params->n_parameters, error);
}

static int call_comparison(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_compared_policy row = { .size = sizeof(row) };
	struct ssdpm_io ios[2] = { { .op = 1 }, { .op = 2 } };
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_comparison *comparison;
	struct ssdpm_sim_params params;
	int err;

	ios[1].start_ns = 1000000;
	err = assume_sleeper(&params, parameters, error);
	if (!err)
		err = ssdpm_comparison_new(in.sleeper, &params, NULL,
					   &comparison, error);
	if (err)
		return err;
	err = ssdpm_comparison_add(comparison, "linux", NULL, error);
	if (!err)
		err = ssdpm_comparison_add(comparison, "none", NULL, error);
	if (!err)
		err = ssdpm_comparison_feed(comparison, ios, 2, error);
	if (!err)
		err = ssdpm_comparison_finish(comparison, 0, error);
	if (!err)
		err = ssdpm_comparison_get_row(comparison, 1, &row);
	if (!err)
		err = comparison_to_json(comparison, &row, error);
	if (!err)
		ret->energy_nj = row.result->nominal->energy_nj;
	ssdpm_comparison_free(comparison);
	return err;
}

/* lower-envelope makes its own model where powers are known. */
static int call_policy(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) }, other = policy;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_resolved_policy resolved = { 0 };
	struct ssdpm_sim_params params;
	const char *word;
	int err;

	err = assume_sleeper(&params, parameters, error);
	if (!err)
		err = ssdpm_policy_parse("lower-envelope", NULL, &policy,
					 error);
	if (!err)
		err = ssdpm_policy_get_word(&policy, &word, error);
	if (!err)
		err = ssdpm_policy_get_reference(in.sleeper, NULL, NULL, &other,
						 error);
	if (!err)
		err = ssdpm_policy_check(in.sleeper, &other, NULL, error);
	if (!err)
		err = ssdpm_sim_params_set_policy(&params, in.sleeper, &policy,
						  NULL, &resolved, error);
	if (!err)
		err = ssdpm_policy_resolve(in.sleeper, &policy, &params, NULL,
					   &resolved, error);
	if (!err)
		ret->energy_nj = resolved.apst.entries[0].idle_ms;
	return err;
}

static int call_directory(struct result *ret, struct ssdpm_error *error)
{
	char **names = NULL;
	size_t n = 0;
	int err = ssdpm_machine_read_directory(in.laptop, "sys/class/nvme",
					       &names, &n, error);

	return keep_count(err, names, n, ret);
}

static int call_find_meter(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_meter meter = { 0 };
	int err = ssdpm_machine_find_meter(in.laptop, "BAT0", &meter, error);

	if (!err)
		ret->energy_nj = meter.kind;
	return err;
}

/* A sampler that is made, and one reading of the sum of all batteries. */
static int call_sampler(struct result *ret, struct ssdpm_error *error)
{
	static const struct ssdpm_meter meter = {
		.kind = SSDPM_METER_BATTERY,
		.name = "battery",
		.path = "/sys/class/power_supply",
	};
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_sampler *sampler;
	int err = ssdpm_sampler_new(in.laptop, &meter, &sampler, error);

	if (err)
		return err;
	err = ssdpm_sampler_read(sampler, &reading, error);
	ssdpm_sampler_free(sampler);
	if (!err)
		ret->energy_nj = (uint64_t)(reading.power_w * 1e9);
	return err;
}

static int call_persist_new(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	const struct ssdpm_persist_params params = {
		.size = sizeof(params),
		.kind = SSDPM_PERSIST_TLP,
		.ac = &settings,
	};
	struct ssdpm_persist *persist;
	int err;

	ssdpm_profile_find(NULL, 0, "balanced", SSDPM_SOURCE_AC, &settings,
			   NULL);
	err = ssdpm_persist_new(&params, &persist, error);
	if (err)
		return err;
	ret->energy_nj = fixture_count_files(persist);
	ssdpm_persist_free(persist);
	return 0;
}

static int call_persist_read(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_persist *persist;
	int err;

	err = ssdpm_persist_read(in.capture, SSDPM_PERSIST_UDEV, &persist,
				 error);
	if (err)
		return err;
	ret->energy_nj = fixture_count_files(persist);
	ssdpm_persist_free(persist);
	return 0;
}

static int call_persist_remove(struct result *ret, struct ssdpm_error *error)
{
	size_t n;
	int err = ssdpm_persist_remove(in.capture, SSDPM_PERSIST_TUNED, &n,
				       error);

	if (!err)
		ret->energy_nj = n;
	return err;
}

static int call_persist_write(struct result *ret, struct ssdpm_error *error)
{
	int err = ssdpm_persist_write(in.persist, in.capture, 0, error);

	if (!err)
		ret->energy_nj = fixture_count_files(in.persist);
	return err;
}

static int call_default_bounds(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
	int err = ssdpm_gaps_get_default_bounds(in.gaps, in.sleeper, NULL, 0,
						&bounds, error);

	if (!err)
		ret->energy_nj = bounds.max_delay_mean_ns;
	return err;
}

static int call_recommend(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
	struct ssdpm_recommendation_report report = { .size = sizeof(report),
						      .model = in.sleeper,
						      .bounds = &bounds };
	struct ssdpm_recommendations *found;
	struct ssdpm_change *changes = NULL;
	size_t n;
	char *text;
	int err =
		ssdpm_recommend(in.gaps, in.sleeper, NULL, NULL, &found, error);

	if (err)
		return err;
	report.recommendations = found;
	err = ssdpm_recommendation_get_changes(
		ssdpm_recommendations_get(found, 0), in.device, &in.facts,
		&changes, &n, error);
	if (!err)
		err = ssdpm_recommendation_report_to_json(&report, &text,
							  error);
	free(changes);
	if (!err) {
		ret->energy_nj =
			ssdpm_recommendations_get(found, 1)->run->energy_nj;
		free(text);
	}
	ssdpm_recommendations_free(found);
	return err;
}

/* Reads the kernel of an NVMe drive, and the port of a disk. */
static int call_bounds_device(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_device *const devices[] = { in.device, in.disk };
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };
	uint32_t flags = 0;
	int err = 0;

	for (size_t i = 0; i < 2 && !err; i++) {
		struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
		struct ssdpm_model *model;

		err = ssdpm_device_read_model(devices[i], 0, in.catalogue,
					      &model, error);
		if (err)
			return err;
		err = ssdpm_bounds_set_device(&bounds, in.desktop, devices[i],
					      model, &kernel, error);
		flags |= bounds.flags;
		ssdpm_model_unref(model);
	}
	if (!err)
		ret->energy_nj = flags;
	return err;
}

/* Three I/Os, as intervals: these take memory too. */
static int call_sim(struct result *ret, struct ssdpm_error *error)
{
	struct estimated result = { 0 };
	struct ssdpm_io ios[3] = { { .op = 1 }, { .op = 2 }, { .op = 1 } };
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;
	int err;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.interval_ns = 500;
	ios[1].start_ns = 1000;
	ios[2].start_ns = 10000;
	/* From here on the corners of the service differ. */
	ios[2].service_ns = SSDPM_SERVICE_UNKNOWN;
	err = ssdpm_sim_new(in.sleeper, &params, &sim, error);
	if (err)
		return err;
	err = ssdpm_sim_feed(sim, ios, 3, error);
	if (!err)
		err = finish_sim(sim, 20000, &result, error);
	ssdpm_sim_free(sim);
	if (!err)
		ret->energy_nj = result.nominal.energy_nj;
	return err;
}

static int call_sims_together(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_io ios[2] = { { .op = 1 }, { .op = 2, .start_ns = 500 } };
	struct ssdpm_sim *sims[2] = { NULL, NULL };
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		err = ssdpm_sim_new(in.sleeper, NULL, &sims[i], error);
		if (!err)
			err = ssdpm_sim_feed(sims[i], ios, 2, error);
	}
	if (!err)
		err = ssdpm_sim_finish_together(sims, 2, 20000, error);
	if (!err)
		ret->energy_nj =
			ssdpm_sim_get_result(sims[1])->nominal->energy_nj;
	for (int i = 0; i < 2; i++)
		ssdpm_sim_free(sims[i]);
	return err;
}

static int call_likely(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_likely likely = { .size = sizeof(likely) };
	struct ssdpm_io ios[2] = { { .op = 1 }, { .op = 2, .start_ns = 500 } };
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;
	int err;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	err = ssdpm_sim_new(in.sleeper, &params, &sim, error);
	if (err)
		return err;
	err = ssdpm_sim_feed(sim, ios, 2, error);
	if (!err)
		err = ssdpm_sim_finish(sim, 0, error);
	if (!err)
		err = ssdpm_sim_get_likely(sim, sim, &likely, error);
	ssdpm_sim_free(sim);
	if (!err)
		ret->energy_nj = 1 + likely.saves_ppm;
	return err;
}

/* Read again, as it is and as it was before the measurement. */
static int read_measured(char *text, struct result *ret,
			 struct ssdpm_error *error)
{
	struct ssdpm_prediction_check check = { .size = sizeof(check) };
	char *before;
	int err = ssdpm_prediction_check_from_json(text, strlen(text), &check,
						   &before, error);

	if (err) {
		free(text);
		return err;
	}
	free(before);
	ret->text = text;
	return 0;
}

/* Its text, with a measurement, and read again. */
static int predict_to_json(const struct ssdpm_prediction_report *report,
			   struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_energy energy = { .size = sizeof(energy),
					     .covered_ns = 1000,
					     .mean_power_w = 1 };
	const struct ssdpm_prediction_measured measured = {
		.size = sizeof(measured),
		.energy = &energy,
	};
	struct ssdpm_prediction p = { .size = sizeof(p) };
	char *text, *more;
	int err = ssdpm_prediction_report_to_json(report, &text, error);

	if (err)
		return err;
	err = ssdpm_prediction_from_json(text, strlen(text), &p, error);
	if (!err)
		err = ssdpm_prediction_add_measured(text, strlen(text),
						    &measured, &more, error);
	free(text);
	return err ? err : read_measured(more, ret, error);
}

static int call_prediction(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct ssdpm_io ios[2] = { { .op = 1 }, { .op = 2 } };
	struct ssdpm_prediction_report report = {
		.size = sizeof(report),
		.model = in.sleeper,
		.prediction = &p,
		.ios = ios,
		.n_ios = 2,
	};
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;
	int err;

	ios[1].start_ns = 1000000000;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.flags = SSDPM_SIM_LIKELY;
	err = ssdpm_estimate(in.sleeper, &params, ios, 2, &sim, error);
	if (err)
		return err;
	err = ssdpm_sim_get_prediction(sim, &p, error);
	report.sim = sim;
	if (!err)
		err = predict_to_json(&report, ret, error);
	ssdpm_sim_free(sim);
	return err;
}

static int call_estimate(struct result *ret, struct ssdpm_error *error)
{
	struct estimated result = { 0 };
	struct ssdpm_io ios[2] = { { .op = 1 }, { .op = 2 } };
	int err;

	ios[1].start_ns = 1000000000;
	err = estimate_ios(in.sleeper, NULL, ios, 2, &result, error);
	if (!err)
		ret->energy_nj = result.nominal.energy_nj;
	return err;
}

/* Idle times, one of them ended by a continued record, and early I/Os. */
static int call_gaps(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_io ios[40];
	struct ssdpm_gaps *gaps;
	int err;

	for (size_t i = 0; i < 40; i++)
		ios[i] = (struct ssdpm_io){ .start_ns = i / 2 * 9000000,
					    .service_ns = 1000,
					    .op = SSDPM_OP_READ,
					    .flags = i == 20 };
	err = ssdpm_gaps_new(NULL, &gaps, error);
	if (err)
		return err;
	err = ssdpm_gaps_feed(gaps, ios, 40, error);
	if (!err)
		err = ssdpm_gaps_finish(gaps, 0, error);
	if (!err)
		ret->energy_nj = ssdpm_gaps_get_idle_ns(gaps, &ret->n)[3];
	if (!err)
		ret->n = untouched.n;
	ssdpm_gaps_unref(gaps);
	return err;
}

/* To bytes and back. */
static int call_gaps_data(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_gaps *gaps = NULL;
	void *data = NULL;
	int err = ssdpm_gaps_to_data(in.early_gaps, &data, &ret->n, error);

	if (!err)
		err = ssdpm_gaps_from_data(data, ret->n, &gaps, error);
	if (!err)
		ret->energy_nj = ssdpm_gaps_get_idle_ns(gaps, &ret->n)[3];
	ret->n = untouched.n;
	ssdpm_gaps_unref(gaps);
	free(data);
	return err;
}

/* A square wave over noise, one each second. */
static struct ssdpm_samples make_samples(double power_w[100])
{
	for (int i = 0; i < 100; i++)
		power_w[i] = 2 + (i % 50 > 40) + i * 37 % 11 * 0.001;
	return (struct ssdpm_samples){ .power_w = power_w,
				       .n = 100,
				       .interval_ns = 1e9,
				       .type = SSDPM_SAMPLE_FLOAT64 };
}

static const struct ssdpm_baseline idle_level = { .level_w = 2,
						  .sigma_w = 0.01 };

static int call_energy(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	int err = ssdpm_energy_measure(&in.samples, NULL, &energy, error);

	if (!err)
		ret->energy_nj = energy.n;
	return err;
}

static int call_integral(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_integral *integral;
	int err = ssdpm_integral_new(NULL, &integral, error);

	if (!err) {
		ret->energy_nj = 1;
		ssdpm_integral_free(integral);
	}
	return err;
}

static const char power_text[] = "time_s,power_w\n0,1\n1,2\n";

static int call_power(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_power *power;
	int err = ssdpm_power_open_data(power_text, strlen(power_text), NULL,
					&power, error);

	if (!err) {
		ret->energy_nj = 1;
		ssdpm_power_free(power);
	}
	return err;
}

/* A descriptor of something else, read raw. */
static int call_power_fd(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_power_params params = { .size = sizeof(params),
					     .format = SSDPM_POWER_INT16,
					     .rate_hz = 1 };
	struct ssdpm_power *power;

	if (lseek(in.trace_fd, 0, SEEK_SET))
		return -errno;
	int err = ssdpm_power_open(in.trace_fd, &params, &power, error);
	if (!err) {
		ret->energy_nj = 1;
		ssdpm_power_free(power);
	}
	return err;
}

/* Lines longer than the window at first. */
static int call_power_read(struct result *ret, struct ssdpm_error *error)
{
	static char text[20000];
	struct ssdpm_power *power;
	int64_t time_ns[4];
	double power_w[4];
	size_t n = 0;

	memset(text, ' ', sizeof(text) - 1);
	memcpy(text, power_text, strlen(power_text));
	memcpy(text + sizeof(text) - 5, "3,4\n", 4);
	int err =
		ssdpm_power_open_data(text, strlen(text), NULL, &power, error);
	if (err)
		return err;
	err = ssdpm_power_read(power, time_ns, power_w, 2, &n, error);
	if (!err)
		err = ssdpm_power_read(power, time_ns, power_w, 4, &n, error);
	if (!err)
		ret->energy_nj = n;
	ssdpm_power_free(power);
	return err;
}

/* Two runs that are out of order, a comment, and fio. */
static const char survey_text[] =
	"# ssdpm survey 1\n# drive: x\n# interval_s: 1\npolicy,scenario,power_w\n"
	"a,idle,1\nb,idle,1\na,idle,2\na,fio:randread,\n";

static int call_survey_file(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_survey_file *file;
	int err = ssdpm_survey_file_open_data(survey_text, strlen(survey_text),
					      &file, error);

	if (!err) {
		ret->energy_nj = ssdpm_survey_file_get_counts(file)->n_rows;
		ssdpm_survey_file_free(file);
	}
	return err;
}

/* Two policies in four blocks, and fio. */
static const char whole_survey_text[] =
	"# drive: x, FW 1\n# found: host0 a\n"
	"policy,scenario,block,power_w,bytes_per_s\n"
	"a,idle,1,1.1,\nb,idle,1,0.8,\na,idle,2,1.3,\nb,idle,2,1.1,\n"
	"a,idle,3,1.2,\nb,idle,3,0.9,\na,idle,4,1.1,\nb,idle,4,0.9,\n"
	"a,fio:randread,1,,5\nb,fio:randread,1,,6\n";

static int call_survey_result(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_survey_result_params params = {
		.size = sizeof(params),
		.name = "x",
	};
	struct ssdpm_survey_result *result = NULL;
	char *text = NULL;
	int err = ssdpm_survey_result_new(in.whole_survey, &params, &result,
					  error);

	if (!err)
		err = ssdpm_survey_result_to_json(result, NULL, &text, error);
	ssdpm_survey_result_free(result);
	return keep_length(err, text, ret);
}

static int call_survey_merge_new(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_survey_result *results[] = { in.survey_result,
							in.survey_result };
	struct ssdpm_survey_merge *merge = NULL;
	char *text = NULL;
	int err = ssdpm_survey_merge_new(results, 2, 0, &merge, error);

	if (!err)
		err = ssdpm_survey_merge_to_json(merge, &text, error);
	ssdpm_survey_merge_free(merge);
	return keep_length(err, text, ret);
}

static int call_survey_fd(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_survey_file *file;

	if (lseek(in.survey_fd, 0, SEEK_SET))
		return -errno;
	int err = ssdpm_survey_file_open(in.survey_fd, &file, error);
	if (!err) {
		ret->energy_nj = ssdpm_survey_file_get_counts(file)->n_rows;
		ssdpm_survey_file_free(file);
	}
	return err;
}

static int call_baseline(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_baseline baseline;
	int err = ssdpm_baseline_find(&in.samples, NULL, &baseline, error);

	if (!err)
		ret->energy_nj = baseline.n;
	return err;
}

static int call_baseline_window(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_baseline_params params = { .size = sizeof(params),
						.end_ns = 100000000000 };
	struct ssdpm_baseline baseline;
	int err = ssdpm_baseline_find(&in.samples, &params, &baseline, error);

	if (!err)
		ret->energy_nj = baseline.n;
	return err;
}

static int call_level(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_baseline baseline;
	struct ssdpm_level *level;
	int err = ssdpm_level_new(&level, error);

	if (err)
		return err;
	err = ssdpm_level_feed(level, &in.samples, error);
	if (!err)
		err = ssdpm_level_get(level, &baseline, error);
	if (!err)
		ret->energy_nj = baseline.n;
	ssdpm_level_free(level);
	return err;
}

static int call_activity(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_activity work[8];
	size_t n;
	int err = find_activity(&in.samples, &idle_level, NULL, work, 8, &n,
				error);

	if (!err)
		ret->energy_nj = n;
	return err;
}

static int call_sampling(struct result *ret, struct ssdpm_error *error)
{
	static const struct ssdpm_io ios[3] = {
		{ .start_ns = 0, .service_ns = 1000 },
		{ .start_ns = 40000000000, .service_ns = 1000 },
		{ .start_ns = 80000000000, .service_ns = 3000 },
	};
	struct ssdpm_sampling_params params = { .size = sizeof(params),
						.baseline = &idle_level,
						.ios = ios,
						.n_ios = 3 };
	struct ssdpm_sampling sampling = { .size = sizeof(sampling) };
	int err = ssdpm_sampling_check(&in.samples, &params, &sampling, error);

	if (!err)
		ret->energy_nj = sampling.busy_ns;
	return err;
}

static int call_sampling_alone(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_sampling sampling = { .size = sizeof(sampling) };
	int err = ssdpm_sampling_check(&in.samples, NULL, &sampling, error);

	if (!err)
		ret->energy_nj = sampling.n_excursions;
	return err;
}

static int call_tail(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_tail tail;
	int err = ssdpm_tail_measure(&in.samples, &idle_level, NULL,
				     45000000000, &tail, error);

	if (!err)
		ret->energy_nj = tail.n;
	return err;
}

static int call_idle_work(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_idle_work work;
	int err = ssdpm_idle_work_find(&in.samples, &idle_level, NULL, &work,
				       error);

	if (!err)
		ret->energy_nj = work.n;
	return err;
}

static int call_calibrate(struct result *ret, struct ssdpm_error *error)
{
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	static const struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.max_offset_ns = 2000000000,
	};
	double power_w[200];
	struct ssdpm_samples samples = make_samples(power_w);
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };
	struct ssdpm_io ios[4] = { { 0 } };

	/* Work after the I/Os is not theirs. */
	for (int i = 0; i < 100; i++)
		power_w[i] -= i % 50 > 44;
	for (unsigned int i = 0; i < 4; i++)
		ios[i] = (struct ssdpm_io){
			.start_ns = 40500000000 + i * 50000000000,
			.service_ns = 4000000000,
			.op = SSDPM_OP_READ,
		};
	int err = calibrate_run(in.models[0], NULL, ios, 4, &samples, &params,
				measured, &calibration, error);

	if (!err)
		ret->energy_nj = calibration.n_known;
	return err;
}

static int call_fitted(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_measured measured = {
		.kind = SSDPM_PARAMETER_IDLE_POWER,
		.status = SSDPM_MEASURED_KNOWN,
		.nominal = 1000000,
	};
	const struct ssdpm_calibration calibration = {
		.size = sizeof(calibration),
		.measured = &measured,
		.n_measured = 1,
		.capacity = 1,
	};
	double power_w[200], fitted_w[201];
	struct ssdpm_samples samples = make_samples(power_w);
	const struct ssdpm_io io = { .start_ns = 10000000000,
				     .service_ns = 4000000000,
				     .op = SSDPM_OP_READ };
	const struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.ios = &io,
		.n_ios = 1,
		.samples = &samples,
	};
	struct ssdpm_fitted_power fitted = {
		.size = sizeof(fitted),
		.power_w = fitted_w,
		.capacity = 201,
	};
	int err = ssdpm_calibration_get_fitted(in.models[0], NULL, &params,
					       &calibration, &fitted, error);

	if (!err)
		ret->energy_nj = fitted.n;
	return err;
}

static int call_idle_state(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_idle_state_params params = {
		.size = sizeof(params),
		.baseline = &idle_level,
	};
	struct ssdpm_idle_state state = { .size = sizeof(state) };
	int err = ssdpm_idle_state_find(in.models[0], &params, &state, error);

	return err ? err : ssdpm_idle_state_to_json(&state, &ret->text, error);
}

static const struct ssdpm_overlay overlay = {
	.size = sizeof(overlay),
	.kind = SSDPM_KIND_NVME,
	.product = "Fixture",
};

static int call_overlay_to_json(struct result *ret, struct ssdpm_error *error)
{
	static const struct ssdpm_calibration calibration = {
		.size = sizeof(calibration)
	};

	return write_overlay(&overlay, NULL, 0, &calibration, &ret->text,
			     error);
}

static int call_overlay_from_json(struct result *ret, struct ssdpm_error *error)
{
	static const char text[] =
		"{\"schema\": \"ssdpm.overlay/1\", \"kind\": \"nvme\", \"measured\": []}";
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };
	struct ssdpm_overlay found = { .size = sizeof(found) };
	size_t n;
	int err = read_overlay(text, strlen(text), &found, measured, &n,
			       &calibration, error);

	if (!err)
		ret->energy_nj = found.kind;
	return err;
}

static int call_background(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_background_run runs[6] = { { 0 } };
	struct ssdpm_background_class class;

	for (int i = 0; i < 6; i++)
		runs[i].parameter = i;
	int err = ssdpm_background_classify(runs, 6, &class, error);

	if (!err)
		ret->energy_nj = class.background;
	return err;
}

static int call_changes(struct result *ret, struct ssdpm_error *error)
{
	size_t begins[16], n;
	int err = find_changes(&in.samples, 0, 0, 0, begins, 16, &n, error);

	if (!err)
		ret->energy_nj = n;
	return err;
}

static int call_survey_summarise(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_survey_summary summary = { .size = sizeof(summary) };
	int err = ssdpm_survey_summarise(&in.samples, &summary, error);

	if (!err)
		ret->energy_nj = summary.n;
	return err;
}

static int call_survey_analyse(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_survey_analysis_params params = {
		.size = sizeof(params),
		.n_policies = 2,
		.n_scenarios = 1,
	};
	struct ssdpm_survey_analysis analysis = { .size = sizeof(analysis) };
	struct ssdpm_survey_run runs[8] = { 0 };

	for (uint32_t i = 0; i < 8; i++) {
		runs[i].mean_w = i * 37 % 11;
		runs[i].policy = i % 2;
		runs[i].block = i / 2;
	}
	int err =
		analyse_survey(runs, 8, &params, &analysis, NULL, NULL, error);

	if (!err)
		ret->energy_nj = analysis.n_runs;
	return err;
}

static int call_survey_merge(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_survey_effect results[] = { { 1, 1, 0, 0 },
						       { 2, 1, 1, 0 } };
	struct ssdpm_survey_merged merged;
	int err = ssdpm_survey_merge_effects(results, 2, 0, 0, &merged, error);

	if (!err)
		ret->energy_nj = merged.n_results;
	return err;
}

static int call_sweep(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_run runs[2];
	const struct ssdpm_apst tables[2] = { { .sent = 1 }, { .sent = 1 } };
	int err = sweep_gaps(in.early_gaps, in.sleeper, NULL, tables, 2, runs,
			     error);

	if (!err)
		ret->energy_nj = runs[1].energy_nj;
	return err;
}

static int call_clairvoyant(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_run run;
	int err = foresee_gaps(in.early_gaps, in.sleeper, NULL, &run, error);

	if (!err)
		ret->energy_nj = run.energy_nj;
	return err;
}

static int call_best_table_of(uint32_t max_states, uint32_t flags,
			      struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_bounds bounds = {
		.size = sizeof(bounds),
		.max_delay_mean_ns = UINT64_MAX,
		.max_delay_p99_ns = UINT64_MAX,
		.max_exit_latency_us = UINT64_MAX,
		.max_states = max_states,
	};
	struct ssdpm_sim_params params;
	struct ssdpm_apst table;
	struct ssdpm_run run;
	int err = ssdpm_sim_params_init(&params, sizeof(params));

	params.flags = flags;
	if (!err)
		err = find_best_table(in.early_gaps, in.deep_sleeper, &params,
				      &bounds, &table, &run, NULL, error);
	if (!err)
		ret->energy_nj = run.energy_nj;
	return err;
}

static int call_best_table(struct result *ret, struct ssdpm_error *error)
{
	return call_best_table_of(2, 0, ret, error);
}

static int call_best_table_from_start(struct result *ret,
				      struct ssdpm_error *error)
{
	return call_best_table_of(2, SSDPM_SIM_IDLE_FROM_START, ret, error);
}

static int call_best_table_of_three(struct result *ret,
				    struct ssdpm_error *error)
{
	return call_best_table_of(3, 0, ret, error);
}

/* The machine as it was before the last call, whatever became of that. */
static int restore_machine(void)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us",
		  "100000\n" },
		{ "sys/module/nvme_core/parameters/apst_primary_timeout_ms",
		  "100\n" },
		{ "sys/class/scsi_host/host0/link_power_management_policy",
		  "max_performance\n" },
	};
	static const char *const names[] = { "journal", "journal.new", "undo",
					     "undo.new" };
	char path[160];

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(files[i].text);
		int fd;

		snprintf(path, sizeof(path), "%s/%s", in.root, files[i].path);
		fd = open(path, O_WRONLY | O_TRUNC);
		if (fd < 0 || write(fd, files[i].text, n) != (ssize_t)n)
			return -errno;
		close(fd);
	}
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/run/ssdpm/%s", in.root,
			 names[i]);
		unlink(path);
	}
	return 0;
}

/* Steps that write to files alone. */
static int fill_by_files(struct ssdpm_plan *plan, struct ssdpm_error *error)
{
	int err = ssdpm_plan_add_latency_tolerance(plan, in.plan_drive,
						   in.sleeper, 7000, error);

	if (!err)
		err = ssdpm_plan_add_nvme_core(
			plan, SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS, 200,
			error);
	if (!err)
		err = add_lpms(plan, in.plan_disk, NULL,
			       &(uint32_t){ SSDPM_LPM_MEDIUM_POWER }, 1, 0,
			       error);
	return err;
}

static int fill_plan(struct ssdpm_plan *plan, struct ssdpm_error *error)
{
	const struct ssdpm_profile_settings settings = {
		.size = sizeof(settings),
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY | SSDPM_PROFILE_LPM |
		       SSDPM_PROFILE_PRIMARY_TIMEOUT,
		.max_exit_latency_us = 5000,
		.primary_timeout_ms = 300,
		.n_lpms = 1,
		.lpms = { SSDPM_LPM_MEDIUM_POWER },
	};
	int err = fill_by_files(plan, error);

	if (!err)
		err = ssdpm_plan_add_profile(plan, in.plan_drive, NULL,
					     &settings, error);
	if (!err)
		err = ssdpm_plan_add_apst(plan, in.plan_drive, in.sleeper,
					  &(struct ssdpm_apst){ .sent = 1 },
					  error);
	if (!err)
		err = ssdpm_plan_add_power_state(plan, in.plan_drive,
						 in.sleeper, 0, 1, error);
	if (!err)
		err = ssdpm_plan_add_value(plan, in.plan_drive, SSDPM_STEP_NOPP,
					   1, error);
	return err;
}

static int call_plan(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_plan_params params = { .size = sizeof(params),
						  .directory = "/nowhere" };
	struct ssdpm_plan *plan;
	int err = ssdpm_plan_new(in.capture, &params, &plan, error);

	if (err)
		return err;
	err = fill_plan(plan, error);
	if (!err)
		err = ssdpm_plan_read(plan, error);
	if (!err)
		ret->energy_nj = ssdpm_plan_count(plan, SSDPM_STEPS_ALL);
	ssdpm_plan_free(plan);
	return err;
}

/* There and back, twice: once by the plan, once by what is kept. */
static int commit_and_revert(struct ssdpm_plan *plan, struct ssdpm_error *error)
{
	int err = ssdpm_plan_commit(plan, error);

	if (!err)
		err = ssdpm_plan_verify(plan, 0, error);
	if (!err)
		err = ssdpm_plan_revert(plan, error);
	if (!err)
		err = ssdpm_plan_commit(plan, error);
	return err;
}

static int look_at_applied(struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err = ssdpm_plan_new(in.capture, NULL, &plan, error);

	if (err)
		return err;
	err = ssdpm_plan_add_applied(plan, NULL, error);
	if (!err)
		err = ssdpm_plan_read(plan, error);
	ssdpm_plan_free(plan);
	return err;
}

static int call_commit(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err = restore_machine();

	if (!err)
		err = ssdpm_plan_new(in.capture, NULL, &plan, error);
	if (err)
		return err;
	err = fill_by_files(plan, error);
	if (!err)
		err = commit_and_revert(plan, error);
	ssdpm_plan_free(plan);
	if (!err)
		err = look_at_applied(error);
	if (!err)
		err = ssdpm_plan_new(in.capture, NULL, &plan, error);
	if (err)
		return err;
	err = ssdpm_plan_add_revert(plan, error);
	if (!err)
		err = ssdpm_plan_commit(plan, error);
	if (!err)
		ret->energy_nj = ssdpm_plan_count(plan, SSDPM_STEPS_ALL);
	ssdpm_plan_free(plan);
	return err;
}

/* A journal whose first step has begun. */
static int write_journal(void)
{
	char command[600];

	snprintf(command, sizeof(command), "cp %s/journal %s/run/ssdpm/journal",
		 in.root, in.root);
	return system(command) ? -EIO : 0;
}

static int run_nothing(void *userdata, struct ssdpm_error *reterr)
{
	(void)userdata;
	(void)reterr;
	return 0;
}

static int call_request(struct result *ret, struct ssdpm_error *error)
{
	size_t n = 0;
	int err = ssdpm_request_add(in.capture, NULL, error);

	if (!err)
		err = ssdpm_request_serve(in.capture, NULL, run_nothing, NULL,
					  &n, error);
	if (!err)
		ret->energy_nj = 1;
	return err;
}

/* To look at it, and to lock a plan, which undoes what it names. */
static int call_lock(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan;
	int err = restore_machine();

	if (!err)
		err = write_journal();
	if (!err)
		err = ssdpm_journal_read(in.capture, NULL, &journal, error);
	if (err)
		return err;
	err = ssdpm_plan_new(in.capture, NULL, &plan, error);
	if (err)
		return err;
	err = ssdpm_plan_lock(plan, error);
	if (!err)
		err = ssdpm_plan_get_journal(plan, &journal);
	if (!err)
		ret->energy_nj = 10 * journal.state + journal.n_undone;
	ssdpm_plan_free(plan);
	return err;
}

static int fill_all(struct ssdpm_plan *plan, void *userdata,
		    struct ssdpm_error *error)
{
	return ssdpm_plan_add_profile(plan, NULL, NULL, userdata, error);
}

static int call_apply(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err = restore_machine();

	if (!err)
		err = ssdpm_plan_new(in.capture, NULL, &plan, error);
	if (err)
		return err;
	err = ssdpm_plan_apply(plan, fill_all, NULL, error);
	if (!err)
		ret->energy_nj = ssdpm_plan_count(plan, SSDPM_STEPS_ALL);
	ssdpm_plan_free(plan);
	return err;
}

static int call_energy_report(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_io ios[2] = { { .op = 1 },
					 { .op = 2, .start_ns = 9000000000 } };
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.ios = ios,
		.n_ios = 2,
	};
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report;
	int err = restore_machine();

	if (!err)
		err = ssdpm_energy_report_new(in.capture, &params, &report,
					      error);
	if (err)
		return err;
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item); i++)
		ret->energy_nj += item.after ? item.after->energy_nj : 1;
	ssdpm_energy_report_free(report);
	return err;
}

/* Where a drive waits for one. */
static int set_trial(struct ssdpm_energy_report *report, size_t i,
		     const struct ssdpm_energy_report_item *item,
		     struct ssdpm_error *error)
{
	const struct ssdpm_trial_result trial = {
		.size = sizeof(trial),
		.decision = SSDPM_TRIAL_SAVES,
	};

	if (item->advice != SSDPM_ADVICE_KEEP || !item->settings)
		return 0;
	return ssdpm_energy_report_set_trial(report, i, &trial, error);
}

/* The text of each drive, too. */
static int call_advice(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_io ios[2] = { { .op = 1 },
					 { .op = 2, .start_ns = 9000000000 } };
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.ios = ios,
		.n_ios = 2,
		.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_FURTHER,
		.patience = SSDPM_PATIENCE_INSTANT,
		.workload = ssdpm_machine_get_workload(in.capture),
	};
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_energy_report *report;
	uint64_t sum = 0;
	int err = restore_machine();

	if (!err)
		err = ssdpm_energy_report_new(in.capture, &params, &report,
					      error);
	if (err)
		return err;
	for (size_t i = 0;
	     !err && !ssdpm_energy_report_get_item(report, i, &item); i++) {
		struct ssdpm_device *device = NULL;
		char *text = NULL;

		err = set_trial(report, i, &item, error);
		if (!err)
			err = ssdpm_energy_report_item_to_json(report, i, &text,
							       error);
		if (!err)
			err = ssdpm_energy_report_read_device(report, i,
							      &device, error);
		if (!err)
			sum += item.advice + strlen(text);
		ssdpm_device_unref(device);
		free(text);
	}
	ssdpm_energy_report_free(report);
	if (!err)
		ret->energy_nj = sum;
	return err;
}

static int call_report(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_report_item item = { .size = sizeof(item) };
	struct ssdpm_report *report;
	int err = restore_machine();

	if (!err)
		err = ssdpm_report_new(in.capture, NULL, &report, error);
	if (err)
		return err;
	for (size_t i = 0; !ssdpm_report_get_item(report, i, &item); i++)
		ret->energy_nj += item.n_changes + 10;
	ssdpm_report_free(report);
	return 0;
}

/* Each kind of section, in two files, and each kind of setting. */
static int put_settings(void)
{
	static const char text[] =
		"[machine]\\nprofile = mine\\nsecondary_timeout = 1 s\\n"
		"[drive]\\nserial = *\\nkind = nvme\\npower_state = 0\\n"
		"nopp = off\\n[desktop]\\npower-saver = power-saver\\n"
		"[profile mine]\\nlpm = medium_power\\n"
		"max_exit_latency = 25 ms\\n";
	char command[800];

	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p etc/ssdpm.conf.d && "
		 "printf '%s' >etc/ssdpm.conf && "
		 "cp etc/ssdpm.conf etc/ssdpm.conf.d/1.conf",
		 in.root, text);
	return system(command) ? -EIO : 0;
}

static int plan_intent(const struct ssdpm_intent *intent,
		       const struct ssdpm_intent_params *params,
		       struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_plan *plan;
	int err = ssdpm_plan_new(in.capture, NULL, &plan, error);

	if (err)
		return err;
	err = ssdpm_plan_add_intent(plan, in.plan_drive, NULL, intent, params,
				    error);
	if (!err)
		err = ssdpm_plan_add_intent(plan, NULL, NULL, intent, params,
					    error);
	for (size_t i = 0; !err && !ssdpm_plan_get_step(plan, i, &step); i++)
		ret->energy_nj += strlen(step.origin) + 1;
	ssdpm_plan_free(plan);
	return err;
}

static int call_intent(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_intent_params params = {
		.size = sizeof(params),
		.desktop_profile = "power-saver",
	};
	struct ssdpm_intent *intent;
	int err = restore_machine();

	if (!err)
		err = ssdpm_intent_read(in.capture, &intent, error);
	if (err)
		return err;
	err = plan_intent(intent, &params, ret, error);
	ssdpm_intent_free(intent);
	return err;
}

static int call_intent_keep(struct result *ret, struct ssdpm_error *error)
{
	int err = ssdpm_intent_keep(in.capture, in.plan_drive,
				    "max_exit_latency = 25ms\n", 0, error);

	if (!err)
		err = ssdpm_intent_keep(in.capture, NULL, "profile = auto\n",
					SSDPM_KEEP_UNTIL_REBOOT, error);
	if (!err)
		err = ssdpm_intent_note_desktop(in.capture, "balanced", error);
	if (!err)
		err = ssdpm_intent_note_desktop(in.capture, NULL, error);
	if (!err)
		err = ssdpm_intent_forget(in.capture, SSDPM_KEEP_UNTIL_REBOOT,
					  error);
	if (!err)
		err = ssdpm_intent_forget(in.capture, 0, error);
	if (!err)
		ret->energy_nj = 1;
	return err;
}

static void call_intent_flags(void)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };

	ssdpm_intent_get_flags(in.intent);
	ssdpm_intent_get_settings(in.intent, NULL, SSDPM_SOURCE_AC, &settings,
				  NULL);
	ssdpm_intent_get_profile_name(in.intent, 0, settings.name);
	ssdpm_intent_free(NULL);
}

static const struct ssdpm_ftl_params small_ftl = {
	.size = sizeof(small_ftl),
	.n_user_pages = 32,
	.n_blocks = 8,
	.pages_per_block = 8,
	.collector = SSDPM_FTL_GREEDY,
};
static const struct ssdpm_ftl_pattern any_page = {
	.size = sizeof(any_page),
	.order = SSDPM_FTL_UNIFORM,
};

static int call_ftl_new(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_ftl *ftl;
	int err = ssdpm_ftl_new(&small_ftl, &ftl, error);

	if (err)
		return err;
	ret->energy_nj = 1;
	ssdpm_ftl_free(ftl);
	return 0;
}

static int call_trial_new(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_trial_params params = { .size = sizeof(params) };
	struct ssdpm_trial *trial;
	int err = ssdpm_trial_new(&params, &trial, error);

	if (err)
		return err;
	ret->energy_nj = 1;
	ssdpm_trial_free(trial);
	return 0;
}

static int make_bisect(struct ssdpm_bisect **ret_bisect,
		       struct ssdpm_error *error)
{
	static const char text[] = "# ssdpm bisect 1\nerrors 1\nentries 9\n"
				   "suspect apst off PS3 PS4\nrunning 5 -\n"
				   "end 1051fb1df95a8e73\n";

	return ssdpm_bisect_from_text(text, strlen(text), ret_bisect, error);
}

static int make_found_bisect(struct ssdpm_bisect **ret_bisect,
			     struct ssdpm_error *error)
{
	static const char text[] =
		"# ssdpm bisect 1\nerrors 1\nentries 9\n"
		"suspect sda:lpm max_performance min_power\ngood 9\n"
		"bad 3\nsign 5 sda: io\n"
		"end e73dabfb5d4d9498\n";

	return ssdpm_bisect_from_text(text, strlen(text), ret_bisect, error);
}

/* One that has no suspect, and one that found its culprit. */
static int make_other_bisects(void)
{
	static const char new_text[] = "# ssdpm bisect 1\nerrors 1\n"
				       "entries 9\nend 314db90dd2f1cb33\n";
	int err = ssdpm_bisect_from_text(new_text, strlen(new_text),
					 &in.new_bisect, NULL);

	return err ? err : make_found_bisect(&in.found_bisect, NULL);
}

/* A disk whose quirks the rules have: its names become a model. */
static int call_drive_of_bisect(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_device_facts disk = { .size = sizeof(disk),
						 .kind = SSDPM_KIND_SATA,
						 .name = "sda",
						 .product = "ADATA SU680" };
	struct ssdpm_machine_facts linux_6 = { .size = sizeof(linux_6) };
	struct ssdpm_bisect_remedy remedy = { .size = sizeof(remedy) };
	struct ssdpm_bisect *bisect;
	size_t n = 0;
	int err = make_found_bisect(&bisect, error);

	if (err)
		return err;
	strcpy(linux_6.linux_release, "6.12.117");
	err = ssdpm_bisect_set_drive(bisect, &disk, &linux_6, error);
	while (!err && !ssdpm_bisect_get_remedy(bisect, 0, n, &remedy, NULL))
		n++;
	if (!err)
		ret->energy_nj = n;
	ssdpm_bisect_free(bisect);
	return err;
}

static int call_bisect(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_bisect *bisect;
	char *text = NULL;
	int err = make_bisect(&bisect, error);

	if (err)
		return err;
	err = ssdpm_bisect_to_text(bisect, &text, error);
	if (!err) {
		free(text);
		text = NULL;
		err = ssdpm_bisect_add_unrestored(bisect, 0, "a", NULL, error);
		if (!err)
			err = ssdpm_bisect_to_json(bisect, NULL, 0, &text,
						   error);
	}
	ssdpm_bisect_free(bisect);
	return keep_length(err, text, ret);
}

static struct ssdpm_observed_params observed_params(void)
{
	return (struct ssdpm_observed_params){
		.size = sizeof(struct ssdpm_observed_params),
		.model = in.sleeper,
		.major = 8,
		.ctrl_id = SSDPM_NO_CONTROLLER,
	};
}

/* More I/Os than there is room for at first, of which many do not end. */
static int feed_observation(struct ssdpm_observation *observation,
			    struct ssdpm_error *error)
{
	int err = 0;

	for (int i = 0; i < 600 && !err; i++) {
		char line[160];
		int n = snprintf(line, sizeof(line),
				 "cat-1 [0] d. %d.0: block_rq_issue: 8,0 R 512 "
				 "() %d + 1 [cat]\ncat-1 [0] d. %d.1: "
				 "block_rq_complete: 8,0 R () %d + 1 [0]\n",
				 i / 300, i, i / 300, i < 300 ? i : 0);

		err = ssdpm_observation_feed(observation, line, (size_t)n,
					     error);
	}
	return err;
}

static void count_change(void *userdata, uint64_t time_ns, uint32_t phase,
			 uint32_t state)
{
	uint64_t *sum = userdata;

	*sum += time_ns + phase + state;
}

static int read_observation(struct ssdpm_observation *observation,
			    struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_observed drive = { .size = sizeof(drive) };
	struct ssdpm_cause cause = { .size = sizeof(cause) };
	struct ssdpm_without without = { .size = sizeof(without) };
	struct ssdpm_prediction likely = { .size = sizeof(likely) };
	struct ssdpm_help *helps = NULL;
	size_t n_helps = 0;
	char *policy = NULL;
	uint64_t changes = 0;
	struct ssdpm_deepest deepest = { .size = sizeof(deepest) };
	int err = ssdpm_observation_get_drive(observation, 0, &drive, error);

	if (!err)
		err = ssdpm_observation_get_deepest(observation, 0, &deepest,
						    error);
	if (!err)
		err = ssdpm_observation_get_cause(observation, 0, 0, &cause,
						  error);
	if (!err)
		err = ssdpm_observation_replay(observation, 0, count_change,
					       &changes, error);
	if (!err)
		err = ssdpm_observation_get_without(observation, 0, 0, &without,
						    error);
	if (!err)
		err = ssdpm_observation_list_help(observation, 0, &helps,
						  &n_helps, error);
	free(helps);
	if (!err)
		err = ssdpm_observation_get_policy(observation, 0, &policy,
						   error);
	free(policy);
	if (!err)
		err = ssdpm_observation_get_prediction(observation, 0, &likely,
						       error);
	if (!err)
		ret->energy_nj = drive.energy_nj + cause.energy_nj +
				 without.energy_nj + changes +
				 likely.nominal_uw;
	return err;
}

static int call_observation(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_observed_params params = observed_params();
	struct ssdpm_observation *observation;
	int err = ssdpm_observation_new(&observation, error);

	if (err)
		return err;
	err = ssdpm_observation_add_drive(observation, &params, error);
	if (!err)
		err = feed_observation(observation, error);
	if (!err)
		err = ssdpm_observation_advance(observation, 60000000000,
						error);
	if (!err)
		err = ssdpm_observation_finish(observation, 0, error);
	if (!err)
		err = read_observation(observation, ret, error);
	ssdpm_observation_free(observation);
	return err;
}

static int call_observation_to_json(struct result *ret,
				    struct ssdpm_error *error)
{
	char *text = NULL;
	int err = ssdpm_observation_to_json(in.observation, 0, "sda", &text,
					    error);

	return keep_length(err, text, ret);
}

/* A call that fails begins no interval: this is always the second one. */
static int call_observation_interval(struct result *ret,
				     struct ssdpm_error *error)
{
	const struct ssdpm_observed_params params = observed_params();
	struct ssdpm_observation *observation;
	char *text = NULL;
	int err = ssdpm_observation_new(&observation, error);

	if (err)
		return err;
	err = ssdpm_observation_add_drive(observation, &params, error);
	for (uint64_t s = 1; s <= 2 && !err; s++) {
		free(text);
		text = NULL;
		err = ssdpm_observation_advance(observation, s * 1000000000,
						error);
		if (!err)
			err = ssdpm_observation_interval_to_json(
				observation, 0, "sda", &text, error);
	}
	ssdpm_observation_free(observation);
	return keep_length(err, text, ret);
}

static int call_read_disks(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_device *device;
	struct ssdpm_disk *disks = NULL;
	size_t n = 0;
	int err = ssdpm_device_read(in.laptop, "nvme0", &device, error);

	if (err)
		return err;
	err = ssdpm_device_read_disks(in.laptop, device, &disks, &n, error);
	ssdpm_device_unref(device);
	return keep_count(err, disks, n, ret);
}

static const char suspend_text[] =
	"ssdpm-suspend 1\n"
	"success 1 /sys/power/suspend_stats/success\n"
	"slp-s0 0 /sys/kernel/debug/pmc_core/slp_s0_residency_usec\n";

/* A drive whose diagnosis has a change, so that there is a remedy. */
static struct ssdpm_suspend_params suspend_params(void)
{
	static const struct ssdpm_diagnosis diagnosis = {
		.code = SSDPM_DIAGNOSIS_ASPM_POLICY,
		.remedy = SSDPM_REMEDY_ASPM_POLICY,
		.n_changes = 1,
		.changes = { { "/sys/module/pcie_aspm/parameters/policy",
			       "powersupersave" } },
	};
	static struct ssdpm_suspend_drive drive = { .diagnoses = &diagnosis,
						    .n_diagnoses = 1 };

	drive.facts = ssdpm_device_get_facts(in.device);
	return (struct ssdpm_suspend_params){
		.size = sizeof(struct ssdpm_suspend_params),
		.facts = &in.facts,
		.after = in.suspend_reading,
		.drives = &drive,
		.n_drives = 1,
	};
}

static int call_suspend(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_suspend_params params = suspend_params();
	struct ssdpm_suspend_verdict verdict = { .size = sizeof(verdict) };
	struct ssdpm_suspend_evidence *evidence = NULL;
	size_t n;
	int err = ssdpm_suspend_judge(&params, &verdict, &evidence, &n, error);

	return keep_count(err, evidence, n, ret);
}

static int call_suspend_remedies(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_suspend_params params = suspend_params();
	struct ssdpm_suspend_remedy *remedies = NULL;
	size_t n;
	int err = ssdpm_suspend_get_remedies(&params,
					     SSDPM_SUSPEND_OUTCOME_NOT_REACHED,
					     &remedies, &n, error);

	return keep_count(err, remedies, n, ret);
}

static int call_suspend_to_json(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_suspend_params params = suspend_params();
	char *text = NULL;
	int err = ssdpm_suspend_to_json(&params, &text, error);

	return keep_length(err, text, ret);
}

static int call_suspend_explain(struct result *ret, struct ssdpm_error *error)
{
	static const struct ssdpm_diagnosis left_on = {
		.code = SSDPM_DIAGNOSIS_SUSPEND,
		.message = "left on",
	};
	const struct ssdpm_suspend_drive drive = {
		.facts = ssdpm_device_get_facts(in.device),
		.diagnoses = &left_on,
		.n_diagnoses = 1,
	};
	struct ssdpm_suspend_params params = suspend_params();
	char *text = NULL;
	int err;

	params.drives = &drive;
	err = ssdpm_suspend_explain_plan(
		&params, 0, SSDPM_SUSPEND_OUTCOME_REACHED, &text, error);
	return keep_length(err, text, ret);
}

static int call_suspend_reading(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_suspend_reading *reading;
	char *text = NULL;
	int err = ssdpm_suspend_reading_from_text(
		suspend_text, strlen(suspend_text), &reading, error);

	if (err)
		return err;
	err = ssdpm_suspend_reading_to_text(reading, &text, error);
	ssdpm_suspend_reading_free(reading);
	return keep_length(err, text, ret);
}

static int call_read_suspend(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_suspend_reading *reading;
	char *text = NULL;
	int err = ssdpm_machine_read_suspend(in.laptop, &reading, error);

	if (err)
		return err;
	err = ssdpm_suspend_reading_to_text(reading, &text, error);
	ssdpm_suspend_reading_free(reading);
	return keep_length(err, text, ret);
}

static int make_tracer(struct ssdpm_tracer **ret_tracer,
		       struct ssdpm_error *error)
{
	static const struct ssdpm_disk disk = { .major = 8 };
	static const char *const event = "block/block_rq_issue";
	const struct ssdpm_tracer_params params = {
		.size = sizeof(params),
		.tracefs = in.tracefs,
		.disks = &disk,
		.n_disks = 1,
		.events = &event,
		.n_events = 1,
	};

	return ssdpm_tracer_new(&params, ret_tracer, error);
}

static int call_tracer(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_tracer *tracer;
	uint64_t lost;
	char *format = NULL;
	int err = make_tracer(&tracer, error);

	if (err)
		return err;
	err = ssdpm_tracer_read_lost(tracer, &lost, error);
	if (!err)
		err = ssdpm_tracer_read_format(tracer, 0, &format, error);
	err = keep_length(err, format, ret);
	ssdpm_tracer_free(tracer);
	return err;
}

static void write_nothing(void *userdata, const char *text, size_t size)
{
	(void)text;
	*(size_t *)userdata += size;
}

static int run_watch(struct ssdpm_watch *watch, struct result *ret,
		     struct ssdpm_error *error)
{
	const struct ssdpm_observed_params params = observed_params();
	size_t n_written = 0;
	uint64_t n;
	int err = ssdpm_watch_add_drive(watch, in.disk, &params, error);

	if (!err)
		err = ssdpm_watch_begin(watch, in.tracefs, error);
	if (!err)
		err = ssdpm_watch_set_writer(watch, write_nothing, &n_written,
					     error);
	if (!err)
		err = ssdpm_watch_step(watch, &n, error);
	if (!err)
		err = ssdpm_watch_read_lost(watch, &n, error);
	if (!err)
		err = ssdpm_watch_finish(watch, error);
	if (!err)
		ret->energy_nj = n_written;
	return err;
}

static int call_watch(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_observation *observation;
	struct ssdpm_watch *watch = NULL;
	int err = ssdpm_observation_new(&observation, error);

	if (err)
		return err;
	err = ssdpm_watch_new(in.unused, observation, &watch, error);
	if (!err)
		err = run_watch(watch, ret, error);
	ssdpm_watch_free(watch);
	ssdpm_observation_free(observation);
	return err;
}

static int call_ftl_run(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_ftl_cost cost = { .size = sizeof(cost),
					     .host_ns = 10000000,
					     .cache_pages = 5 };
	struct ssdpm_ftl_second seconds[2];
	int err = ssdpm_ftl_run(in.ftl, &any_page, &cost, 2, seconds, error);

	if (!err)
		ret->energy_nj = seconds[0].n_written;
	return err;
}

static int call_ftl_simulate(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_ftl_cost cost = { .size = sizeof(cost),
					     .host_ns = 10000000 };
	struct ssdpm_ftl_params params = small_ftl;
	struct ssdpm_ftl_second seconds[2];
	int err;

	params.n_user_pages = 0;
	err = ssdpm_ftl_simulate(&params, 0.5, &cost, 2, seconds, error);
	if (!err)
		ret->energy_nj = seconds[0].n_written;
	return err;
}

/* A drive beside one with numbers of the caller, with JSON of both. */
static int call_budget(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_cap_stream stream = { .op = SSDPM_OP_WRITE,
						 .share = 1 };
	const struct ssdpm_budget_work work = { .size = sizeof(work),
						.streams = &stream,
						.n_streams = 1 };
	const uint32_t max_power_uw = 5000000;
	const struct ssdpm_budget_drive drive = {
		.size = sizeof(drive),
		.name = "a",
		.model = in.sleeper,
		.work = &work,
		.max_power_uw = &max_power_uw,
		.n_max_powers = 1,
	};
	const struct ssdpm_budget_drive *const drives[] = { &drive };
	const struct ssdpm_budget_state own = { .power_uw = 2000000 };
	struct ssdpm_budget_item *items[2] = { NULL };
	const struct ssdpm_budget_params params = {
		.size = sizeof(params),
		.items = (const struct ssdpm_budget_item *const *)items,
		.n_items = 2,
		.budget_uw = 9000000,
	};
	struct ssdpm_budget_report report = { .size = sizeof(report),
					      .work = &work };
	struct ssdpm_budget *budget = NULL;
	char *text = NULL;
	int err = ssdpm_budget_item_new(drives, 1, SSDPM_BUDGET_POWER_MAX, 1000,
					&items[0], error);

	if (!err)
		err = ssdpm_budget_item_from_states("b", &own, 1, &items[1],
						    error);
	if (!err)
		err = ssdpm_budget_solve(&params, &budget, error);
	report.budget = budget;
	if (!err)
		err = ssdpm_budget_report_to_json(&report, &text, error);
	if (!err)
		ret->energy_nj = ssdpm_budget_get_answer(budget)->power_uw;
	free(text);
	ssdpm_budget_free(budget);
	ssdpm_budget_item_unref(items[0]);
	ssdpm_budget_item_unref(items[1]);
	return err;
}

static int call_budget_states(struct result *ret, struct ssdpm_error *error)
{
	const uint32_t max_power_uw = 5000000;
	const struct ssdpm_budget_drive drive = { .size = sizeof(drive),
						  .model = in.sleeper,
						  .max_power_uw = &max_power_uw,
						  .n_max_powers = 1 };
	const struct ssdpm_budget_drive *const drives[] = { &drive };
	uint32_t states, unknown;
	int err = ssdpm_budget_drives_get_states(drives, 1, &states, &unknown,
						 error);

	if (!err)
		ret->energy_nj = states;
	return err;
}

static int call_cap_simulate(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_io ios[2] = {
		{ .bytes = 4096, .service_ns = 100000, .op = SSDPM_OP_WRITE },
		{ .start_ns = 3000000000,
		  .bytes = 4096,
		  .service_ns = SSDPM_SERVICE_UNKNOWN,
		  .op = SSDPM_OP_READ },
	};
	const struct ssdpm_cap_segment segments[2] = {
		{ .duration_ns = 1000000000, .cap_uw = SSDPM_CAP_NONE },
		{ .cap_uw = 5000000 },
	};
	struct ssdpm_cap_run run = { .size = sizeof(run) };
	struct ssdpm_cap_point points[2] = { 0 };
	const struct ssdpm_cap_schedule schedule = {
		.size = sizeof(schedule),
		.segments = segments,
		.n_segments = 2,
		.ios = ios,
		.n_ios = 2,
	};
	int err = ssdpm_cap_simulate(in.sleeper, NULL, &schedule, &run, points,
				     error);

	if (!err)
		ret->energy_nj = run.duration_ns + points[1].duration_ns;
	return err;
}

static int call_cap_to_json(struct result *ret, struct ssdpm_error *error)
{
	static const struct ssdpm_cap_point points[20];
	const struct ssdpm_cap_stream stream = { .op = SSDPM_OP_READ };
	const struct ssdpm_cap_report report = { .size = sizeof(report),
						 .model = in.sleeper,
						 .streams = &stream,
						 .n_streams = 1,
						 .points = points,
						 .n_points = 20 };
	char *text = NULL;
	int err = ssdpm_cap_report_to_json(&report, &text, error);

	return keep_length(err, text, ret);
}

static int call_iops_log(struct result *ret, struct ssdpm_error *error)
{
	static const char text[] = "1000, 5, 1, 0, 0\n2000, 7, 1, 0, 0\n";
	double *iops;
	size_t n;
	int err = ssdpm_iops_log_read_data(text, sizeof(text) - 1, NULL, &iops,
					   &n, error);

	if (err)
		return err;
	ret->energy_nj = (uint64_t)iops[1];
	free(iops);
	return 0;
}

static int call_iops_log_fd(struct result *ret, struct ssdpm_error *error)
{
	static const char text[] = "1000, 5, 1, 0, 0\n";
	int pipes[2], err;
	double *iops;
	size_t n;

	if (pipe(pipes) ||
	    write(pipes[1], text, sizeof(text) - 1) != sizeof(text) - 1)
		return -errno;
	close(pipes[1]);
	err = ssdpm_iops_log_read(pipes[0], NULL, &iops, &n, error);
	close(pipes[0]);
	if (err)
		return err;
	ret->energy_nj = n;
	free(iops);
	return 0;
}

static int call_consistency(struct result *ret, struct ssdpm_error *error)
{
	static const double iops[20] = { 5, 4, 3 };
	const struct ssdpm_consistency_params params = {
		.size = sizeof(params),
		.power_w = iops,
	};
	struct ssdpm_consistency c = { .size = sizeof(c) };
	int err = ssdpm_consistency_measure(iops, 20, &params, &c, error);

	if (!err)
		ret->energy_nj = c.n;
	return err;
}

static int call_report_to_json(
	struct result *ret, struct ssdpm_error *error,
	int (*to_json)(const struct ssdpm_power_report *report, char **ret_text,
		       struct ssdpm_error *reterr))
{
	static const struct ssdpm_activity runs[20];
	const struct ssdpm_power_counts counts = { 0 };
	const struct ssdpm_energy energy = { .size = sizeof(energy) };
	const struct ssdpm_baseline baseline = { 0 };
	const struct ssdpm_sampling sampling = { .size = sizeof(sampling) };
	const struct ssdpm_power_report report = { .size = sizeof(report),
						   .name = "power.csv",
						   .counts = &counts,
						   .energy = &energy,
						   .baseline = &baseline,
						   .sampling = &sampling,
						   .activities = runs,
						   .n_activities = 20 };
	char *text = NULL;
	int err = to_json(&report, &text, error);

	return keep_length(err, text, ret);
}

static int call_consistency_to_json(struct result *ret,
				    struct ssdpm_error *error)
{
	static const double iops[400];
	const struct ssdpm_consistency found = { .size = sizeof(found) };
	const struct ssdpm_consistency_report report = {
		.size = sizeof(report),
		.name = "iops.log",
		.found = &found,
		.iops = iops,
		.n_seconds = 400,
	};
	char *text = NULL;
	int err = ssdpm_consistency_report_to_json(&report, &text, error);

	return keep_length(err, text, ret);
}

static int call_workload_to_json(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_trace_counts counts = { 0 };
	struct ssdpm_trace_stats stats = { .size = sizeof(stats) };
	const struct ssdpm_workload_report report = { .size = sizeof(report),
						      .name = "trace.csv",
						      .counts = &counts,
						      .stats = &stats };
	char *text = NULL;
	int err;

	for (size_t i = 0; i < SSDPM_HISTOGRAM_BUCKETS; i++)
		stats.gaps[i] = 1;
	err = ssdpm_workload_report_to_json(&report, &text, error);
	return keep_length(err, text, ret);
}

static int call_generator_to_json(struct result *ret, struct ssdpm_error *error)
{
	char *text = NULL;
	int err = ssdpm_generator_to_json(0, &text, error);

	return keep_length(err, text, ret);
}

static const struct ssdpm_background_class background_class = {
	.background = SSDPM_BACKGROUND_NONE,
};
static const struct ssdpm_experiment experiment = {
	.size = sizeof(experiment),
	.experiment = "order, MTron, SW",
	.micro_benchmark = "order",
	.drive = "MTron",
	.pattern = "SW",
	.found = &background_class,
};

static int call_experiment_to_json(struct result *ret,
				   struct ssdpm_error *error)
{
	char *text = NULL;
	int err = ssdpm_experiment_to_json(&experiment, &text, error);

	return keep_length(err, text, ret);
}

static int call_experiment_matrix(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_experiment_matrix *matrix = NULL;
	char *text = NULL;
	int err = ssdpm_experiment_matrix_new(&matrix, error);

	if (!err)
		err = ssdpm_experiment_matrix_add(matrix, &experiment, error);
	if (!err)
		err = ssdpm_experiment_matrix_to_json(matrix, &text, error);
	ssdpm_experiment_matrix_free(matrix);
	return keep_length(err, text, ret);
}

static int call_energy_to_json(struct result *ret, struct ssdpm_error *error)
{
	return call_report_to_json(ret, error,
				   ssdpm_power_report_energy_to_json);
}

static int call_baseline_to_json(struct result *ret, struct ssdpm_error *error)
{
	return call_report_to_json(ret, error,
				   ssdpm_power_report_baseline_to_json);
}

static int call_background_to_json(struct result *ret,
				   struct ssdpm_error *error)
{
	return call_report_to_json(ret, error,
				   ssdpm_power_report_background_to_json);
}

static int call_machine_new(struct result *ret, struct ssdpm_error *error)
{
	const struct ssdpm_machine_params params = { .size = sizeof(params),
						     .root = "/" };
	struct ssdpm_machine *machine;
	int err = ssdpm_machine_new(&params, &machine, error);

	if (err)
		return err;
	ret->energy_nj = 1;
	ssdpm_machine_unref(machine);
	return 0;
}

static int call_machine_read_facts(struct result *ret,
				   struct ssdpm_error *error)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	int err = ssdpm_machine_read_facts(in.laptop, &facts, error);

	if (!err)
		ret->energy_nj = facts.nvme_core_known;
	return err;
}

static int call_device_list_read(struct result *ret, struct ssdpm_error *error)
{
	struct ssdpm_device **devices;
	size_t n;
	int err = ssdpm_device_list_read(in.desktop, &devices, &n, error);

	if (err)
		return err;
	ret->energy_nj = n;
	ssdpm_device_list_free(devices, n);
	return 0;
}

static int read_device(const char *name, struct result *ret,
		       struct ssdpm_error *error)
{
	struct ssdpm_device *device;
	int err = ssdpm_device_read(in.desktop, name, &device, error);

	if (err)
		return err;
	ret->energy_nj = ssdpm_device_get_facts(device)->host;
	ssdpm_device_unref(device);
	return 0;
}

static int call_device_read(struct result *ret, struct ssdpm_error *error)
{
	return read_device("sdb", ret, error);
}

static int call_device_read_host(struct result *ret, struct ssdpm_error *error)
{
	return read_device("host2", ret, error);
}

/* Those that there are have to be listed. */
static int call_device_read_absent(struct result *ret,
				   struct ssdpm_error *error)
{
	struct ssdpm_error own;
	int err = read_device("sdz", ret, error ? error : &own);

	if (err != -ENOENT)
		return err;
	ret->energy_nj = 2;
	return 0;
}

static int call_read_model(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_device_read_model(in.device, 0, in.catalogue, &ret->model,
				       error);
}

/* A drive of which only the catalogue knows the states. */
static int call_read_model_catalogue(struct result *ret,
				     struct ssdpm_error *error)
{
	return ssdpm_device_read_model(in.unread, 0, in.catalogue, &ret->model,
				       error);
}

static int call_read_model_sata(struct result *ret, struct ssdpm_error *error)
{
	return ssdpm_device_read_model(in.disk, 0, NULL, &ret->model, error);
}

static int call_capture(struct result *ret, struct ssdpm_error *error)
{
	char directory[64], command[80];
	int err;

	snprintf(directory, sizeof(directory), "/tmp/ssdpm-alloc-%d",
		 (int)getpid());
	err = ssdpm_machine_capture(in.laptop, directory, 0, error);
	assert_int_equal(access(directory, F_OK), err ? -1 : 0);
	if (err)
		return err;
	ret->energy_nj = 1;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	disarm();
	assert_int_equal(system(command), 0);
	return 0;
}

/* While this is set it is the root of the machine for whoever opens "/". */
static const char *fake_root;

int open64(const char *path, int flags, ...);
int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (fake_root && !strcmp(path, "/"))
		path = fake_root;
	return openat64(AT_FDCWD, path, flags, mode);
}

static int call_check_unused(struct result *ret, struct ssdpm_error *error)
{
	char root[128];
	int err;

	snprintf(root, sizeof(root), "%s/used", in.root);
	fake_root = root;
	err = ssdpm_machine_check_unused(in.unused, 8, 0, error);
	fake_root = NULL;
	if (!err)
		ret->energy_nj = 1;
	return err;
}

static const struct {
	const char *symbol;
	int (*call)(struct result *ret, struct ssdpm_error *error);
} allocating[] = {
	{ "ssdpm_machine_check_unused", call_check_unused },
	{ "ssdpm_device_read_model", call_read_model },
	{ "ssdpm_device_read_model", call_read_model_catalogue },
	{ "ssdpm_device_read_model", call_read_model_sata },
	{ "ssdpm_machine_capture", call_capture },
	{ "ssdpm_device_list_read", call_device_list_read },
	{ "ssdpm_device_read", call_device_read },
	{ "ssdpm_device_read", call_device_read_absent },
	{ "ssdpm_device_read", call_device_read_host },
	{ "ssdpm_machine_new", call_machine_new },
	{ "ssdpm_plan_add_apst", call_plan },
	{ "ssdpm_plan_add_latency_tolerance", call_plan },
	{ "ssdpm_plan_add_applied", call_commit },
	{ "ssdpm_plan_add_lpm", call_plan },
	{ "ssdpm_plan_add_value", call_plan },
	{ "ssdpm_plan_add_power_state", call_plan },
	{ "ssdpm_plan_add_nvme_core", call_plan },
	{ "ssdpm_plan_add_profile", call_plan },
	{ "ssdpm_plan_add_revert", call_commit },
	{ "ssdpm_plan_commit", call_commit },
	{ "ssdpm_plan_new", call_plan },
	{ "ssdpm_plan_read", call_plan },
	{ "ssdpm_plan_revert", call_commit },
	{ "ssdpm_plan_verify", call_commit },
	{ "ssdpm_request_add", call_request },
	{ "ssdpm_request_serve", call_request },
	{ "ssdpm_journal_read", call_lock },
	{ "ssdpm_plan_lock", call_lock },
	{ "ssdpm_plan_apply", call_apply },
	{ "ssdpm_energy_report_new", call_energy_report },
	{ "ssdpm_energy_report_get_item", call_energy_report },
	{ "ssdpm_energy_report_item_to_json", call_advice },
	{ "ssdpm_energy_report_set_trial", call_advice },
	{ "ssdpm_energy_report_read_device", call_advice },
	{ "ssdpm_energy_report_free", call_energy_report },
	{ "ssdpm_machine_get_workload", call_advice },
	{ "ssdpm_machine_get_workload_reason", call_advice },
	{ "ssdpm_plan_get_policies", call_energy_report },
	{ "ssdpm_intent_read", call_intent },
	{ "ssdpm_intent_keep", call_intent_keep },
	{ "ssdpm_intent_forget", call_intent_keep },
	{ "ssdpm_intent_note_desktop", call_intent_keep },
	{ "ssdpm_plan_add_intent", call_intent },
	{ "ssdpm_report_new", call_report },
	{ "ssdpm_report_get_item", call_report },
	{ "ssdpm_report_free", call_report },
	{ "ssdpm_machine_read_facts", call_machine_read_facts },
	{ "ssdpm_energy_measure", call_energy },
	{ "ssdpm_integral_new", call_integral },
	{ "ssdpm_power_open", call_power_fd },
	{ "ssdpm_power_open_data", call_power },
	{ "ssdpm_power_read", call_power_read },
	{ "ssdpm_survey_file_open", call_survey_fd },
	{ "ssdpm_survey_file_open_data", call_survey_file },
	{ "ssdpm_baseline_find", call_baseline },
	{ "ssdpm_baseline_find", call_baseline_window },
	{ "ssdpm_level_new", call_level },
	{ "ssdpm_level_feed", call_level },
	{ "ssdpm_activity_find", call_activity },
	{ "ssdpm_sampling_check", call_sampling },
	{ "ssdpm_sampling_check", call_sampling_alone },
	{ "ssdpm_tail_measure", call_tail },
	{ "ssdpm_idle_work_find", call_idle_work },
	{ "ssdpm_background_classify", call_background },
	{ "ssdpm_calibrate", call_calibrate },
	{ "ssdpm_calibration_get_fitted", call_fitted },
	{ "ssdpm_idle_state_find", call_idle_state },
	{ "ssdpm_idle_state_to_json", call_idle_state },
	{ "ssdpm_overlay_from_json", call_overlay_from_json },
	{ "ssdpm_overlay_to_json", call_overlay_to_json },
	{ "ssdpm_change_points_find", call_changes },
	{ "ssdpm_survey_analyse", call_survey_analyse },
	{ "ssdpm_survey_merge_effects", call_survey_merge },
	{ "ssdpm_survey_merge_new", call_survey_merge_new },
	{ "ssdpm_survey_merge_to_json", call_survey_merge_new },
	{ "ssdpm_survey_result_new", call_survey_result },
	{ "ssdpm_survey_result_to_json", call_survey_result },
	{ "ssdpm_survey_summarise", call_survey_summarise },
	{ "ssdpm_budget_drives_get_states", call_budget_states },
	{ "ssdpm_budget_item_from_states", call_budget },
	{ "ssdpm_budget_item_new", call_budget },
	{ "ssdpm_budget_report_to_json", call_budget },
	{ "ssdpm_budget_solve", call_budget },
	{ "ssdpm_cap_report_to_json", call_cap_to_json },
	{ "ssdpm_cap_simulate", call_cap_simulate },
	{ "ssdpm_comparison_add", call_comparison },
	{ "ssdpm_comparison_feed", call_comparison },
	{ "ssdpm_comparison_finish", call_comparison },
	{ "ssdpm_comparison_get_row", call_comparison },
	{ "ssdpm_comparison_new", call_comparison },
	{ "ssdpm_comparison_report_to_json", call_comparison },
	{ "ssdpm_estimate_report_to_json", call_comparison },
	{ "ssdpm_consistency_measure", call_consistency },
	{ "ssdpm_consistency_report_to_json", call_consistency_to_json },
	{ "ssdpm_workload_report_to_json", call_workload_to_json },
	{ "ssdpm_generator_to_json", call_generator_to_json },
	{ "ssdpm_experiment_to_json", call_experiment_to_json },
	{ "ssdpm_experiment_matrix_new", call_experiment_matrix },
	{ "ssdpm_experiment_matrix_add", call_experiment_matrix },
	{ "ssdpm_experiment_matrix_to_json", call_experiment_matrix },
	{ "ssdpm_power_report_energy_to_json", call_energy_to_json },
	{ "ssdpm_power_report_baseline_to_json", call_baseline_to_json },
	{ "ssdpm_power_report_background_to_json", call_background_to_json },
	{ "ssdpm_iops_log_read", call_iops_log_fd },
	{ "ssdpm_iops_log_read_data", call_iops_log },
	{ "ssdpm_ftl_new", call_ftl_new },
	{ "ssdpm_ftl_run", call_ftl_run },
	{ "ssdpm_ftl_simulate", call_ftl_simulate },
	{ "ssdpm_trial_new", call_trial_new },
	{ "ssdpm_bisect_new", call_bisect },
	{ "ssdpm_bisect_from_text", call_bisect },
	{ "ssdpm_bisect_to_text", call_bisect },
	{ "ssdpm_bisect_set_drive", call_drive_of_bisect },
	{ "ssdpm_bisect_add_unrestored", call_bisect },
	{ "ssdpm_bisect_to_json", call_bisect },
	{ "ssdpm_observation_add_drive", call_observation },
	{ "ssdpm_observation_advance", call_observation },
	{ "ssdpm_observation_feed", call_observation },
	{ "ssdpm_observation_finish", call_observation },
	{ "ssdpm_observation_get_cause", call_observation },
	{ "ssdpm_observation_get_deepest", call_observation },
	{ "ssdpm_observation_get_drive", call_observation },
	{ "ssdpm_observation_get_policy", call_observation },
	{ "ssdpm_observation_get_prediction", call_observation },
	{ "ssdpm_observation_get_without", call_observation },
	{ "ssdpm_observation_interval_to_json", call_observation_interval },
	{ "ssdpm_observation_list_help", call_observation },
	{ "ssdpm_observation_new", call_observation },
	{ "ssdpm_observation_replay", call_observation },
	{ "ssdpm_observation_to_json", call_observation_to_json },
	{ "ssdpm_device_read_disks", call_read_disks },
	{ "ssdpm_suspend_judge", call_suspend },
	{ "ssdpm_suspend_get_remedies", call_suspend_remedies },
	{ "ssdpm_suspend_to_json", call_suspend_to_json },
	{ "ssdpm_suspend_explain_plan", call_suspend_explain },
	{ "ssdpm_suspend_reading_from_text", call_suspend_reading },
	{ "ssdpm_suspend_reading_to_text", call_suspend_reading },
	{ "ssdpm_machine_read_suspend", call_read_suspend },
	{ "ssdpm_tracer_new", call_tracer },
	{ "ssdpm_tracer_read_format", call_tracer },
	{ "ssdpm_tracer_read_lost", call_tracer },
	{ "ssdpm_watch_add_drive", call_watch },
	{ "ssdpm_watch_begin", call_watch },
	{ "ssdpm_watch_finish", call_watch },
	{ "ssdpm_watch_new", call_watch },
	{ "ssdpm_watch_read_lost", call_watch },
	{ "ssdpm_watch_set_writer", call_watch },
	{ "ssdpm_watch_step", call_watch },
	{ "ssdpm_gaps_best_table", call_best_table },
	{ "ssdpm_gaps_best_table", call_best_table_from_start },
	{ "ssdpm_gaps_best_table", call_best_table_of_three },
	{ "ssdpm_gaps_clairvoyant", call_clairvoyant },
	{ "ssdpm_gaps_feed", call_gaps },
	{ "ssdpm_gaps_finish", call_gaps },
	{ "ssdpm_gaps_from_data", call_gaps_data },
	{ "ssdpm_gaps_new", call_gaps },
	{ "ssdpm_gaps_sweep", call_sweep },
	{ "ssdpm_gaps_to_data", call_gaps_data },
	{ "ssdpm_device_diagnose", call_diagnose },
	{ "ssdpm_machine_read_owners", call_owners },
	{ "ssdpm_machine_read_meters", call_meters },
	{ "ssdpm_machine_find_meter", call_find_meter },
	{ "ssdpm_machine_read_directory", call_directory },
	{ "ssdpm_policy_resolve", call_policy },
	{ "ssdpm_sampler_new", call_sampler },
	{ "ssdpm_sampler_read", call_sampler },
	{ "ssdpm_persist_new", call_persist_new },
	{ "ssdpm_persist_read", call_persist_read },
	{ "ssdpm_persist_remove", call_persist_remove },
	{ "ssdpm_persist_write", call_persist_write },
	{ "ssdpm_model_new", call_new },
	{ "ssdpm_model_from_nvme_identify", call_from_identify },
	{ "ssdpm_model_to_json", call_to_json },
	{ "ssdpm_parameters_to_model", call_parameters_to_model },
	{ "ssdpm_object_to_json", call_object },
	{ "ssdpm_object_to_json", call_object_of_texts },
	{ "ssdpm_model_lint", call_lint },
	{ "ssdpm_findings_to_json", call_findings_to_json },
	{ "ssdpm_meters_to_json", call_meters_to_json },
	{ "ssdpm_model_lint", call_lint_two_tables },
	{ "ssdpm_model_list_from_data", call_list_from_one },
	{ "ssdpm_model_list_from_data", call_list_from_three },
	{ "ssdpm_model_list_from_data", call_list_from_identify },
	{ "ssdpm_model_list_from_data", call_list_from_ata },
	{ "ssdpm_model_list_from_data", call_list_from_ata_hex },
	{ "ssdpm_model_list_from_data", call_list_from_blob },
	{ "ssdpm_catalogue_new", call_catalogue },
	{ "ssdpm_catalogue_new", call_catalogue_of_three },
	{ "ssdpm_catalogue_get_model", call_catalogue_model },
	{ "ssdpm_estimate", call_estimate },
	{ "ssdpm_trace_open_data", call_trace_npy },
	{ "ssdpm_trace_open_data", call_trace_msr },
	{ "ssdpm_trace_open_data", call_trace_columns },
#if HAVE_ZLIB
	{ "ssdpm_trace_open_data", call_trace_gzip },
#endif
#if HAVE_ZSTD
	{ "ssdpm_trace_open_data", call_trace_zstd },
#endif
#if HAVE_LZMA
	{ "ssdpm_trace_open_data", call_trace_xz },
#endif
#if HAVE_BZIP2
	{ "ssdpm_trace_open_data", call_trace_bzip2 },
#endif
	{ "ssdpm_trace_open_data", call_trace_utf16 },
	{ "ssdpm_trace_open", call_trace_fd },
	{ "ssdpm_trace_open_data", call_trace_blkparse },
	{ "ssdpm_trace_open_data", call_trace_vscsi },
	{ "ssdpm_trace_open_data", call_trace_oracle },
	{ "ssdpm_trace_generate", call_generate_trace },
	{ "ssdpm_trace_generate", call_generate_everyday },
	{ "ssdpm_generator_to_fio_job", call_to_fio_job },
	{ "ssdpm_stats_new", call_stats_new },
	{ "ssdpm_trace_read", call_trace_read },
	{ "ssdpm_trace_read", call_trace_read_issues },
	{ "ssdpm_gaps_get_default_bounds", call_default_bounds },
	{ "ssdpm_bounds_set_device", call_bounds_device },
	{ "ssdpm_recommend", call_recommend },
	{ "ssdpm_recommendation_get_changes", call_recommend },
	{ "ssdpm_recommendation_report_to_json", call_recommend },
	{ "ssdpm_device_get_apst_changes", call_recommend },
	{ "ssdpm_recommendations_free", call_recommend },
	{ "ssdpm_recommendations_get", call_recommend },
	{ "ssdpm_sim_feed", call_sim },
	{ "ssdpm_sim_finish", call_sim },
	{ "ssdpm_sim_finish_together", call_sims_together },
	{ "ssdpm_sim_get_likely", call_likely },
	{ "ssdpm_sim_get_prediction", call_prediction },
	{ "ssdpm_prediction_add_measured", call_prediction },
	{ "ssdpm_prediction_check_from_json", call_prediction },
	{ "ssdpm_prediction_from_json", call_prediction },
	{ "ssdpm_prediction_report_to_json", call_prediction },
	{ "ssdpm_sim_new", call_sim },
	{ "ssdpm_sim_params_set_policy", call_policy },
};

enum { N_ALLOCATING = sizeof(allocating) / sizeof(allocating[0]) };

/* Formats of drives and traces: two calls, with other texts. */
static const struct {
	int (*call)(const char *text, struct result *ret,
		    struct ssdpm_error *error);
	const char *text;
} of_texts[] = {
	{ list_from_text, "ps 0 : mp:5.00W operational\n" },
	{ list_from_text, "[{\"psds\": [{\"flags\": 0}]}]" },
	{ list_from_text, "St Op Max Ent_Lat\n"
			  "0 + 1.00W - - 0 0 0 0 0 0\n" },
	{ list_from_text, "Device Model: X\n" },
	{ list_from_text, "{\"nvme_power_states\": [{"
			  "\"non_operational_state\": true}]}" },
	{ list_from_text, hdparm },
	{ open_text_trace, "TIMEus DELTAus\n7 5\n" },
	{ open_text_trace, "x-1 [0] .... 1.0: block_rq_issue: 8,0 R 512 () "
			   "8 + 1 [x]\n" },
	{ open_text_trace, "\"Time of Day\",\"Operation\",\"Detail\"\n"
			   "\"1:00:00\",\"FlushBuffersFile\",\"\"\n" },
	{ open_text_trace, "fio version 3 iolog\n1 f read 0 1\n" },
	{ open_text_trace, "1, 10, 0, 4096, 0, 0\n" },
};

enum { N_TEXTS = sizeof(of_texts) / sizeof(of_texts[0]) };

static void call_strings(void)
{
	for (int i = 0; i < 40; i++)
		ssdpm_strerror(-i);
	ssdpm_version();
}

static void call_getters(void)
{
	struct ssdpm_error error;
	uint32_t low, high;
	size_t n;

	ssdpm_model_get_info(in.models[0]);
	ssdpm_model_get_states(in.models[0], &n);
	/* It is known for some. */
	for (uint32_t i = 0; i < n; i++)
		ssdpm_model_get_power_range(in.models[0], i,
					    SSDPM_FIELD_MAX_POWER, &low, &high,
					    &error);
	ssdpm_governor_get_modes(SSDPM_GOVERNOR_SATA, &n);
}

static void call_ref(void)
{
	ssdpm_model_unref(ssdpm_model_ref(in.models[0]));
}

static void call_list_free(void)
{
	ssdpm_model_list_free(NULL, 0);
}

static void call_params_init(void)
{
	struct ssdpm_apst_params p;

	ssdpm_apst_params_init(&p, sizeof(p));
	ssdpm_apst_algorithm_parse("linux:secondary-timeout=1s", &p, NULL);
}

/* Good and bad: words about a failure must not cost memory either. */
static void call_generate(void)
{
	struct ssdpm_apst_params p = { .size = sizeof(p) };
	struct ssdpm_error error;
	struct ssdpm_apst table;

	ssdpm_apst_generate(in.models[0], NULL, &table, &error);
	ssdpm_apst_generate(in.models[0], &p, &table, &error);
	ssdpm_apst_params_init(&p, sizeof(p));
	for (p.algorithm = 1; p.algorithm <= 4; p.algorithm++)
		ssdpm_apst_generate(in.models[0], &p, &table, &error);
}

static void call_explain(void)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	struct ssdpm_apst_params p = { .size = sizeof(p) };
	struct ssdpm_error error;

	ssdpm_apst_explain(in.models[0], NULL, verdicts, SSDPM_MAX_STATES,
			   &error);
	ssdpm_apst_explain(in.models[0], &p, verdicts, SSDPM_MAX_STATES,
			   &error);
	ssdpm_apst_params_init(&p, sizeof(p));
	for (p.algorithm = 1; p.algorithm <= 4; p.algorithm++)
		ssdpm_apst_explain(in.models[0], &p, verdicts, SSDPM_MAX_STATES,
				   &error);
}

static void call_validate(void)
{
	struct ssdpm_apst bad = { .entries = { { 1, 31 } } };
	struct ssdpm_error error;

	ssdpm_apst_validate(in.models[0], &in.table, &error);
	ssdpm_apst_validate(in.models[0], &bad, &error);
}

static void call_encode(void)
{
	struct ssdpm_apst bad = { .entries = { { 1, 32 } } };
	uint8_t data[SSDPM_APST_BYTES];
	struct ssdpm_error error;

	ssdpm_apst_encode(&in.table, data, &error);
	ssdpm_apst_encode(&bad, data, &error);
}

/* Words about what is not found must not cost memory either. */
static void call_catalogue_find(void)
{
	static const char *const names[] = { "WDC PC SN530", "WDC", "x", "" };
	struct ssdpm_catalogue_match match, others[8];
	struct ssdpm_error error;
	size_t n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ssdpm_catalogue_find(in.catalogue, names[i], NULL, &match,
				     &error);
		ssdpm_catalogue_find(in.catalogue, names[i], "x", &match,
				     &error);
		find_alternatives(in.catalogue, names[i], NULL, others, 8, &n,
				  &error);
	}
}

static void call_catalogue_getters(void)
{
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	uint32_t i = 0;

	while (!ssdpm_catalogue_get_row(in.catalogue, i, &row))
		i++;
}

static void call_texts(void)
{
	char text[] = "a\x1b";

	ssdpm_text_blunt(text);
	ssdpm_us_to_text(1);
	ssdpm_uw_to_text(1);
}

static void call_catalogue_free(void)
{
	ssdpm_catalogue_free(NULL);
}

static void call_from_data(void)
{
	static const char text[] = "{\"schema\": \"ssdpm.apst/1\", "
				   "\"entries\": []}";
	static const uint8_t bad[SSDPM_APST_BYTES] = { 1 };
	struct ssdpm_error error;
	struct ssdpm_apst table;

	ssdpm_apst_from_data(in.data, sizeof(in.data), &table, &error);
	ssdpm_apst_from_data(text, strlen(text), &table, &error);
	ssdpm_apst_from_data(text, strlen(text) - 1, &table, &error);
	ssdpm_apst_from_data("hello", 5, &table, &error);
	ssdpm_apst_from_data(bad, sizeof(bad), &table, &error);
}

static void call_questions(void)
{
	struct ssdpm_apst_params p[4];
	struct ssdpm_error error;
	uint64_t low, high;
	struct ssdpm_apst table;
	size_t n;

	ssdpm_apst_diff(&in.table, &in.table);
	ssdpm_apst_keep(in.sleeper, NULL, 1, &low, &error);
	for (int i = 0; i < 3; i++) {
		const struct ssdpm_model *model = in.models[i];

		ssdpm_apst_generate(model, NULL, &table, &error);
		table.entries[0].idle_ms ^= 1;
		infer_apst(model, &table, p, 4, &n, &error);
		reach_apst(model, &table, 0, p, &table, &error);
		ssdpm_apst_keep(model, NULL, 1, &low, &error);
		ssdpm_apst_keep(model, NULL, 0, &low, &error);
		ssdpm_apst_limit_range(model, NULL, &low, &high, &error);
		ssdpm_apst_get_steps(model, SSDPM_APST_STEP_LIMIT, low, &high,
				     1);
	}
}

static void call_policies(void)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	struct ssdpm_resolved_policy resolved = { 0 };
	struct ssdpm_error error;
	const char *word;

	for (size_t i = 0; (word = ssdpm_policy_get_common(0, i)); i++) {
		ssdpm_policy_parse(word, NULL, &policy, &error);
		ssdpm_policy_get_word(&policy, &word, &error);
		ssdpm_policy_check(in.sleeper, &policy, NULL, &error);
	}
	ssdpm_policy_get_reference(in.sleeper, NULL, NULL, &policy, &error);
	ssdpm_resolved_policy_is_same(&resolved, &resolved);
	ssdpm_comparison_free(NULL);
}

static void call_savings(void)
{
	const struct ssdpm_saving saving = { .nominal_uw = 1 };
	const struct ssdpm_likely likely = { .size = sizeof(likely),
					     .verdict = SSDPM_SAVING_SAVES };
	const struct ssdpm_trial_result trial = { .size = sizeof(trial),
						  .decision =
							  SSDPM_TRIAL_SAVES };
	const struct ssdpm_energy_report_item item = {
		.size = sizeof(item),
		.advice = SSDPM_ADVICE_SET,
		.trial = &trial,
	};
	const struct ssdpm_report_item drive = { .size = sizeof(drive) };
	const struct ssdpm_energy_report_item asleep = {
		.size = sizeof(asleep),
		.drive = &drive,
		.awake = &likely,
	};
	struct ssdpm_total total = { .size = sizeof(total) };
	struct ssdpm_gain gain;
	struct ssdpm_error error;

	ssdpm_total_add_likely(&total, &likely, &error);
	ssdpm_total_add_item(&total, &item, &error);
	ssdpm_total_add_asleep(&total, &asleep, &error);
	ssdpm_saving_get_battery_s(&saving, 1, 2, &gain, &error);
	ssdpm_saving_get_year_wh(&saving, 24, &gain);
	ssdpm_saving_verdict_saves(SSDPM_SAVING_SAVES);
}

/* A capture: no command is sent. */
static void call_attributes(void)
{
	uint8_t health[SSDPM_NVME_HEALTH_BYTES];
	struct ssdpm_error error;
	char text[64], path[256];

	ssdpm_machine_get_capture(in.laptop);
	ssdpm_machine_read_attribute(in.laptop, "sys/class/nvme/nvme0/model",
				     text, sizeof(text), &error);
	ssdpm_machine_read_link(in.laptop, "sys/class/nvme/nvme0", path,
				sizeof(path), &error);
	ssdpm_machine_read_nvme_health(in.laptop, "nvme0", health, &error);
}

static void call_quirks(void)
{
	static const char rules[] = "[nvme x]\nquirks = no-apst\n[nvme y]\n";
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	struct ssdpm_host host = { .size = sizeof(host), .rules = rules };
	struct ssdpm_error error;
	uint32_t quirks, unknown;
	size_t n;

	ssdpm_quirks_find(in.models[0], NULL, &quirks, &unknown, &error);
	host.rules_bytes = 26; /* the first rule */
	ssdpm_quirks_find(in.models[0], &host, &quirks, &unknown, &error);
	ssdpm_quirks_explain(in.models[0], &host, matches,
			     SSDPM_MAX_QUIRK_MATCHES, &n, &error);
	host.rules_bytes = sizeof(rules) - 1;
	ssdpm_quirks_find(in.models[0], &host, &quirks, &unknown, &error);
	ssdpm_quirks_explain(in.models[0], &host, matches,
			     SSDPM_MAX_QUIRK_MATCHES, &n, &error);
}

static void call_profiles(void)
{
	static const char text[] = "[a]\nbased_on = balanced\n[b]\n";
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_error error;
	char name[32];

	/* The first profile, then a fault. */
	for (size_t bytes = 24; bytes < sizeof(text); bytes += 4) {
		ssdpm_profile_get_name(text, bytes, 0, name, &error);
		ssdpm_profile_get_name(text, bytes, 9, name, &error);
		ssdpm_profile_find(text, bytes, "a", SSDPM_SOURCE_AC, &settings,
				   &error);
		ssdpm_profile_find(text, bytes, "x", SSDPM_SOURCE_AC, &settings,
				   &error);
	}
}

static void call_persist(void)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };

	ssdpm_persist_get_file(in.persist, 0, &file);
	ssdpm_persist_free(NULL);
}

static void call_device(void)
{
	const struct ssdpm_model *model = in.models[0];
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	struct ssdpm_host host = { .size = sizeof(host) };
	struct ssdpm_device_power power = { .size = sizeof(power) };
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct ssdpm_devsleep devsleep;
	uint32_t quirks, from_kernel, link;
	struct ssdpm_error error;
	struct ssdpm_apst table;

	ssdpm_device_get_host(in.device, &in.facts, &host, &error);
	ssdpm_device_get_settings(in.device, &in.facts, model, &settings,
				  &error);
	ssdpm_device_settings_get_pcie_link(&settings, &link, &error);
	ssdpm_device_get_quirks(in.device, &in.facts, model, &quirks,
				&from_kernel, &error);
	ssdpm_device_get_apst_params(in.device, &in.facts, model, &params,
				     &error);
	ssdpm_device_get_apst_params(in.device, &in.facts, NULL, &params,
				     &error);
	ssdpm_device_check_estimable(in.device, NULL, &error);
	ssdpm_device_read_apst(in.device, &table, NULL);
	ssdpm_device_read_power(in.device, &power, NULL);
	ssdpm_device_read_devsleep(in.disk, &devsleep, NULL);
	ssdpm_device_get_facts(in.device);
	ssdpm_device_unref(ssdpm_device_ref(in.device));
	ssdpm_machine_unref(ssdpm_machine_ref(in.desktop));
	ssdpm_device_list_free(NULL, 0);
	ssdpm_device_unref(NULL);
	ssdpm_machine_unref(NULL);
}

static void call_plan_getters(void)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_policy before = { .size = sizeof(before) };
	struct ssdpm_policy after = { .size = sizeof(after) };
	struct ssdpm_error error;

	assert_int_equal(ssdpm_plan_get_policies(in.plan, in.device, NULL,
						 &before, &after, &error),
			 0);
	assert_int_equal(ssdpm_plan_get_journal(in.plan, &journal), 0);
	ssdpm_plan_unlock(in.plan);
	assert_int_equal(ssdpm_plan_count(in.plan, SSDPM_STEPS_ALL), 1);
	assert_int_equal(ssdpm_plan_get_step(in.plan, 0, &step), 0);
	ssdpm_plan_get_step(in.plan, 1, &step);
	ssdpm_plan_count(in.plan, SSDPM_STEPS_PENDING);
	assert_int_equal(ssdpm_plan_has_failed(in.plan, NULL), 0);
	assert_int_equal(ssdpm_plan_get_table(in.plan, 0, &table), 0);
	ssdpm_plan_free(NULL);
}

static void call_npy_header(void)
{
	static const struct ssdpm_io io = { .op = SSDPM_OP_READ };

	ssdpm_npy_header(2, in.npy);
	ssdpm_io_to_npy(&io, in.npy + SSDPM_NPY_HEADER_BYTES);
}

static void call_stats(void)
{
	static const struct ssdpm_io ios[2] = {
		{ .start_ns = 5, .op = SSDPM_OP_READ },
		{ .start_ns = 4, .op = SSDPM_OP_READ },
	};
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	char line[SSDPM_FIO_IOLOG_LINE];
	struct ssdpm_error error;

	ssdpm_stats_feed(in.stats, ios + 1, 1, &error);
	ssdpm_stats_feed(in.stats, ios, 2, &error);
	ssdpm_stats_get(in.stats, &numbers, &error);
	ssdpm_stats_get_limit_ns(0);
	ssdpm_stats_free(NULL);
	ssdpm_histogram_start_ns(ssdpm_histogram_bucket(5));
	ssdpm_io_to_fio_iolog(&ios[0], 0, "f", line, &error);
	ssdpm_io_to_fio_iolog(&ios[0], 6, "f", line, &error);
}

static void call_generators(void)
{
	struct ssdpm_generator_params params;
	struct ssdpm_error error;
	uint64_t pause_ns;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = ssdpm_generator_get_name(0);
	ssdpm_generator_get_description(0);
	ssdpm_generator_get_pause_ns(&params, 1, &pause_ns, &error);
	params.name = "";
	ssdpm_generator_get_pause_ns(&params, 1, &pause_ns, &error);
}

static void call_trace_getters(void)
{
	ssdpm_trace_get_counts(in.trace);
	ssdpm_trace_free(NULL);
}

static void call_parameters(void)
{
	const struct ssdpm_sustained_writes writes = { .size = sizeof(writes),
						       .spare_factor = 0.1 };
	struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS];
	struct ssdpm_service service;
	struct ssdpm_error error;
	size_t n;

	assert_int_equal(make_parameters_of(in.models[0], 1, p, &n, &error), 0);
	make_parameters_of(in.models[0], 0, p, &n, &error);
	set_parameter(p, n, 1, 0, 1, 2, 3, &error);
	set_parameter(p, n, 1, 0, 3, 2, 1, &error);
	ssdpm_parameters_set_spare(in.models[0], p, n, &writes, NULL, &error);
	ssdpm_parameters_get_service(p, n, &service);
}

static void call_sampler_free(void)
{
	ssdpm_sampler_free(NULL);
}

static void call_sim_getters(void)
{
	uint64_t counts[SSDPM_HISTOGRAM_BUCKETS];
	struct ssdpm_sim_params params;
	struct ssdpm_saving saving;
	size_t n;

	ssdpm_sim_params_init(&params, sizeof(params));
	ssdpm_sim_set_change_fn(in.sim, NULL, NULL);
	ssdpm_sim_get_intervals(in.sim, &n);
	ssdpm_sim_get_result(in.sim);
	ssdpm_sim_get_delays(in.sim, counts, SSDPM_HISTOGRAM_BUCKETS);
	ssdpm_sim_get_parameters(in.sim, &n);
	ssdpm_sim_get_saving(in.sim, in.sim, &saving, NULL);
	ssdpm_sim_free(NULL);
}

static void call_power_getters(void)
{
	ssdpm_power_get_counts(in.power);
	ssdpm_power_free(NULL);
}

static void call_survey_getters(void)
{
	size_t n;

	ssdpm_survey_file_get_params(in.survey);
	ssdpm_survey_file_get_counts(in.survey);
	ssdpm_survey_file_get_fact(in.survey, "drive", 0);
	ssdpm_survey_file_get_facts(in.survey, &n);
	ssdpm_survey_file_get_policy(in.survey, 0);
	ssdpm_survey_file_get_scenario(in.survey, 0);
	ssdpm_survey_file_get_test(in.survey, 0);
	ssdpm_survey_file_get_readings(in.survey, &n);
	ssdpm_survey_file_get_fio(in.survey, &n);
	ssdpm_survey_file_free(NULL);
}

static void call_survey_result_getters(void)
{
	const struct ssdpm_survey_result *result = in.survey_result;
	struct ssdpm_survey_difference d;

	ssdpm_survey_result_get_info(result);
	ssdpm_survey_result_get_run(result, 0);
	ssdpm_survey_comparison_get_difference(
		ssdpm_survey_result_get_comparison(result, 0), 0, 1, &d);
	ssdpm_survey_result_get_recommendation(result);
	ssdpm_survey_result_free(NULL);
	ssdpm_survey_merge_get_info(in.survey_merge);
	ssdpm_survey_merge_get_part(in.survey_merge, 0);
	ssdpm_survey_merge_get_row(in.survey_merge, 0);
	ssdpm_survey_merge_free(NULL);
}

static void judge_a_power(void)
{
	const struct ssdpm_prediction prediction = { .size = sizeof(
							     prediction) };
	const struct ssdpm_energy energy = { .size = sizeof(energy),
					     .covered_ns = 1000,
					     .mean_power_w = 1 };
	struct ssdpm_prediction_check check = { .size = sizeof(check) };
	struct ssdpm_error error;

	memset(&error, 0, sizeof(error));
	ssdpm_prediction_judge(&prediction, &energy, 0, &check, &error);
}

static void call_measure(void)
{
	double power_w[100], index;
	struct ssdpm_samples samples = make_samples(power_w);
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct ssdpm_baseline baseline;
	struct ssdpm_parameter parameters[1] = {
		{ .kind = SSDPM_PARAMETER_IDLE_POWER },
	};
	struct ssdpm_measured measured = { .kind = SSDPM_PARAMETER_IDLE_POWER,
					   .status = SSDPM_MEASURED_KNOWN };
	size_t begin;

	ssdpm_integral_feed(in.integral, &samples, NULL);
	ssdpm_integral_get(in.integral, &energy, NULL);
	ssdpm_integral_free(NULL);
	ssdpm_level_get(in.level, &baseline, NULL);
	ssdpm_level_free(NULL);
	ssdpm_steady_state_find(power_w, 10, NULL, &begin, NULL);
	ssdpm_proportionality(power_w, power_w, 10, &index, NULL);
	judge_a_power();
	ssdpm_parameters_calibrate(parameters, 1, &measured, 1, NULL);
	ssdpm_overlay_match(&overlay, in.models[0]);
}

static void call_overlay(void)
{
	double power_w[100];
	const struct ssdpm_samples samples = make_samples(power_w);
	const struct ssdpm_io io = { .op = SSDPM_OP_READ };
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.ios = &io,
		.n_ios = 1,
		.samples = &samples,
	};
	struct ssdpm_overlay of = { .size = sizeof(of) };

	ssdpm_calibrate_params_align(&params, NULL);
	ssdpm_overlay_init(in.models[0], NULL, &params, NULL, &of, NULL);
}

static void call_matrix(void)
{
	char text[SSDPM_EXPERIMENT_TEXT];

	ssdpm_experiment_matrix_get_name(in.matrix, SSDPM_EXPERIMENT_DRIVE, 0);
	ssdpm_experiment_matrix_get_text(in.matrix, 0, 0, text, NULL);
	ssdpm_experiment_matrix_free(NULL);
}

static void call_survey(void)
{
	const struct ssdpm_survey_params params = {
		.size = sizeof(params),
		.n_policies = 2,
		.n_scenarios = 1,
	};
	const struct ssdpm_survey_noise noise = { 1, 9, 1, 1, 9 };
	const struct ssdpm_survey_stated rows[2] = { { 1, 1, 1, 2, 0 },
						     { 2, 1, 1, 2, 0 } };
	struct ssdpm_survey_detectable detectable;
	struct ssdpm_survey_judgement judgement;
	struct ssdpm_survey_step steps[10];
	uint64_t total_ns;
	double value;
	size_t n;

	ssdpm_survey_schedule(&params, steps, 10, &n, &total_ns, NULL);
	ssdpm_survey_detectable(&params, &noise, 0, 1, &detectable, NULL);
	ssdpm_survey_judge(rows, 2, 0, &judgement, NULL);
	ssdpm_survey_range_p(1, 3, 5, &value, NULL);
	ssdpm_survey_range_q(0.05, 3, 5, &value, NULL);
}

static void call_gaps_ref(void)
{
	size_t n;

	ssdpm_gaps_get_idle_ns(ssdpm_gaps_ref(in.gaps), &n);
	ssdpm_gaps_unref(in.gaps);
}

static void call_sustained_writes(void)
{
	const struct ssdpm_write_class one = { 1, 1 };
	const struct ssdpm_nand nand = { .size = sizeof(nand) };
	const struct ssdpm_io io = { .op = SSDPM_OP_WRITE, .bytes = 8192 };
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };
	struct ssdpm_ftl_cost times = { .size = sizeof(times) };
	struct ssdpm_write_cost cost;
	double value;
	size_t n;

	ssdpm_wa_calculate(SSDPM_WA_FIFO, 0.1, 0, &value, NULL);
	ssdpm_wa_calculate_classes(0.1, &one, 1, &value, NULL);
	ssdpm_spare_factor_trim(0.1, 0.1, &value, NULL);
	ssdpm_write_cost_calculate(&nand, 2, &cost, NULL);
	ssdpm_ftl_write(in.ftl, 0, 32, NULL);
	ssdpm_ftl_feed(in.ftl, &io, 1, 4096, NULL);
	ssdpm_ftl_write_pattern(in.ftl, &any_page, 100, NULL);
	ssdpm_ftl_trim(in.ftl, 0, 32, NULL);
	ssdpm_ftl_get_counts(in.ftl, &counts, NULL);
	ssdpm_ftl_cost_calculate(0, 256, &times, NULL);
	ssdpm_ftl_get_spare_factors(&n);
	ssdpm_ftl_free(NULL);
}

static void call_trial(void)
{
	struct ssdpm_trial_block block = { .size = sizeof(block) };
	struct ssdpm_trial_state state = { .size = sizeof(state) };

	ssdpm_trial_next(in.trial, 0, &block, NULL);
	ssdpm_trial_feed(in.trial, block.count_ns, 5, NULL);
	ssdpm_trial_get_state(in.trial, &state, NULL);
	ssdpm_trial_free(NULL);
}

static void call_running_bisect(void)
{
	struct ssdpm_bisect_state state = { .size = sizeof(state) };
	struct ssdpm_bisect_trial trial = { .size = sizeof(trial) };
	static const char *const steps[] = { "off", "on" };
	uint64_t entries;
	uint32_t suspect, step;

	ssdpm_bisect_calculate_entries(1, 1, 4, &entries, NULL);
	ssdpm_bisect_add_suspect(in.bisect, "late", steps, 2, NULL);
	ssdpm_bisect_get_token(in.bisect);
	ssdpm_bisect_add_entries(in.bisect, 100, NULL);
	ssdpm_bisect_judge(in.bisect, SSDPM_BISECT_GOOD, NULL);
	ssdpm_bisect_set_sign(in.bisect, "nvme0: down", 5, NULL);
	ssdpm_bisect_begin(in.bisect, NULL, NULL);
	ssdpm_bisect_get_state(in.bisect, &state, NULL);
	ssdpm_bisect_get_trial(in.bisect, 0, &trial, NULL);
	ssdpm_bisect_get_culprit(in.bisect, 0, &suspect, &step, NULL);
	ssdpm_bisect_get_candidate(in.bisect, 0, &suspect, &step, NULL);
	ssdpm_bisect_get_suspect(in.bisect, 0);
	ssdpm_bisect_get_step_name(in.bisect, 0, 0);
	ssdpm_bisect_get_step(in.bisect, 0);
	ssdpm_bisect_get_setting(in.bisect, 0);
	ssdpm_bisect_get_exposure(in.bisect);
	ssdpm_bisect_free(NULL);
}

static void call_settings_of_bisect(void)
{
	struct ssdpm_bisect_remedy remedy = { .size = sizeof(remedy) };
	struct ssdpm_apst_params params;

	ssdpm_apst_params_init(&params, sizeof(params));
	ssdpm_bisect_add_latency_limit(in.new_bisect, "nvme0", in.sleeper,
				       &params, NULL);
	ssdpm_bisect_add_lpm(in.new_bisect, "sda", SSDPM_LPM_MIN_POWER, NULL);
	ssdpm_bisect_add_link(in.new_bisect, "nvme0", SSDPM_PCIE_FEATURE_L1,
			      NULL);
	ssdpm_bisect_add_queue_depth(in.new_bisect, "sda", 32, NULL);
	ssdpm_bisect_get_remedy(in.found_bisect, 0, 0, &remedy, NULL);
}

static void call_faults(void)
{
	static const char line[] = "nvme nvme0: controller is down; will reset";
	struct ssdpm_fault fault = { .size = sizeof(fault) };
	uint64_t n;

	ssdpm_fault_from_line(line, strlen(line), &fault, NULL);
	ssdpm_fault_is_of("nvme0", "nvme0", "", 0);
	ssdpm_fault_count_aer("TOTAL_ERR_COR 5\n", 16, &n, NULL);
}

static void call_observe(void)
{
	static const char format[] = "name: block_rq_issue\nprint fmt: \"\"\n";

	ssdpm_observation_add_partition(in.observation, 0, 8, 1, NULL);
	ssdpm_observation_get_event(0);
	ssdpm_observation_lacks_event(in.observation, 0);
	ssdpm_observation_set_format(in.observation, format, strlen(format),
				     NULL);
	ssdpm_observation_get_counts(in.observation);
	ssdpm_observation_free(NULL);
}

static void call_tracer_on(void)
{
	char text[8];
	size_t n;

	ssdpm_tracer_get_fd(in.tracer);
	ssdpm_tracer_get_n_removed(in.tracer);
	ssdpm_tracer_read(in.tracer, text, sizeof(text), &n, NULL);
	ssdpm_tracer_set_on(in.tracer, 1, NULL);
	ssdpm_tracer_free(NULL);
}

static void call_watch_getters(void)
{
	size_t n;

	ssdpm_watch_get_disks(in.watch, 0, &n);
	ssdpm_watch_get_fd(in.watch);
	ssdpm_watch_get_flags(in.watch, 0);
	ssdpm_watch_get_wait_ms(in.watch);
	ssdpm_watch_free(NULL);
}

static void call_suspend_log(void)
{
	static const char log[] =
		"nvme 0000:04:00.0: PCI PM: Suspend power state: D3hot\n";
	const struct ssdpm_diagnosis found = {
		.code = SSDPM_DIAGNOSIS_LPM_KEPT,
		.message = "kept",
	};
	const struct ssdpm_suspend_drive kept = { .diagnoses = &found,
						  .n_diagnoses = 1 };

	ssdpm_suspend_reading_add_log(in.suspend_reading, log, strlen(log),
				      NULL);
	ssdpm_suspend_get_plan(&kept, SSDPM_SUSPEND_OUTCOME_REACHED);
	ssdpm_suspend_reading_free(NULL);
}

static void call_caps(void)
{
	struct ssdpm_error error;
	const struct ssdpm_cap_segment segment = { 1000, 10000000, 0 };
	const struct ssdpm_cap_schedule schedule = {
		.size = sizeof(schedule),
		.segments = &segment,
		.n_segments = 1,
	};
	struct ssdpm_cap_stream stream = { .op = SSDPM_OP_WRITE, .share = 1 };
	struct ssdpm_cap_params params = { .size = sizeof(params) };
	struct ssdpm_cap_result result = { .size = sizeof(result) };
	struct ssdpm_cap_segment state = { .duration_ns = 1000 };
	struct ssdpm_cap_point point;
	size_t n;

	ssdpm_cap_segment_set_state(&state, in.models[0], UINT32_MAX, 0,
				    &error);
	ssdpm_cap_params_from_model(in.sleeper, NULL, &stream, 1, &params,
				    NULL);
	ssdpm_cap_calculate(&params, &result, NULL);
	ssdpm_cap_timeline(&params, &schedule, &point, 1, &n, NULL);
}

static void call_budget_getters(void)
{
	size_t n;

	ssdpm_budget_item_get_states(ssdpm_budget_item_ref(in.budget_item), &n);
	ssdpm_budget_item_unref(in.budget_item);
	ssdpm_budget_get_answer(in.budget);
	ssdpm_budget_get_choices(in.budget, &n);
	ssdpm_budget_get_frontier(in.budget, &n);
	ssdpm_budget_free(NULL);
}

static const struct {
	const char *symbol;
	void (*call)(void);
} not_allocating[] = {
	{ "ssdpm_intent_free", call_intent_flags },
	{ "ssdpm_intent_get_flags", call_intent_flags },
	{ "ssdpm_intent_get_profile_name", call_intent_flags },
	{ "ssdpm_intent_get_settings", call_intent_flags },
	{ "ssdpm_budget_free", call_budget_getters },
	{ "ssdpm_budget_get_answer", call_budget_getters },
	{ "ssdpm_budget_get_choices", call_budget_getters },
	{ "ssdpm_budget_get_frontier", call_budget_getters },
	{ "ssdpm_budget_item_get_states", call_budget_getters },
	{ "ssdpm_budget_item_ref", call_budget_getters },
	{ "ssdpm_budget_item_unref", call_budget_getters },
	{ "ssdpm_machine_get_capture", call_attributes },
	{ "ssdpm_policy_check", call_policies },
	{ "ssdpm_policy_get_common", call_policies },
	{ "ssdpm_policy_get_reference", call_policies },
	{ "ssdpm_comparison_free", call_policies },
	{ "ssdpm_saving_get_battery_s", call_savings },
	{ "ssdpm_saving_get_year_wh", call_savings },
	{ "ssdpm_saving_verdict_saves", call_savings },
	{ "ssdpm_total_add_likely", call_savings },
	{ "ssdpm_total_add_item", call_savings },
	{ "ssdpm_total_add_asleep", call_savings },
	{ "ssdpm_policy_get_word", call_policies },
	{ "ssdpm_policy_parse", call_policies },
	{ "ssdpm_resolved_policy_is_same", call_policies },
	{ "ssdpm_machine_read_attribute", call_attributes },
	{ "ssdpm_machine_read_link", call_attributes },
	{ "ssdpm_machine_read_nvme_health", call_attributes },
	{ "ssdpm_cap_calculate", call_caps },
	{ "ssdpm_cap_params_from_model", call_caps },
	{ "ssdpm_cap_segment_set_state", call_caps },
	{ "ssdpm_cap_timeline", call_caps },
	{ "ssdpm_wa_calculate", call_sustained_writes },
	{ "ssdpm_wa_calculate_classes", call_sustained_writes },
	{ "ssdpm_spare_factor_trim", call_sustained_writes },
	{ "ssdpm_write_cost_calculate", call_sustained_writes },
	{ "ssdpm_ftl_cost_calculate", call_sustained_writes },
	{ "ssdpm_ftl_get_spare_factors", call_sustained_writes },
	{ "ssdpm_ftl_feed", call_sustained_writes },
	{ "ssdpm_ftl_write", call_sustained_writes },
	{ "ssdpm_ftl_write_pattern", call_sustained_writes },
	{ "ssdpm_ftl_trim", call_sustained_writes },
	{ "ssdpm_ftl_get_counts", call_sustained_writes },
	{ "ssdpm_ftl_free", call_sustained_writes },
	{ "ssdpm_trial_next", call_trial },
	{ "ssdpm_trial_feed", call_trial },
	{ "ssdpm_trial_get_state", call_trial },
	{ "ssdpm_trial_free", call_trial },
	{ "ssdpm_suspend_get_plan", call_suspend_log },
	{ "ssdpm_suspend_reading_add_log", call_suspend_log },
	{ "ssdpm_suspend_reading_free", call_suspend_log },
	{ "ssdpm_fault_from_line", call_faults },
	{ "ssdpm_fault_is_of", call_faults },
	{ "ssdpm_fault_count_aer", call_faults },
	{ "ssdpm_bisect_calculate_entries", call_running_bisect },
	{ "ssdpm_bisect_add_suspect", call_running_bisect },
	{ "ssdpm_bisect_add_latency_limit", call_settings_of_bisect },
	{ "ssdpm_bisect_add_link", call_settings_of_bisect },
	{ "ssdpm_bisect_add_lpm", call_settings_of_bisect },
	{ "ssdpm_bisect_add_queue_depth", call_settings_of_bisect },
	{ "ssdpm_bisect_get_remedy", call_settings_of_bisect },
	{ "ssdpm_bisect_begin", call_running_bisect },
	{ "ssdpm_bisect_add_entries", call_running_bisect },
	{ "ssdpm_bisect_judge", call_running_bisect },
	{ "ssdpm_bisect_set_sign", call_running_bisect },
	{ "ssdpm_bisect_get_state", call_running_bisect },
	{ "ssdpm_bisect_get_trial", call_running_bisect },
	{ "ssdpm_bisect_get_candidate", call_running_bisect },
	{ "ssdpm_bisect_get_culprit", call_running_bisect },
	{ "ssdpm_bisect_get_suspect", call_running_bisect },
	{ "ssdpm_bisect_get_step_name", call_running_bisect },
	{ "ssdpm_bisect_get_setting", call_running_bisect },
	{ "ssdpm_bisect_get_exposure", call_running_bisect },
	{ "ssdpm_bisect_get_step", call_running_bisect },
	{ "ssdpm_bisect_get_token", call_running_bisect },
	{ "ssdpm_bisect_free", call_running_bisect },
	{ "ssdpm_tracer_get_fd", call_tracer_on },
	{ "ssdpm_tracer_get_n_removed", call_tracer_on },
	{ "ssdpm_tracer_read", call_tracer_on },
	{ "ssdpm_tracer_set_on", call_tracer_on },
	{ "ssdpm_tracer_free", call_tracer_on },
	{ "ssdpm_watch_free", call_watch_getters },
	{ "ssdpm_watch_get_disks", call_watch_getters },
	{ "ssdpm_watch_get_fd", call_watch_getters },
	{ "ssdpm_watch_get_flags", call_watch_getters },
	{ "ssdpm_watch_get_wait_ms", call_watch_getters },
	{ "ssdpm_observation_add_partition", call_observe },
	{ "ssdpm_observation_free", call_observe },
	{ "ssdpm_observation_get_counts", call_observe },
	{ "ssdpm_observation_get_event", call_observe },
	{ "ssdpm_observation_lacks_event", call_observe },
	{ "ssdpm_observation_set_format", call_observe },
	{ "ssdpm_integral_feed", call_measure },
	{ "ssdpm_integral_free", call_measure },
	{ "ssdpm_integral_get", call_measure },
	{ "ssdpm_level_free", call_measure },
	{ "ssdpm_experiment_matrix_free", call_matrix },
	{ "ssdpm_experiment_matrix_get_name", call_matrix },
	{ "ssdpm_experiment_matrix_get_text", call_matrix },
	{ "ssdpm_level_get", call_measure },
	{ "ssdpm_calibrate_params_align", call_overlay },
	{ "ssdpm_overlay_init", call_overlay },
	{ "ssdpm_overlay_match", call_measure },
	{ "ssdpm_parameters_calibrate", call_measure },
	{ "ssdpm_power_free", call_power_getters },
	{ "ssdpm_power_get_counts", call_power_getters },
	{ "ssdpm_prediction_judge", call_measure },
	{ "ssdpm_proportionality", call_measure },
	{ "ssdpm_steady_state_find", call_measure },
	{ "ssdpm_survey_comparison_get_difference",
	  call_survey_result_getters },
	{ "ssdpm_survey_detectable", call_survey },
	{ "ssdpm_survey_file_free", call_survey_getters },
	{ "ssdpm_survey_file_get_counts", call_survey_getters },
	{ "ssdpm_survey_file_get_fact", call_survey_getters },
	{ "ssdpm_survey_file_get_facts", call_survey_getters },
	{ "ssdpm_survey_file_get_fio", call_survey_getters },
	{ "ssdpm_survey_file_get_params", call_survey_getters },
	{ "ssdpm_survey_file_get_policy", call_survey_getters },
	{ "ssdpm_survey_file_get_readings", call_survey_getters },
	{ "ssdpm_survey_file_get_scenario", call_survey_getters },
	{ "ssdpm_survey_file_get_test", call_survey_getters },
	{ "ssdpm_survey_judge", call_survey },
	{ "ssdpm_survey_merge_free", call_survey_result_getters },
	{ "ssdpm_survey_merge_get_info", call_survey_result_getters },
	{ "ssdpm_survey_merge_get_part", call_survey_result_getters },
	{ "ssdpm_survey_merge_get_row", call_survey_result_getters },
	{ "ssdpm_survey_range_p", call_survey },
	{ "ssdpm_survey_range_q", call_survey },
	{ "ssdpm_survey_result_free", call_survey_result_getters },
	{ "ssdpm_survey_result_get_comparison", call_survey_result_getters },
	{ "ssdpm_survey_result_get_info", call_survey_result_getters },
	{ "ssdpm_survey_result_get_recommendation",
	  call_survey_result_getters },
	{ "ssdpm_survey_result_get_run", call_survey_result_getters },
	{ "ssdpm_survey_schedule", call_survey },
	{ "ssdpm_gaps_get_idle_ns", call_gaps_ref },
	{ "ssdpm_gaps_ref", call_gaps_ref },
	{ "ssdpm_gaps_unref", call_gaps_ref },
	{ "ssdpm_device_get_apst_params", call_device },
	{ "ssdpm_device_check_estimable", call_device },
	{ "ssdpm_device_get_facts", call_device },
	{ "ssdpm_device_get_host", call_device },
	{ "ssdpm_device_read_apst", call_device },
	{ "ssdpm_device_read_devsleep", call_device },
	{ "ssdpm_device_read_power", call_device },
	{ "ssdpm_device_get_quirks", call_device },
	{ "ssdpm_device_get_settings", call_device },
	{ "ssdpm_device_settings_get_pcie_link", call_device },
	{ "ssdpm_device_list_free", call_device },
	{ "ssdpm_device_ref", call_device },
	{ "ssdpm_device_unref", call_device },
	{ "ssdpm_machine_ref", call_device },
	{ "ssdpm_machine_unref", call_device },
	{ "ssdpm_governor_get_modes", call_getters },
	{ "ssdpm_apst_diff", call_questions },
	{ "ssdpm_apst_encode", call_encode },
	{ "ssdpm_apst_explain", call_explain },
	{ "ssdpm_apst_from_data", call_from_data },
	{ "ssdpm_apst_generate", call_generate },
	{ "ssdpm_apst_infer", call_questions },
	{ "ssdpm_apst_get_steps", call_questions },
	{ "ssdpm_apst_keep", call_questions },
	{ "ssdpm_apst_limit_range", call_questions },
	{ "ssdpm_apst_params_init", call_params_init },
	{ "ssdpm_apst_algorithm_parse", call_params_init },
	{ "ssdpm_apst_reach", call_questions },
	{ "ssdpm_apst_validate", call_validate },
	{ "ssdpm_catalogue_find", call_catalogue_find },
	{ "ssdpm_catalogue_find_alternatives", call_catalogue_find },
	{ "ssdpm_catalogue_get_row", call_catalogue_getters },
	{ "ssdpm_text_blunt", call_texts },
	{ "ssdpm_us_to_text", call_texts },
	{ "ssdpm_uw_to_text", call_texts },
	{ "ssdpm_catalogue_free", call_catalogue_free },
	{ "ssdpm_generator_get_description", call_generators },
	{ "ssdpm_generator_get_name", call_generators },
	{ "ssdpm_generator_get_pause_ns", call_generators },
	{ "ssdpm_generator_params_init", call_generators },
	{ "ssdpm_histogram_bucket", call_stats },
	{ "ssdpm_histogram_start_ns", call_stats },
	{ "ssdpm_io_to_fio_iolog", call_stats },
	{ "ssdpm_io_to_npy", call_npy_header },
	{ "ssdpm_model_get_info", call_getters },
	{ "ssdpm_model_get_power_range", call_getters },
	{ "ssdpm_model_get_states", call_getters },
	{ "ssdpm_model_list_free", call_list_free },
	{ "ssdpm_model_ref", call_ref },
	{ "ssdpm_model_unref", call_ref },
	{ "ssdpm_npy_header", call_npy_header },
	{ "ssdpm_parameters_from_model", call_parameters },
	{ "ssdpm_parameters_get_service", call_parameters },
	{ "ssdpm_parameters_set", call_parameters },
	{ "ssdpm_parameters_set_spare", call_parameters },
	{ "ssdpm_persist_free", call_persist },
	{ "ssdpm_persist_get_file", call_persist },
	{ "ssdpm_plan_free", call_plan_getters },
	{ "ssdpm_plan_unlock", call_plan_getters },
	{ "ssdpm_plan_get_journal", call_plan_getters },
	{ "ssdpm_plan_count", call_plan_getters },
	{ "ssdpm_plan_has_failed", call_plan_getters },
	{ "ssdpm_plan_get_step", call_plan_getters },
	{ "ssdpm_plan_get_table", call_plan_getters },
	{ "ssdpm_profile_find", call_profiles },
	{ "ssdpm_profile_get_name", call_profiles },
	{ "ssdpm_quirks_explain", call_quirks },
	{ "ssdpm_quirks_find", call_quirks },
	{ "ssdpm_sampler_free", call_sampler_free },
	{ "ssdpm_stats_feed", call_stats },
	{ "ssdpm_stats_free", call_stats },
	{ "ssdpm_stats_get", call_stats },
	{ "ssdpm_stats_get_limit_ns", call_stats },
	{ "ssdpm_sim_free", call_sim_getters },
	{ "ssdpm_sim_get_delays", call_sim_getters },
	{ "ssdpm_sim_get_intervals", call_sim_getters },
	{ "ssdpm_sim_get_parameters", call_sim_getters },
	{ "ssdpm_sim_get_result", call_sim_getters },
	{ "ssdpm_sim_get_saving", call_sim_getters },
	{ "ssdpm_sim_params_init", call_sim_getters },
	{ "ssdpm_sim_set_change_fn", call_sim_getters },
	{ "ssdpm_strerror", call_strings },
	{ "ssdpm_trace_free", call_trace_getters },
	{ "ssdpm_trace_get_counts", call_trace_getters },
	{ "ssdpm_version", call_strings },
};

enum { N_NOT_ALLOCATING = sizeof(not_allocating) / sizeof(not_allocating[0]) };

static char *catalogue_fingerprint(struct ssdpm_catalogue *catalogue)
{
	uint32_t n = fixture_count_rows(catalogue);
	unsigned long seen = 0, tables = 0;
	char *text;

	for (uint32_t i = 0; i < n; i++) {
		seen += fixture_row(catalogue, i).seen;
		tables += i * fixture_row(catalogue, i).table;
	}
	ssdpm_catalogue_free(catalogue);
	assert_true(asprintf(&text, "%u %lu %lu", n, seen, tables) > 0);
	return text;
}

static char *trace_fingerprint(struct ssdpm_trace *trace)
{
	struct ssdpm_io ios[4];
	size_t n = 0;
	char *text;

	assert_int_equal(ssdpm_trace_read(trace, ios, 4, &n, NULL), 0);
	const struct ssdpm_trace_counts *counts = ssdpm_trace_get_counts(trace);
	assert_true(counts->n_records > 0);
	assert_true(
		asprintf(&text, "%llu %u %llu",
			 (unsigned long long)counts->n_records, counts->format,
			 n ? (unsigned long long)ios[n - 1].start_ns : 0) > 0);
	ssdpm_trace_free(trace);
	return text;
}

static char *stats_fingerprint(struct ssdpm_stats *stats)
{
	struct ssdpm_trace_stats numbers = { .size = sizeof(numbers) };
	char *text;

	assert_int_equal(ssdpm_stats_get(stats, &numbers, NULL), 0);
	assert_true(asprintf(&text, "%llu",
			     (unsigned long long)numbers.n_gaps) > 0);
	ssdpm_stats_free(stats);
	return text;
}

/* All that a result holds, as text, and let it go. */
static char *fingerprint(struct result *result)
{
	char *text = NULL;

	if (result->text != untouched.text)
		return result->text;
	if (result->findings != untouched.findings) {
		assert_true(asprintf(&text, "%zu: %s", result->n,
				     result->findings[0].message) > 0);
		free(result->findings);
		return text;
	}
	if (result->model != untouched.model) {
		assert_int_equal(
			ssdpm_model_to_json(result->model, &text, NULL), 0);
		ssdpm_model_unref(result->model);
		return text;
	}
	if (result->catalogue != untouched.catalogue)
		return catalogue_fingerprint(result->catalogue);
	if (result->trace != untouched.trace)
		return trace_fingerprint(result->trace);
	if (result->energy_nj != untouched.energy_nj) {
		assert_true(asprintf(&text, "%llu nJ",
				     (unsigned long long)result->energy_nj) >
			    0);
		return text;
	}
	if (result->stats != untouched.stats)
		return stats_fingerprint(result->stats);
	text = fixture_models_text(result->models, result->n);
	ssdpm_model_list_free(result->models, result->n);
	return text;
}

static void assert_untouched(const struct result *result)
{
	assert_ptr_equal(result->model, untouched.model);
	assert_ptr_equal(result->models, untouched.models);
	assert_ptr_equal(result->findings, untouched.findings);
	assert_ptr_equal(result->catalogue, untouched.catalogue);
	assert_ptr_equal(result->trace, untouched.trace);
	assert_ptr_equal(result->stats, untouched.stats);
	assert_int_equal(result->n, untouched.n);
	assert_ptr_equal(result->text, untouched.text);
	assert_int_equal(result->energy_nj, untouched.energy_nj);
}

static int do_call(size_t which, struct result *ret, struct ssdpm_error *error)
{
	if (which < N_ALLOCATING)
		return allocating[which].call(ret, error);
	which -= N_ALLOCATING;
	return of_texts[which].call(of_texts[which].text, ret, error);
}

/* Fail the n-th allocation. Return whether there was one. */
static bool inject(size_t which, unsigned long n, bool forever,
		   struct ssdpm_error *reterr, const char *good)
{
	struct result result = untouched;
	long live = heap.live;
	char *text;
	int err;

	arm(n, forever);
	err = do_call(which, &result, reterr);
	disarm();
	if (heap.count >= n) {
		assert_int_equal(err, -ENOMEM);
		assert_untouched(&result);
		assert_int_equal(heap.live, live);
		if (reterr) {
			assert_int_equal(reterr->code, -ENOMEM);
			assert_non_null(strstr(reterr->message, "memory"));
		}
		return true;
	}
	assert_int_equal(err, 0);
	text = fingerprint(&result);
	assert_string_equal(text, good);
	free(text);
	assert_int_equal(heap.live, live);
	return false;
}

/* One call stands for several symbols: it is made to fail for the first. */
static bool has_failed_before(size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (allocating[i].call == allocating[which].call)
			return true;
	return false;
}

static void every_allocation_that_fails_is_enomem_and_leaks_nothing(
	void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ALLOCATING + N_TEXTS; i++) {
		struct result result = untouched;
		struct ssdpm_error error;
		unsigned long n = 1;
		char *good;

		if (i < N_ALLOCATING && has_failed_before(i))
			continue;
		assert_int_equal(do_call(i, &result, NULL), 0);
		good = fingerprint(&result);
		while (inject(i, n, false, &error, good)) {
			inject(i, n, true, &error, good);
			inject(i, n, false, NULL, good);
			inject(i, n, true, NULL, good);
			n++;
		}
		/* A call that is listed here allocates at least once. */
		assert_true(n > 1);
		print_message("%s: %lu allocations\n",
			      i < N_ALLOCATING ?
				      allocating[i].symbol :
				      of_texts[i - N_ALLOCATING].text,
			      n - 1);
		free(good);
	}
}

static void what_must_not_allocate_does_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_NOT_ALLOCATING; i++) {
		arm(0, false);
		not_allocating[i].call();
		disarm();
		if (heap.count)
			print_error("%s allocates\n", not_allocating[i].symbol);
		assert_int_equal(heap.count, 0);
	}
}

static bool is_listed(const char *symbol)
{
	/* The words of enums are constants: tests/abi/words.py has these. */
	if (strstr(symbol, "_to_string") || strstr(symbol, "_from_string"))
		return true;
	for (size_t i = 0; i < N_ALLOCATING; i++)
		if (!strcmp(allocating[i].symbol, symbol))
			return true;
	for (size_t i = 0; i < N_NOT_ALLOCATING; i++)
		if (!strcmp(not_allocating[i].symbol, symbol))
			return true;
	return false;
}

/* The symbols of a map: a tabulator, a name, a semicolon. How many? */
static int check_map(const char *path, int *missing)
{
	FILE *map = fopen(path, "r");
	char line[128], name[128], symbol[160];
	int n = 0;

	assert_non_null(map);
	while (fgets(line, sizeof(line), map)) {
		if (sscanf(line, " ssdpm_%100[a-z0-9_];", name) != 1)
			continue;
		snprintf(symbol, sizeof(symbol), "ssdpm_%s", name);
		n++;
		if (is_listed(symbol))
			continue;
		print_error("%s: does it allocate? Say so in test-alloc.c\n",
			    symbol);
		*missing += 1;
	}
	fclose(map);
	return n;
}

static void every_exported_symbol_is_in_one_of_the_lists(void **state)
{
	int missing = 0;

	(void)state;
	for (char **map = in.maps; *map; map++)
		assert_true(check_map(*map, &missing) >= 25);
	assert_int_equal(missing, 0);
}

static void an_armed_heap_fails_as_it_is_told(void **state)
{
	void *volatile blocks[6];

	(void)state;
	arm(2, false);
	blocks[0] = malloc(1);
	blocks[1] = calloc(1, 1);
	blocks[2] = malloc(1);
	arm(2, true);
	blocks[3] = realloc(NULL, 1);
	blocks[4] = malloc(1);
	blocks[5] = calloc(1, 1);
	disarm();
	for (int i = 0; i < 6; i++) {
		bool failed = i == 1 || i == 4 || i == 5;

		assert_int_equal(blocks[i] == NULL, failed);
		free(blocks[i]);
	}
}

static void make_ata_inputs(void)
{
	uint16_t words[256];

	fixture_ata_words(words);
	fixture_ata_bytes(words, in.ata);
	memcpy(in.blob, "IDFY\0\0\2", 8);
	memcpy(in.blob + 8, in.ata, sizeof(in.ata));
	for (size_t i = 0; i < 256; i++)
		snprintf(in.hex + 5 * i, 6, "%04x ", words[i]);
}

static int make_two_tables(void)
{
	struct ssdpm_catalogue_match match;
	int err;

	err = ssdpm_catalogue_find(in.catalogue, "Samsung SSD 980 PRO 1TB",
				   "5B2QGXA7", &match, NULL);
	if (err)
		return err;
	return ssdpm_catalogue_get_model(in.catalogue, match.index,
					 &in.two_tables, NULL);
}

static int make_traces(void)
{
	static const struct ssdpm_io io = { .op = SSDPM_OP_READ };
	const ssize_t size = sizeof(msr) - 1;

	char *at = in.issues;
	for (int i = 0; i < 300; i++)
		at += sprintf(at, "8,0 0 1 0.%09d 1 D R %d + 8 [a]\n", i, i);
	ssdpm_npy_header(2, in.npy);
	ssdpm_io_to_npy(&io, in.npy + SSDPM_NPY_HEADER_BYTES);
	ssdpm_io_to_npy(&io, in.npy + SSDPM_NPY_HEADER_BYTES +
				     SSDPM_NPY_RECORD_BYTES);
	in.survey_fd = memfd_create("survey", MFD_CLOEXEC);
	if (in.survey_fd < 0 ||
	    write(in.survey_fd, survey_text, strlen(survey_text)) !=
		    (ssize_t)strlen(survey_text))
		return -1;
	in.trace_fd = memfd_create("trace", MFD_CLOEXEC);
	if (in.trace_fd < 0 || write(in.trace_fd, msr, size) != size)
		return -errno;
	if (ssdpm_stats_new(NULL, &in.stats, NULL))
		return -1;
	return ssdpm_trace_open_data(msr, size, NULL, &in.trace, NULL);
}

/* A drive that sleeps in two ways, and a trace with idle times. */
static int make_budget(void)
{
	const struct ssdpm_budget_state state = { .power_uw = 1 };
	const struct ssdpm_budget_params params = {
		.size = sizeof(params),
		.items = (const struct ssdpm_budget_item *const *)&in
				 .budget_item,
		.n_items = 1,
	};
	int err = ssdpm_budget_item_from_states(NULL, &state, 1,
						&in.budget_item, NULL);

	return err ? err : ssdpm_budget_solve(&params, &in.budget, NULL);
}

static int make_observation(void)
{
	const struct ssdpm_observed_params params = observed_params();
	int err = ssdpm_observation_new(&in.observation, NULL);

	return err ? err :
		     ssdpm_observation_add_drive(in.observation, &params, NULL);
}

static int make_idle_times(void)
{
	struct ssdpm_io ios[20];
	int err;

	in.sleeper = fixture_model((struct latencies[]){ { 0, 0, 0 },
							 { 1, 100, 200 },
							 { 1, 3000, 900 } },
				   3);
	in.deep_sleeper =
		fixture_model((struct latencies[]){ { 0, 0, 0 },
						    { 1, 100, 200 },
						    { 1, 900, 800 },
						    { 1, 3000, 900 } },
			      4);
	for (size_t i = 0; i < 20; i++)
		ios[i] = (struct ssdpm_io){ .start_ns = i * i * 9000000,
					    .service_ns = 1000,
					    .op = SSDPM_OP_READ };
	err = ssdpm_sim_new(in.sleeper, NULL, &in.sim, NULL);
	if (!err)
		err = ssdpm_integral_new(NULL, &in.integral, NULL);
	if (!err)
		err = ssdpm_experiment_matrix_new(&in.matrix, NULL);
	if (!err)
		err = ssdpm_experiment_matrix_add(in.matrix, &experiment, NULL);
	if (!err)
		err = ssdpm_power_open_data(power_text, strlen(power_text),
					    NULL, &in.power, NULL);
	if (!err)
		err = ssdpm_survey_file_open_data(
			survey_text, strlen(survey_text), &in.survey, NULL);
	if (!err)
		err = ssdpm_survey_file_open_data(whole_survey_text,
						  strlen(whole_survey_text),
						  &in.whole_survey, NULL);
	if (!err)
		err = ssdpm_survey_result_new(in.whole_survey, NULL,
					      &in.survey_result, NULL);
	if (!err)
		err = ssdpm_survey_merge_new(
			(const struct ssdpm_survey_result *[]){
				in.survey_result },
			1, 0, &in.survey_merge, NULL);
	if (!err)
		err = ssdpm_level_new(&in.level, NULL);
	if (!err)
		err = ssdpm_gaps_new(NULL, &in.gaps, NULL);
	if (!err)
		err = ssdpm_gaps_feed(in.gaps, ios, 20, NULL);
	if (!err)
		err = ssdpm_gaps_finish(in.gaps, 0, NULL);
	if (!err)
		err = ssdpm_gaps_new(NULL, &in.early_gaps, NULL);
	for (size_t i = 0; i < 20; i++)
		ios[i].start_ns = i / 2 * 90000000;
	if (!err)
		err = ssdpm_gaps_feed(in.early_gaps, ios, 20, NULL);
	if (!err)
		err = ssdpm_gaps_finish(in.early_gaps, 0, NULL);
	if (!err)
		err = make_budget();
	if (!err)
		err = ssdpm_trial_new(NULL, &in.trial, NULL);
	if (!err)
		err = make_bisect(&in.bisect, NULL);
	if (!err)
		err = make_other_bisects();
	if (!err)
		err = make_observation();
	in.tracefs = tracefs_new();
	if (!err)
		err = make_tracer(&in.tracer, NULL);
	if (!err)
		err = ssdpm_observation_new(&in.unfed, NULL);
	if (!err)
		err = ssdpm_watch_new(NULL, in.unfed, &in.watch, NULL);
	if (!err)
		err = ssdpm_suspend_reading_from_text(
			suspend_text, strlen(suspend_text), &in.suspend_reading,
			NULL);
	return err ? err : ssdpm_ftl_new(&small_ftl, &in.ftl, NULL);
}

/* A machine that is a directory, with a marker and a profile of TuneD. */
static int make_capture(void)
{
	/* ext4 flushes a file that was truncated: thousands of times here. */
	static char root[] = "/dev/shm/ssdpm-alloc-XXXXXX";
	static const char *const names[] = { "etc", "etc/tuned",
					     "etc/tuned/ssdpm-x" };
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	const struct ssdpm_machine_params machine = { .size = sizeof(machine),
						      .root = root };
	const struct ssdpm_persist_params persist = {
		.size = sizeof(persist),
		.kind = SSDPM_PERSIST_UDEV,
		.ac = &settings,
	};
	char path[128];
	int err = 0;

	if (!mkdtemp(root))
		return -errno;
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		err |= mkdir(path, 0755);
	}
	snprintf(path, sizeof(path), "%s/ssdpm-capture", root);
	err |= mknod(path, S_IFREG | 0644, 0);
	snprintf(path, sizeof(path), "%s/etc/tuned/ssdpm-x/y", root);
	err |= mknod(path, S_IFREG | 0644, 0);
	in.root = root;
	err |= ssdpm_profile_find(NULL, 0, "balanced", SSDPM_SOURCE_AC,
				  &settings, NULL);
	err |= ssdpm_persist_new(&persist, &in.persist, NULL);
	err |= ssdpm_machine_new(&machine, &in.capture, NULL);
	return err ? err : ssdpm_persist_write(in.persist, in.capture, 0, NULL);
}

/* A disk and a process, below the empty machine. */
static int make_unused(void)
{
	static const char commands[] =
		"cd %s && mkdir used && cd used && "
		"mkdir -p sys/dev/block sys/block/loop0 sys/class/block "
		"sys/x/sda/holders "
		"sys/x/sda/sda1/holders proc/7/ns proc/8/task/8/fd && "
		"ln -s ../../x/sda sys/dev/block/8:0 && "
		"ln -s ../../x/sda sys/class/block/sda && "
		"echo 8:0 >sys/x/sda/dev && echo 8:1 >sys/x/sda/sda1/dev && "
		"echo 1 >sys/x/sda/sda1/partition && ln -s 7 proc/self && "
		"echo /dev/null >proc/swaps && "
		"echo 1 1 0:1 / / rw - proc proc rw >proc/7/mountinfo && "
		"echo CapEff: ffffffffff >proc/7/status && "
		"ln -s 'pid:[4026531836]' proc/7/ns/pid && "
		"ln -s /dev/null proc/8/task/8/fd/0";
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	char command[sizeof(commands) + 128], root[128];
	int err;

	snprintf(command, sizeof(command), commands, in.root);
	snprintf(root, sizeof(root), "%s/used", in.root);
	params.root = root;
	if (system(command))
		return -EIO;
	err = ssdpm_machine_new(&params, &in.unused, NULL);
	if (!err)
		in.unused->capture = 0;
	return err;
}

static int open_machine(const char *name, struct ssdpm_machine **ret_machine)
{
	const char *captures = getenv("SSDPM_CAPTURES");
	struct ssdpm_machine_params machine = { .size = sizeof(machine) };
	char root[1024];

	snprintf(root, sizeof(root), "%s/%s", captures ? captures : ".", name);
	machine.root = root;
	return ssdpm_machine_new(&machine, ret_machine, NULL);
}

/* The laptop without its dumps, under the empty machine. */
static int make_unread(void)
{
	const struct ssdpm_machine_params params = { .size = sizeof(params),
						     .root = in.root };
	struct ssdpm_machine *machine = NULL;
	char command[1200];
	int err;

	snprintf(command, sizeof(command), "cp -a %s/laptop/sys %s",
		 getenv("SSDPM_CAPTURES"), in.root);
	if (system(command))
		return -EIO;
	err = ssdpm_machine_new(&params, &machine, NULL);
	if (!err)
		err = ssdpm_device_read(machine, "nvme0", &in.unread, NULL);
	ssdpm_machine_unref(machine);
	return err;
}

static int make_machines(void)
{
	int err = make_unused();

	if (!err)
		err = open_machine("desktop-6.1", &in.desktop);
	if (!err)
		err = open_machine("laptop", &in.laptop);
	in.facts.size = sizeof(in.facts);
	if (!err)
		err = ssdpm_machine_read_facts(in.desktop, &in.facts, NULL);
	if (!err)
		err = ssdpm_device_read(in.desktop, "nvme0", &in.device, NULL);
	if (!err)
		err = ssdpm_device_read(in.desktop, "sda", &in.disk, NULL);
	return err ? err : make_unread();
}

/* Two devices below the capture, a plan, and a journal to be copied. */
static int make_plan(void)
{
	const char *captures = getenv("SSDPM_CAPTURES");
	char command[800];
	int err;

	snprintf(command, sizeof(command), "cp -a %s/desktop-6.1/sys %s/",
		 captures ? captures : ".", in.root);
	if (system(command))
		return -EIO;
	err = ssdpm_device_read(in.capture, "nvme0", &in.plan_drive, NULL);
	if (!err)
		err = ssdpm_device_read(in.capture, "sda", &in.plan_disk, NULL);
	if (!err)
		err = ssdpm_plan_new(in.capture, NULL, &in.plan, NULL);
	if (!err)
		err = ssdpm_plan_add_latency_tolerance(in.plan, in.plan_drive,
						       in.sleeper, 7000, NULL);
	if (!err)
		err = ssdpm_plan_commit(in.plan, NULL);
	/* The kept values now have the form of a journal. */
	snprintf(command, sizeof(command),
		 "(cat %s/run/ssdpm/undo; echo begin 0) >%s/journal", in.root,
		 in.root);
	if (!err)
		err = system(command) ? -EIO : restore_machine();
	if (!err)
		err = put_settings();
	return err ? err : ssdpm_intent_read(in.capture, &in.intent, NULL);
}

static void free_capture(void)
{
	char command[64];

	ssdpm_plan_free(in.plan);
	ssdpm_intent_free(in.intent);
	ssdpm_device_unref(in.plan_drive);
	ssdpm_device_unref(in.plan_disk);
	ssdpm_device_unref(in.device);
	ssdpm_device_unref(in.disk);
	ssdpm_device_unref(in.unread);
	ssdpm_machine_unref(in.desktop);
	ssdpm_machine_unref(in.laptop);

	ssdpm_persist_free(in.persist);
	ssdpm_machine_unref(in.capture);
	ssdpm_machine_unref(in.unused);
	snprintf(command, sizeof(command), "rm -rf %s", in.root);
	if (system(command))
		print_error("%s failed\n", command);
}

static int make_inputs(void **state)
{
	size_t n;
	int err;

	(void)state;
	fixture_identify(in.id, &(struct psd){ .mp = 500, .enlat = 7 }, 1);
	make_ata_inputs();
	in.samples = make_samples(in.power_w);
	in.info = fixture_info();
	for (int i = 0; i < 3; i++)
		in.models[i] = fixture_rich_model();
	memcpy(in.states, ssdpm_model_get_states(in.models[0], &n),
	       sizeof(in.states));
	err = ssdpm_catalogue_new(NULL, 0, &in.catalogue, NULL);
	if (!err)
		err = make_two_tables();
	if (!err)
		err = make_traces();
	if (!err)
		err = make_idle_times();
	if (!err)
		err = make_capture();
	if (!err)
		err = make_machines();
	if (!err)
		err = make_plan();
	if (!err)
		err = ssdpm_model_to_json(in.models[0], &in.one, NULL);
	if (!err)
		in.three = fixture_models_text(in.models, 3);
	return err ? -1 : 0;
}

static int free_inputs(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		ssdpm_model_unref(in.models[i]);
	ssdpm_model_unref(in.two_tables);
	ssdpm_model_unref(in.sleeper);
	ssdpm_model_unref(in.deep_sleeper);
	ssdpm_integral_free(in.integral);
	ssdpm_experiment_matrix_free(in.matrix);
	ssdpm_power_free(in.power);
	ssdpm_survey_file_free(in.survey);
	ssdpm_survey_merge_free(in.survey_merge);
	ssdpm_survey_result_free(in.survey_result);
	ssdpm_survey_file_free(in.whole_survey);
	close(in.survey_fd);
	ssdpm_level_free(in.level);
	ssdpm_gaps_unref(in.gaps);
	ssdpm_sim_free(in.sim);
	ssdpm_gaps_unref(in.early_gaps);
	ssdpm_ftl_free(in.ftl);
	ssdpm_trial_free(in.trial);
	ssdpm_bisect_free(in.bisect);
	ssdpm_bisect_free(in.new_bisect);
	ssdpm_bisect_free(in.found_bisect);
	ssdpm_observation_free(in.observation);
	ssdpm_watch_free(in.watch);
	ssdpm_observation_free(in.unfed);
	ssdpm_tracer_free(in.tracer);
	ssdpm_suspend_reading_free(in.suspend_reading);
	tracefs_remove();
	ssdpm_budget_free(in.budget);
	ssdpm_budget_item_unref(in.budget_item);
	ssdpm_catalogue_free(in.catalogue);
	ssdpm_trace_free(in.trace);
	ssdpm_stats_free(in.stats);
	free_capture();
	close(in.trace_fd);
	free(in.one);
	free(in.three);
	return 0;
}

/* Also where records wait to be put in order: room grows with need. */
static void a_small_trace_takes_little_memory(void **state)
{
	struct result result = untouched;

	(void)state;
	arm(0, false);
	assert_int_equal(call_trace_read(&result, NULL), 0);
	disarm();
	ssdpm_trace_free(result.trace);
	assert_in_range(heap.bytes, 1, 64 << 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_armed_heap_fails_as_it_is_told),
		cmocka_unit_test(
			every_allocation_that_fails_is_enomem_and_leaks_nothing),
		cmocka_unit_test(what_must_not_allocate_does_not),
		cmocka_unit_test(a_small_trace_takes_little_memory),
		cmocka_unit_test(every_exported_symbol_is_in_one_of_the_lists),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: %s MAP...\n", argv[0]);
		return 2;
	}
	in.maps = argv + 1;
	return cmocka_run_group_tests(tests, make_inputs, free_inputs);
}
