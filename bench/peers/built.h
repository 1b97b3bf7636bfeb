// SPDX-License-Identifier: BSD-2-Clause
/* A semaphore of a lock and a condition, for systems that have none. */
#ifndef BENCH_PEERS_BUILT_H
#define BENCH_PEERS_BUILT_H

typedef struct {
	peer_lock lock;
	peer_cond is_posted;
	unsigned value;
} peer_sem;

static void peer_sem_init(peer_sem *s)
{
	peer_lock_init(&s->lock);
	peer_cond_init(&s->is_posted);
	s->value = 0;
}

static void peer_sem_wait(peer_sem *s)
{
	peer_lock_take(&s->lock);
	while (!s->value)
		peer_cond_wait(&s->is_posted, &s->lock);
	s->value--;
	peer_lock_drop(&s->lock);
}

static void peer_sem_post(peer_sem *s)
{
	peer_lock_take(&s->lock);
	s->value++;
	peer_cond_signal(&s->is_posted);
	peer_lock_drop(&s->lock);
}

#endif
