/* SPDX-License-Identifier: MIT */
/* Generated workloads: the same on every machine, and their numbers. */
#include "fixture.h"

static struct ssdpm_generator_params params_of(const char *name)
{
	struct ssdpm_generator_params params;

	assert_int_equal(ssdpm_generator_params_init(&params, sizeof(params)),
			 0);
	params.name = name;
	return params;
}

static struct ssdpm_trace *generate(const struct ssdpm_generator_params *params)
{
	struct ssdpm_trace *trace = NULL;

	assert_int_equal(ssdpm_trace_generate(params, &trace, NULL), 0);
	return trace;
}

/* The first max records, piece by piece. */
static size_t draw(const struct ssdpm_generator_params *params,
		   struct ssdpm_io *ios, size_t max, size_t piece)
{
	struct ssdpm_trace *trace = generate(params);
	size_t n = 0, got = 1;

	while (n < max && got) {
		size_t room = max - n < piece ? max - n : piece;

		assert_int_equal(
			ssdpm_trace_read(trace, ios + n, room, &got, NULL), 0);
		n += got;
	}
	ssdpm_trace_free(trace);
	return n;
}

/* Hashes their bytes in a file, because memory has the machine's byte order. */
static uint64_t hash(const struct ssdpm_io *records, size_t n)
{
	uint64_t value = UINT64_C(14695981039346656037);
	uint8_t bytes[SSDPM_NPY_RECORD_BYTES];

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(ssdpm_io_to_npy(&records[i], bytes), 0);
		for (size_t k = 0; k < sizeof(bytes); k++)
			value = (value ^ bytes[k]) * UINT64_C(1099511628211);
	}
	return value;
}

enum { MANY = 3000 };

static struct ssdpm_io ios[MANY], others[MANY];

/* Workloads made from statistics of recordings are listed first. */
enum { N_EVERYDAY = 8 };

