// SPDX-License-Identifier: BSD-2-Clause
/*
 * Upcall for C++17: a thread that joins itself, and locks that std::unique_lock, std::shared_lock and
 * std::condition_variable_any take.  Errors are std::system_error.
 *
 * An exception that leaves a thread's function ends the program, as with std::thread.
 */
#ifndef UPCALL_UPCALL_HPP
#define UPCALL_UPCALL_HPP

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include <upcall/upcall.h>

namespace upcall {

inline void check(int result)
{
	if (result < 0)
		throw std::system_error(-result, std::system_category());
}

/* Holds each duration of std's; a long double of x86 has all digits of 64 bits. */
using any_duration = std::chrono::duration<long double, std::nano>;

/* So long from now, as a deadline: now if that is past, UPCALL_NEVER if it is too far. */
inline std::uint64_t after(any_duration time)
{
	long double ns = time.count();

	if (ns >= static_cast<long double>(UPCALL_NEVER))
		return UPCALL_NEVER;
	return upcall_after(ns > 0 ? static_cast<std::uint64_t>(ns) : 0);
}

/* A point in time of any of std's clocks, as a deadline. */
template <class Clock, class Duration>
std::uint64_t deadline(const std::chrono::time_point<Clock, Duration> &at)
{
	return after(any_duration(at.time_since_epoch()) - any_duration(Clock::now().time_since_epoch()));
}

/* Of deadlines: false when the time was up. */
inline bool in_time(int result)
{
	if (result == -ETIMEDOUT || result == -EBUSY || result == -EAGAIN)
		return false;
	check(result);
	return true;
}

/* Joins in its destructor, unless it was joined or detached before. */
class thread {
	template <class Fn>
	static constexpr bool is_function = !std::is_same_v<std::decay_t<Fn>, thread> &&
					    !std::is_same_v<std::decay_t<Fn>, upcall_attr>;

public:
	thread() noexcept = default;

	template <class Fn, class... Args, class = std::enable_if_t<is_function<Fn>>>
	explicit thread(Fn &&fn, Args &&...args)
	{
		create(nullptr, std::forward<Fn>(fn), std::forward<Args>(args)...);
	}

	template <class Fn, class... Args> thread(const upcall_attr &attr, Fn &&fn, Args &&...args)
	{
		create(&attr, std::forward<Fn>(fn), std::forward<Args>(args)...);
	}

	thread(const thread &) = delete;
	thread(thread &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

	thread &operator=(thread &&other)
	{
		if (this == &other)
			return *this;
		if (joinable())
			join();
		handle_ = std::exchange(other.handle_, nullptr);
		return *this;
	}

	/*
	 * What it refers to may be about to go: a cancelled thread waits, too.  Nobody can wait for itself, nor for
	 * who waits for it.
	 */
	~thread()
	{
		int result = joinable() ? -ECANCELED : 0;

		while (result == -ECANCELED)
			result = upcall_join(handle_, nullptr);
		if (result == -EDEADLK)
			upcall_detach(handle_);
	}

	bool joinable() const noexcept { return handle_ != nullptr; }

	/* After an error it can be joined still. */
	void join()
	{
		check(handle_ ? upcall_join(handle_, nullptr) : -EINVAL);
		handle_ = nullptr;
	}

	void detach() { check(handle_ ? upcall_detach(std::exchange(handle_, nullptr)) : -EINVAL); }
	upcall_t native_handle() const noexcept { return handle_; }

private:
	template <class Fn, class... Args> void create(const upcall_attr *attr, Fn &&fn, Args &&...args)
	{
		using Call = std::tuple<std::decay_t<Fn>, std::decay_t<Args>...>;
		auto call = std::make_unique<Call>(std::forward<Fn>(fn), std::forward<Args>(args)...);

		check(upcall_create(&handle_, attr, run<Call>, call.get()));
		static_cast<void>(call.release());
		if (attr && (attr->flags & UPCALL_DETACHED))
			handle_ = nullptr;
	}

	/*
	 * Not noexcept: under tools upcall_exit unwinds the stack.  Above it nothing catches an exception, which
	 * is what ends the program, too.
	 */
	template <class Call> static void *run(void *arg)
	{
		std::unique_ptr<Call> call(static_cast<Call *>(arg));

		std::apply([](auto &&fn, auto &&...args) {
			std::invoke(std::move(fn), std::move(args)...);
		}, std::move(*call));
		return nullptr;
	}

	upcall_t handle_ = nullptr;
};

class mutex {
public:
	mutex() noexcept = default;
	mutex(const mutex &) = delete;
	mutex &operator=(const mutex &) = delete;
	void lock() { check(upcall_mutex_lock(&mutex_)); }
	bool try_lock() { return in_time(upcall_mutex_trylock(&mutex_)); }
	void unlock() { upcall_mutex_unlock(&mutex_); }

