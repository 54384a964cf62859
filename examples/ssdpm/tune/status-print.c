/* SPDX-License-Identifier: MIT */
/* The screen of ssdpm status: each drive in a line, and what to do next. */
#include "options/advised.h"
#include "options/numbers.h"
#include "programs.h"
#include "text/device.h"
#include "text/remedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The least of a product that a row shows. With more rows than fit a screen,
 * drives of one kind share one.
 */
enum { PRODUCT_COLUMNS = 8, MOST_ROWS = 12, MOST_SETTINGS = 3 };

/* Why a drive does not sleep, or less than it could, in one column. */
static const char *short_reason(uint32_t code)
{
	static const struct {
		uint32_t code;
		const char *words;
	} reasons[] = {
		{ SSDPM_DIAGNOSIS_NO_APST, "no APST" },
		{ SSDPM_DIAGNOSIS_QUIRK, "a quirk" },
		{ SSDPM_DIAGNOSIS_APST_OFF, "APST is off" },
		{ SSDPM_DIAGNOSIS_APST_EMPTY, "APST is empty" },
		{ SSDPM_DIAGNOSIS_STATE_NOT_USED, "not as deep" },
		{ SSDPM_DIAGNOSIS_TABLE_DIFFERS, "odd table" },
		{ SSDPM_DIAGNOSIS_NO_NON_OPERATIONAL, "it cannot" },
		{ SSDPM_DIAGNOSIS_LINK_NO_L1_2, "no L1.2" },
		{ SSDPM_DIAGNOSIS_LINK_NO_ASPM, "no ASPM" },
		{ SSDPM_DIAGNOSIS_ASPM_POLICY, "ASPM" },
		{ SSDPM_DIAGNOSIS_NOT_LIVE, "not live" },
		{ SSDPM_DIAGNOSIS_LPM_UNSUPPORTED, "no LPM" },
		{ SSDPM_DIAGNOSIS_LPM_OFF, "LPM is off" },
		{ SSDPM_DIAGNOSIS_EXTERNAL_PORT, "external" },
		{ SSDPM_DIAGNOSIS_HOT_PLUG_PORT, "hot-plug" },
		{ SSDPM_DIAGNOSIS_NO_HIPM, "no HIPM" },
		{ SSDPM_DIAGNOSIS_NO_DIPM, "it cannot" },
		{ SSDPM_DIAGNOSIS_HOST_BITS, "no ALPE" },
		{ SSDPM_DIAGNOSIS_OPTICAL, "optical" },
		{ SSDPM_DIAGNOSIS_LPM_KEPT, "firmware" },
		{ SSDPM_DIAGNOSIS_LPM_PARTIAL_ONLY, "no Slumber" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].code == code)
			return reasons[i].words;
	return NULL;
}

const struct ssdpm_diagnosis *find_finding(
	const struct ssdpm_report_item *drive, uint32_t code)
{
	for (size_t i = 0; i < drive->n_diagnoses; i++)
		if (drive->diagnoses[i].code == code)
			return &drive->diagnoses[i];
	return NULL;
}

/* A problem of the link is not why a verdict is unknown. */
const char *why_awake(const struct ssdpm_report_item *drive)
{
	if (!drive->reason ||
	    (drive->verdict == SSDPM_DIAGNOSIS_NOT_KNOWN &&
	     drive->reason->severity == SSDPM_SEVERITY_PROBLEM))
		return NULL;
	return short_reason(drive->reason->code);
}

/*
 * A link that sleeps is no disk that does. Linux takes some SSDs for hard
 * disks; these are estimated.
 */
static bool is_hard_disk(const struct outlook *outlook)
{
	return !outlook->is_estimated &&
	       ssdpm_device_get_facts(outlook->drive.device)->flags &
		       SSDPM_DEVICE_ROTATIONAL;
}

