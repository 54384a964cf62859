/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are loaded when they are first needed, so that a program that
 * links this one does not load them for nothing.
 */
#ifndef SSDPM_LIB_BASE_DYNAMIC_H
#define SSDPM_LIB_BASE_DYNAMIC_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * For those who make packages: the ELF dlopen metadata of the UAPI group,
 * https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
 * One for each file that loads a library; json is a literal.
 */
#define SSDPM__DLOPEN_NOTE(json)                                               \
	static const struct {                                                  \
		uint32_t name_bytes;                                           \
		uint32_t text_bytes;                                           \
		uint32_t type;                                                 \
		char name[4];                                                  \
		char text[sizeof(json)];                                       \
	} dlopen_note                                                          \
		__attribute__((used, section(".note.dlopen"), aligned(4))) = { \
			4, sizeof(json), 0x407c0c0a, "FDO", json               \
		}

/* dlsym(3), and whether there was one: ISO C casts no object to a function. */
static inline bool ssdpm__find_function(void *library, const char *name,
					void *ret_function)
{
	void *symbol = dlsym(library, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol;
}

#endif
