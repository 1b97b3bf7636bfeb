// SPDX-License-Identifier: BSD-2-Clause
#include "print.h"

#include <stdbool.h>
#include <stdint.h>

#include "../arch/arch.h"

struct out { char *buf; size_t size, len; };

static void put(struct out *o, char c)
{
	if (o->len + 1 < o->size)
		o->buf[o->len] = c;
	o->len++;
}

static void put_number(struct out *o, uint64_t n, unsigned base, int width, char pad)
{
	char digits[24];
	int len = 0;

	do {
		digits[len++] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	for (; width > len; width--)
		put(o, pad);
	while (len)
		put(o, digits[--len]);
}

static uint64_t take_integer(va_list *ap, int longs, bool is_signed)
{
	if (longs)
		return va_arg(*ap, unsigned long);
	return is_signed ? (uint64_t)(int64_t)va_arg(*ap, int) : va_arg(*ap, unsigned);
}

size_t print_to_v(char *buf, size_t size, const char *fmt, va_list args)
{
	struct out o = { buf, size, 0 };
	va_list ap;

	va_copy(ap, args);
	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			put(&o, *fmt);
			continue;
		}
		int width = 0, longs = 0;
		char pad = *++fmt == '0' ? '0' : ' ';

		for (; *fmt >= '0' && *fmt <= '9'; fmt++)
			width = width * 10 + (*fmt - '0');
		for (; *fmt == 'l' || *fmt == 'z'; fmt++)
			longs++;
		switch (*fmt) {
		case 's': {
			const char *s = va_arg(ap, const char *);

			for (s = s ? s : "(null)"; *s; s++, width--)
				put(&o, *s);
			for (; width > 0; width--)
				put(&o, ' ');
			break;
		}
		case 'd': {
			int64_t n = (int64_t)take_integer(&ap, longs, true);

			if (n < 0)
				put(&o, '-');
			put_number(&o, n < 0 ? -(uint64_t)n : (uint64_t)n, 10, width, pad);
			break;
		}
		case 'u':
			put_number(&o, take_integer(&ap, longs, false), 10, width, pad);
			break;
		case 'x':
			put_number(&o, take_integer(&ap, longs, false), 16, width, pad);
			break;
		case 'p':
			put(&o, '0');
			put(&o, 'x');
			put_number(&o, (uintptr_t)va_arg(ap, void *), 16, 0, ' ');
			break;
		case 'c':
			put(&o, (char)va_arg(ap, int));
			break;
		default:
			put(&o, *fmt);
		}
	}
	va_end(ap);
	if (size)
		buf[o.len < size ? o.len : size - 1] = 0;
	return o.len;
}

size_t print_to(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	size_t len = print_to_v(buf, size, fmt, ap);
	va_end(ap);
	return len;
}

static void write_line(int fd, const char *prefix, const char *suffix, const char *fmt, va_list ap)
{
	char line[1024];
	size_t len = print_to(line, sizeof(line), "%s", prefix);

	len += print_to_v(line + len, sizeof(line) - len, fmt, ap);
	if (len >= sizeof(line) - 2)
		len = sizeof(line) - 3;
	len += print_to(line + len, sizeof(line) - len, "%s", suffix);
	arch_syscall3(SYS_write, fd, (long)line, (long)len);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(2, "upcall: ", "\n", fmt, ap);
	va_end(ap);
}

void panic(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(2, "upcall: panic: ", "\n", fmt, ap);
	va_end(ap);
	arch_abort();
}