static struct cell now_text(const struct outlook *outlook)
{
	const struct ssdpm_report_item *drive = &outlook->drive;
	static const char *const words[] = {
		[SSDPM_DIAGNOSIS_SAVES] = "sleeps",
		[SSDPM_DIAGNOSIS_SAVES_LESS] = "sleeps less",
		[SSDPM_DIAGNOSIS_SAVES_NOTHING] = "awake",
		[SSDPM_DIAGNOSIS_NOT_KNOWN] = "not known",
		[SSDPM_DIAGNOSIS_OUT_OF_REACH] = "out of reach",
		[SSDPM_DIAGNOSIS_NO_DISK] = "no disk",
	};
	const char *why;

	if (drive->error)
		return cell("cannot be read");
	if (drive->risk)
		return cell("%s: data at risk", words[drive->verdict]);
	if (is_hard_disk(outlook))
		return cell("hard disk");
	why = why_awake(drive);
	return cell("%s%s%s", words[drive->verdict], why ? ": " : "",
		    why ? why : "");
}

struct cell setting_text(const struct ssdpm_profile_settings *settings)
{
	if (settings->set & SSDPM_PROFILE_LPM)
		return cell("%s", ssdpm_lpm_to_string(settings->lpms[0]));
	if (!settings->max_exit_latency_us)
		return cell("never sleep");
	return cell("latency limit %s",
		    limit_text(settings->max_exit_latency_us).text);
}

struct cell delay_cell(int64_t ns)
{
	const int64_t size = two_digits(ns < 0 ? -ns : ns);

	return cell("%c%s", ns < 0 ? '-' : '+', time_text((uint64_t)size).text);
}

struct cell saving_cell(const struct ssdpm_likely *likely)
{
	static const char *const words[] = {
		[SSDPM_SAVING_SAVES] = "saves ",
		[SSDPM_SAVING_PROBABLY_SAVES] = "may save ",
		[SSDPM_SAVING_NOT_DECIDED] = "not decided",
		[SSDPM_SAVING_PROBABLY_COSTS] = "may cost ",
		[SSDPM_SAVING_COSTS] = "costs ",
		[SSDPM_SAVING_TOO_SMALL] = "too little",
	};
	const int64_t uw = likely->median_uw;

	if (likely->verdict == SSDPM_SAVING_NOT_DECIDED ||
	    likely->verdict == SSDPM_SAVING_TOO_SMALL)
		return cell("%s", words[likely->verdict]);
	return cell("%s%s", words[likely->verdict],
		    power_text(two_digits(uw < 0 ? -uw : uw)).text);
}

/* No setting of the drive is known to be better; its link may be. */
static struct cell no_change_text(const struct outlook *outlook)
{
	const struct ssdpm_likely *likely = outlook->likely;

	if (outlook->is_to_rebuild)
		return cell("new table: %s", saving_cell(likely).text);
	if (outlook->link)
		return cell("link: %s",
			    saving_cell(outlook->link->likely).text);
	if (likely && likely->verdict == SSDPM_SAVING_NOT_DECIDED)
		return saving_cell(likely);
	return cell("no change");
}

/* "saves 120 mW +0.31 ms" */
static struct cell change_text(const struct outlook *outlook)
{
	const struct ssdpm_likely *likely = outlook->likely;

	if (outlook->drive.error ||
	    outlook->drive.verdict == SSDPM_DIAGNOSIS_OUT_OF_REACH)
		return cell("-");
	if (!has_energy)
		return cell(outlook->drive.n_changes ? "other settings" :
						       "no change");
	if (!outlook->is_estimated)
		return cell("not estimated");
	if (outlook->is_skipped)
		return cell("see tune");
	if (!outlook->is_known)
		return cell("not known");
	if (!likely || !outlook->is_to_set)
		return no_change_text(outlook);
	return cell("%s %s", saving_cell(likely).text,
		    delay_cell(outlook->added_mean_ns).text);
}

/* A port without a disk is no drive. */
static bool is_drive(const struct ssdpm_report_item *drive)
{
	return drive->verdict != SSDPM_DIAGNOSIS_NO_DISK;
}

static int longer(int width, const char *text)
{
	const int length = (int)strlen(text);

	return width < length ? length : width;
}

struct screen_row screen_row(const char *name, const char *product,
			     struct cell third, struct cell last)
{
	return (struct screen_row){
		.name = cell("%s", name),
		.product = cell("%s", product[0] ? product : "-"),
		.third = third,
		.last = last,
	};
}

