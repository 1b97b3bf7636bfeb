// SPDX-License-Identifier: BSD-2-Clause
/* Channels: every element comes out once, in order from one sender; close, try and deadlines. */
#include "check.h"

enum { SENDERS = 4, RECEIVERS = 3, EACH = 5000 };

struct item { int sender, number; };

static struct upcall_channel *channel;
static long received;

static void *send_all(void *arg)
{
	for (int i = 0; i < EACH; i++) {
		struct item item = { (int)(long)arg, i };

		CHECK_IS(upcall_channel_send(channel, &item), 0);
	}
	return NULL;
}

static void *receive_all(void *arg)
{
	int last[SENDERS];
	struct item item;
	int err;

	(void)arg;
	memset(last, -1, sizeof(last));
	while (!(err = upcall_channel_receive(channel, &item))) {
		CHECK(item.number > last[item.sender]);
		last[item.sender] = item.number;
		__atomic_fetch_add(&received, 1, __ATOMIC_RELAXED);
	}
	CHECK_IS(err, -EPIPE);
	return NULL;
}

static void test_many(size_t capacity)
{
	upcall_t sender[SENDERS], receiver[RECEIVERS];

	received = 0;
	CHECK_IS(upcall_channel_create(&channel, capacity, sizeof(struct item)), 0);
	for (int i = 0; i < RECEIVERS; i++)
		receiver[i] = spawn(receive_all, NULL);
	for (long i = 0; i < SENDERS; i++)
		sender[i] = spawn(send_all, (void *)i);
	for (int i = 0; i < SENDERS; i++)
		join(sender[i]);
	upcall_channel_close(channel);
	for (int i = 0; i < RECEIVERS; i++)
		join(receiver[i]);
	CHECK_IS(received, SENDERS * EACH);
	upcall_channel_destroy(channel);
}

static void test_edges(void)
{
	uint64_t began = upcall_now();
	int value = 5;

	CHECK_IS(upcall_channel_create(&channel, 0, 4), -EINVAL);
	CHECK_IS(upcall_channel_create(&channel, SIZE_MAX / 2, 4), -ENOMEM);
	CHECK_IS(upcall_channel_create(&channel, 1, sizeof(value)), 0);
	CHECK_IS(upcall_channel_tryreceive(channel, &value), -EAGAIN);
	CHECK_IS(upcall_channel_receive_until(channel, &value, began + 10 * MS), -ETIMEDOUT);
	CHECK_IS(upcall_channel_trysend(channel, &value), 0);
	CHECK_IS(upcall_channel_trysend(channel, &value), -EAGAIN);
	CHECK_IS(upcall_channel_send_until(channel, &value, upcall_after(10 * MS)), -ETIMEDOUT);
	check_took(began, 20 * MS);
	CHECK_IS(upcall_channel_length(channel), 1);
	upcall_channel_close(channel);
	CHECK_IS(upcall_channel_send(channel, &value), -EPIPE);
	value = 0;
	CHECK_IS(upcall_channel_receive(channel, &value), 0);
	CHECK_IS(value, 5);
	CHECK_IS(upcall_channel_receive(channel, &value), -EPIPE);
	upcall_channel_destroy(channel);
}

static void test(void)
{
	test_many(1);
	test_many(100);
	test_edges();
}
