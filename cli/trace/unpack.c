// SPDX-License-Identifier: BSD-2-Clause
#include "unpack.h"

#include <string.h>

void unpack_init(struct unpacker *u, const struct recording *r, unsigned ring)
{
	*u = (struct unpacker){ .from = &r->rings[ring], .ticks = r->begin_ticks,
				.vproc = ring ? (uint16_t)(ring - 1) : UPCALL_TRACE_NO_VPROC };
}

/* Half of the time is in the record; the other half is that which is nearest to the last one's. */
static uint64_t whole_ticks(const struct unpacker *u, uint32_t low)
{
	int32_t later = (int32_t)(low - (uint32_t)u->ticks);

	return later > 0 ? u->ticks + (uint32_t)later : u->ticks;
}

/* A name comes in parts of six bytes. */
static bool take_name(struct unpacker *u, unsigned from, uint64_t part)
{
	char name[24];

	memcpy(name, &u->event.other, 16);
	if (from == 0)
		memset(name, 0, sizeof(name));
	if (from <= 12)
		memcpy(name + from, &part, 6);
	memcpy(&u->event.other, name, 16);
	return from == 12;
}

static bool unpack(struct unpacker *u, const struct upcall_trace_record *r)
{
	struct upcall_trace_event *e = &u->event;
	unsigned kind = r->rest & 255, detail = r->rest >> 8 & 255;
	uint64_t object = r->rest >> 16;

	if (kind == UPCALL_TRACE_TIME) {
		uint64_t now = object << 32 | r->ticks;

		u->ticks = now > u->ticks ? now : u->ticks;
		return false;
	}
	u->ticks = whole_ticks(u, r->ticks);
	if (kind == UPCALL_TRACE_THREAD) {
		u->thread = r->thread;
		return false;
	}
	if (kind == UPCALL_TRACE_NAME && detail) {
		e->ticks = u->ticks;
		return e->kind == kind && e->thread == r->thread && take_name(u, detail, object);
	}
	*e = (struct upcall_trace_event){ .ticks = u->ticks, .kind = (uint8_t)kind, .vproc = u->vproc,
					  .thread = r->thread };
	switch (kind) {
	case UPCALL_TRACE_SWITCH:
		e->thread = u->thread;
		e->other = u->thread = r->thread;
		e->reason = detail & 7;
		e->number = detail >> 3;
		e->object = object;
		break;
	case UPCALL_TRACE_WAKE:
		e->thread = u->thread;
		e->other = r->thread;
		e->reason = (uint8_t)(detail >> 3);
		e->number = detail & 7;
		e->object = object;
		break;
	case UPCALL_TRACE_CREATE:
		e->thread = u->thread;
		e->other = r->thread;
		e->object = object;
		break;
	case UPCALL_TRACE_NAME:
		return take_name(u, detail, object);
	case UPCALL_TRACE_PARK:
	case KIND_GAP:
		e->reason = (uint8_t)detail;
		e->object = object;
		break;
	default:
		e->reason = (uint8_t)detail;
		e->number = (uint32_t)object;
		e->object = object >> 32;
		break;
	}
	if (kind == KIND_GAP)
		u->thread = 0;
	return true;
}

bool unpack_next(struct unpacker *u)
{
	while (u->at < u->from->n)
		if (unpack(u, &u->from->all[u->at++]))
			return true;
	return false;
}
