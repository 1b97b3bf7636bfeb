// SPDX-License-Identifier: BSD-2-Clause
/*
 * Channels: a ring under a lock, and two conditions.  The elements are copied outside the runtime,
 * since the program's memory may fault.
 */
#include <stdlib.h>
#include <string.h>

#include "../sync/cond.h"
#include "mutex.h"

struct upcall_channel {
	struct upcall_mutex mutex;
	struct upcall_cond filled, emptied;
	/* Guarded by the mutex: */
	size_t first, count;
	bool is_closed;
	/* Fixed: */
	size_t capacity, element_bytes;
	char ring[];
};

int upcall_channel_create(struct upcall_channel **ret_channel, size_t capacity, size_t element_bytes)
{
	size_t bytes;

	if (!capacity || !element_bytes)
		return -EINVAL;
	if (__builtin_mul_overflow(capacity, element_bytes, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(struct upcall_channel), &bytes))
		return -ENOMEM;
	struct upcall_channel *c = calloc(1, bytes);

	if (!c)
		return -ENOMEM;
	c->capacity = capacity;
	c->element_bytes = element_bytes;
	*ret_channel = c;
	return 0;
}

void upcall_channel_destroy(struct upcall_channel *channel)
{
	upcall_cond_destroy(&channel->filled);
	upcall_cond_destroy(&channel->emptied);
	free(channel);
}

void upcall_channel_close(struct upcall_channel *channel)
{
	upcall_mutex_lock(&channel->mutex);
	channel->is_closed = true;
	upcall_cond_broadcast(&channel->filled);
	upcall_cond_broadcast(&channel->emptied);
	upcall_mutex_unlock(&channel->mutex);
}

static char *slot(struct upcall_channel *c, size_t index)
{
	return c->ring + (index < c->capacity ? index : index - c->capacity) * c->element_bytes;
}

/* Under the mutex: -EAGAIN when it is full. */
static int put(struct upcall_channel *c, const void *element)
{
	if (c->is_closed)
		return -EPIPE;
	if (c->count == c->capacity)
		return -EAGAIN;
	memcpy(slot(c, c->first + c->count), element, c->element_bytes);
	c->count++;
	upcall_cond_signal(&c->filled);
	return 0;
}

static int get(struct upcall_channel *c, void *ret_element)
{
	if (!c->count)
		return c->is_closed ? -EPIPE : -EAGAIN;
	memcpy(ret_element, slot(c, c->first), c->element_bytes);
	c->first = c->first + 1 == c->capacity ? 0 : c->first + 1;
	c->count--;
	upcall_cond_signal(&c->emptied);
	return 0;
}

/* Of the last try, and of the wait before it. */
static int outcome(int err, int why)
{
	if (err == -EAGAIN)
		return why;
	native_keep_cancel(why);
	return err;
}

int upcall_channel_send_until(struct upcall_channel *channel, const void *element, uint64_t deadline_ns)
{
	int err, why = 0;

	upcall_mutex_lock(&channel->mutex);
	while ((err = put(channel, element)) == -EAGAIN && !why)
		why = native_cond_wait(&channel->emptied, &channel->mutex, deadline_ns, WAIT_SEND, channel);
	upcall_mutex_unlock(&channel->mutex);
	return outcome(err, why);
}

int upcall_channel_send(struct upcall_channel *channel, const void *element)
{
	return upcall_channel_send_until(channel, element, UPCALL_NEVER);
}

int upcall_channel_trysend(struct upcall_channel *channel, const void *element)
{
	upcall_mutex_lock(&channel->mutex);
	int err = put(channel, element);

	upcall_mutex_unlock(&channel->mutex);
	return err;
}

int upcall_channel_receive_until(struct upcall_channel *channel, void *ret_element, uint64_t deadline_ns)
{
	int err, why = 0;

	upcall_mutex_lock(&channel->mutex);
	while ((err = get(channel, ret_element)) == -EAGAIN && !why)
		why = native_cond_wait(&channel->filled, &channel->mutex, deadline_ns, WAIT_RECEIVE, channel);
	upcall_mutex_unlock(&channel->mutex);
	return outcome(err, why);
}

int upcall_channel_receive(struct upcall_channel *channel, void *ret_element)
{
	return upcall_channel_receive_until(channel, ret_element, UPCALL_NEVER);
}

int upcall_channel_tryreceive(struct upcall_channel *channel, void *ret_element)
{
	upcall_mutex_lock(&channel->mutex);
	int err = get(channel, ret_element);

	upcall_mutex_unlock(&channel->mutex);
	return err;
}

size_t upcall_channel_length(struct upcall_channel *channel)
{
	upcall_mutex_lock(&channel->mutex);
	size_t n = channel->count;

	upcall_mutex_unlock(&channel->mutex);
	return n;
}
