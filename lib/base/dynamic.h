/* SPDX-License-Identifier: MIT */
/*
 * Loads libraries when they are first needed, so that a program linked with
 * this one does not load them in vain.
 */
#ifndef SSDPM_LIB_BASE_DYNAMIC_H
#define SSDPM_LIB_BASE_DYNAMIC_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * ELF dlopen metadata of the UAPI group, for packagers:
 * https://uapi-group.org/specifications/specs/elf_dlopen_metadata/ Each file
 * that loads a library has one; json is a literal.
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

/*
 * dlsym(3), and whether it found one; ISO C converts no object pointer to a
 * function pointer.
 */
static inline bool ssdpm__find_function(void *library, const char *name,
					void *ret_function)
{
	void *symbol = dlsym(library, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol;
}

#endif