static bool is_same_row(const struct screen_row *a, const struct screen_row *b)
{
	return !strcmp(a->product.text, b->product.text) &&
	       !strcmp(a->third.text, b->third.text) &&
	       !strcmp(a->last.text, b->last.text);
}

size_t merge_screen_rows(struct screen_row *rows, size_t n)
{
	size_t n_merged = 0, j;

	for (size_t i = 0; i < n; i++) {
		for (j = 0; j < n_merged && !is_same_row(&rows[j], &rows[i]);
		     j++)
			;
		if (j < n_merged)
			rows[j].n_more++;
		else
			rows[n_merged++] = rows[i];
	}
	return n_merged;
}

size_t count_row_drives(const struct screen_row *rows, size_t n)
{
	size_t n_drives = 0;

	for (size_t i = 0; i < n; i++)
		n_drives += 1 + rows[i].n_more;
	return n_drives;
}

struct cell row_name(const struct screen_row *row)
{
	if (!row->n_more)
		return row->name;
	return cell("%s +%zu", row->name.text, row->n_more);
}

static void print_third(const struct screen_row *row, int width)
{
	if (row->color)
		print_escape(row->color);
	printf("%-*s", width, row->third.text);
	if (row->color)
		print_escape("\033[0m");
}

/* Two points stand for what does not fit. */
static struct cell cut_text(const char *text, int width)
{
	if ((int)strlen(text) <= width || width < 2)
		return cell("%.*s", width < 0 ? 0 : width, text);
	return cell("%.*s..", width - 2, text);
}

static void print_row(const struct screen_row *row, int name, int product,
		      int third)
{
	printf("%-*s  %-*s  ", name, row_name(row).text, product,
	       cut_text(row->product.text, product).text);
	print_third(row, third);
	printf("  %s\n", row->last.text);
}

/* In a narrow terminal a row takes three lines. */
static void print_narrow_row(const struct screen_row *row)
{
	const int room = (int)text_width(stdout) - 2;

	printf("%s  %s\n  ", row_name(row).text,
	       cut_text(row->product.text,
			room - (int)strlen(row_name(row).text))
		       .text);
	print_third(row, 0);
	putchar('\n');
	print_paragraph(row->last.text, 2, 4);
}

/* The product is cut where the others leave too little. */
void print_screen_rows(const struct screen_row *rows, size_t n)
{
	int name = 0, product = 0, third = 0, last = 0, room;

	for (size_t i = 0; i < n; i++) {
		name = longer(name, row_name(&rows[i]).text);
		product = longer(product, rows[i].product.text);
		third = longer(third, rows[i].third.text);
		last = longer(last, rows[i].last.text);
	}
	room = (int)text_width(stdout) - 6 - name - third - last;
	product = product > room ? room : product;
	for (size_t i = 0; i < n; i++)
		if (room < PRODUCT_COLUMNS)
			print_narrow_row(&rows[i]);
		else
			print_row(&rows[i], name, product, third);
}

/* Red, yellow, green; NULL: nothing is known. */
static const char *color_of(const struct ssdpm_report_item *drive)
{
	if (drive->error)
		return NULL;
	if (drive->risk)
		return "\033[31m";
	switch (drive->verdict) {
	case SSDPM_DIAGNOSIS_SAVES:
		return "\033[32m";
	case SSDPM_DIAGNOSIS_SAVES_LESS:
	case SSDPM_DIAGNOSIS_SAVES_NOTHING:
		return "\033[33m";
	default:
		return NULL;
	}
}

/* Those that go first, and then the others, both in their order. */
static void sort_rows(struct screen_row *rows, size_t n)
{
	size_t n_first = 0;

	for (size_t i = 0; i < n; i++) {
		const struct screen_row row = rows[i];

		if (!row.goes_first)
			continue;
		memmove(&rows[n_first + 1], &rows[n_first],
			(i - n_first) * sizeof(row));
		rows[n_first++] = row;
	}
}