	template <class Clock, class Duration>
	bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return in_time(upcall_mutex_lock_until(&mutex_, deadline(at)));
	}

	template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &time)
	{
		return in_time(upcall_mutex_lock_until(&mutex_, after(time)));
	}

	upcall_mutex *native_handle() noexcept { return &mutex_; }

protected:
	explicit mutex(upcall_mutex_kind kind) noexcept { upcall_mutex_init(&mutex_, kind); }

private:
	upcall_mutex mutex_ = {};
};

class recursive_mutex : public mutex {
public:
	recursive_mutex() noexcept : mutex(UPCALL_MUTEX_RECURSIVE) {}
};

/* Writers go first. */
class shared_mutex {
public:
	shared_mutex() noexcept = default;
	shared_mutex(const shared_mutex &) = delete;
	shared_mutex &operator=(const shared_mutex &) = delete;
	void lock() { check(upcall_rwlock_write(&lock_)); }
	bool try_lock() { return in_time(upcall_rwlock_trywrite(&lock_)); }
	void unlock() { upcall_rwlock_unlock(&lock_); }
	void lock_shared() { check(upcall_rwlock_read(&lock_)); }
	bool try_lock_shared() { return in_time(upcall_rwlock_tryread(&lock_)); }
	void unlock_shared() { upcall_rwlock_unlock(&lock_); }

	template <class Clock, class Duration>
	bool try_lock_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return in_time(upcall_rwlock_write_until(&lock_, deadline(at)));
	}

	template <class Rep, class Period> bool try_lock_for(const std::chrono::duration<Rep, Period> &time)
	{
		return in_time(upcall_rwlock_write_until(&lock_, after(time)));
	}

	template <class Clock, class Duration>
	bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return in_time(upcall_rwlock_read_until(&lock_, deadline(at)));
	}

	template <class Rep, class Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period> &time)
	{
		return in_time(upcall_rwlock_read_until(&lock_, after(time)));
	}

private:
	upcall_rwlock lock_ = {};
};

class condition_variable {
public:
	condition_variable() noexcept = default;
	condition_variable(const condition_variable &) = delete;
	condition_variable &operator=(const condition_variable &) = delete;
	~condition_variable() { upcall_cond_destroy(&cond_); }
	void notify_one() noexcept { upcall_cond_signal(&cond_); }
	void notify_all() noexcept { upcall_cond_broadcast(&cond_); }

	void wait(std::unique_lock<mutex> &lock)
	{
		check(upcall_cond_wait(&cond_, lock.mutex()->native_handle()));
	}

	template <class Predicate> void wait(std::unique_lock<mutex> &lock, Predicate done)
	{
		while (!done())
			wait(lock);
	}

	template <class Clock, class Duration>
	std::cv_status wait_until(std::unique_lock<mutex> &lock,
				  const std::chrono::time_point<Clock, Duration> &at)
	{
		return wait_by(lock, deadline(at));
	}

	template <class Rep, class Period>
	std::cv_status wait_for(std::unique_lock<mutex> &lock, const std::chrono::duration<Rep, Period> &time)
	{
		return wait_by(lock, after(time));
	}

