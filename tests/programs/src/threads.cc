// SPDX-License-Identifier: BSD-2-Clause
//
// C++20 threads: exceptions, thread_local destructors, futures, conditions, atomic waits, stop tokens.
// Each part prints one line that is the same each time.
#include <atomic>
#include <barrier>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <iostream>
#include <latch>
#include <locale>
#include <map>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::vector<std::thread> spawn(int count, auto body)
{
	std::vector<std::thread> threads;

	for (int n = 0; n < count; n++)
		threads.emplace_back(body, n);
	return threads;
}

static void join(std::vector<std::thread> &&threads)
{
	for (auto &t : threads)
		t.join();
}

static std::atomic<int> made, gone, order_errors;

struct Local {
	std::string text;
	int made_as;
	static thread_local int alive;
	Local() : text(100, 'x'), made_as(alive++) { made++; }
	~Local()
	{
		if (made_as != --alive)
			order_errors++;
		gone++;
	}
};
thread_local int Local::alive = 0;
thread_local Local first, second;

static void thread_locals()
{
	join(spawn(50, [](int n) {
		first.text += std::to_string(n);
		second.text = first.text;
		std::this_thread::sleep_for(1ms);
		if (first.text != std::string(100, 'x') + std::to_string(n))
			order_errors++;
	}));
	std::printf("thread_local made %d destroyed %d wrong %d\n", made.load(), gone.load(),
		    order_errors.load());
}

[[gnu::noinline]] static int thrower(int depth)
{
	std::string held(64, char('a' + depth % 26));

	if (depth == 0)
		throw std::runtime_error("bottom");
	return thrower(depth - 1) + int(held.size());
}

static void exceptions()
{
	std::atomic<int> caught{0}, nested{0};

	join(spawn(64, [&](int n) {
		for (int i = 0; i < 50; i++) {
			try {
				thrower(n % 16);
			} catch (const std::runtime_error &e) {
				caught++;
				// Another thread throws while this one is inside its handler.
				std::this_thread::yield();
				try {
					throw n;
				} catch (int same) {
					nested += same == n && std::uncaught_exceptions() == 0;
				}
				if (std::strcmp(e.what(), "bottom") != 0)
					caught = -100000;
			}
		}
	}));
	std::printf("exceptions caught %d nested %d\n", caught.load(), nested.load());
}

static void futures()
{
	std::vector<std::future<int>> values;
	int sum = 0, failed = 0;

	for (int n = 0; n < 60; n++) {
		values.push_back(std::async(std::launch::async, [n] {
			if (n % 3 == 0)
				throw std::out_of_range("third");
			return n;
		}));
	}
	for (auto &v : values) {
		try {
			sum += v.get();
		} catch (const std::out_of_range &) {
			failed++;
		}
	}

	std::promise<std::string> promise;
	auto future = promise.get_future();
	auto early = future.wait_for(10ms) == std::future_status::timeout;
	std::thread([&promise] { promise.set_value_at_thread_exit("at exit"); }).join();
	std::printf("futures sum %d failed %d early %d %s\n", sum, failed, early, future.get().c_str());
}

static void conditions()
{
	std::mutex mutex;
	std::condition_variable more, less;
	std::vector<int> queue;
	long sum = 0;
	int left = 4000;

	auto producers = spawn(4, [&](int n) {
		for (int i = 0; i < 1000; i++) {
			std::unique_lock lock(mutex);
			less.wait(lock, [&] { return queue.size() < 8; });
			queue.push_back(n * 1000 + i);
			more.notify_one();
		}
	});
	auto consumers = spawn(4, [&](int) {
		for (;;) {
			std::unique_lock lock(mutex);
			more.wait(lock, [&] { return !queue.empty() || left == 0; });
			if (left == 0)
				return;
			sum += queue.back();
			queue.pop_back();
			if (--left == 0)
				more.notify_all();
			less.notify_one();
		}
	});
	join(std::move(producers));
	join(std::move(consumers));

	std::unique_lock lock(mutex);
	auto start = std::chrono::steady_clock::now();
	bool timed_out = more.wait_for(lock, 20ms) == std::cv_status::timeout;
	bool in_time = std::chrono::steady_clock::now() - start >= 20ms || !timed_out;
	std::printf("conditions sum %ld in time %d\n", sum, in_time);
}

