/* SPDX-License-Identifier: MIT */
/*
 * ssdpmd: after any event it sets again what the files ask for, and the bus
 * tells how the drives are. Events come in (uevents.c, files.c, desktop.c).
 * Each leads to the same run in its own process (run.c). Then the state is read
 * (state.c), and told (bus-machine.c, bus-drive.c).
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

/* A drive as it was read last. */
struct drive {
	char *path; /* of its object */
	struct ssdpm_device *device;
	struct ssdpm_model *model; /* NULL: not known */
	char *policy;
	char *verdict;
	char *message;
	char *reason; /* "": nothing keeps it from saving */
};

/* What everybody may know. */
struct state {
	struct drive *drives;
	size_t n_drives;
	uint32_t power_source;	     /* 0: not known */
	struct ssdpm_intent *intent; /* NULL: the files have a fault */
	uint32_t intent_flags;
	bool in_force;
	char *fault; /* why nothing can be planned; "": it can */
};

/* A desktop's service of profiles: it has two names. */
enum { N_DESKTOPS = 2 };

struct desktop {
	struct service *service;
	sd_bus_slot *asked; /* for its profile; NULL: it has answered */
	char profile[64];   /* "": not known */
};

/* Of polkit at a time: each user has many connections, and may ask often. */
enum { MOST_QUESTIONS = 16 };

/* Folders of files of ssdpm.conf(5), and those that they are in. */
enum { N_FOLDERS = 6 };

struct ssdpm_energy_report;

struct service {
	sd_event *event;
	sd_bus *bus;
	struct ssdpm_machine *machine;
	const char *root; /* NULL: this machine */
	bool stays;	  /* also when nobody needs it */
	struct state state;
	struct desktop desktops[N_DESKTOPS];
	bool has_begun;			     /* the first run was asked for */
	int uevents;			     /* a socket, or -1 */
	sd_event_source *watches[N_FOLDERS]; /* of files.c; NULL: not there */
	/* The run that is under way. */
	pid_t run;
	int run_pipe; /* how many runs it was, and what has failed first */
	uint32_t run_source; /* what the last one has set; 0: not known */
	uint64_t n_runs;
	bool run_again;
	bool run_reverts, reverts; /* this one, and the next one */
	char *failure;		   /* of the last run; "": none */
	sd_event_source *retry;	   /* NULL: none is due */
	size_t n_retries;	   /* since the last event */
	bool failure_is_new;	   /* and was not told yet */
	/* Calls that wait for the end of a run that began after them. */
	sd_bus_message **calls, **next_calls;
	size_t n_calls, n_next_calls;
	/* Of polkit, and not answered yet; NULL: there is room for one. */
	struct question *questions[MOST_QUESTIONS];
	struct ssdpm_energy_report *savings; /* of saving.c */
	bool is_leaving;
	sd_event_source *idle;
};

/* main.c: a line for the journal, or for who started it by hand. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Somebody needs it: it stays for a while. */
void stay_awake(struct service *service);
void leave(struct service *service);

/* run.c: something has happened, so that all is looked at. */
int notice(struct service *service);
/* The power source of now; 0: not known. */
uint32_t read_source(const struct service *service);
/*
 * The call gets its answer when a run that begins after this has ended; but if
 * there is none to come, who calls this answers it.
 */
int answer_later(struct service *service, sd_bus_message *call,
		 struct ssdpm_error *error);

/* state.c */

/* What the files ask for, against what is so now; free the plan. */
int plan_intent(const struct service *service,
		const struct ssdpm_intent *intent, struct ssdpm_plan **ret_plan,
		struct ssdpm_error *error);
/*
 * Not in force. Power states are asked of the drive, which a command to it may
 * wake: whether they are in force was proven by the run that set them.
 */
bool is_open(const struct ssdpm_step *step);
int read_state(struct service *service, struct state *ret_state);
void free_state(struct state *state);
/* Take the place of the state, and tell who listens what has changed. */
void tell_state(struct service *service, struct state *state);
const struct drive *find_drive(const struct state *state, const char *name);
/* That of the desktop; "": not known. */
const char *desktop_profile(const struct service *service);

/* bus-machine.c, bus-drive.c */
int add_machine_object(struct service *service);
int add_drive_objects(struct service *service);
/* The answer to a call that has waited. */
void answer(struct service *service, sd_bus_message *call);

/*
 * polkit.c: go is called once the sender of the call may do it; else he is told
 * that he may not.
 */
typedef int (*allowed_fn)(struct service *service, sd_bus_message *call);
int when_allowed(struct service *service, sd_bus_message *call, allowed_fn go);
bool has_questions(const struct service *service);

/* What happens. */
int watch_uevents(struct service *service);
int watch_files(struct service *service);
void forget_files(struct service *service);
int watch_desktop(struct service *service);
void forget_desktop(struct service *service);
/* desktop.c: the first run, once the desktop's services have answered. */
int begin_runs(struct service *service);

/* saving.c: what profile auto likely saves, for the property LikelySaving. */
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