/* Below a row of heads. Drives for which there is no room are counted. */
static void print_some_rows(struct screen_row *rows, size_t n)
{
	size_t n_shown = n;

	if (n > MOST_ROWS)
		n_shown = n = merge_screen_rows(rows + 1, n);
	if (n > MOST_ROWS) {
		sort_rows(rows + 1, n);
		n_shown = MOST_ROWS - 1;
	}
	print_screen_rows(rows, 1 + n_shown);
	if (n > n_shown)
		printf("and %zu more; --json has all\n",
		       count_row_drives(rows + 1 + n_shown, n - n_shown));
}

static enum exit_status print_drives(const struct outlooks *outlooks,
				     bool colored)
{
	struct screen_row *rows = calloc(outlooks->n + 1, sizeof(*rows));
	size_t n = 1;

	if (!rows)
		return out_of_memory();
	rows[0] = screen_row(
		"drive", "product", cell("now"),
		cell(has_energy ? "best change, I/O delay" : "profile auto"));
	for (size_t i = 0; i < outlooks->n; i++) {
		const struct outlook *outlook = &outlooks->list[i];
		const struct ssdpm_report_item *drive = &outlook->drive;

		if (!is_drive(drive))
			continue;
		rows[n] = screen_row(drive->name, drive->product,
				     now_text(outlook), change_text(outlook));
		rows[n].goes_first =
			outlook->is_to_set || drive->error || drive->reason;
		rows[n++].color = colored ? color_of(drive) : NULL;
	}
	print_some_rows(rows, n - 1);
	free(rows);
	return STATUS_DONE;
}

/* Without a prediction that alone is known to be worth it. */
static bool print_apply(const struct live *live,
			const struct outlooks *outlooks)
{
	size_t n = 0;

	for (size_t i = 0; i < outlooks->n; i++) {
		const struct ssdpm_report_item *drive =
			&outlooks->list[i].drive;

		if (!drive->n_changes || !drive->risk)
			continue;
		if (!n++) {
			printf("Next: %sssdpm apply --profile auto",
			       live->root || !geteuid() ? "" : "sudo ");
			write_root(stdout, live->root);
		}
		write_word(stdout, drive->name);
	}
	if (n)
		putchar('\n');
	return n;
}

/* How many drives before this one get another setting than it, or none. */
static bool is_first_of_setting(const struct outlooks *outlooks, size_t at,
				size_t *ret_n_more)
{
	const struct cell own = setting_text(outlooks->list[at].settings);

	*ret_n_more = 0;
	for (size_t i = 0; i < outlooks->n; i++) {
		const struct outlook *outlook = &outlooks->list[i];

		if (i == at || !outlook->is_to_set ||
		    strcmp(setting_text(outlook->settings).text, own.text))
			continue;
		if (i < at)
			return false;
		++*ret_n_more;
	}
	return true;
}

/* "It sets med_power_with_dipm on sda and 5 more, latency limit 25 ms on
 * nvme0." */
static void write_settings(FILE *file, const struct outlooks *outlooks)
{
	size_t n = 0, n_more;

	fputs("It sets ", file);
	for (size_t i = 0; i < outlooks->n; i++) {
		const struct outlook *outlook = &outlooks->list[i];

		if (!outlook->is_to_set ||
		    !is_first_of_setting(outlooks, i, &n_more) ||
		    n++ >= MOST_SETTINGS)
			continue;
		fprintf(file, "%s%s on %s", n > 1 ? ", " : "",
			setting_text(outlook->settings).text,
			outlook->drive.name);
		if (n_more)
			fprintf(file, " and %zu more", n_more);
	}
	if (n > MOST_SETTINGS)
		fprintf(file, "; %zu settings more", n - MOST_SETTINGS);
	putc('.', file);
}

static void print_settings(const struct outlooks *outlooks)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	write_settings(file, outlooks);
	if (!fclose(file))
		print_paragraph(text, 2, 2);
	free(text);
}

static bool print_tune(const struct live *live, const struct outlooks *outlooks)
{
	for (size_t i = 0; i < outlooks->n; i++) {
		if (!outlooks->list[i].is_to_set)
			continue;
		printf("Next: %sssdpm tune",
		       live->root || !geteuid() ? "" : "sudo ");
		write_root(stdout, live->root);
		putchar('\n');
		print_settings(outlooks);
		return true;
	}
	return false;
}

