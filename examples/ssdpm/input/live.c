/* SPDX-License-Identifier: MIT */
#include "input/live.h"

#include "options/advised.h"
#include "programs.h"

#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int read_surroundings(const struct live *live,
		      struct surroundings *ret_surroundings,
		      struct ssdpm_error *reterr)
{
	struct surroundings found = { 0 };
	int err;

	err = ssdpm_machine_read_owners(live->machine, &found.owners,
					&found.n_owners, reterr);
	if (!err)
		err = read_meters(live, &found.meters, &found.n_meters, reterr);
	if (err)
		free_surroundings(&found);
	else
		*ret_surroundings = found;
	return err;
}

void free_surroundings(struct surroundings *surroundings)
{
	free(surroundings->owners);
	free(surroundings->meters);
}

bool may_send_commands(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, data) &&
	       (data[0].effective & (UINT32_C(1) << CAP_SYS_ADMIN));
}

/*
 * If the kernel refuses a caller with all privileges, the device cannot do it.
 */
enum exit_status status_of_error(int code)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return may_send_commands() ? STATUS_DEVICE_CANNOT :
					     STATUS_NO_PRIVILEGES;
	case -EOPNOTSUPP:
		return STATUS_DEVICE_CANNOT;
	case -EREMOTEIO:
		return STATUS_NOT_IN_FORCE;
	default:
		return STATUS_FAILED;
	}
}

/* It begins with it, or with a file of this capture. */
static bool has_name(const char *message, const char *name)
{
	const size_t n = strlen(name);
	static const char cannot_read[] = "cannot read ";
	const char *file = message + strlen(cannot_read);

	if (!strncmp(message, name, n))
		return true;
	return !strncmp(message, cannot_read, strlen(cannot_read)) &&
	       !strncmp(file, name, n) && file[n] == '/';
}

void complain_about(const char *name, const char *message)
{
	if (name && !has_name(message, name))
		complain("%s: %s", name, message);
	else
		complain("%s", message);
}

enum exit_status complain_of_device(const char *name,
				    const struct ssdpm_error *error)
{
	complain_about(name, error->message);
	return status_of_error(error->code);
}

void complain_of_no_drive(const struct common *common)
{
	remark("no NVMe or SATA drive, and no SATA port, is %s%s; ssdpm list "
	       "--catalogue lists drives that others have",
	       common->root ? "in " : "here", common->root ? common->root : "");
}

/* Prints one line each; less important ones only with -v. */
static void print_log(void *userdata, uint32_t level, const char *message)
{
	(void)userdata;
	(void)level;
	remark("%s", message);
}

static int open_machine(const struct common *common, const char *root,
			struct live *live, struct ssdpm_error *reterr)
{
	struct ssdpm_machine_params params = {
		.size = sizeof(params),
		.root = root,
		.log_fn = common->quiet ? NULL : print_log,
		.log_level =
			common->verbose ? SSDPM_LOG_DEBUG : SSDPM_LOG_WARNING,
	};
	int err;

	if (root) {
		live->root = strdup(root);
		if (!live->root) {
			strcpy(reterr->message, "out of memory");
			return -ENOMEM;
		}
	}
	err = ssdpm_machine_new(&params, &live->machine, reterr);
	if (err)
		return err;
	live->facts.size = sizeof(live->facts);
	return ssdpm_machine_read_facts(live->machine, &live->facts, reterr);
}

static void complain_of_rights(const struct common *common)
{
	if (geteuid())
		complain("--identify sends commands to drives, which Linux "
			 "takes from root alone: sudo ssdpm %s ...",
			 common->subcommand);
	else
		complain("--identify sends commands to drives, which needs "
			 "CAP_SYS_ADMIN: this process of root lacks it, as in "
			 "a container");
}

/* Only who may enter it knows what it has. */
static enum exit_status complain_of_root(const char *root)
{
	struct stat status;
	char *path;

	if (asprintf(&path, "%s/sys", root) < 0)
		return out_of_memory();
	if (stat(path, &status) && errno == EACCES) {
		free(path);
		complain("cannot read %s: %s", root, ssdpm_strerror(-EACCES));
		return STATUS_NO_PRIVILEGES;
	}
	free(path);
	complain("%s: is no capture: it has no sys/; ssdpm capture DIR makes "
		 "one",
		 root);
	return STATUS_FAILED;
}

enum exit_status open_live(const struct common *common, const char *root,
			   struct live **ret_live)
{
	struct ssdpm_error error = { .message = "out of memory" };
	struct live *live = calloc(1, sizeof(*live));
	enum exit_status status;

