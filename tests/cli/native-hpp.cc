// SPDX-License-Identifier: BSD-2-Clause
/* The C++ header: threads that join themselves, and locks that std's own lock types take. */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <upcall/upcall.hpp>

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
			std::abort(); \
		} \
	} while (0)

using namespace std::chrono_literals;

static void test_thread()
{
	std::atomic<int> sum{0};
	auto text = std::make_unique<std::string>("moved");
	{
		std::vector<upcall::thread> threads;

		for (int i = 1; i <= 100; i++)
			threads.emplace_back([&sum](int n) { sum += n; }, i);
		upcall::thread mover([](std::unique_ptr<std::string> s) { CHECK(*s == "moved"); }, std::move(text));
		upcall::thread moved(std::move(mover));

		CHECK(!mover.joinable() && moved.joinable());
		moved.join();
	}
	CHECK(sum == 5050);
}

static void test_locks()
{
	upcall::mutex mutex;
	upcall::recursive_mutex recursive;
	upcall::shared_mutex shared;
	upcall::condition_variable cond;
	std::condition_variable_any any;
	bool said = false, said_any = false;
	long total = 0;
	{
		std::vector<upcall::thread> threads;

		for (int t = 0; t < 4; t++)
			threads.emplace_back([&] {
				for (int i = 0; i < 10000; i++) {
					std::lock_guard hold(mutex);
					total++;
				}
			});
		threads.emplace_back([&] {
			std::unique_lock lock(mutex);

			cond.wait(lock, [&] { return said; });
			any.wait(lock, [&] { return said_any; });
		});
		upcall::this_thread::sleep_for(2ms);
		std::lock_guard hold(mutex);
		said = true;
		cond.notify_all();
		said_any = true;
		any.notify_all();
	}
	CHECK(total == 40000);
	std::lock_guard<upcall::mutex> once(recursive), twice(recursive);
	std::shared_lock reader(shared);
	CHECK(shared.try_lock_shared());
	CHECK(!shared.try_lock());
	shared.unlock_shared();
	std::unique_lock lock(mutex);
	CHECK(!mutex.try_lock_for(2ms));
	CHECK(!cond.wait_until(lock, std::chrono::system_clock::now() + 5ms, [] { return false; }));
	upcall::semaphore sem(1);
	CHECK(sem.try_acquire() && !sem.try_acquire());
	bool thrown = false;
	try {
		upcall::thread().join();
	} catch (const std::system_error &) {
		thrown = true;
	} catch (...) {
	}
	CHECK(thrown);
}

int main()
{
	test_thread();
	test_locks();
	return 0;
}