/* The setting that replaces the default of Linux. */
static void write_parameter(FILE *file, const char *name, uint64_t value,
			    uint64_t usual, const char *unit)
{
	if (value != usual)
		fprintf(file, ":%s=%llu%s", name, (unsigned long long)value,
			unit);
}

/* The setting as a policy: "linux:limit=25000us", "medium_power". */
static void write_policy(FILE *file, const struct live *live,
			 const struct outlook *outlook)
{
	struct ssdpm_apst_params usual, now = { .size = sizeof(now) };

	if (outlook->settings->set & SSDPM_PROFILE_LPM) {
		fputs(ssdpm_lpm_to_string(outlook->settings->lpms[0]), file);
		return;
	}
	ssdpm_apst_params_init(&usual, sizeof(usual));
	if (ssdpm_device_get_apst_params(outlook->drive.device, &live->facts,
					 outlook->model, &now, NULL))
		now = usual;
	fprintf(file, "%s:limit=%lluus",
		ssdpm_apst_algorithm_to_string(now.algorithm),
		(unsigned long long)outlook->settings->max_exit_latency_us);
	if (now.algorithm != SSDPM_APST_LINUX)
		return;
	write_parameter(file, "primary-timeout", now.primary_timeout_ms,
			usual.primary_timeout_ms, "ms");
	write_parameter(file, "primary-tolerance",
			now.primary_latency_tolerance_us,
			usual.primary_latency_tolerance_us, "us");
	write_parameter(file, "secondary-timeout", now.secondary_timeout_ms,
			usual.secondary_timeout_ms, "ms");
	write_parameter(file, "secondary-tolerance",
			now.secondary_latency_tolerance_us,
			usual.secondary_latency_tolerance_us, "us");
}

void write_call_to_decide(FILE *file, const struct live *live,
			  const char *workload, const struct outlook *outlook)
{
	fputs("To decide: ssdpm compare -e -t", file);
	write_word(file, workload);
	write_root(file, live->root);
	fputs(" --policy today --policy ", file);
	write_policy(file, live, outlook);
	write_word(file, outlook->drive.name);
	putc('\n', file);
}

static void print_undecided(const struct live *live,
			    const struct outlooks *outlooks)
{
	for (size_t i = 0; i < outlooks->n; i++) {
		const struct outlook *outlook = &outlooks->list[i];
		const struct ssdpm_likely *likely = outlook->likely;

		if (outlook->is_to_set || !likely ||
		    likely->verdict != SSDPM_SAVING_NOT_DECIDED)
			continue;
		write_call_to_decide(stdout, live, outlooks->workload, outlook);
		return;
	}
}

/* What the remedy of a link saves. */
static struct cell price_text(const struct outlook *outlook)
{
	if (!outlook->link ||
	    outlook->link->finding->code != outlook->drive.reason->code)
		return cell("%s", "");
	return cell(", %s", saving_text(outlook->link->likely).text);
}

/* What keeps the first drive from sleeping, and what to do about it. */
static bool print_remedy(const struct live *live,
			 const struct outlooks *outlooks)
{
	for (size_t i = 0; i < outlooks->n; i++) {
		const struct ssdpm_report_item *drive =
			&outlooks->list[i].drive;
		struct cell lead;
		char *advice;

		/* A quirk that is right leaves nothing to do. */
		if (!drive->reason || !drive->reason->remedy ||
		    drive->reason->remedy == SSDPM_REMEDY_LEAVE_QUIRK ||
		    !is_drive(drive))
			continue;
		advice = remedy_advice(live->root,
				       ssdpm_device_get_facts(drive->device),
				       drive->reason);
		if (!advice)
			return false;
		lead = cell("Next, for %s%s:", drive->name,
			    price_text(&outlooks->list[i]).text);
		if (strlen(lead.text) + 1 + strlen(advice) <=
			    text_width(stdout) &&
		    !strstr(advice, ": echo ")) {
			printf("%s %s\n", lead.text, advice);
		} else {
			puts(lead.text);
			print_clauses(advice, 2);
		}
		free(advice);
		return true;
	}
	return false;
}

