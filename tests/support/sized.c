/* SPDX-License-Identifier: MIT */
#include "sized.h"

#include <sys/mman.h>
#include <unistd.h>

enum { LONGER = 16, MOST = 1 << 16 };

size_t sized_size(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

/* Two pages and more, and after them one that nobody may touch. */
static struct {
	unsigned char *end;
	size_t bytes;
} room;

static void make_room(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	room.bytes = (bytes + page - 1) / page * page;
	room.end = mmap(NULL, room.bytes + page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(room.end != MAP_FAILED);
	room.end += room.bytes;
	assert_int_equal(mprotect(room.end, page, PROT_NONE), 0);
}

static void free_room(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(room.end - room.bytes, room.bytes + page);
}

/* This many bytes at the end of the memory, from the example or empty. */
static unsigned char *put(const struct sized_case *sized, size_t size)
{
	size_t known = size < sized->size ? size : sized->size;
	unsigned char *at = room.end - size;

	memset(at, sized->way == SIZED_INIT ? 0x5a : 0, size);
	if (sized->example)
		memcpy(at, sized->example, known);
	if (size >= sizeof(size) || sized->way == SIZED_INIT)
		memcpy(at, &size, size < sizeof(size) ? size : sizeof(size));
	return at;
}

static int call(const struct sized_case *sized, unsigned char *at,
		struct ssdpm_error *error)
{
	static _Alignas(max_align_t) unsigned char outer[MOST];

	*error = fixture_error();
	if (!sized->outer)
		return sized->call(at, error);
	memcpy(outer, sized->outer, sized->outer_size);
	memcpy(outer + sized->member, &at, sizeof(at));
	return sized->call(outer, error);
}

static void fail_case(const struct sized_case *sized, size_t size,
		      const char *what, int err)
{
	fail_msg("%s(), struct %s with %zu of %zu bytes: %s (%d)",
		 sized->function, sized->type, size, sized->size, what, err);
}

static bool is_filled_alike(const struct sized_case *sized,
			    const unsigned char *at, const unsigned char *whole,
			    size_t size)
{
	size_t known = size < sized->size ? size : sized->size;
	size_t word = sizeof(size_t);

	if (memcmp(at, &size, word))
		return false;
	for (size_t i = sized->size; i < size; i++)
		if (at[i])
			return false;
	return sized->way == SIZED_IN || sized->way == SIZED_VARIES ||
	       !memcmp(at + word, whole + word, known - word);
}

/* A size that works: the call returns the same as for the whole structure. */
static void assert_works(const struct sized_case *sized, size_t size,
			 const unsigned char *whole)
{
	static unsigned char before[MOST];
	struct ssdpm_error error;
	unsigned char *at = put(sized, size);
	int err;

	memcpy(before, at, size);
	err = call(sized, at, &error);
	/* The cut part may be a parameter without a default. */
	if (err &&
	    (sized->way != SIZED_IN || size >= sized->size || err == -E2BIG))
		fail_case(sized, size, "it is refused", err);
	if (sized->way == SIZED_IN ? memcmp(at, before, size) != 0 :
				     !is_filled_alike(sized, at, whole, size))
		fail_case(sized, size, "it is not filled as it should be", err);
}

/* A refused size; nothing is written. */
static void assert_refused(const struct sized_case *sized, size_t size,
			   size_t said, bool tail, int code)
{
	static unsigned char before[MOST];
	struct ssdpm_error error;
	unsigned char *at = put(sized, size);
	int err;

	memcpy(at, &said, sizeof(said));
	if (tail)
		at[size - 1] = 1;
	memcpy(before, at, size);
	err = call(sized, at, &error);
	if (err != code)
		fail_case(sized, said, "it is not refused", err);
	if (memcmp(at, before, size))
		fail_case(sized, said, "it is changed", err);
}

void sized_assert(const struct sized_case *sized)
{
	static unsigned char whole[MOST];
	struct ssdpm_error error;
	unsigned char *at;
	int err;

	assert_in_range(sized->size, 2 * sizeof(size_t), MOST - LONGER);
	make_room(sized->size + LONGER);
	at = put(sized, sized->size);
	err = call(sized, at, &error);
	if (err)
		fail_case(sized, sized->size, error.message, err);
	memcpy(whole, at, sized->size);
	for (size_t size = sizeof(size); size < sized->size; size += 8)
		assert_works(sized, size, whole);
	assert_works(sized, sized->size + LONGER, whole);
	if (sized->way != SIZED_INIT)
		assert_refused(sized, sized->size + LONGER,
			       sized->size + LONGER, true, -E2BIG);
	assert_refused(sized, sizeof(size_t), 0, false, -EINVAL);
	assert_refused(sized, sizeof(size_t), sizeof(size_t) - 1, false,
		       -EINVAL);
	free_room();
}
