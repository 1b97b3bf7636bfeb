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

/* Neither copied nor moved: somebody may wait there. */
template <class... T>
constexpr bool stays = !(... || (std::is_copy_constructible_v<T> || std::is_copy_assignable_v<T> ||
				  std::is_move_constructible_v<T> || std::is_move_assignable_v<T>));

static_assert(stays<upcall::mutex, upcall::recursive_mutex, upcall::shared_mutex, upcall::condition_variable>);
static_assert(stays<upcall::semaphore, upcall::latch, upcall::barrier, upcall::event, upcall::channel<int>>);
static_assert(!std::is_copy_constructible_v<upcall::thread> && !std::is_copy_assignable_v<upcall::thread>);
static_assert(std::is_move_constructible_v<upcall::thread> && std::is_move_assignable_v<upcall::thread>);

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
		upcall::thread &same = moved;
		moved = std::move(same);
		CHECK(moved.joinable());
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

static void test_timed()
{
	upcall::mutex mutex;
	upcall::shared_mutex shared;
	upcall::condition_variable cond;
	upcall::semaphore sem;
	std::unique_lock lock(mutex);

	CHECK(cond.wait_for(lock, 2ms) == std::cv_status::timeout);
	CHECK(cond.wait_until(lock, std::chrono::steady_clock::now() + 2ms) == std::cv_status::timeout);
	CHECK(!cond.wait_for(lock, 2ms, [] { return false; }));
	CHECK(shared.try_lock_for(2ms));
	CHECK(!shared.try_lock_shared_for(2ms));
	shared.unlock();
	CHECK(shared.try_lock_shared_until(std::chrono::system_clock::now() + 2ms));
	CHECK(!shared.try_lock_until(std::chrono::system_clock::now() + 2ms));
	shared.unlock_shared();
	CHECK(!sem.try_acquire_for(2ms));
	sem.release();
	CHECK(sem.try_acquire_until(std::chrono::system_clock::now() + 2ms));
	upcall::this_thread::sleep_until(std::chrono::steady_clock::now() + 2ms);
}

/* What is past is over at once, however far; what is too far waits as long as it takes. */
static void test_times_out_of_range()
{
	using std::chrono::hours, std::chrono::milliseconds, std::chrono::steady_clock, std::chrono::system_clock;
	using Days = std::chrono::duration<int, std::ratio<86400>>;
	upcall::mutex mutex;
	upcall::condition_variable cond;
	upcall::event event;
	std::unique_lock lock(mutex);

	CHECK(upcall::after(hours::max()) == UPCALL_NEVER && upcall::after(milliseconds::max()) == UPCALL_NEVER);
	CHECK(upcall::deadline(std::chrono::time_point<system_clock, Days>::max()) == UPCALL_NEVER);
	CHECK(upcall::deadline(steady_clock::time_point::max()) > upcall_after(1ull << 62));
	CHECK(upcall::deadline(std::chrono::time_point<system_clock, Days>::min()) <= upcall_now());
	CHECK(cond.wait_until(lock, steady_clock::time_point::min()) == std::cv_status::timeout);
	CHECK(!cond.wait_for(lock, hours::min(), [] { return false; }));
	CHECK(!event.wait_until(system_clock::time_point::min()) && !event.wait_for(milliseconds::min()));
	CHECK(!mutex.try_lock_for(-1h));
	upcall::this_thread::sleep_for(milliseconds::min());
	upcall::this_thread::sleep_until(steady_clock::time_point::min());

	upcall::thread setter([&] {
		upcall::this_thread::sleep_for(5ms);
		event.set();
	});
	CHECK(event.wait_for(hours::max()));
	std::atomic<bool> has_slept{false};
	upcall::thread sleeper([&] {
		try {
			upcall::this_thread::sleep_for(hours::max());
			has_slept = true;
		} catch (const std::system_error &) {
		}
	});
	upcall::this_thread::sleep_for(5ms);
	upcall_cancel(sleeper.native_handle());
	sleeper.join();
	CHECK(!has_slept);
}

static void test_more()
{
	upcall::latch begun(2);
	upcall::barrier both(2);
	upcall::event over;
	upcall::channel<int> numbers(2);
	std::atomic<int> last{0};
	{
		upcall::thread other([&] {
			begun.arrive_and_wait();
			last += both.arrive_and_wait();
			while (auto n = numbers.receive())
				last += *n;
			over.set();
		});

		begun.arrive_and_wait();
		last += both.arrive_and_wait();
		for (int i = 0; i < 100; i++)
			CHECK(numbers.send(10));
		numbers.close();
		CHECK(!numbers.send(1));
		CHECK(over.wait_for(10s));
	}
	CHECK(last == 1001 && over.is_set() && numbers.size() == 0);
	over.reset();
	CHECK(!over.wait_for(1ms));
}

