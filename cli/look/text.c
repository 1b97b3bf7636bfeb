// SPDX-License-Identifier: BSD-2-Clause
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXTS = 8, TEXT_BYTES = 512 };

static bool is_follower(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* How long the sequence is that this byte begins, 0 for none; what it stands for begins with *ret. */
static size_t sequence(unsigned char c, uint32_t *ret)
{
	if (c >= 0xc2 && c < 0xe0) {
		*ret = c & 0x1f;
		return 2;
	}
	if (c >= 0xe0 && c < 0xf0) {
		*ret = c & 0x0f;
		return 3;
	}
	*ret = c & 0x07;
	return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

size_t text_length(const char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c;

	if (*text >= 0x20 && *text < 0x7f)
		return 1;
	size_t n = sequence((unsigned char)*text, &c);

	for (size_t i = 1; i < n; i++) {
		if (!is_follower(text[i]))
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	/* The controls above 0x7f, halves of pairs, and what turns the direction of writing round. */
	if (!n || c < least[n] || c < 0xa0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return 0;
	return n;
}

void text_clean(char *text)
{
	while (*text) {
		size_t n = text_length(text);

		if (!n)
			*text = '?';
		text += n ? n : 1;
	}
}

const char *printable(const char *text)
{
	static char texts[TEXTS][TEXT_BYTES];
	static unsigned at;
	const char *p = text;
	char *copy = texts[at % TEXTS];

	while (*p && text_length(p))
		p += text_length(p);
	if (!*p)
		return text;
	at++;
	snprintf(copy, TEXT_BYTES, "%s", text);
	text_clean(copy);
	return copy;
}

/* Writes n's digits so that they end before `end`; returns where they begin. */
static char *digits(char *end, uint64_t n, unsigned base)
{
	do
		*--end = "0123456789abcdef"[n % base];
	while (n /= base);
	return end;
}

void json_string(const char *text)
{
	putchar_unlocked('"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if (*p < 0x20 || *p >= 0x7f)
			printf("\\u%04x", *p);	/* as Latin-1: names are bytes of no known encoding */
		else
			putchar_unlocked(*p);
	}
	putchar_unlocked('"');
}

void json_key(const char *name, bool first)
{
	fputs_unlocked(first ? "\"" : ", \"", stdout);
	fputs_unlocked(name, stdout);
	fputs_unlocked("\": ", stdout);
}

void json_number(const char *name, uint64_t value)
{
	json_key(name, false);
	char text[24] = "";

	fputs_unlocked(value == UINT64_MAX ? "null" : digits(text + sizeof(text) - 1, value, 10), stdout);
}

void json_text(const char *name, const char *value)
{
	json_key(name, false);
	if (value)
		json_string(value);
	else
		fputs_unlocked("null", stdout);
}

void json_address(const char *name, uint64_t value)
{
	json_key(name, false);
	if (value)
		printf("\"0x%" PRIx64 "\"", value);
	else
		fputs_unlocked("null", stdout);
}

/* The next of eight buffers; texts are built from its end. */
static char *next_text(void)
{
	static char texts[8][32];
	static unsigned at;

	return texts[at++ % 8] + 31;
}

/* "12.3s" of 123 tenths, and "12s" of 12. */
static const char *with_tenths(uint64_t tenths, const char *unit)
{
	char *at = next_text();

	for (size_t n = strlen(unit); n;)
		*--at = unit[--n];
	at = digits(at, tenths % 10, 10);
	*--at = '.';
	return digits(at, tenths / 10, 10);
}

static const char *with_unit(uint64_t n, const char *unit)
{
	char *at = next_text();

	for (size_t len = strlen(unit); len;)
		*--at = unit[--len];
	return digits(at, n, 10);
}

static const char *two_units(uint64_t large, const char *unit, uint64_t small, char small_unit)
{
	char *at = next_text();

	*--at = small_unit;
	*--at = (char)('0' + small % 10);
	*--at = (char)('0' + small / 10);
	*--at = *unit;
	return digits(at, large, 10);
}

const char *time_text(uint64_t ns)
{
	uint64_t us = ns / 1000, ms = us / 1000, s = ms / 1000;

	if (ns == UINT64_MAX)
		return "-";
	if (!ms)
		return with_unit(us, "us");
	if (ms < 10)
		return with_tenths(us / 100, "ms");
	if (!s)
		return with_unit(ms, "ms");
	if (s < 60)
		return with_tenths(ms / 100, "s");
	return s < 3600 ? two_units(s / 60, "m", s % 60, 's') : two_units(s / 3600, "h", s / 60 % 60, 'm');
}

const char *bytes_text(uint64_t bytes)
{
	static const char *const units[] = { "B", "K", "M", "G", "T" };
	uint64_t tenths = bytes * 10;
	int unit = 0;

	for (; tenths >= 10000 && unit < 4; unit++)
		tenths /= 1024;
	return unit && tenths < 100 ? with_tenths(tenths, units[unit]) : with_unit(tenths / 10, units[unit]);
}
