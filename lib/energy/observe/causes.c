/* SPDX-License-Identifier: MIT */
/* The threads that ask, and for written pages those that changed them. */
#include <string.h>

#include "base/words.h"
#include "observe/internal.h"

static const char cause_kind_words[][10] = {
	[SSDPM_CAUSE_PROCESS] = "process",
	[SSDPM_CAUSE_WRITEBACK] = "writeback",
	[SSDPM_CAUSE_JOURNAL] = "journal",
	[SSDPM_CAUSE_KERNEL] = "kernel",
	[SSDPM_CAUSE_OTHER] = "other",
	[SSDPM_CAUSE_CGROUP] = "cgroup",
};
ENUM_WORDS(cause_kind)

/* Threads that work for others, by the beginning of their names. */
static const struct {
	char prefix[13];
	uint8_t kind;
} threads[] = {
	{ "jbd2/", SSDPM_CAUSE_JOURNAL },
	{ "xfsaild/", SSDPM_CAUSE_JOURNAL },
	{ "btrfs-transa", SSDPM_CAUSE_JOURNAL },
	{ "txg_sync", SSDPM_CAUSE_JOURNAL },
	{ "f2fs_ckpt", SSDPM_CAUSE_JOURNAL },
	{ "kworker/", SSDPM_CAUSE_KERNEL },
	{ "dmcrypt_writ", SSDPM_CAUSE_KERNEL },
	{ "kswapd", SSDPM_CAUSE_KERNEL },
	{ "ksoftirqd/", SSDPM_CAUSE_KERNEL },
	{ "btrfs-", SSDPM_CAUSE_KERNEL },
	{ "bcache_", SSDPM_CAUSE_KERNEL },
	{ "z_", SSDPM_CAUSE_KERNEL },
	{ "loop", SSDPM_CAUSE_KERNEL },
	{ "md", SSDPM_CAUSE_KERNEL },
	{ "f2fs_", SSDPM_CAUSE_KERNEL },
	{ "ext4lazyinit", SSDPM_CAUSE_KERNEL },
};

/* Programs whose names begin as those of threads do, as Linux cuts them. */
static const char programs[][16] = {
	"btrfs-convert",   "btrfs-corrupt-b", "btrfs-debug-tre",
	"btrfs-find-root", "btrfs-image",     "btrfs-map-logic",
	"btrfs-select-su", "btrfs-zero-log",  "f2fs_io",
};

static bool is_program(struct span comm)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (ssdpm__span_is(comm, programs[i]))
			return true;
	return false;
}

/* "md127_raid1" and "loop0" are threads, and md5sum is a program. */
static bool is_numbered(const char *prefix, struct span rest)
{
	const char *first = rest.at;
	const bool is_md = !strcmp(prefix, "md");

	if (!is_md && strcmp(prefix, "loop") != 0)
		return true;
	while (rest.at < rest.end && *rest.at >= '0' && *rest.at <= '9')
		rest.at++;
	return rest.at > first &&
	       (is_md ? rest.at < rest.end && *rest.at == '_' :
			rest.at == rest.end);
}

static uint32_t kind_of_thread(struct span comm)
{
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		size_t n = strlen(threads[i].prefix);

		if ((size_t)(comm.end - comm.at) < n ||
		    memcmp(comm.at, threads[i].prefix, n) != 0)
			continue;
		if (!is_program(comm) &&
		    is_numbered(threads[i].prefix,
				(struct span){ comm.at + n, comm.end }))
			return threads[i].kind;
	}
	return SSDPM_CAUSE_PROCESS;
}

bool ssdpm__is_process(struct span comm)
{
	return kind_of_thread(comm) == SSDPM_CAUSE_PROCESS;
}

/* Threads that write what no process has changed in a file. */
static const char own_writers[][13] = { "kswapd", "ext4lazyinit", "f2fs_gc" };

