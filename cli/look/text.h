// SPDX-License-Identifier: BSD-2-Clause
/*
 * Output of the looking commands: JSON strings, and names and numbers for people.
 *
 * A name is whatever another user's program calls itself.  On a terminal it must not be a command to the
 * terminal nor a line of its own, so people are shown a `?` for each byte of it that is no character.
 */
#ifndef UPCALL_LOOK_TEXT_H
#define UPCALL_LOOK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the character at `text`, in UTF-8; 0: there is none that may be shown (a control, a stray byte, the end). */
size_t text_length(const char *text);
/* In place. */
void text_clean(char *text);
/* The text itself, or a copy that lasts for eight more calls and ends after 511 bytes. */
const char *printable(const char *text);

/* A JSON string on standard output, quotes included. */
void json_string(const char *text);
/* `, "name": ` and a value; `first` leaves the comma away. */
void json_key(const char *name, bool first);
void json_number(const char *name, uint64_t value);	/* UINT64_MAX: null */
void json_text(const char *name, const char *value);	/* NULL: null */
void json_address(const char *name, uint64_t value);	/* as "0x..."; 0: null */

/* "1.5s", "12ms", "3h20m"; "-" for UINT64_MAX.  Each text lasts for eight more calls. */
const char *time_text(uint64_t ns);
const char *bytes_text(uint64_t bytes);

#endif
