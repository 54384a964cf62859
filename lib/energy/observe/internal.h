/* SPDX-License-Identifier: MIT */
/* What the files of the observation share. */
#ifndef SSDPM_LIB_OBSERVE_INTERNAL_H
#define SSDPM_LIB_OBSERVE_INTERNAL_H

#include <ssdpm/energy/observe.h>

#include "base/text.h"
#include "common/device-number.h"
#include "estimate/timeline.h"
#include "workload/awake.h"
#include "workload/pair.h"

/* Events that are read; a kernel may have another name for one. */
enum event_kind {
	EVENT_BIO_QUEUE,
	EVENT_BIO_REMAP,
	EVENT_RQ_ISSUE,
	EVENT_RQ_COMPLETE,
	EVENT_RQ_REQUEUE,
	EVENT_NVME_SETUP, /* a command goes to a controller */
	EVENT_DIRTY,	  /* a process changes a page of a file */
	EVENT_WRITE_BACK, /* a thread begins to write a file back */
	N_EVENT_KINDS,
};

/* Fields of events. */
enum event_field {
	FIELD_MAJOR,
	FIELD_MINOR,
	FIELD_SECTOR,
	FIELD_SECTORS,
	FIELD_OLD_MAJOR,
	FIELD_OLD_MINOR,
	FIELD_OLD_SECTOR,
	FIELD_CONTROLLER,
	FIELD_QUEUE,
	FIELD_INODE,
	FIELD_CGROUP,
	N_NUMBERS,
	FIELD_RWBS = N_NUMBERS,
	FIELD_NAME, /* of a backing device */
	FIELD_COMM, /* of the thread, where the line begins without it */
	N_FIELDS,
	NO_FIELD = N_FIELDS,
};

struct event {
	enum event_kind kind;
	uint64_t time_ns;
	uint32_t pid;
	struct span comm; /* of the thread in which it happened */
	uint64_t numbers[N_NUMBERS];
	struct span texts[N_FIELDS - N_NUMBERS];
};

/* How an event is printed: a text, then what a conversion prints, and so on. */
#define MAX_PIECES 24
#define MAX_LITERAL 16

struct format_piece {
	char literal[MAX_LITERAL]; /* before it */
	char conversion;	   /* 'd', 'x', 's', or 0: the end */
	uint8_t field;		   /* enum event_field */
};

struct format {
	size_t n; /* 0: there is none */
	struct format_piece pieces[MAX_PIECES];
};

/* Formats by event: that of this kernel, or those that are known. */
#define MAX_KNOWN 2

struct formats {
	struct format formats[N_EVENT_KINDS][MAX_KNOWN];
	uint32_t given; /* bits of enum event_kind: not only known */
	uint32_t seen;	/* bits: a line or a format shows that it is there */
};

/* The events: "block/block_rq_issue"; NULL: no such index. */
const char *ssdpm__event_path(size_t index);

void ssdpm__formats_init(struct formats *formats);

/* The text of a file "format": 0, -ENOENT, -EINVAL, -ENODATA. */
int ssdpm__formats_set(struct formats *formats, struct span text,
		       struct ssdpm_error *reterr);

/*
 * A text with the formats of requests has those of all events that there are.
 * Without them it is unknown which were traced.
 */
bool ssdpm__formats_lack(const struct formats *formats, enum event_kind kind);

/* The kind of an event by its name alone: 0, -ENOENT. */
int ssdpm__event_kind(struct span name, enum event_kind *ret_kind);

/*
 * Does what an event of that kind prints fit its format? If not, but up to its
 * thread, the text of that field begins there, and has no end.
 */
bool ssdpm__formats_follow(const struct formats *formats, struct span body,
			   struct event *event);

/* ssdpm__take_uint() would take blanks too, which are part of literals. */
bool ssdpm__take_digits(struct span *rest, uint64_t *ret_value);

enum line_kind {
	LINE_OTHER, /* no event that is read */
	LINE_EVENT,
	LINE_LOST, /* the kernel lost events */
	LINE_BAD,  /* an event, but it cannot be read */
	LINE_CUT,  /* it may go on in the next line, which is not here */
};

/*
 * The first record of a text of whole lines; *text then begins with its line
 * end. LINE_CUT leaves *text alone. ret_event holds spans of the text.
 * ret_lost: how many.
 */
