// SPDX-License-Identifier: BSD-2-Clause
#include "text.h"

#include <inttypes.h>
#include <stdio.h>

void json_string(const char *text)
{
	putchar('"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if (*p < 0x20 || *p >= 0x7f)
			printf("\\u%04x", *p);	/* as Latin-1: names are bytes of no known encoding */
		else
			putchar(*p);
	}
	putchar('"');
}

void json_key(const char *name, bool first)
{
	printf(first ? "\"%s\": " : ", \"%s\": ", name);
}

void json_number(const char *name, uint64_t value)
{
	json_key(name, false);
	if (value == UINT64_MAX)
		fputs("null", stdout);
	else
		printf("%" PRIu64, value);
}

void json_text(const char *name, const char *value)
{
	json_key(name, false);
	if (value)
		json_string(value);
	else
		fputs("null", stdout);
}

void json_address(const char *name, uint64_t value)
{
	json_key(name, false);
	if (value)
		printf("\"0x%" PRIx64 "\"", value);
	else
		fputs("null", stdout);
}

static char *next_text(void)
{
	static char texts[8][24];
	static unsigned at;

	return texts[at++ % 8];
}

const char *time_text(uint64_t ns)
{
	char *text = next_text();
	double s = (double)ns / 1e9;
	unsigned long whole = (unsigned long)s;

	if (ns == UINT64_MAX)
		snprintf(text, 24, "-");
	else if (ns < 1000000)
		snprintf(text, 24, "%luus", (unsigned long)(ns / 1000));
	else if (ns < 1000000000)
		snprintf(text, 24, ns < 10000000 ? "%.1fms" : "%.0fms", (double)ns / 1e6);
	else if (s < 60)
		snprintf(text, 24, "%.1fs", s);
	else if (s < 3600)
		snprintf(text, 24, "%lum%02lus", whole / 60, whole % 60);
	else
		snprintf(text, 24, "%luh%02lum", whole / 3600, whole / 60 % 60);
	return text;
}

const char *bytes_text(uint64_t bytes)
{
	static const char units[] = "BKMGT";
	char *text = next_text();
	double n = (double)bytes;
	int unit = 0;

	for (; n >= 1000 && units[unit + 1]; unit++)
		n /= 1024;
	snprintf(text, 24, n < 10 && unit ? "%.1f%c" : "%.0f%c", n, units[unit]);
	return text;
}