/* FNV-1a of the first 3000 records under seed 42. */
static const struct {
	const char *name;
	uint64_t hash;
} golden[] = {
	{ "apt-upgrades", UINT64_C(0x939698aecb24913d) },
	{ "compile", UINT64_C(0x5056c0fc080c8351) },
	{ "desktop-session", UINT64_C(0x6dfaf801826f8986) },
	{ "phone-messenger", UINT64_C(0x6b4c86c0bcebd03d) },
	{ "server-files", UINT64_C(0x49e76d5646fc4251) },
	{ "server-mysql", UINT64_C(0xdb55bfe5c7120d16) },
	{ "server-mssql", UINT64_C(0xb1637a84a123187b) },
	{ "server-postgresql", UINT64_C(0x164c536e647b6683) },
	{ "apst-1", UINT64_C(0x52fadfe7a4482c9) },
	{ "apst-2", UINT64_C(0xe442b7d5fe8c7024) },
	{ "apst-3", UINT64_C(0x7bb9231f4f83f555) },
	{ "apst-4", UINT64_C(0x9a7ae9126f507c5f) },
	{ "apst-5", UINT64_C(0xd4f98312ebd78c65) },
	{ "apst-6", UINT64_C(0xd5f67edb28702484) },
	{ "apst-7", UINT64_C(0xc6749baf1ed44f6) },
	{ "uflip-granularity-sr", UINT64_C(0x598215a01a64094d) },
	{ "uflip-granularity-rr", UINT64_C(0xc4602d81a0efe5f4) },
	{ "uflip-granularity-sw", UINT64_C(0x611860c0b14580ac) },
	{ "uflip-granularity-rw", UINT64_C(0x77851a999dd82719) },
	{ "uflip-alignment-sr", UINT64_C(0x106c969a49674565) },
	{ "uflip-alignment-rr", UINT64_C(0xd65f62fa9b6729f1) },
	{ "uflip-alignment-sw", UINT64_C(0x5dc36989fbdc02c4) },
	{ "uflip-alignment-rw", UINT64_C(0x2933c701495c1e98) },
	{ "uflip-locality-sr", UINT64_C(0x43ad3b4549e75249) },
	{ "uflip-locality-rr", UINT64_C(0xc33961666d7a9744) },
	{ "uflip-locality-sw", UINT64_C(0xbc61555844e92fd0) },
	{ "uflip-locality-rw", UINT64_C(0x238725089e451505) },
	{ "uflip-partitioning-sr", UINT64_C(0x67246b3e494c1f51) },
	{ "uflip-partitioning-rr", UINT64_C(0xc56767ce3c4c2320) },
	{ "uflip-partitioning-sw", UINT64_C(0x30b8944c29350270) },
	{ "uflip-partitioning-rw", UINT64_C(0x66659190b8d121cd) },
	{ "uflip-order-sr", UINT64_C(0xb902b24f4475c089) },
	{ "uflip-order-rr", UINT64_C(0xc4602d81a0efe5f4) },
	{ "uflip-order-sw", UINT64_C(0x81869dbef53d33d0) },
	{ "uflip-order-rw", UINT64_C(0x77851a999dd82719) },
	{ "uflip-parallelism-sr", UINT64_C(0xcebcb393b5fd999d) },
	{ "uflip-parallelism-rr", UINT64_C(0x5bd7744d58af9a68) },
	{ "uflip-parallelism-sw", UINT64_C(0xc9aa6ad5e0e0ed7d) },
	{ "uflip-parallelism-rw", UINT64_C(0xdd198b70b0c6cecc) },
	{ "uflip-mix-sr", UINT64_C(0xd6b76d66c404508c) },
	{ "uflip-mix-rr", UINT64_C(0x48cdf94b0702dc37) },
	{ "uflip-mix-sw", UINT64_C(0x5e31f58deb223686) },
	{ "uflip-mix-rw", UINT64_C(0x59f39f813ba3a785) },
	{ "uflip-mix-sr-rr", UINT64_C(0xf337562705098d8) },
	{ "uflip-mix-sr-rw", UINT64_C(0x4159f112943c407d) },
	{ "uflip-mix-rr-sw", UINT64_C(0x3b1f1152d9b90389) },
	{ "uflip-mix-sw-rw", UINT64_C(0x3edd4b28c2f07a25) },
	{ "uflip-pause-sr", UINT64_C(0x660e6e5e3ff9fc6c) },
	{ "uflip-pause-rr", UINT64_C(0x3aeeebade20154e1) },
	{ "uflip-pause-sw", UINT64_C(0xe3bd091dc49125a2) },
	{ "uflip-pause-rw", UINT64_C(0xd748f1fb5d27a033) },
	{ "uflip-bursts-sr", UINT64_C(0xbd7fdbf2e629e846) },
	{ "uflip-bursts-rr", UINT64_C(0x543cbc9c9b14519f) },
	{ "uflip-bursts-sw", UINT64_C(0xa7a4cadd03440deb) },
	{ "uflip-bursts-rw", UINT64_C(0x852bc9208437da16) },
	{ "consistency", UINT64_C(0x171e51dc628c6867) },
	{ "poisson", UINT64_C(0x59f7d3ac211e3c43) },
	{ "lomax", UINT64_C(0xf8804974292305e4) },
	{ "on-off", UINT64_C(0x41a237df1b38628a) },
};

static void the_same_seed_gives_the_same_records_everywhere(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; ssdpm_generator_get_name(i); i++) {
		const char *name = ssdpm_generator_get_name(i);
		struct ssdpm_generator_params p = params_of(name);

		p.seed = 42;
		size_t n = draw(&p, ios, MANY, MANY);
		if (i >= sizeof(golden) / sizeof(golden[0]) ||
		    strcmp(golden[i].name, name) ||
		    golden[i].hash != hash(ios, n))
			fail_msg("{ \"%s\", UINT64_C(0x%llx) },", name,
				 (unsigned long long)hash(ios, n));
	}
	assert_int_equal(i, sizeof(golden) / sizeof(golden[0]));
	assert_null(ssdpm_generator_get_description(i));
}