/* If the call and its purpose do not fit one line, they have two. */
static void print_lead(const struct live *live, const char *call,
		       const char *operand, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	bool fits;

	if (!file)
		return;
	fprintf(file, "  %s", call);
	write_root(file, live->root);
	if (operand)
		write_word(file, operand);
	if (!fclose(file)) {
		fits = strlen(text) + 3 + strlen(what) <= text_width(stdout);
		fputs(text, stdout);
		fputs(fits ? "   " : "\n    ", stdout);
		puts(what);
	}
	free(text);
}

/* A sentence with --root in its calls. */
static void print_sentence(const struct live *live, const char *text,
			   int indent)
{
	char *advised = advised_text(live->root, text);

	if (advised)
		print_paragraph(advised, indent, 2);
	free(advised);
}

/* Nobody builds the table of a capture anew when a setting changes. */
bool keeps_old_table(const struct live *live,
		     const struct ssdpm_report_item *drive)
{
	return live->facts.capture &&
	       find_finding(drive, SSDPM_DIAGNOSIS_TABLE_DIFFERS);
}

static bool has_old_table(const struct live *live,
			  const struct outlooks *outlooks)
{
	for (size_t i = 0; i < outlooks->n; i++)
		if (keeps_old_table(live, &outlooks->list[i].drive))
			return true;
	return false;
}

/* Likewise, nobody sets the registers of its ports. */
static bool has_old_registers(const struct live *live,
			      const struct outlooks *outlooks)
{
	for (size_t i = 0; i < outlooks->n && live->facts.capture; i++) {
		const struct ssdpm_diagnosis *reason =
			outlooks->list[i].drive.reason;

		if (reason && reason->code == SSDPM_DIAGNOSIS_HOST_BITS)
			return true;
	}
	return false;
}

static void print_scope(const struct live *live,
			const struct outlooks *outlooks)
{
	bool saves = false;

	for (size_t i = 0; i < outlooks->n; i++) {
		const struct outlook *outlook = &outlooks->list[i];

		saves |= (outlook->is_to_set && outlook->likely) ||
			 outlook->link;
	}
	if (saves)
		print_paragraph(cell("Savings are likely ones on the workload "
				     "%s; ssdpm tune takes yours.",
				     outlooks->workload)
					.text,
				0, 2);
	if (has_old_table(live, outlooks))
		print_old_table();
	if (has_old_registers(live, outlooks))
		print_paragraph("A capture keeps the registers of a port that "
				"were read; Linux sets them with the policy.",
				0, 2);
}

/* The first that sleeps less than it could, or else the first one. */
static const char *drive_to_explain(const struct outlooks *outlooks)
{
	const char *first = NULL, *with_reason = NULL;

	for (size_t i = 0; i < outlooks->n; i++) {
		const struct ssdpm_report_item *drive =
			&outlooks->list[i].drive;

		if (!is_drive(drive))
			continue;
		if (drive->risk)
			return drive->name;
		if (drive->reason && !with_reason)
			with_reason = drive->name;
		first = first ? first : drive->name;
	}
	return with_reason ? with_reason : first;
}

int add_outlook(struct outlooks *outlooks, struct outlook outlook,
		struct ssdpm_error *reterr)
{
	struct outlook *list =
		realloc(outlooks->list, (outlooks->n + 1) * sizeof(*list));

	if (!list) {
		*reterr = (struct ssdpm_error){ .code = -ENOMEM,
						.message = "out of memory" };
		return -ENOMEM;
	}
	outlooks->list = list;
	list[outlooks->n++] = outlook;
	return 0;
}

void print_no_drive(void)
{
	puts("No NVMe or SATA drive is here. Try one of the catalogue:\n"
	     "  ssdpm show 'WDC PC SN530'       its power states\n"
	     "  ssdpm apst 'WDC PC SN530'       when Linux uses them\n"
	     "  ssdpm list --catalogue samsung  which drives are known");
}