enum line_kind ssdpm__observe_line(const struct formats *formats,
				   struct span *text, struct event *ret_event,
				   uint64_t *ret_lost);

/* Without the "\r" that another system put before its line end. */
struct span ssdpm__without_return(struct span line);

/* Causes are numbers; those that find no room are the first. */
#define MAX_CAUSES 256
#define CAUSE_OTHER 0

struct cause_entry {
	uint32_t kind;
	uint32_t pid;
	char name[SSDPM_CAUSE_NAME];
};

struct causes {
	size_t n;
	struct cause_entry entries[MAX_CAUSES];
	uint16_t table[2 * MAX_CAUSES]; /* by hash: number, 0: free */
};

void ssdpm__causes_init(struct causes *causes);
uint16_t ssdpm__cause(struct causes *causes, uint32_t kind, uint32_t pid,
		      struct span name);

/* Another cause of this kind, even if one has this name; CAUSE_OTHER: no room.
 */
uint16_t ssdpm__new_cause(struct causes *causes, uint32_t kind,
			  struct span name);

uint16_t ssdpm__cause_of_thread(struct causes *causes, uint32_t pid,
				struct span comm);

/* Does a thread of this name ask for itself? */
bool ssdpm__is_process(struct span comm);

/* Does it write what others have changed? kswapd does not: it swaps. */
bool ssdpm__writes_back(const struct causes *causes, uint16_t cause);

/*
 * A process that changes pages. It becomes a cause when bytes are charged to
 * it: most pages may be those of disks that nobody watches.
 */
struct author {
	uint32_t pid;
	char name[SSDPM_CAUSE_NAME];
};

struct author ssdpm__author(uint32_t pid, struct span comm);
uint16_t ssdpm__cause_of_author(struct causes *causes,
				const struct author *author);

/*
 * Processes that change pages of each file system, by its backing device. Each
 * of them is the cause of a part of the data that is written back.
 */
#define MAX_BACKINGS 32
#define MAX_DIRTIERS 8

struct dirtier {
	struct author author;
	uint64_t pages;	  /* changed; halved for all when they are many */
	uint64_t written; /* bytes that it was taken for */
};

struct backing {
	uint64_t device;
	uint64_t used; /* larger: later */
	size_t n;
	struct dirtier dirtiers[MAX_DIRTIERS];
};

struct dirty {
	uint64_t clock;
	size_t n;
	struct backing backings[MAX_BACKINGS];
};

void ssdpm__dirty_add(struct dirty *dirty, uint64_t device,
		      const struct author *author);

/* The cause of so many bytes that are written back; CAUSE_OTHER: not known. */
uint16_t ssdpm__dirty_take(struct dirty *dirty, struct causes *causes,
			   uint64_t device, uint64_t bytes);
/* The cause of these is known from elsewhere. */
void ssdpm__dirty_pay(struct dirty *dirty, const struct causes *causes,
		      uint64_t device, uint16_t cause, uint64_t bytes);

/*
 * The process that changed a file last. File systems on one disk share their
 * numbers. Files that share a place displace each other.
 */
#define MAX_FILES 4096

/*
 * File systems on one disk have inodes of one number. Each btrfs has
 * another backing device. All others have that of the disk: no event tells two
 * of them apart.
 */
struct file_name {
	uint64_t device;
	uint64_t backing; /* a hash of its name: "259:0", "btrfs-1" */
	uint64_t inode;
};

struct file {
	struct file_name name;
	struct author author;
};

/* The file that a thread writes back to a device since it began with it. */
#define MAX_FLUSHERS 64

struct flusher {
	uint32_t pid;
	struct file_name file;
	uint64_t cgroup; /* that its pages are charged to */
	uint64_t used;	 /* larger: later */
};

#define MAX_CGROUPS 512

struct cgroup {
	uint64_t number;
	uint16_t cause; /* CAUSE_OTHER: none yet */
	bool is_sought; /* without success, if it has no name */
	char name[SSDPM_CAUSE_NAME];
};

struct files {
	uint64_t clock;
	size_t n_flushers;
	struct flusher flushers[MAX_FLUSHERS];
	size_t n_cgroups;
	struct cgroup cgroups[MAX_CGROUPS];
	struct file changed[MAX_FILES];
};