// libstdc++ waits on atomics by futex calls made through syscall().
static void atomic_waits()
{
	std::atomic<int> turn{0};
	std::latch ready(32);
	std::barrier phase(8);
	std::counting_semaphore<8> slots(8);
	std::atomic<int> inside{0}, most{0}, phases{0};

	join(spawn(2, [&](int me) {
		for (int i = 0; i < 500; i++) {
			for (int now; (now = turn.load()) % 2 != me;)
				turn.wait(now);
			turn++;
			turn.notify_all();
		}
	}));
	join(spawn(32, [&](int) {
		ready.arrive_and_wait();
		slots.acquire();
		int now = ++inside;
		for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);)
			;
		std::this_thread::sleep_for(1ms);
		inside--;
		slots.release();
	}));
	join(spawn(8, [&](int) {
		for (int i = 0; i < 100; i++) {
			phase.arrive_and_wait();
			phases++;
			phase.arrive_and_wait();
			if (phases % 8 != 0)
				phases = -100000;
			phase.arrive_and_wait();
		}
	}));
	std::printf("atomic waits turns %d at most eight %d phases %d\n", turn.load(), most <= 8,
		    phases.load());
}

static void locks()
{
	std::shared_mutex shared;
	std::recursive_timed_mutex recursive;
	std::once_flag once;
	std::map<int, int> table;
	std::atomic<int> ones{0}, reads{0}, refused{0};

	join(spawn(24, [&](int n) {
		std::call_once(once, [&] { ones++; });
		for (int i = 0; i < 100; i++) {
			if (n % 4 == 0) {
				std::unique_lock lock(shared);
				table[i]++;
			} else {
				std::shared_lock lock(shared);
				reads += table.count(i) <= 1;
			}
		}
	}));

	recursive.lock();
	recursive.lock();
	std::thread([&] { refused += !recursive.try_lock_for(10ms); }).join();
	recursive.unlock();
	recursive.unlock();
	std::thread([&] { refused += recursive.try_lock_for(10s) ? 10 : 0; }).join();

	int total = 0;
	for (auto &[key, value] : table)
		total += value;
	std::printf("locks once %d writes %d reads %d refused %d\n", ones.load(), total, reads.load(),
		    refused.load());
}

static void stop_tokens()
{
	std::atomic<int> stopped{0};
	{
		std::vector<std::jthread> threads;
		std::mutex mutex;
		std::condition_variable_any condition;

		for (int n = 0; n < 20; n++) {
			threads.emplace_back([&](std::stop_token token) {
				std::unique_lock lock(mutex);
				condition.wait(lock, token, [] { return false; });
				stopped++;
			});
		}
		threads.clear();
	}
	std::printf("stopped %d\n", stopped.load());
}

// Streams use the locale and stdio's locks; each thread formats in its own stream.
static void streams()
{
	std::atomic<int> good{0};

	join(spawn(40, [&](int n) {
		for (int i = 0; i < 50; i++) {
			std::ostringstream out;
			out.imbue(std::locale::classic());
			out << n << ' ' << n * 0.5 << ' ' << std::hex << n;
			char wanted[64];
			std::snprintf(wanted, sizeof(wanted), "%d %g %x", n, n * 0.5, unsigned(n));
			good += out.str() == wanted;
		}
	}));
	std::printf("streams %d\n", good.load());
}

// The rounding mode belongs to the thread, whatever switches lie between; so do vector registers.
static void floating_point()
{
	std::atomic<int> good{0};

	join(spawn(32, [&](int n) {
		volatile double one = 1.0, three = 3.0;
		double nearest = one / three;
		int mode = n % 2 ? FE_UPWARD : FE_DOWNWARD;
		bool right = true;

		std::fesetround(mode);
		double directed = one / three;
		for (int i = 0; i < 200; i++) {
			if (i % 20 == 0)
				std::this_thread::sleep_for(100us);
			right &= one / three == directed && std::fegetround() == mode;
		}
		right &= mode == FE_UPWARD ? directed > nearest : directed <= nearest;
		std::fesetround(FE_TONEAREST);

		std::vector<double> x(1000);
		std::iota(x.begin(), x.end(), n);
		for (int i = 0; i < 500; i++)
			right &= std::accumulate(x.begin(), x.end(), 0.0) == 1000.0 * n + 499500.0;
		good += right;
	}));
	std::printf("floating point %d\n", good.load());
}

int main()
{
	thread_locals();
	exceptions();
	futures();
	conditions();
	atomic_waits();
	locks();
	stop_tokens();
	streams();
	floating_point();
	std::fflush(stdout);
	return 0;
}