	if (common->identify && !root && !may_send_commands()) {
		complain_of_rights(common);
		free(live);
		return STATUS_NO_PRIVILEGES;
	}
	if (live && !open_machine(common, root, live, &error)) {
		if (!root || is_capture(root)) {
			*ret_live = live;
			return STATUS_DONE;
		}
		status = complain_of_root(root);
	} else {
		status = complain_of_device(root, &error);
	}
	close_live(live);
	return status;
}

struct live *close_live(struct live *live)
{
	if (!live)
		return NULL;
	ssdpm_machine_unref(live->machine);
	free(live->root);
	free(live);
	return NULL;
}

/* Whether only digits follow. */
static bool ends_in_number(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && !text[n];
}

bool is_device_name(const char *operand)
{
	struct stat status;

	/* /dev/stdin and /dev/fd/63 are links. */
	if (!strncmp(operand, "/dev/", 5))
		return stat(operand, &status) ||
		       (!S_ISFIFO(status.st_mode) && !S_ISREG(status.st_mode));
	/* A controller that hides its drives, such as "0000:00:0e.0". */
	if (isxdigit((unsigned char)*operand) && strchr(operand, ':') &&
	    !operand[strspn(operand, "0123456789abcdef:.")])
		return true;
	if (!strncmp(operand, "nvme", 4)) {
		operand += 4;
		if (!isdigit((unsigned char)*operand))
			return false;
		operand += strspn(operand, "0123456789");
		return !operand[strspn(operand, "np0123456789")];
	}
	if (!strncmp(operand, "host", 4))
		return ends_in_number(operand + 4);
	if (strncmp(operand, "sd", 2))
		return false;
	operand += 2;
	if (!islower((unsigned char)*operand))
		return false;
	operand += strspn(operand, "abcdefghijklmnopqrstuvwxyz");
	return !*operand || ends_in_number(operand);
}

bool is_upper_device_name(const char *operand)
{
	char lower[16];
	size_t n = 0;

	for (; operand[n] && n < sizeof(lower) - 1; n++)
		lower[n] = (char)tolower((unsigned char)operand[n]);
	lower[n] = 0;
	return !operand[n] && strcmp(operand, lower) && is_device_name(lower);
}

bool is_capture(const char *operand)
{
	struct stat status;
	bool found;
	char *path;

	/* An empty operand would mean this machine. */
	if (!operand[0] || asprintf(&path, "%s/sys", operand) < 0)
		return false;
	found = !stat(path, &status) && S_ISDIR(status.st_mode);
	free(path);
	return found;
}

static const char *device_name(const struct ssdpm_device *device)
{
	return ssdpm_device_get_facts(device)->name;
}

/* "nvme0"; for a capture that is an operand, "DIR:nvme0". */
static char *make_name(const struct common *common, const struct live *live,
		       const struct ssdpm_device *device)
{
	const char *name = device_name(device);
	bool of_root = live->root == common->root ||
		       (live->root && common->root &&
			!strcmp(live->root, common->root));
	char *text;

	if (of_root)
		return strdup(name);
	return asprintf(&text, "%s:%s", live->root, name) < 0 ? NULL : text;
}

static int read_model(const struct common *common,
		      struct ssdpm_catalogue **catalogue, struct drive *drive)
{
	uint32_t flags = common->identify ? SSDPM_READ_COMMANDS : 0;
	uint32_t kind = ssdpm_device_get_facts(drive->device)->kind;

	/* sysfs has the abilities of SATA; without a drive it has none. */
	if (!*catalogue && kind && open_catalogue(common, catalogue))
		return -ENOMEM;
	return ssdpm_device_read_model(drive->device, flags, *catalogue,
				       &drive->model, &drive->problem);
}

enum exit_status add_device(const struct common *common,
			    struct ssdpm_catalogue **catalogue,
			    struct live *live, struct ssdpm_device *device,
			    struct drives *drives)
{
	struct drive drive = {
		.name = make_name(common, live, device),
		.live = live,
		.device = device,
	};
	enum exit_status status = STATUS_FAILED;
	int err = drive.name ? read_model(common, catalogue, &drive) : -ENOMEM;

	if (!drive.name)
		complain("out of memory");
	else if (err && drive.problem.code && drives->models_optional)
		return add_drive(drives, &drive);
	else if (err && drive.problem.code)
		status = complain_of_device(drive.name, &drive.problem);
	else if (!err)
		return add_drive(drives, &drive);
	free_drive(&drive);
	return status;
}

enum exit_status add_all_devices(const struct common *common,
				 struct ssdpm_catalogue **catalogue,
				 struct live *live, struct drives *drives)
{
	enum exit_status status = STATUS_DONE, failed = STATUS_DONE;
	struct ssdpm_device **devices;
	struct ssdpm_error error;
	size_t n, n_before = drives->n;