void ssdpm__file_changed(struct files *files, const struct file_name *name,
			 const struct author *author);
void ssdpm__file_begun(struct files *files, uint32_t pid,
		       const struct file_name *name, uint64_t cgroup);

/* "/system.slice/cron.service" of a number. false: no name, or no room. */
bool ssdpm__cgroup_named(struct files *files, struct causes *causes,
			 uint64_t number, struct span path);
/* It, or any, was seen and has no name, but may have one. */
bool ssdpm__is_nameless_cgroup(const struct files *files, uint64_t number);
bool ssdpm__has_nameless_cgroup(const struct files *files);
/* Those that have no name by now will have none. */
void ssdpm__cgroups_sought(struct files *files);

/* The cause of what a thread writes back now: the process that changed the
 * file, or its cgroup; CAUSE_OTHER: not known. */
uint16_t ssdpm__file_cause(struct files *files, struct causes *causes,
			   uint32_t pid, uint64_t device);

/* Bios on their way to a drive, by device and sector: the latest ones. */
#define BIO_BITS 12
#define MAX_BIOS (1u << BIO_BITS)

struct bio {
	uint64_t device;
	uint64_t sector;
	uint32_t sectors;
	uint32_t next; /* with the same hash; 0: none */
	uint16_t cause;
	bool live;
	bool remapped; /* another device handed it on: that knows the cause */
};

struct bios {
	uint32_t at; /* the one that was put last */
	uint32_t chains[MAX_BIOS];
	struct bio ring[MAX_BIOS + 1]; /* the first is never used */
};

void ssdpm__bio_put(struct bios *bios, const struct bio *bio);
/* The live bio that begins here, or the latest that holds this; NULL: none. */
struct bio *ssdpm__bio_at(struct bios *bios, uint64_t device, uint64_t sector);
struct bio *ssdpm__bio_around(struct bios *bios, uint64_t device,
			      uint64_t sector);
void ssdpm__bio_remove(struct bios *bios, struct bio *bio);
/* All those of a device. */
void ssdpm__bios_forget(struct bios *bios, uint64_t device);

/* The causes of one I/O: those with most of its bytes. */
#define MAX_PARTS_OF_IO 4

struct parts {
	uint16_t n;
	uint16_t causes[MAX_PARTS_OF_IO];
	uint32_t bytes[MAX_PARTS_OF_IO];
};

void ssdpm__parts_add(struct parts *parts, uint16_t cause, uint32_t bytes);

/* The number of the part that has most; parts are not empty. */
static inline size_t ssdpm__parts_most(const struct parts *parts)
{
	size_t most = 0;

	for (size_t i = 1; i < parts->n; i++)
		if (parts->bytes[i] > parts->bytes[most])
			most = i;
	return most;
}

/* Counters of a cause. */
struct counted {
	struct wide energy_fj;
	uint64_t n_ios;
	uint64_t bytes;
	uint64_t n_wakes;
	uint64_t n_admin;
};

/* All that is counted of a drive, and for whom the next energy is. */
struct account {
	struct parts last; /* who kept the drive busy until it was idle */
	struct parts next; /* who makes it work now */
	bool sleeps;	   /* the policy lets it */
	uint32_t phase;	   /* the latest */
	uint32_t state;
	uint32_t deepest;     /* of the states that the policy uses */
	uint64_t n_deepest;   /* how often it was reached */
	uint64_t idle_run_ns; /* without an I/O, up to now */
	uint64_t n_idle_times;
	uint64_t busy_ns, idle_ns, asleep_ns, transition_ns, uncovered_ns;
	uint64_t n_ios, bytes, n_wakes, n_delayed, delay_sum_ns, n_admin;
	struct wide energy_fj, resting_fj;
	struct counted causes[MAX_CAUSES];
};

/* In the place of an operation: a gap begins, and ends. */
#define KEPT_GAP 254
#define KEPT_GAP_END 255

/* An I/O as the drive serves it when it is awake, and who asked for it. */
struct kept {
	uint64_t start_ns;
	uint32_t bytes;
	uint32_t service_ns;
	struct parts parts;
	uint8_t op;
	uint8_t flags; /* SSDPM_IO_CONTINUED, or 0 */
};

/* The latest of them. */
#define MAX_KEPT 32768

/* An admin command; the latest of them are kept. */
#define MAX_ASKED 4096