	/* False when the time was up and it is still not done. */
	template <class Clock, class Duration, class Predicate>
	bool wait_until(std::unique_lock<mutex> &lock, const std::chrono::time_point<Clock, Duration> &at,
			Predicate done)
	{
		return wait_by(lock, deadline(at), std::move(done));
	}

	template <class Rep, class Period, class Predicate>
	bool wait_for(std::unique_lock<mutex> &lock, const std::chrono::duration<Rep, Period> &time, Predicate done)
	{
		return wait_by(lock, after(time), std::move(done));
	}

private:
	std::cv_status wait_by(std::unique_lock<mutex> &lock, std::uint64_t deadline_ns)
	{
		int r = upcall_cond_wait_until(&cond_, lock.mutex()->native_handle(), deadline_ns);

		return in_time(r) ? std::cv_status::no_timeout : std::cv_status::timeout;
	}

	template <class Predicate>
	bool wait_by(std::unique_lock<mutex> &lock, std::uint64_t deadline_ns, Predicate done)
	{
		while (!done())
			if (wait_by(lock, deadline_ns) == std::cv_status::timeout)
				return done();
		return true;
	}

	upcall_cond cond_ = {};
};

class semaphore {
public:
	explicit semaphore(unsigned value = 0) { check(upcall_sem_init(&sem_, value)); }
	semaphore(const semaphore &) = delete;
	semaphore &operator=(const semaphore &) = delete;
	void release() { check(upcall_sem_post(&sem_)); }
	void acquire() { check(upcall_sem_wait(&sem_)); }
	bool try_acquire() { return in_time(upcall_sem_trywait(&sem_)); }

	template <class Clock, class Duration>
	bool try_acquire_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return in_time(upcall_sem_wait_until(&sem_, deadline(at)));
	}

	template <class Rep, class Period> bool try_acquire_for(const std::chrono::duration<Rep, Period> &time)
	{
		return in_time(upcall_sem_wait_until(&sem_, after(time)));
	}

private:
	upcall_sem sem_;
};

class latch {
public:
	explicit latch(unsigned count) { check(upcall_latch_init(&latch_, count)); }
	latch(const latch &) = delete;
	latch &operator=(const latch &) = delete;
	void count_down(unsigned by = 1) { check(upcall_latch_count_down(&latch_, by)); }
	void wait() { check(upcall_latch_wait(&latch_)); }

	void arrive_and_wait(unsigned by = 1)
	{
		count_down(by);
		wait();
	}

	/* What has been counted down stays so when the time was up. */
	template <class Clock, class Duration>
	bool wait_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return in_time(upcall_latch_wait_until(&latch_, deadline(at)));
	}

	template <class Rep, class Period> bool wait_for(const std::chrono::duration<Rep, Period> &time)
	{
		return in_time(upcall_latch_wait_until(&latch_, after(time)));
	}

private:
	upcall_latch latch_;
};

class barrier {
public:
	explicit barrier(unsigned count) { check(upcall_barrier_init(&barrier_, count)); }
	barrier(const barrier &) = delete;
	barrier &operator=(const barrier &) = delete;
	~barrier() { upcall_barrier_destroy(&barrier_); }

	/* True to the last one to arrive. */
	bool arrive_and_wait()
	{
		int r = upcall_barrier_wait(&barrier_);

		check(r);
		return r == 1;
	}

	/* Nothing when the time was up: then it has not come, and the others wait on. */
	template <class Clock, class Duration>
	std::optional<bool> arrive_and_wait_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return arrive_by(deadline(at));
	}

	template <class Rep, class Period>
	std::optional<bool> arrive_and_wait_for(const std::chrono::duration<Rep, Period> &time)
	{
		return arrive_by(after(time));
	}

private:
	std::optional<bool> arrive_by(std::uint64_t deadline_ns)
	{
		int r = upcall_barrier_wait_until(&barrier_, deadline_ns);

		if (!in_time(r))
			return std::nullopt;
		return r == 1;
	}

	upcall_barrier barrier_;
};

