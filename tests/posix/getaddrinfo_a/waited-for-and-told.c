// SPDX-License-Identifier: BSD-2-Clause
// Requests of getaddrinfo_a, made by many threads, are waited for at once, by gai_suspend, or told by a function that may
// use the program's objects (getaddrinfo_a(3)).
#include "../harness.h"

#include <netdb.h>
#include <netinet/in.h>

enum { THREADS = 4, TURNS = 10 };

static const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_family = AF_INET,
				       .ai_socktype = SOCK_STREAM };

/* One at a time: of several in one call glibc's own helpers free the same memory twice, now and then. */
struct request {
	struct gaicb only, *list[1];
};

static void prepare(struct request *r)
{
	r->only = (struct gaicb){ .ar_name = "127.0.0.2", .ar_service = "80", .ar_request = &hints };
	r->list[0] = &r->only;
}

static void check_answer(struct request *r)
{
	CHECK_OK(gai_error(&r->only));
	const struct sockaddr_in *in = (const struct sockaddr_in *)r->only.ar_result->ai_addr;

	CHECK_EQ(ntohl(in->sin_addr.s_addr), INADDR_LOOPBACK + 1);
	CHECK_EQ(ntohs(in->sin_port), 80);
	freeaddrinfo(r->only.ar_result);
}

static void suspend(struct request *r, const struct timespec *limit)
{
	CHECK_OK(getaddrinfo_a(GAI_NOWAIT, r->list, 1, NULL));
	while (gai_error(&r->only) == EAI_INPROGRESS) {
		int err = gai_suspend((const struct gaicb *const *)r->list, 1, limit);

		CHECK(err == 0 || err == EAI_ALLDONE);
	}
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;

static void tell(union sigval value)
{
	pthread_mutex_lock(&mutex);
	++*(int *)value.sival_ptr;
	pthread_cond_broadcast(&told);
	pthread_mutex_unlock(&mutex);
}

static void wait_to_be_told(struct request *r)
{
	int times = 0;
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell,
				  .sigev_value.sival_ptr = &times };

	CHECK_OK(getaddrinfo_a(GAI_NOWAIT, r->list, 1, &event));
	pthread_mutex_lock(&mutex);
	while (times == 0)
		pthread_cond_wait(&told, &mutex);
	pthread_mutex_unlock(&mutex);
	CHECK_EQ(times, 1);
}

static void *asks(void *arg)
{
	struct timespec limit = ms_span(PATIENCE_MS);
	struct request r;

	for (int i = 0; i < TURNS; i++) {
		prepare(&r);
		CHECK_OK(getaddrinfo_a(GAI_WAIT, r.list, 1, NULL));
		check_answer(&r);
		prepare(&r);
		suspend(&r, i % 2 ? &limit : NULL);
		check_answer(&r);
		prepare(&r);
		wait_to_be_told(&r);
		check_answer(&r);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, asks);
	join_many(t, THREADS);
}