bool ssdpm__writes_back(const struct causes *causes, uint16_t cause)
{
	const struct cause_entry *entry = &causes->entries[cause];

	for (size_t i = 0; i < sizeof(own_writers) / sizeof(own_writers[0]);
	     i++)
		if (!strncmp(entry->name, own_writers[i],
			     strlen(own_writers[i])))
			return false;
	return entry->kind == SSDPM_CAUSE_KERNEL;
}

void ssdpm__causes_init(struct causes *causes)
{
	memset(causes, 0, sizeof(*causes));
	causes->entries[CAUSE_OTHER] = (struct cause_entry){
		.kind = SSDPM_CAUSE_OTHER,
		.name = "other",
	};
	causes->n = 1;
}

static struct cause_entry entry_of(uint32_t kind, uint32_t pid,
				   struct span name)
{
	struct cause_entry entry = { .kind = kind, .pid = pid };

	if ((size_t)(name.end - name.at) >= sizeof(entry.name))
		name.end = name.at + sizeof(entry.name) - 1;
	memcpy(entry.name, name.at, (size_t)(name.end - name.at));
	return entry;
}

static uint16_t add_entry(struct causes *causes,
			  const struct cause_entry *entry)
{
	if (causes->n == MAX_CAUSES)
		return CAUSE_OTHER;
	causes->entries[causes->n] = *entry;
	return (uint16_t)causes->n++;
}

uint16_t ssdpm__new_cause(struct causes *causes, uint32_t kind,
			  struct span name)
{
	const struct cause_entry entry = entry_of(kind, 0, name);

	return add_entry(causes, &entry);
}

uint16_t ssdpm__cause(struct causes *causes, uint32_t kind, uint32_t pid,
		      struct span name)
{
	const struct cause_entry entry = entry_of(kind, pid, name);
	const size_t n_table = sizeof(causes->table) / sizeof(causes->table[0]);
	size_t at = (ssdpm__checksum(entry.name, strlen(entry.name)) ^ kind) %
		    n_table;

	for (; causes->table[at]; at = (at + 1) % n_table) {
		uint16_t number = causes->table[at];

		if (causes->entries[number].kind == kind &&
		    !strcmp(causes->entries[number].name, entry.name))
			return number;
	}
	causes->table[at] = add_entry(causes, &entry);
	return causes->table[at];
}

/* Workers have numbers that say nothing: "kworker/u16:3" is a kworker. */
static struct span name_of_thread(struct span comm)
{
	static const char worker[] = "kworker/";
	const size_t n = sizeof(worker) - 1;

	if ((size_t)(comm.end - comm.at) >= n && !memcmp(comm.at, worker, n))
		comm.end = comm.at + n - 1;
	return comm;
}

uint16_t ssdpm__cause_of_thread(struct causes *causes, uint32_t pid,
				struct span comm)
{
	return ssdpm__cause(causes, kind_of_thread(comm), pid,
			    name_of_thread(comm));
}

struct author ssdpm__author(uint32_t pid, struct span comm)
{
	struct author author = { .pid = pid };
	size_t n = (size_t)(comm.end - comm.at);

	if (n >= sizeof(author.name))
		n = sizeof(author.name) - 1;
	memcpy(author.name, comm.at, n);
	return author;
}

uint16_t ssdpm__cause_of_author(struct causes *causes,
				const struct author *author)
{
	return ssdpm__cause(causes, SSDPM_CAUSE_WRITEBACK, author->pid,
			    ssdpm__span(author->name, strlen(author->name)));
}

static struct backing *find_backing(struct dirty *dirty, uint64_t device)
{
	for (size_t i = 0; i < dirty->n; i++)
		if (dirty->backings[i].device == device) {
			dirty->backings[i].used = ++dirty->clock;
			return &dirty->backings[i];
		}
	return NULL;
}

/* A free one, or that which was not used for the longest time. */
static struct backing *new_backing(struct dirty *dirty, uint64_t device)
{
	struct backing *oldest = dirty->backings;

