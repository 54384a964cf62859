/* SPDX-License-Identifier: MIT */
/*
 * What all stages share: the error, the version, the visibility mark.
 * See libssdpm(3).
 */
#ifndef SSDPM_BASE_H
#define SSDPM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SSDPM_API __attribute__((visibility("default")))
#else
#define SSDPM_API
#endif

/*
 * Each enum with words has two functions: ssdpm_NAME_to_string() gives the word
 * of a value, or NULL, and ssdpm_NAME_from_string() the value of a word, or 0.
 */

/** The version of these headers; ssdpm_version() has that of the library. */
#define SSDPM_VERSION_MAJOR 0
#define SSDPM_VERSION_MINOR 1
#define SSDPM_VERSION_MICRO 0

/** True if these headers are of this version or a later one: for #if. */
#define SSDPM_CHECK_VERSION(major, minor, micro) \
	(SSDPM_VERSION_MAJOR > (major) ||        \
	 (SSDPM_VERSION_MAJOR == (major) &&      \
	  (SSDPM_VERSION_MINOR > (minor) ||      \
	   (SSDPM_VERSION_MINOR == (minor) &&    \
	    SSDPM_VERSION_MICRO >= (micro)))))

/** Longest JSON text that is read. */
#define SSDPM_JSON_MAX_BYTES (16u << 20)

/**
 * struct ssdpm_error - why a call failed (frozen, 256 bytes)
 * @code:        what the call returned: a negative errno
 * @line:        line of the text input, counted from 1; 0 where there is none
 * @nvme_status: status of the NVMe command; 0 where there was none
 * @message:     one line in English without a final stop or newline: it names
 *               the thing and the cause
 *
 * The caller owns it, passes a pointer to it as a last argument (or NULL), and
 * reads it only after a call that failed. A call that succeeds leaves it alone.
 */
struct ssdpm_error {
	int32_t code;
	uint32_t line;
	uint32_t nvme_status;
	char message[244];
};

/**
 * ssdpm_version() - version of the library, as in "0.1.0"
 *
 * Return: a static string.
 */
SSDPM_API const char *ssdpm_version(void);

/**
 * ssdpm_strerror() - what an error code of this library means
 * @code: a negative errno that a call of this library returned, or 0
 *
 * The text does not depend on the locale.
 *
 * Return: a static string; never NULL.
 */
SSDPM_API const char *ssdpm_strerror(int code);

/**
 * struct ssdpm_quantity - a value with its unit (frozen, 24 bytes)
 * @text: "8.5 ms"
 */
struct ssdpm_quantity {
	char text[24];
};

/** ssdpm_us_to_text() - "0 us", "8.5 ms", "2 s": nothing is rounded */
SSDPM_API struct ssdpm_quantity ssdpm_us_to_text(uint64_t us);

/** ssdpm_uw_to_text() - "0 uW", "2.5 mW", "3.5 W": nothing is rounded */
SSDPM_API struct ssdpm_quantity ssdpm_uw_to_text(uint64_t uw);

/**
 * ssdpm_text_blunt() - let no word of a drive, of a file or of a user steer a
 *                      terminal
 * @text: what is a control character or no UTF-8 becomes '?'
 *
 * Messages of struct ssdpm_error are so already.
 */
SSDPM_API void ssdpm_text_blunt(char *text);

#ifdef __cplusplus
}
#endif

#endif