/* Threads wait while it is not set. */
class event {
public:
	event() noexcept = default;
	event(const event &) = delete;
	event &operator=(const event &) = delete;
	void set() noexcept { upcall_event_set(&event_); }
	void reset() noexcept { upcall_event_reset(&event_); }
	bool is_set() const noexcept { return upcall_event_is_set(&event_); }
	void wait() { check(upcall_event_wait(&event_)); }

	template <class Clock, class Duration>
	bool wait_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return in_time(upcall_event_wait_until(&event_, deadline(at)));
	}

	template <class Rep, class Period> bool wait_for(const std::chrono::duration<Rep, Period> &time)
	{
		return in_time(upcall_event_wait_until(&event_, after(time)));
	}

private:
	upcall_event event_ = {};
};

/* How a call of a channel with a time limit ended. */
enum class channel_status { done, closed, timeout };

/* A bounded queue of elements that can be copied as bytes. */
template <class T> class channel {
	static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");

public:
	explicit channel(std::size_t capacity) { check(upcall_channel_create(&channel_, capacity, sizeof(T))); }
	channel(const channel &) = delete;
	channel &operator=(const channel &) = delete;
	~channel() { upcall_channel_destroy(channel_); }

	/* Senders fail from then on, receivers when it is empty. */
	void close() { upcall_channel_close(channel_); }
	/* False: it is closed. */
	bool send(const T &element) { return open(upcall_channel_send(channel_, &element)); }
	/* Nothing: it is closed, and empty. */
	std::optional<T> receive()
	{
		alignas(T) unsigned char element[sizeof(T)];

		if (!open(upcall_channel_receive(channel_, element)))
			return std::nullopt;
		return *std::launder(reinterpret_cast<T *>(element));
	}

	template <class Clock, class Duration>
	channel_status send_until(const T &element, const std::chrono::time_point<Clock, Duration> &at)
	{
		return status(upcall_channel_send_until(channel_, &element, deadline(at)));
	}

	template <class Rep, class Period>
	channel_status send_for(const T &element, const std::chrono::duration<Rep, Period> &time)
	{
		return status(upcall_channel_send_until(channel_, &element, after(time)));
	}

	/* ret_element is written when it is done. */
	template <class Clock, class Duration>
	channel_status receive_until(std::optional<T> &ret_element, const std::chrono::time_point<Clock, Duration> &at)
	{
		return receive_by(ret_element, deadline(at));
	}

	template <class Rep, class Period>
	channel_status receive_for(std::optional<T> &ret_element, const std::chrono::duration<Rep, Period> &time)
	{
		return receive_by(ret_element, after(time));
	}

	std::size_t size() const { return upcall_channel_length(channel_); }

private:
	static bool open(int result)
	{
		if (result != -EPIPE)
			check(result);
		return result != -EPIPE;
	}

	static channel_status status(int result)
	{
		if (result == -EPIPE)
			return channel_status::closed;
		return in_time(result) ? channel_status::done : channel_status::timeout;
	}

	channel_status receive_by(std::optional<T> &ret_element, std::uint64_t deadline_ns)
	{
		alignas(T) unsigned char element[sizeof(T)];
		channel_status how = status(upcall_channel_receive_until(channel_, element, deadline_ns));

		if (how == channel_status::done)
			ret_element.emplace(*std::launder(reinterpret_cast<T *>(element)));
		return how;
	}

	upcall_channel *channel_;
};

namespace this_thread {

inline void yield() noexcept { upcall_yield(); }

template <class Rep, class Period> void sleep_for(const std::chrono::duration<Rep, Period> &time)
{
	if (time > time.zero())
		check(upcall_sleep_until(after(time)));
}

template <class Clock, class Duration> void sleep_until(const std::chrono::time_point<Clock, Duration> &at)
{
	check(upcall_sleep_until(deadline(at)));
}

} // namespace this_thread

} // namespace upcall

#endif