	if (dirty->n < MAX_BACKINGS)
		oldest = &dirty->backings[dirty->n++];
	else
		for (size_t i = 1; i < dirty->n; i++)
			if (dirty->backings[i].used < oldest->used)
				oldest = &dirty->backings[i];
	*oldest = (struct backing){ .device = device, .used = ++dirty->clock };
	return oldest;
}

static bool has_less(const struct dirtier *a, const struct dirtier *b)
{
	return a->pages < b->pages;
}

/* The one of this process, a free one, or that of the fewest pages. */
static struct dirtier *find_dirtier(struct backing *backing,
				    const struct author *author)
{
	struct dirtier *least = backing->dirtiers;

	for (size_t i = 0; i < backing->n; i++) {
		struct dirtier *dirtier = &backing->dirtiers[i];

		if (!strcmp(dirtier->author.name, author->name))
			return dirtier;
		if (has_less(dirtier, least))
			least = dirtier;
	}
	if (backing->n < MAX_DIRTIERS)
		least = &backing->dirtiers[backing->n++];
	*least = (struct dirtier){ .author = *author };
	return least;
}

/* An old page counts less. */
#define MANY_PAGES 4096

static void forget_half(struct backing *backing)
{
	for (size_t i = 0; i < backing->n; i++) {
		backing->dirtiers[i].pages /= 2;
		backing->dirtiers[i].written /= 2;
	}
}

void ssdpm__dirty_add(struct dirty *dirty, uint64_t device,
		      const struct author *author)
{
	struct backing *backing = find_backing(dirty, device);
	struct dirtier *dirtier;

	if (!backing)
		backing = new_backing(dirty, device);
	dirtier = find_dirtier(backing, author);
	if (++dirtier->pages == MANY_PAGES)
		forget_half(backing);
}

uint16_t ssdpm__dirty_take(struct dirty *dirty, struct causes *causes,
			   uint64_t device, uint64_t bytes)
{
	struct backing *backing = find_backing(dirty, device);
	struct dirtier *next = NULL;

	/* The one that was taken for least, by its pages. */
	for (size_t i = 0; backing && i < backing->n; i++) {
		struct dirtier *one = &backing->dirtiers[i];

		if (one->pages &&
		    (!next ||
		     one->written / one->pages < next->written / next->pages))
			next = one;
	}
	if (!next)
		return CAUSE_OTHER;
	next->written += bytes;
	return ssdpm__cause_of_author(causes, &next->author);
}

void ssdpm__dirty_pay(struct dirty *dirty, const struct causes *causes,
		      uint64_t device, uint16_t cause, uint64_t bytes)
{
	const struct cause_entry *entry = &causes->entries[cause];
	struct backing *backing = find_backing(dirty, device);

	if (entry->kind != SSDPM_CAUSE_WRITEBACK)
		return;
	for (size_t i = 0; backing && i < backing->n; i++)
		if (!strcmp(backing->dirtiers[i].author.name, entry->name))
			backing->dirtiers[i].written += bytes;
}

/* The number of the part that a cause has; n: none. */
static size_t find_part(const struct parts *parts, uint16_t cause)
{
	size_t i = 0;

	while (i < parts->n && parts->causes[i] != cause)
		i++;
	return i;
}

static size_t least_part(const struct parts *parts)
{
	size_t least = 0;

	for (size_t i = 1; i < parts->n; i++)
		if (parts->bytes[i] < parts->bytes[least])
			least = i;
	return least;
}

void ssdpm__parts_add(struct parts *parts, uint16_t cause, uint32_t bytes)
{
	size_t at = find_part(parts, cause);

	/* No room: this goes to the others, who take over the least part. */
	if (at == MAX_PARTS_OF_IO) {
		cause = CAUSE_OTHER;
		at = find_part(parts, cause);
	}
	if (at == MAX_PARTS_OF_IO)
		at = least_part(parts);
	if (at == parts->n)
		parts->bytes[parts->n++] = 0;
	parts->causes[at] = cause;
	parts->bytes[at] += bytes;
}
