// SPDX-License-Identifier: BSD-2-Clause
/*
 * The model (Small and Seltzer 1995, section 5.1).  A program of one thread takes CT + ST + AT; if its
 * asynchronous waits are overlapped with computing, max(CT, AT) + ST, so that min(AT, CT) is the most that can
 * be saved.  Of that come off:
 *   a fixed number of threads:  2 RB (upcall + switch)
 *   a thread for each request:  RB c + NF fork, where c is the same two again, as a thread that is made here
 *                               needs no upcall to begin, and its switches are part of `fork`
 * A disk that was busy all the time, for this program or for others, gives nothing sooner for being asked by more.
 */
#include "advise.h"

#include <math.h>

/* Less than this share of the time is nothing: runs differ by more. */
#define LEAST_GAIN 0.03
#define SATURATED 0.9

static double time_of(const struct observation *seen, enum wait_kind kind)
{
	double sum = 0;

	for (unsigned i = 0; i < seen->nwaits; i++)
		if (seen->waits[i].kind == kind)
			sum += seen->waits[i].time_s;
	return sum;
}

/*
 * How many of the voluntary switches.  Of one process all are known, and the looks say what share each kind has;
 * of several those that were seen count, as helpers' switches are not the program's.
 */
static double switches_of(const struct observation *seen, enum wait_kind kind)
{
	double all = 0, of_kind = 0;

	for (unsigned i = 0; i < seen->nwaits; i++) {
		all += seen->waits[i].switches;
		if (seen->waits[i].kind == kind)
			of_kind += seen->waits[i].switches;
	}
	if (seen->processes > 1)
		return of_kind;
	return all > 0 ? seen->switches * of_kind / all : 0;
}

static enum verdict verdict_on(double saved_s, double whole_s)
{
	if (saved_s > LEAST_GAIN * whole_s)
		return GAINS;
	return saved_s < -LEAST_GAIN * whole_s ? LOSES : NO_GAIN;
}

static void of_one_thread(const struct observation *seen, const struct costs *costs, struct advice *a)
{
	double device_left_s = fmax(0, seen->elapsed_s - seen->device_s);
	double upcalls_s, forks_s;

	a->without_s = fmax(0, seen->elapsed_s - seen->compute_s - a->at_s - a->st_s - a->thread_s - a->work_s);
	a->blocks = switches_of(seen, FOR_DISK) + switches_of(seen, FOR_PEER);
	a->upcall_ns = fmax(0, costs->block[ON_UPCALL] - costs->block_alone) / 2;
	a->most_s = fmin(a->at_s - a->disk_at_s + fmin(a->disk_at_s, device_left_s), seen->compute_s);
	/* What its children compute while it waits for them is overlapped already. */
	a->most_s = fmin(a->most_s, fmax(0, seen->elapsed_s - seen->compute_s));
	upcalls_s = 2 * a->blocks * a->upcall_ns / 1e9;
	forks_s = a->blocks * costs->start[ON_UPCALL] / 1e9;
	a->workers_s = a->most_s - upcalls_s;
	a->forks_s = a->most_s - upcalls_s - forks_s;
	a->verdict = verdict_on(a->workers_s, seen->elapsed_s);
}

/*
 * A wait is a switch between user-level threads where another thread is ready; where none is, the kernel
 * thread sleeps as it does on glibc.  How often there is one: as large a part of the time as some thread ran.
 * One wait for each thread that was started is its join, which is in what it costs.  Nothing is promised of
 * waits for something to do.
 */
static void of_threads(const struct observation *seen, const struct costs *costs, struct advice *a)
{
	double busy = seen->elapsed_s > 0 ? fmin(1, seen->busy_s / seen->elapsed_s) : 0;

	a->blocks = switches_of(seen, FOR_DISK) + switches_of(seen, FOR_ORDER);
	a->turns = fmax(0, switches_of(seen, FOR_THREAD) - seen->started) * busy;
	a->passes = switches_of(seen, FOR_PEER) * busy;
	a->upcall_ns = costs->block[ON_UPCALL] / 2;
	a->compute_s = (a->turns * (costs->turn[ON_GLIBC] - costs->turn[ON_UPCALL]) +
			a->passes * (costs->pass[ON_GLIBC] - costs->pass[ON_UPCALL]) +
			seen->started * (costs->start[ON_GLIBC] - costs->start[ON_UPCALL]) -
			a->blocks * (costs->block[ON_UPCALL] - costs->block[ON_GLIBC])) / 1e9;
	/* What is saved is saved while it computes, on as many processors as it did. */
	a->compute_s = fmin(a->compute_s, seen->compute_s);
	if (seen->compute_s > 0)
		a->elapsed_s = a->compute_s * fmin(1, seen->busy_s / seen->compute_s);
	a->verdict = verdict_on(a->compute_s, seen->compute_s);
}

void model_apply(const struct observation *seen, const struct costs *costs, struct advice *ret)
{
	struct advice a = { .is_threaded = seen->threads_peak > 1 };

	a.disk_at_s = time_of(seen, FOR_DISK);
	a.at_s = a.disk_at_s + time_of(seen, FOR_PEER);
	a.st_s = time_of(seen, FOR_ORDER);
	a.thread_s = time_of(seen, FOR_THREAD);
	a.work_s = time_of(seen, FOR_WORK);
	a.is_saturated = a.disk_at_s > 0 && seen->device_s > SATURATED * seen->elapsed_s;
	if (a.is_threaded)
		of_threads(seen, costs, &a);
	else
		of_one_thread(seen, costs, &a);
	*ret = a;
}
