// SPDX-License-Identifier: BSD-2-Clause
/* The model of upcall advise: the example of Small and Seltzer (1995, section 5.2), saturation, programs with threads. */
#include "harness.h"

#include "../../cli/advise/model.c"

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* Half a second of computing, fifty blocks that take the other half. */
static const struct observation server = {
	.elapsed_s = 1, .compute_s = 0.5, .busy_s = 0.5, .switches = 50, .processes = 1, .threads_peak = 1, .looks = 1000,
	.nwaits = 1, .waits = { { "read", FOR_DISK, 0.5, 48 } },
};
/* Upcall and switch 124 us; what a thread of theirs costs, 103 us, and the signal to an idle processor, 127. */
static const struct costs bsd = {
	.turn = { 100e3, 7.8e3 }, .pass = { 120e3, 20e3 }, .start = { 1000e3, 230e3 }, .block = { 200e3, 248e3 },
};

static void one_thread(void)
{
	struct observation seen = server;
	struct advice a;

	model_apply(&seen, &bsd, &a);
	CHECK(!a.is_threaded && a.verdict == GAINS && !a.is_saturated);
	CHECK(is_near(a.blocks, 50) && is_near(a.most_s, 0.5) && is_near(a.upcall_ns, 124e3));
	CHECK(is_near(a.workers_s, 0.5 - 2 * 50 * 124e-6));
	CHECK(is_near(a.forks_s, 0.5 - 50 * 375e-6 - 50 * 103e-6));

	seen.device_s = 0.95;	/* by others, too */
	model_apply(&seen, &bsd, &a);
	CHECK(a.is_saturated && is_near(a.most_s, 0.05));

	seen = server;
	seen.switches = 3000;	/* short ones */
	model_apply(&seen, &bsd, &a);
	CHECK(a.verdict == LOSES && a.workers_s < -0.2);

	seen = server;
	seen.compute_s = 0.99;
	seen.waits[0].time_s = 0.01;
	model_apply(&seen, &bsd, &a);
	CHECK(a.verdict == NO_GAIN && a.workers_s < 0.01);

	seen = server;
	seen.waits[0].kind = FOR_ORDER;
	model_apply(&seen, &bsd, &a);
	CHECK(a.verdict == NO_GAIN && is_near(a.st_s, 0.5) && is_near(a.most_s, 0));

	seen = server;
	seen.waits[0].kind = FOR_PEER;	/* a child that computes all the time */
	seen.waits[0].time_s = seen.compute_s = 0.95;
	model_apply(&seen, &bsd, &a);
	CHECK(is_near(a.most_s, 0.05));
}

static void threads(void)
{
	struct observation seen = server;
	struct advice a;

	seen.threads_peak = 4;
	seen.started = 3;
	model_apply(&seen, &bsd, &a);	/* fifty blocks that cost 48 us more, three threads that cost 770 us less */
	CHECK(a.is_threaded && a.verdict == NO_GAIN);
	CHECK(is_near(a.compute_s, 3 * 770e-6 - 50 * 48e-6));

	seen.switches = 10000;
	model_apply(&seen, &bsd, &a);
	CHECK(a.verdict == LOSES && a.compute_s < -0.4);

	seen.waits[0].kind = FOR_PEER;		/* half of the time another one runs */
	seen.switches = 8000;
	model_apply(&seen, &bsd, &a);
	CHECK(a.verdict == GAINS && is_near(a.passes, 4000));
	CHECK(is_near(a.compute_s, 4000 * 100e-6 + 3 * 770e-6));

	seen.waits[0].kind = FOR_THREAD;	/* three of them are joins */
	seen.switches = 10003;
	model_apply(&seen, &bsd, &a);
	CHECK(a.verdict == GAINS && is_near(a.turns, 5000));
	CHECK(is_near(a.compute_s, 5000 * 92.2e-6 + 3 * 770e-6));
	CHECK(is_near(a.elapsed_s, a.compute_s));

	seen.compute_s = 1;	/* on two processors */
	model_apply(&seen, &bsd, &a);
	CHECK(is_near(a.elapsed_s, a.compute_s / 2));
}

int main(void)
{
	one_thread();
	threads();
	return 0;
}
