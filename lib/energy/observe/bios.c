/* SPDX-License-Identifier: MIT */
/* Bios on their way: found again by the device and sector where they begin. */
#include <string.h>

#include "observe/internal.h"

/*
 * How far back the latest bio that holds a sector is searched. An older one is
 * found only if it begins there.
 */
#define LATEST 64

static uint32_t *chain_of(struct bios *bios, uint64_t device, uint64_t sector)
{
	uint64_t key = sector ^ device << 40 ^ device >> 8;

	key = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
	return &bios->chains[key >> (64 - BIO_BITS)];
}

static void unlink_bio(struct bios *bios, const struct bio *bio)
{
	uint32_t number = (uint32_t)(bio - bios->ring);
	uint32_t *link = chain_of(bios, bio->device, bio->sector);

	while (*link != number)
		link = &bios->ring[*link].next;
	*link = bio->next;
}

void ssdpm__bio_remove(struct bios *bios, struct bio *bio)
{
	unlink_bio(bios, bio);
	bio->live = false;
}

void ssdpm__bios_forget(struct bios *bios, uint64_t device)
{
	for (uint32_t i = 1; i <= MAX_BIOS; i++)
		if (bios->ring[i].live && bios->ring[i].device == device)
			ssdpm__bio_remove(bios, &bios->ring[i]);
}

struct bio *ssdpm__bio_at(struct bios *bios, uint64_t device, uint64_t sector)
{
	uint32_t number = *chain_of(bios, device, sector);

	while (number && (bios->ring[number].device != device ||
			  bios->ring[number].sector != sector))
		number = bios->ring[number].next;
	return number ? &bios->ring[number] : NULL;
}

void ssdpm__bio_put(struct bios *bios, const struct bio *bio)
{
	struct bio *old = ssdpm__bio_at(bios, bio->device, bio->sector);
	uint32_t *chain = chain_of(bios, bio->device, bio->sector);

	/* A flush at the same place says nothing of the data there. */
	if (old && old->sectors && !bio->sectors)
		return;
	if (old)
		ssdpm__bio_remove(bios, old);
	bios->at = bios->at % MAX_BIOS + 1;
	struct bio *place = &bios->ring[bios->at];

	if (place->live)
		ssdpm__bio_remove(bios, place);
	*place = *bio;
	place->live = true;
	place->next = *chain;
	*chain = bios->at;
}

struct bio *ssdpm__bio_around(struct bios *bios, uint64_t device,
			      uint64_t sector)
{
	uint32_t number = bios->at;

	for (int i = 0; number && i < LATEST; i++) {
		struct bio *bio = &bios->ring[number];

		if (bio->live && bio->device == device &&
		    sector >= bio->sector &&
		    sector - bio->sector < bio->sectors)
			return bio;
		number = number == 1 ? MAX_BIOS : number - 1;
	}
	return ssdpm__bio_at(bios, device, sector);
}