struct asked {
	uint64_t time_ns;
	uint16_t cause;
};

/* How a drive is simulated, for those who simulate it anew. */
struct setup {
	struct ssdpm_model *model;
	struct ssdpm_sim_params sim;
	struct ssdpm_apst table;	    /* of sim */
	struct ssdpm_parameter *parameters; /* likewise */
};

/* The begin of an interval. */
struct mark {
	struct account account;
	uint64_t now_ns;
	uint64_t n_uncovered_ios;
};

struct observed_drive {
	struct setup setup;
	struct mark *mark; /* NULL: the start */
	uint64_t device;
	uint32_t ctrl_id;
	bool begun;
	uint16_t flush_cause; /* of the latest bio that asks for a flush */
	struct timeline timeline;
	struct timeline fresh; /* as it was before the first I/O */
	struct account account;
	struct ssdpm_trace trace; /* of the pair */
	uint64_t start_ns;	  /* of the first I/O, or of a gap before it */
	uint64_t n_uncovered_ios;
	uint64_t last_start_ns;
	bool is_recorded;      /* the text says which policy was in force */
	struct awake recorded; /* that */
	struct kept *kept;     /* a ring, once it is full */
	size_t n_kept, max_kept, kept_at;
	struct asked asked[MAX_ASKED]; /* a ring; account.n_admin came */
	size_t n_causes;
	uint16_t causes[MAX_CAUSES];   /* in the order in which they came */
	uint16_t index_of[MAX_CAUSES]; /* 1 + the index there; 0: it has none */
};

/* Copies what is needed of the parameters. */
int ssdpm__drive_new(const struct ssdpm_observed_params *params,
		     struct observed_drive **ret_drive,
		     struct ssdpm_error *reterr);
struct observed_drive *ssdpm__drive_free(struct observed_drive *drive);

/* A record in the order of time, and who asked for it. */
int ssdpm__drive_take(struct observed_drive *drive, const struct ssdpm_io *io,
		      const struct parts *parts, struct ssdpm_error *reterr);
/* Nothing is known from one time until another, and it had I/Os. */
int ssdpm__drive_skip(struct observed_drive *drive, uint64_t from_ns,
		      uint64_t until_ns, uint64_t n_ios,
		      struct ssdpm_error *reterr);
void ssdpm__drive_admin(struct observed_drive *drive, uint64_t time_ns,
			uint16_t cause);

/* The account as of a time that no record is before: a copy, as large. */
int ssdpm__drive_account(const struct observed_drive *drive, uint64_t now_ns,
			 struct account *ret_account, uint64_t *ret_now_ns,
			 struct ssdpm_error *reterr);

/* The kept I/Os up to that time; without: a cause, or CAUSE_NONE. */
#define CAUSE_NONE UINT16_MAX

int ssdpm__drive_replay(const struct observed_drive *drive, uint64_t now_ns,
			uint16_t without, struct account *ret_account,
			struct ssdpm_error *reterr);

/* Each change of state of that; account is overwritten. */
int ssdpm__drive_tell(const struct observed_drive *drive, uint64_t now_ns,
		      ssdpm_change_fn fn, void *userdata,
		      struct account *account, struct ssdpm_error *reterr);
uint64_t ssdpm__drive_kept_from_ns(const struct observed_drive *drive);

/* One of n_kept, in the order of time. */
const struct kept *ssdpm__drive_kept(const struct observed_drive *drive,
				     size_t i);

/* The first one that no gap comes after; from_ns: the end of the last gap, or
 * that first one. */
size_t ssdpm__drive_after_gaps(const struct observed_drive *drive,
			       uint64_t *ret_from_ns);

/* A simulation that begins at this time. */
void ssdpm__drive_begin_replay(const struct observed_drive *drive,
			       uint64_t from_ns, struct timeline *ret_timeline,
			       struct account *ret_account);
int ssdpm__drive_feed(struct timeline *timeline, struct account *account,
		      const struct kept *kept, struct ssdpm_error *reterr);

/* A kept I/O as a simulation takes it. */
struct ssdpm_io ssdpm__kept_io(const struct kept *kept);

/* -ERANGE: beyond 2^64 nJ. */
int ssdpm__observed_nj(struct wide energy_fj, uint64_t *ret_nj,
		       struct ssdpm_error *reterr);

#endif