static void test_more_timed()
{
	using upcall::channel_status;
	using std::chrono::steady_clock, std::chrono::system_clock;
	upcall::latch latch(2);
	upcall::barrier both(2);
	upcall::channel<int> numbers(1);
	std::optional<int> n;

	latch.count_down();
	CHECK(!latch.wait_for(2ms) && !latch.wait_until(system_clock::now() + 2ms));
	latch.count_down();
	CHECK(latch.wait_for(0ms) && latch.wait_until(steady_clock::time_point::min()));

	/* Who gave up has not come: it still takes two. */
	CHECK(!both.arrive_and_wait_for(2ms) && !both.arrive_and_wait_until(system_clock::now() + 2ms));
	std::atomic<int> lasts{0};
	{
		upcall::thread other([&] {
			auto is_last = both.arrive_and_wait_for(10s);

			CHECK(is_last);
			lasts += *is_last;
		});
		auto is_last = both.arrive_and_wait_until(steady_clock::now() + 10s);

		CHECK(is_last);
		lasts += *is_last;
	}
	CHECK(lasts == 1);

	CHECK(numbers.receive_for(n, 2ms) == channel_status::timeout && !n);
	CHECK(numbers.send_for(1, 10s) == channel_status::done);
	CHECK(numbers.send_for(2, 2ms) == channel_status::timeout);
	CHECK(numbers.send_until(2, system_clock::now() + 2ms) == channel_status::timeout && numbers.size() == 1);
	CHECK(numbers.receive_until(n, system_clock::now() + 10s) == channel_status::done && n == 1);
	{
		upcall::thread sender([&] {
			upcall::this_thread::sleep_for(2ms);
			CHECK(numbers.send_until(3, steady_clock::now() + 10s) == channel_status::done);
		});

		CHECK(numbers.receive_for(n, 10s) == channel_status::done && n == 3);
	}
	numbers.close();
	CHECK(numbers.send_for(4, 10s) == channel_status::closed);
	CHECK(numbers.receive_for(n, 10s) == channel_status::closed && n == 3);
}

/* Elements need no constructor without arguments. */
static void test_channel_of_objects()
{
	struct alignas(32) Point {
		Point(int at_x, int at_y) : x(at_x), y(at_y) {}
		int x, y;
	};
	upcall::channel<Point> points(1);

	CHECK(points.send(Point(3, 4)));
	points.close();
	auto point = points.receive();
	CHECK(point && point->x == 3 && point->y == 4);
	CHECK(!points.receive());

	upcall::channel<Point> later(1);
	std::optional<Point> got;

	CHECK(later.send_for(Point(5, 6), 10s) == upcall::channel_status::done);
	CHECK(later.receive_for(got, 10s) == upcall::channel_status::done && got->x == 5 && got->y == 6);
}

/* What the children of a cancelled thread refer to is there until they have ended. */
static void test_cancelled_parent()
{
	std::atomic<bool> is_over{false};
	upcall::event has_child;
	upcall::thread parent([&] {
		upcall::thread child([&] {
			upcall::this_thread::sleep_for(20ms);
			is_over = true;
		});

		has_child.set();
	});

	has_child.wait();
	upcall_cancel(parent.native_handle());
	parent.join();
	CHECK(is_over);
}

static void test_detached()
{
	upcall_attr attr = UPCALL_ATTR_INIT;
	upcall::event over;

	attr.flags = UPCALL_DETACHED;
	{
		upcall::thread detached(attr, [&] { over.set(); });

		CHECK(!detached.joinable());
		over.wait();
	}
	upcall::this_thread::sleep_for(2ms);	/* the event is used until then */
}

/* A thread that destroys what would join it is detached. */
static void test_destroyed_by_itself()
{
	static std::unique_ptr<upcall::thread> itself;
	static upcall::event is_made, is_destroyed, is_seen;	/* used until the thread has ended */

	itself = std::make_unique<upcall::thread>([] {
		is_made.wait();
		itself.reset();
		is_destroyed.set();
		is_seen.wait();
	});
	upcall_t handle = itself->native_handle();

	is_made.set();
	is_destroyed.wait();
	CHECK(upcall_join(handle, nullptr) == -EINVAL);
	is_seen.set();
}

/* Where upcall_exit unwinds the stack, as in a thread with a kernel thread of its own, that is no exception. */
static void test_exit()
{
	upcall_attr attr = UPCALL_ATTR_INIT;
	std::atomic<int> ran{0};

	for (unsigned flags : {0u, static_cast<unsigned>(UPCALL_BOUND)}) {
		attr.flags = flags;
		upcall::thread leaver(attr, [&] {
			ran++;
			upcall_exit(nullptr);
		});
		leaver.join();
	}
	CHECK(ran == 2);
}

int main(int argc, char **argv)
{
	if (argc > 1) {		/* throws where nothing catches it */
		upcall_attr attr = UPCALL_ATTR_INIT;

		attr.flags = std::string(argv[1]) == "bound" ? UPCALL_BOUND : 0;
		upcall::thread(attr, [] { throw 1; }).join();
		return 0;
	}
	test_thread();
	test_locks();
	test_timed();
	test_times_out_of_range();
	test_more();
	test_more_timed();
	test_channel_of_objects();
	test_cancelled_parent();
	test_detached();
	test_destroyed_by_itself();
	test_exit();
	return 0;
}
