// SPDX-License-Identifier: BSD-2-Clause
/* A ring's records, one after the other, as the events that they stand for. */
#ifndef UPCALL_TRACE_UNPACK_H
#define UPCALL_TRACE_UNPACK_H

#include "record.h"

struct unpacker {
	const struct records *from;
	size_t at;
	uint16_t vproc;
	uint64_t ticks;			/* of the last one: within a ring time does not go back */
	uint32_t thread;		/* who runs; 0: nobody, or not known */
	struct upcall_trace_event event;
};

void unpack_init(struct unpacker *u, const struct recording *r, unsigned ring);
/* The next one is in u->event; false: that was all. */
bool unpack_next(struct unpacker *u);

#endif