/* Those that were not estimated, because they sleep. */
static size_t count_skipped(const struct outlooks *outlooks)
{
	size_t n = 0;

	for (size_t i = 0; i < outlooks->n; i++)
		n += outlooks->list[i].is_skipped;
	return n;
}

static bool sets_any(const struct outlooks *outlooks)
{
	for (size_t i = 0; i < outlooks->n; i++)
		if (outlooks->list[i].is_to_set)
			return true;
	return false;
}

static void print_nothing(const struct outlooks *outlooks)
{
	const size_t n = count_skipped(outlooks);
	size_t n_drives = 0;

	for (size_t i = 0; i < outlooks->n; i++)
		n_drives += is_drive(&outlooks->list[i].drive);
	if (n && n == n_drives)
		printf("%s; tune may find more.\n",
		       n == 1 ? "The drive sleeps" : "The drives sleep");
	else if (n)
		print_paragraph(cell("%zu of %zu drives sleep%s; tune may find "
				     "more. For the other%s, no other "
				     "latency limit or link policy is known to "
				     "save.",
				     n, n_drives, n == 1 ? "s" : "",
				     n_drives - n == 1 ? "" : "s")
					.text,
				0, 2);
	else
		print_paragraph(has_energy ? "No other latency limit or link "
					     "policy is known to save." :
					     "No change is known to be worth "
					     "it.",
				0, 2);
}

/* Has ssdpm set something that it can undo? */
static bool has_applied(const struct live *live)
{
	struct ssdpm_plan *plan;
	size_t n = 0;

	if (ssdpm_plan_new(live->machine, NULL, &plan, NULL))
		return false;
	if (!ssdpm_plan_add_applied(plan, NULL, NULL))
		n = ssdpm_plan_count(plan, UINT32_MAX);
	ssdpm_plan_free(plan);
	return n;
}

/* What was said first comes first. */
static void print_next(const struct live *live, const struct outlooks *outlooks)
{
	if ((has_energy ? print_tune : print_apply)(live, outlooks))
		print_sentence(live,
			       has_energy ? "It shows the change and asks; "
					    "ssdpm revert undoes it." :
					    "ssdpm revert undoes it.",
			       2);
	else if (!print_remedy(live, outlooks))
		print_nothing(outlooks);
	print_undecided(live, outlooks);
}

static bool is_among(const struct drives *drives, const char *name)
{
	for (size_t i = 0; drives && i < drives->n; i++)
		if (!strcmp(drives->drives[i].name, name))
			return true;
	return false;
}

/* Others are printed all the same. */
enum exit_status complain_of_unread(const struct common *common,
				    const struct live *live,
				    const struct outlooks *outlooks,
				    const struct drives *drives)
{
	enum exit_status status = STATUS_DONE, one;

	for (size_t i = 0; i < outlooks->n; i++) {
		const struct ssdpm_report_item *drive =
			&outlooks->list[i].drive;

		if (!drive->error)
			continue;
		one = say_unread(live, drive->name, drive->error,
				 drive->message);
		if (!is_among(drives, drive->name))
			keep_failed_drive(common, drive->name, SIZE_MAX, one);
		status = status ? status : one;
	}
	return status;
}

enum exit_status print_outlooks(const struct live *live,
				const struct outlooks *outlooks, bool colored,
				bool urgent)
{
	const char *first = drive_to_explain(outlooks);
	enum exit_status status;

	if (!first) {
		print_no_drive();
		return STATUS_DONE;
	}
	status = print_drives(outlooks, colored);
	if (status)
		return status;
	print_scope(live, outlooks);
	putchar('\n');
	if (!urgent)
		print_next(live, outlooks);
	print_lead(live, "ssdpm show", first, "why it is so");
	if (has_energy)
		print_lead(live, "ssdpm tune --dry-run", NULL,
			   sets_any(outlooks) ? "what it would set" :
			   count_skipped(outlooks) ?
						"whether more can be saved" :
						"why it sets nothing");
	else
		print_lead(live, "ssdpm plan", NULL,
			   "what profile auto would set");
	if (has_applied(live))
		print_lead(live, "ssdpm revert", NULL,
			   "undoes what ssdpm has set");
	puts("  ssdpm help   all commands");
	return STATUS_DONE;
}