static void pieces_are_the_whole_and_seeds_differ(void **state)
{
	unsigned int n_random = 0;

	(void)state;
	for (size_t i = 0; ssdpm_generator_get_name(i); i++) {
		struct ssdpm_generator_params p =
			params_of(ssdpm_generator_get_name(i));
		size_t n = draw(&p, ios, MANY, MANY);

		assert_int_equal(draw(&p, others, MANY, 1 + i % 7), n);
		assert_memory_equal(ios, others, n * sizeof(ios[0]));
		p.seed = 1;
		assert_int_equal(draw(&p, others, MANY, MANY), n);
		n_random += memcmp(ios, others, n * sizeof(ios[0])) != 0;
	}
	/* Everyday ones, apst-7, 18 of uFLIP, all four more mixes, and the last
	 * four */
	assert_int_equal(n_random, N_EVERYDAY + 27);
}

static void descriptions_of_the_patchs_workloads_differ(void **state)
{
	const size_t first = N_EVERYDAY;

	(void)state;
	for (size_t i = 0; i < 7; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(
				ssdpm_generator_get_description(first + i),
				ssdpm_generator_get_description(first + k));
	assert_non_null(strstr(ssdpm_generator_get_description(first + 1),
			       "50 ms idle"));
	assert_non_null(
		strstr(ssdpm_generator_get_description(first + 5), "5 s idle"));
}

static void records_are_sound_whatever_the_workload(void **state)
{
	(void)state;
	for (size_t i = 0; ssdpm_generator_get_name(i); i++) {
		struct ssdpm_generator_params p =
			params_of(ssdpm_generator_get_name(i));
		struct ssdpm_trace *trace = generate(&p);
		uint64_t until = 0;
		size_t n;

		assert_true(strlen(ssdpm_generator_get_description(i)) > 10);
		assert_int_equal(ssdpm_trace_read(trace, ios, MANY, &n, NULL),
				 0);
		assert_int_equal(ios[0].start_ns, 0);
		for (size_t k = 0; k < n; k++) {
			assert_in_range(ios[k].op, SSDPM_OP_READ,
					SSDPM_OP_DISCARD);
			assert_int_equal(ios[k].bytes % 512, 0);
			assert_int_equal(ios[k].offset % 512, 0);
			if (i < N_EVERYDAY)
				assert_int_equal(ios[k].service_ns,
						 SSDPM_SERVICE_UNKNOWN);
			else
				assert_true(ios[k].service_ns < 1000000);
			assert_true(ios[k].offset + ios[k].bytes <=
				    UINT64_C(256060514304));
			assert_true(ios[k].start_ns >= until);
			until = ios[k].start_ns;
		}
		assert_int_equal(ssdpm_trace_get_counts(trace)->n_ios, n);
		ssdpm_trace_free(trace);
	}
}

/* start, op, offset, bytes, service */
static void assert_io(const struct ssdpm_io *io, uint64_t start_ns, uint8_t op,
		      uint64_t offset, uint32_t bytes, uint32_t service_ns)
{
	const struct ssdpm_io expected = { .start_ns = start_ns,
					   .offset = offset,
					   .bytes = bytes,
					   .service_ns = service_ns,
					   .op = op };

	assert_memory_equal(io, &expected, sizeof(expected));
}

static void two_writes_at_a_time_keep_the_drive_busy(void **state)
{
	struct ssdpm_generator_params p = params_of("apst-1");

	(void)state;
	p.service_ns = 500;
	p.n_ios = 5;
	assert_int_equal(draw(&p, ios, MANY, 2), 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_io(&ios[i], i / 2 * 500, SSDPM_OP_WRITE, 4096 * i, 4096,
			  500);
}

/* 2 x (10000 + 4096 / 3) ns: two share the drive. */
static void an_unknown_service_is_the_nominal_one(void **state)
{
	struct ssdpm_generator_params p = params_of("apst-1");

	(void)state;
	p.n_ios = 3;
	assert_int_equal(draw(&p, ios, MANY, MANY), 3);
	assert_io(&ios[2], 22730, SSDPM_OP_WRITE, 8192, 4096, 22730);
	p = params_of("uflip-granularity-rr");
	p.value = 1048576;
	draw(&p, ios, 1, 1);
	assert_int_equal(ios[0].service_ns, 130000 + 1048576 / 3);
}

static void a_thousand_writes_and_a_pause_again_and_again(void **state)
{
	static const struct {
		const char *name;
		uint64_t pause_ms;
	} workloads[] = { { "apst-2", 50 },
			  { "apst-3", 150 },
			  { "apst-4", 500 },
			  { "apst-5", 1500 },
			  { "apst-6", 5000 } };

	(void)state;
	for (int w = 0; w < 5; w++) {
		struct ssdpm_generator_params p = params_of(workloads[w].name);

		p.service_ns = 1000;
		assert_int_equal(draw(&p, ios, MANY, 999), MANY);
		for (uint32_t i = 0; i < MANY; i++)
			assert_io(&ios[i],
				  i * 1000 + i / 1000 * workloads[w].pause_ms *
						     1000000,
				  SSDPM_OP_WRITE, 4096 * i, 4096, 1000);
	}
}

static void single_reads_have_150_ms_between_them(void **state)
{
	struct ssdpm_generator_params p = params_of("apst-7");

	(void)state;
	p.service_ns = 80000;
	assert_int_equal(draw(&p, ios, MANY, MANY), 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_io(&ios[i], i * UINT64_C(150080000), SSDPM_OP_READ,
			  ios[i].offset, 4096, 80000);
}

/* Offsets of the first n I/Os in units of 32 KiB. */
static void assert_places(const char *name, uint64_t value, const uint64_t *at,
			  size_t n)
{
	struct ssdpm_generator_params p = params_of(name);

	p.value = value;
	p.area_bytes = UINT64_C(8) * 32768; /* of locality, it is the value */
	draw(&p, ios, n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ios[i].offset, at[i] * 32768);
}

static void sequential_uflip_patterns_go_where_they_should(void **state)
{
	static const uint64_t parts[] = { 0, 4, 1, 5, 2, 6, 3, 7, 0, 4 };
	static const uint64_t step[] = { 0, 3, 6, 0, 3 };
	static const uint64_t backward[] = { 7, 6, 5, 4, 3, 2, 1, 0, 7 };
	static const uint64_t in_place[] = { 0, 0, 0 };
	static const uint64_t mix[] = { 0, 1, 4, 2, 3, 5, 0, 1, 6 };

	(void)state;
	assert_places("uflip-partitioning-sw", 2, parts, 10);
	assert_places("uflip-parallelism-sr", 2, parts, 10);
	assert_places("uflip-order-sr", 3, step, 5);
	assert_places("uflip-order-sw", UINT64_MAX, backward, 9);
	assert_places("uflip-order-sw", 0, in_place, 3);
	assert_places("uflip-mix-sr", 2, mix, 9);
	for (int i = 0; i < 9; i++)
		assert_int_equal(ios[i].op,
				 i % 3 == 2 ? SSDPM_OP_WRITE : SSDPM_OP_READ);
}

static void the_shift_of_alignment_leaves_room_at_the_end(void **state)
{
	struct ssdpm_generator_params p = params_of("uflip-alignment-sw");

	(void)state;
	p.value = 1536;
	p.area_bytes = 4 * 32768;
	draw(&p, ios, 4, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(ios[i].offset, 1536 + 32768 * (i % 3));
}

static void locality_and_random_steps_bound_the_places(void **state)
{
	struct ssdpm_generator_params p = params_of("uflip-locality-rw");
	uint64_t seen = 0;

	(void)state;
	p.value = 4 * 32768;
	size_t n = draw(&p, ios, MANY, MANY);
	assert_int_equal(n, 1024);
	for (size_t i = 0; i < n; i++)
		seen |= UINT64_C(1) << ios[i].offset / 32768;
	assert_int_equal(seen, 0xf);
	p = params_of("uflip-order-rr");
	p.value = 2;
	p.area_bytes = 7 * 32768;
	n = draw(&p, ios, MANY, MANY);
	seen = 0;
	for (size_t i = 0; i < n; i++)
		seen |= UINT64_C(1) << ios[i].offset / 32768;
	assert_int_equal(seen, 0x55);
}

static void pauses_and_bursts_are_of_the_given_length(void **state)
{
	struct ssdpm_generator_params p = params_of("uflip-pause-sr");

	(void)state;
	p.value = 7;
	p.service_ns = 10;
	draw(&p, ios, 3, 3);
	assert_int_equal(ios[2].start_ns, 2 * 17);
	p = params_of("uflip-bursts-sr");
	p.service_ns = 10;
	p.value = 3;
	p.mean_idle_ns = 100;
	draw(&p, ios, 7, 7);
	assert_int_equal(ios[2].start_ns, 20);
	assert_int_equal(ios[3].start_ns, 130);
	assert_int_equal(ios[6].start_ns, 260);
}

static void the_consistency_test_lasts_2000_seconds(void **state)
{
	struct ssdpm_generator_params p = params_of("consistency");
	struct ssdpm_trace *trace;
	uint64_t last = 0, n_ios = 0;
	size_t n;

	(void)state;
	p.service_ns = 1000000000;
	trace = generate(&p);
	do {
		assert_int_equal(ssdpm_trace_read(trace, ios, MANY, &n, NULL),
				 0);
		n_ios += n;
		last = n ? ios[n - 1].start_ns : last;
	} while (n);
	assert_int_equal(n_ios, 2000 * 32);
	assert_int_equal(last, UINT64_C(1999000000000));
	ssdpm_trace_free(trace);
	p.service_ns = 0;
	assert_int_equal(ssdpm_trace_generate(&p, &trace, NULL), -ERANGE);
}

/* Bursts of a geometric length: 300 on average, 10^5 / 300 of them. */
static void on_and_off_have_their_means(void **state)
{
	struct ssdpm_generator_params p = params_of("on-off");
	static struct ssdpm_io many[100000];
	uint64_t gaps = 0, idle = 0;

	(void)state;
	p.n_ios = 100000;
	p.value = 10;
	p.service_ns = 7;
	p.mean_idle_ns = 1000000;
	assert_int_equal(draw(&p, many, 100000, 777), 100000);
	for (int i = 1; i < 100000; i++) {
		uint64_t gap = many[i].start_ns - many[i - 1].start_ns - 7;

		gaps += gap > 0;
		idle += gap;
	}
	/* 10000 +- 95 bursts; the mean of that many gaps is +- 1 %. */
	assert_in_range(gaps, 10000 - 4 * 95, 10000 + 4 * 95);
	assert_in_range(idle / gaps, 960000, 1040000);
}

static void a_poisson_process_does_not_wait_for_the_drive(void **state)
{
	struct ssdpm_generator_params p = params_of("poisson");

	(void)state;
	p.n_ios = MANY;
	p.mean_idle_ns = 1000;
	p.service_ns = 0;
	draw(&p, ios, MANY, MANY);
	p.service_ns = 1000000;
	draw(&p, others, MANY, MANY);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(ios[i].start_ns, others[i].start_ns);
	p.op = SSDPM_OP_WRITE;
	draw(&p, others, 1, 1);
	assert_int_equal(others[0].op, SSDPM_OP_WRITE);
}

/*
 * Cards are drawn without replacement. After as many I/Os as the recording has,
 * all its long pauses have come, whatever the seed.
 */
static void a_recordings_long_pauses_come_as_often_with_each_seed(void **state)
{
	struct ssdpm_generator_params p = params_of("server-mysql");
	uint64_t least = UINT64_MAX, most = 0;
	size_t n;

	(void)state;
	for (p.seed = 0; p.seed < 10; p.seed++) {
		struct ssdpm_trace *trace = generate(&p);
		uint64_t last_ns = 0, long_ns = 0;

		do {
			assert_int_equal(
				ssdpm_trace_read(trace, ios, MANY, &n, NULL),
				0);
			for (size_t i = 0; i < n; i++) {
				uint64_t gap_ns = ios[i].start_ns - last_ns;

				if (gap_ns > 1000000000)
					long_ns += gap_ns;
				last_ns = ios[i].start_ns;
			}
		} while (n);
		least = long_ns < least ? long_ns : least;
		most = long_ns > most ? long_ns : most;
		ssdpm_trace_free(trace);
	}
	/* 1519 s in the recording; 1015 independent draws vary by 3 %. */
	assert_true(least > UINT64_C(1500000000000));
	assert_true(most < UINT64_C(1540000000000));
}

static void an_everyday_workload_takes_a_service_and_an_area(void **state)
{
	struct ssdpm_generator_params p = params_of("server-mysql");

	(void)state;
	p.service_ns = 5;
	p.area_bytes = 1048576;
	assert_int_equal(draw(&p, ios, MANY, MANY), MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(ios[i].service_ns, 5);
		assert_true(ios[i].offset + ios[i].bytes <= 1048576);
	}
}

static void reads_need_no_pause_and_writes_their_tail(void **state)
{
	static const struct {
		const char *name;
		uint64_t pause_ns;
	} rows[] = { { "apst-6", 77 },	       { "apst-7", 0 },
		     { "uflip-pause-rr", 0 },  { "uflip-order-rw", 77 },
		     { "uflip-mix-sr", 77 },   { "uflip-mix-sr-rr", 0 },
		     { "uflip-mix-rw", 77 },   { "consistency", 77 },
		     { "uflip-bursts-sr", 0 }, { "server-mysql", 77 },
		     { "poisson", 0 } };
	struct ssdpm_generator_params p;
	uint64_t pause_ns = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = params_of(rows[i].name);
		assert_int_equal(
			ssdpm_generator_get_pause_ns(&p, 77, &pause_ns, NULL),
			0);
		assert_int_equal(pause_ns, rows[i].pause_ns);
	}
	p.op = SSDPM_OP_WRITE;
	assert_int_equal(ssdpm_generator_get_pause_ns(&p, 77, &pause_ns, NULL),
			 0);
	assert_int_equal(pause_ns, 77);
	p.name = "apst-8";
	assert_int_equal(ssdpm_generator_get_pause_ns(&p, 5, &pause_ns, NULL),
			 -ENOENT);
	assert_int_equal(pause_ns, 77);
}

static void assert_refused(const struct ssdpm_generator_params *p, int code,
			   const char *fragment)
{
	struct ssdpm_trace *trace = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_trace_generate(p, &trace, &error), code);
	assert_ptr_equal(trace, UNTOUCHED);
	fixture_assert_error(&error, code, 0, fragment);
}

static void what_a_workload_cannot_have_is_refused(void **state)
{
	struct ssdpm_generator_params p = params_of(NULL);

	(void)state;
	assert_refused(&p, -EINVAL, "name: none");
	p.name = "apst-8";
	assert_refused(&p, -ENOENT, "'apst-8'");
	p = params_of("apst-1");
	p.value = 1;
	assert_refused(&p, -EINVAL, "value: apst-1 does not take it");
	p = params_of("apst-1");
	p.op = SSDPM_OP_READ;
	assert_refused(&p, -EINVAL, "op: apst-1 does not take it");
	p = params_of("poisson");
	p.op = SSDPM_OP_FLUSH;
	assert_refused(&p, -EINVAL, "op: 3 is neither");
	p = params_of("poisson");
	p.shape_milli = 1500;
	assert_refused(&p, -EINVAL, "shape_milli: poisson");
	p = params_of("lomax");
	p.shape_milli = 1000;
	assert_refused(&p, -ERANGE, "there is no mean");
	p.shape_milli = 1500;
	p.mean_idle_ns = UINT64_MAX;
	assert_refused(&p, -ERANGE, "mean_idle_ns");
	p = params_of("uflip-granularity-sr");
	p.value = 1000;
	assert_refused(&p, -ERANGE, "a multiple of 512 up to 134217728");
	p.value = 512;
	p.bytes = 512;
	assert_refused(&p, -EINVAL, "bytes: uflip-granularity-sr does not");
	p = params_of("uflip-order-sr");
	p.value = UINT64_MAX - 1;
	assert_refused(&p, -ERANGE, "up to 65536");
	p = params_of("consistency");
	p.area_bytes = 4095;
	assert_refused(&p, -ERANGE, "area_bytes: 4095 has no room");
	p.area_bytes = UINT64_MAX;
	assert_refused(&p, -ERANGE, "area_bytes");
	p.area_bytes = 0;
	p.bytes = UINT32_MAX - 511;
	assert_refused(&p, -ERANGE, "service_ns: the nominal one");
	p = params_of("apst-1");
	p.bytes = 4095;
	assert_refused(&p, -ERANGE, "bytes: 4095");
	p = params_of("server-mysql");
	p.bytes = 4096;
	assert_refused(&p, -EINVAL, "bytes: server-mysql does not take it");
	p.bytes = 0;
	p.area_bytes = 4096;
	assert_refused(&p, -ERANGE, "area_bytes: 4096 has no room");
}

static void parameters_have_a_size(void **state)
{
	struct {
		struct ssdpm_generator_params params;
		uint64_t newer;
	} p = { .params = params_of("apst-1") };

	(void)state;
	p.params.size = sizeof(p);
	ssdpm_trace_free(generate(&p.params));
	p.newer = 1;
	assert_refused(&p.params, -E2BIG, "this library knows");
	p.params.size = 0;
	assert_refused(&p.params, -EINVAL, "size");
	/* Only the first two members; the service is still the nominal one. */
	p.params.size = offsetof(struct ssdpm_generator_params, seed);
	p.params.service_ns = 1;
	draw(&p.params, ios, 1, 1);
	assert_int_equal(ios[0].service_ns, 22730);
	assert_int_equal(
		ssdpm_generator_params_init(&p.params, sizeof(size_t) - 1),
		-EINVAL);
}

static void a_workload_of_more_than_292_years_fails_at_its_end(void **state)
{
	struct ssdpm_generator_params p = params_of("poisson");
	struct ssdpm_error error = fixture_error();
	struct ssdpm_trace *trace;
	size_t n = 1;
	int err;

	(void)state;
	p.mean_idle_ns = UINT64_C(1000000000000000);
	p.n_ios = UINT64_MAX;
	trace = generate(&p);
	do {
		err = ssdpm_trace_read(trace, ios, 100, &n, &error);
	} while (err == 0);
	fixture_assert_error(&error, -ERANGE, 0, "292 years");
	assert_in_range(ssdpm_trace_get_counts(trace)->n_ios, 8000, 10500);
	assert_int_equal(ssdpm_trace_read(trace, ios, 1, &n, NULL), -ERANGE);
	ssdpm_trace_free(trace);
}

static void the_name_need_not_outlive_the_call(void **state)
{
	char name[] = "uflip-mix-sr";
	struct ssdpm_generator_params p = params_of(name);
	struct ssdpm_trace *trace = generate(&p);
	size_t n;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(ssdpm_trace_read(trace, ios, 10, &n, NULL), 0);
	assert_int_equal(n, 10);
	ssdpm_trace_free(trace);
}

static char *job_of(const char *name, uint64_t value)
{
	struct ssdpm_generator_params p = params_of(name);
	char *text = NULL;

	p.value = value;
	assert_int_equal(ssdpm_generator_to_fio_job(&p, &text, NULL), 0);
	return text;
}

static void a_job_says_what_the_records_do(void **state)
{
	char *text = job_of("apst-3", 0);

	(void)state;
	assert_string_equal(
		text,
		"# apst-3: 1000 writes one after the other, then 150 ms idle; again\n"
		"# fio --filename=DEVICE THIS_FILE: overwrites it\n"
		"[apst-3]\n"
		"ioengine=libaio\n"
		"direct=1\n"
		"rw=write\n"
		"bs=4096\n"
		"size=1073741824\n"
		"io_size=40960000\n"
		"iodepth=1\n"
		"thinktime=150000us\n"
		"thinktime_blocks=1000\n");
	free(text);
}

static void each_benchmark_varies_one_line_of_its_job(void **state)
{
	static const struct {
		const char *name;
		uint64_t value;
		const char *lines;
	} rows[] = {
		{ "apst-1", 0, "iodepth=2\n" },
		{ "uflip-granularity-rr", 4096, "rw=randread\nbs=4096\n" },
		{ "uflip-alignment-sw", 1024, "\noffset=1024\n" },
		{ "uflip-locality-sr", 65536, "\nsize=65536\n" },
		{ "uflip-partitioning-sw", 4,
		  "numjobs=4\noffset_increment=33554432\n" },
		{ "uflip-order-sw", 3, "rw=write:65536\n" },
		{ "uflip-order-sr", UINT64_MAX, "rw=read:-65536\n" },
		{ "uflip-order-sr", 0, "\nsize=32768\n" },
		{ "uflip-order-rw", 4, "blockalign=131072\n" },
		{ "uflip-parallelism-rw", 8, "numjobs=8\n" },
		{ "uflip-mix-sr", 3, "rw=rw\nrwmixread=75\n" },
		{ "uflip-mix-sw", 3, "rw=rw\nrwmixread=25\n" },
		{ "uflip-mix-sr-rw", 1,
		  "rw=randrw\nrwmixread=50\npercentage_random=0,100\n" },
		{ "uflip-mix-sr-rr", 4, "rw=randread\npercentage_random=20\n" },
		{ "uflip-mix-sr", 65536, "rwmixread=99\n" },
		{ "uflip-pause-sr", 100001, "thinktime=101us\n" },
		{ "uflip-bursts-rw", 20,
		  "thinktime=100000us\nthinktime_blocks=20\n" },
		{ "consistency", 0, "runtime=2000s\niodepth=32\n" },
		{ "poisson", 0, "rate=40960\nrate_process=poisson\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = job_of(rows[i].name, rows[i].value);

		if (!strstr(text, rows[i].lines))
			fail_msg("%s lacks %s", text, rows[i].lines);
		free(text);
	}
}

static void assert_no_job(const struct ssdpm_generator_params *p, int code,
			  const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	char *text = UNTOUCHED;

	assert_int_equal(ssdpm_generator_to_fio_job(p, &text, &error), code);
	assert_ptr_equal(text, UNTOUCHED);
	fixture_assert_error(&error, code, 0, fragment);
}

static void what_fio_cannot_do_is_no_job(void **state)
{
	struct ssdpm_generator_params p = params_of("lomax");

	(void)state;
	assert_no_job(&p, -EOPNOTSUPP, "fio has no such arrivals");
	p.name = "on-off";
	assert_no_job(&p, -EOPNOTSUPP, "on-off");
	p.name = "server-mysql";
	assert_no_job(&p, -EOPNOTSUPP, "server-mysql");
	p.name = "nothing";
	assert_no_job(&p, -ENOENT, "nothing");
	p = params_of("poisson");
	p.mean_idle_ns = 5000000000000;
	assert_no_job(&p, -ERANGE, "fio takes 1 to 2^32-1");
	p = params_of("uflip-pause-sr");
	p.value = 5000000000000;
	assert_no_job(&p, -ERANGE, "a pause of 5000000000 us");
	p = params_of("apst-1");
	p.n_ios = UINT64_MAX;
	assert_no_job(&p, -ERANGE, "2^63-1 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_same_seed_gives_the_same_records_everywhere),
		cmocka_unit_test(pieces_are_the_whole_and_seeds_differ),
		cmocka_unit_test(descriptions_of_the_patchs_workloads_differ),
		cmocka_unit_test(records_are_sound_whatever_the_workload),
		cmocka_unit_test(two_writes_at_a_time_keep_the_drive_busy),
		cmocka_unit_test(an_unknown_service_is_the_nominal_one),
		cmocka_unit_test(a_thousand_writes_and_a_pause_again_and_again),
		cmocka_unit_test(single_reads_have_150_ms_between_them),
		cmocka_unit_test(
			sequential_uflip_patterns_go_where_they_should),
		cmocka_unit_test(the_shift_of_alignment_leaves_room_at_the_end),
		cmocka_unit_test(locality_and_random_steps_bound_the_places),
		cmocka_unit_test(pauses_and_bursts_are_of_the_given_length),
		cmocka_unit_test(the_consistency_test_lasts_2000_seconds),
		cmocka_unit_test(on_and_off_have_their_means),
		cmocka_unit_test(a_poisson_process_does_not_wait_for_the_drive),
		cmocka_unit_test(
			a_recordings_long_pauses_come_as_often_with_each_seed),
		cmocka_unit_test(
			an_everyday_workload_takes_a_service_and_an_area),
		cmocka_unit_test(reads_need_no_pause_and_writes_their_tail),
		cmocka_unit_test(what_a_workload_cannot_have_is_refused),
		cmocka_unit_test(parameters_have_a_size),
		cmocka_unit_test(
			a_workload_of_more_than_292_years_fails_at_its_end),
		cmocka_unit_test(the_name_need_not_outlive_the_call),
		cmocka_unit_test(a_job_says_what_the_records_do),
		cmocka_unit_test(each_benchmark_varies_one_line_of_its_job),
		cmocka_unit_test(what_fio_cannot_do_is_no_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