	if (ssdpm_device_list_read(live->machine, &devices, &n, &error))
		return complain_of_device(NULL, &error);
	for (size_t i = 0; i < n && !status; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(devices[i]);

		/* With all devices, keep those that have a model. */
		if (!drives->models_optional &&
		    (facts->reach != SSDPM_REACH_YES ||
		     (facts->flags &
		      (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL))))
			continue;
		status = add_device(common, catalogue, live,
				    ssdpm_device_ref(devices[i]), drives);
		/* Its name was reported; the others have their answer. */
		if (status && !drives->models_optional) {
			note_failed_drive(common, status);
			failed = status;
			status = STATUS_DONE;
		}
	}
	ssdpm_device_list_free(devices, n);
	if (drives->n > n_before || drives->models_optional)
		return status;
	if (!failed)
		complain("no drive that is known is %s%s",
			 live->root ? "in " : "here",
			 live->root ? live->root : "");
	return failed ? failed : STATUS_FAILED;
}

enum exit_status read_journal(const struct live *live,
			      const struct ssdpm_plan_params *params,
			      struct ssdpm_journal *ret_journal)
{
	struct ssdpm_error error;

	ret_journal->size = sizeof(*ret_journal);
	if (!ssdpm_journal_read(live->machine, params, ret_journal, &error))
		return STATUS_DONE;
	return complain_of_device(NULL, &error);
}

static const char *words_of(uint32_t state)
{
	switch (state) {
	case SSDPM_JOURNAL_RUNNING:
		return "a run of ssdpm goes on: its journal is %llu s old";
	case SSDPM_JOURNAL_KILLED:
		return "a run of ssdpm was killed, or could not undo all, %llu s "
		       "ago: ssdpm revert or apply undoes it first";
	case SSDPM_JOURNAL_REFUSED:
		return "a run of ssdpm, %llu s ago, cannot be undone: %s";
	default:
		return "a run of ssdpm goes on, was killed or could not undo all, %llu "
		       "s ago: ssdpm revert or apply undoes it first";
	}
}

char *describe_journal(const struct live *live,
		       const struct ssdpm_journal *journal)
{
	char text[352];

	snprintf(text, sizeof(text), words_of(journal->state),
		 (unsigned long long)(journal->age_ms / 1000), journal->reason);
	return advised_text(live->root, text);
}

void look_at_journals(const struct common *common, const struct drives *drives)
{
	for (size_t i = 0; i < drives->n_lives; i++) {
		struct live *live = drives->lives[i];
		char *text;

		if (read_journal(live, NULL, &live->journal) ||
		    !live->journal.stands || common->quiet)
			continue;
		text = describe_journal(live, &live->journal);
		if (text)
			remark("%s", text);
		free(text);
	}
}

/* The drives with values of the plan, each once; "": all may be. */
static struct cell devices_text(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	struct cell text = { "" };
	char last[32] = "";

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (!strcmp(last, step.device))
			continue;
		snprintf(last, sizeof(last), "%s", step.device);
		text = cell("%s%s%s", text.text, text.text[0] ? ", " : "",
			    last);
	}
	return text;
}

bool bisect_has_set(const struct live *live, struct cell *ret_drives)
{
	struct ssdpm_plan_params params = { .size = sizeof(params) };
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan = NULL;
	char *path;
	bool result = false;

	if (asprintf(&path, "%s/run/ssdpm/bisect",
		     live->root ? live->root : "") < 0)
		return false;
	params.directory = path;
	*ret_drives = cell("%s", "");
	if (!ssdpm_journal_read(live->machine, &params, &journal, NULL))
		result = journal.stands;
	if (!result && !ssdpm_plan_new(live->machine, &params, &plan, NULL) &&
	    !ssdpm_plan_add_applied(plan, NULL, NULL)) {
		result = ssdpm_plan_count(plan, SSDPM_STEPS_ALL);
		*ret_drives = devices_text(plan);
	}
	ssdpm_plan_free(plan);
	free(path);
	return result;
}

char *describe_bisect(const struct live *live, const struct cell *drives)
{
	const struct cell text =
		cell("a search of bisect has set %.90s, so other settings are "
		     "refused there: ssdpm bisect stop ends the search, and "
		     "restores what it has set",
		     drives->text[0] ? drives->text : "values");

	return advised_text(live->root, text.text);
}

enum exit_status warn_of_bisect(const struct common *common,
				const struct live *live)
{
	struct cell drives;
	char *text;

	if (common->quiet || !bisect_has_set(live, &drives))
		return STATUS_DONE;
	text = describe_bisect(live, &drives);
	if (!text)
		return out_of_memory();
	remark("%s", text);
	free(text);
	return STATUS_DONE;
}
