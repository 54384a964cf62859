/* SPDX-License-Identifier: MIT */
/*
 * ssdpmd sets what the files ask for after each event, and reports the drives
 * on the bus. Events come in (uevents.c, files.c, desktop.c). Each leads to the
 * same run in its own process (run.c). Then it reads the state (state.c) and
 * reports it (bus-machine.c, bus-drive.c).
 */
#ifndef SSDPMD_SERVICE_H
#define SSDPMD_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include <ssdpm.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define SSDPMD_NAME "org.ssdpm1"
#define SSDPMD_PATH "/org/ssdpm1"
#define SSDPMD_DRIVES SSDPMD_PATH "/drive"
#define SSDPMD_MACHINE_INTERFACE SSDPMD_NAME ".Machine"
#define SSDPMD_DRIVE_INTERFACE SSDPMD_NAME ".Drive"

/* A drive as last read. */
struct drive {
	char *path; /* of its object */
	struct ssdpm_device *device;
	struct ssdpm_model *model; /* NULL: unknown */
	char *policy;
	char *verdict;
	char *message;
	char *reason; /* "": nothing keeps it from saving */
};

/* The public state. */
struct state {
	struct drive *drives;
	size_t n_drives;
	uint32_t power_source;	     /* 0: unknown */
	struct ssdpm_intent *intent; /* NULL: the files have a fault */
	uint32_t intent_flags;
	bool in_force;
	char *fault; /* why no plan is possible; "": possible */
};

/* A desktop's service of profiles, which has two names. */
enum { N_DESKTOPS = 2 };

struct desktop {
	struct service *service;
	sd_bus_slot *asked; /* for its profile; NULL: answered */
	char profile[64];   /* "": unknown */
};

/*
 * Questions to polkit at a time, because a user may have many connections and
 * ask often.
 */
enum { MOST_QUESTIONS = 16 };

/* The folders of ssdpm.conf(5), and their parents. */
enum { N_FOLDERS = 6 };

struct ssdpm_energy_report;

struct service {
	sd_event *event;
	sd_bus *bus;
	struct ssdpm_machine *machine;
	const char *root; /* NULL: this machine */
	bool stays;	  /* even if not needed */
	struct state state;
	struct desktop desktops[N_DESKTOPS];
	bool has_begun;			     /* the first run was requested */
	int uevents;			     /* a socket, or -1 */
	sd_event_source *watches[N_FOLDERS]; /* of files.c; NULL: missing */
	/* The run in progress. */
	pid_t run;
	int run_pipe;	     /* the number of runs, and the first failure */
	uint32_t run_source; /* the last one's; 0: unknown */
	uint64_t n_runs;
	bool run_again;
	bool run_reverts, reverts; /* this run, and the next one */
	char *failure;		   /* of the last run; "": none */
	sd_event_source *retry;	   /* NULL: not planned */
	size_t n_retries;	   /* since the last event */
	bool failure_is_new;	   /* and not reported yet */
	/* Calls that wait for the end of a later run. */
	sd_bus_message **calls, **next_calls;
	size_t n_calls, n_next_calls;
	/* Unanswered questions to polkit; NULL: room for one. */
	struct question *questions[MOST_QUESTIONS];
	struct ssdpm_energy_report *savings; /* of saving.c */
	bool is_leaving;
	sd_event_source *idle;
};

/* main.c: writes a line to the journal, or to the terminal. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A caller needs the service: it stays for a while. */
void stay_awake(struct service *service);
void leave(struct service *service);

/* run.c: handles an event by looking at everything. */
int notice(struct service *service);
/* The present power source; 0: unknown. */
uint32_t read_source(const struct service *service);
/*
 * Answers the call after a run that begins from now on. If no run can come, it
 * fails, and the caller must answer.
 */
int answer_later(struct service *service, sd_bus_message *call,
		 struct ssdpm_error *error);

/* state.c */

/* Compares the requests of the files with the present state; free the plan. */
int plan_intent(const struct service *service,
		const struct ssdpm_intent *intent, struct ssdpm_plan **ret_plan,
		struct ssdpm_error *error);
/*
 * Whether a step is not in force. Reading a power state may wake the drive, so
 * the run that set it is its proof.
 */
bool is_open(const struct ssdpm_step *step);
int read_state(struct service *service, struct state *ret_state);
void free_state(struct state *state);
/* Replaces the state, and signals the changes. */
void tell_state(struct service *service, struct state *state);
const struct drive *find_drive(const struct state *state, const char *name);
/* The desktop's profile; "": unknown. */
const char *desktop_profile(const struct service *service);

/* bus-machine.c, bus-drive.c */
int add_machine_object(struct service *service);
int add_drive_objects(struct service *service);
/* Answers a call that has waited. */
void answer(struct service *service, sd_bus_message *call);

/*
 * polkit.c: calls go once the sender is authorized; otherwise sends an error.
 */
typedef int (*allowed_fn)(struct service *service, sd_bus_message *call);
int when_allowed(struct service *service, sd_bus_message *call, allowed_fn go);
bool has_questions(const struct service *service);

/* Sources of events. */
int watch_uevents(struct service *service);
int watch_files(struct service *service);
void forget_files(struct service *service);
int watch_desktop(struct service *service);
void forget_desktop(struct service *service);
/*
 * desktop.c: starts the first run after the desktop's services have answered.
 */
int begin_runs(struct service *service);

/*
 * saving.c: the likely saving of profile auto, for the property LikelySaving.
 */
#if HAVE_ENERGY
int append_likely_saving(struct service *service, const struct drive *drive,
			 sd_bus_message *reply);
void forget_savings(struct service *service);
#else
static inline void forget_savings(struct service *service)
{
	(void)service;
}
#endif

#endif
