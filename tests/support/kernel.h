/* SPDX-License-Identifier: MIT */
/*
 * A simulated kernel, below a copy of a capture. It accepts, refuses and obeys
 * writes to its sysfs as Linux does. Any call may fail, write less, or be the
 * last one before a kill. It outlives a killed process. With --wrap, it sees
 * only the library's own calls.
 */
#ifndef SSDPM_TESTS_KERNEL_H
#define SSDPM_TESTS_KERNEL_H

#include "fixture.h"

#include "device/internal.h"

#include <sys/types.h>

enum {
	KERNEL_DRIVES = 4,
	KERNEL_PORTS = 5,
	KERNEL_PARAMETERS = 4,
	KERNEL_REMOVED = 1, /* the drive to remove: nvme1 */
};

/* Calls that can fail. */
enum kernel_call {
	KERNEL_WRITE = 1 << 0, /* to a file in sysfs */
	KERNEL_READ = 1 << 1,  /* likewise */
	KERNEL_LOG = 1 << 2,   /* write to the journal and so on */
	KERNEL_SYNC = 1 << 3,
	KERNEL_NAME = 1 << 4, /* rename, unlink */
	KERNEL_MEMORY = 1 << 5,
	KERNEL_CHANGES = KERNEL_WRITE | KERNEL_LOG | KERNEL_SYNC | KERNEL_NAME,
};

struct kernel_drive {
	char tolerance[16];
	struct ssdpm_apst table; /* that was built */
	char path[256];		 /* of the tolerance; "": none */
	int n_built;
	uint32_t power; /* features 02h and 11h */
	uint32_t nopp;
	bool asleep;	/* Get Features returns the last state, until an I/O */
	char link[256]; /* the directory link/; "": none */
	uint32_t capable;      /* bits of enum ssdpm_pcie_feature */
	uint32_t link_off;     /* what its files have turned off */
	uint32_t allowed;      /* by the ASPM policy */
	char d3cold_path[256]; /* of d3cold_allowed; "": none */
	bool d3cold;
};

struct kernel_port {
	char policy[32];  /* in sysfs */
	char applied[32]; /* set by the error handler */
	uint32_t bits;	  /* ALPE and ASP */
	int pending;	  /* reads of the state until the handler ends */
	char path[256];	  /* of the directory */
	char disk[256];	  /* of queue_depth; "": none */
	char depth[12];	  /* in that file */
	bool hipm;
};

/* The values compared after a commit. */
struct kernel_values {
	struct kernel_drive drives[KERNEL_DRIVES];
	struct kernel_port ports[KERNEL_PORTS];
	char parameters[KERNEL_PARAMETERS][16];
	char aspm_policy[20]; /* "": no file has it */
};

struct kernel {
	struct kernel_values now;
	int n_calls;  /* of those in mask */
	int n_writes; /* to sysfs */
	int mask; /* enum kernel_call: the calls that the next members count */
	int fail_at;   /* the n-th call of mask; 0: none */
	int error;     /* that it fails with; 0: it writes less */
	bool for_ever; /* and so do all after it */
	int kill_at;
	int remove_at; /* nvme1 goes at the n-th call of mask */
	/* Its state in between; "": its folder is empty; NULL: removed. */
	const char *going;
	bool is_removed;
	int pending;	      /* how long the error handler takes */
	bool starts_late;     /* the state reads "running" at first */
	bool deaf;	      /* the handler never comes back */
	uint32_t dies;	      /* bit of a port: gone while its handler runs */
	bool other_table;     /* it builds another table than Linux */
	bool refuses_table;   /* Set Features 0Ch */
	int features_error;   /* Get Features 0Ch fails with it */
	int power_status;     /* status with which Set Features 02h fails */
	bool refuses_power;   /* so does Linux */
	bool sleeps_on;	      /* no I/O wakes a drive */
	bool no_nopp;	      /* CTRATT bit 1 is clear */
	bool falls_asleep;    /* as soon as it has taken a command */
	int knows;	      /* how many policies: 5 */
	uint32_t unsupported; /* bit of a port: EOPNOTSUPP */
	bool link_is_old;     /* L1 that goes off leaves the substates on */
	uint32_t firmware_forbids; /* of links, with the policy "default" */
	int max_depth;		   /* of each drive; 0: 32 */
	bool keeps_aspm;	   /* the firmware: no policy is taken */
	bool ignores;		   /* takes a value, and does not keep it */
	const char *leaves; /* what a write that fails has left; or NULL */
	bool real_time;	    /* to sleep takes it */
	pid_t victim;	    /* of whom calls are counted; 0: of all */
};

extern struct kernel *kernel;

/* What the link of a drive does now. */
uint32_t kernel_link(const struct kernel_drive *drive);

/* The machine that it runs on. */
extern struct ssdpm_machine *kernel_machine;

/*
 * Undo what a killed commit left, all of it or fail; ret_n, which may be NULL:
 * how many values were put back.
 */
int kernel_recover(struct ssdpm_machine *machine, size_t *ret_n,
		   struct ssdpm_error *reterr);

/*
 * Boot it below a copy of the capture "eight-drives", and halt it; between two
 * tests it is as it was when it was booted. For cmocka; --wrap must be on.
 */
int kernel_setup(void **state);
int kernel_teardown(void **state);
int kernel_between(void **state);
const char *kernel_root(void);

/* As it was when it was booted; nothing is left in run/. */
void kernel_reset(void);
/* Files say what is so: to be called after a kill. */
void kernel_sync(void);
/* No faults from here on. */
void kernel_calm(void);

bool kernel_same(const struct kernel_values *a, const struct kernel_values *b);

/* The text of a file below the root, or NULL; free() it. */
char *kernel_text(const char *path);
void kernel_set_tolerance(int drive, const char *value);

struct ssdpm_device *kernel_device(const char *name);
struct ssdpm_model *kernel_model(int drive);

/* All of it, or nothing. */
extern const struct ssdpm_plan_params kernel_strict;
/* A plan without steps; one of its steps; committed, or the test fails. */
struct ssdpm_plan *kernel_plan(void);
/* The flags of its parameters. */
struct ssdpm_plan *kernel_plan_of(uint32_t flags);
/* A plan that reverts or applies again what was applied; its steps are read. */
struct ssdpm_plan *kernel_plan_revert(void);
struct ssdpm_plan *kernel_plan_applied(void);
/* All is as it was before the first commit. */
void kernel_assert_nothing_kept(void);
/* What its steps find, or the test fails. */
void kernel_read(struct ssdpm_plan *plan);
struct ssdpm_step kernel_step(const struct ssdpm_plan *plan, size_t i);
void kernel_commit(struct ssdpm_plan *plan);
void kernel_assert_fails(int err, const struct ssdpm_error *error, int code,
			 const char *fragment);
void kernel_commit_fails(struct ssdpm_plan *plan, int code,
			 const char *fragment);

/*
 * In a child that is killed at the n-th call that changes something: -1, or
 * what run() returned if there were fewer.
 */
int kernel_run_and_kill(int n, int (*run)(void *data), void *data);

#endif
