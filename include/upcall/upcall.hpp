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
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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

/* A point in time of any of std's clocks, as a deadline. */
template <class Clock, class Duration>
std::uint64_t deadline(const std::chrono::time_point<Clock, Duration> &at)
{
	auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(at - Clock::now()).count();

	return upcall_after(rest > 0 ? static_cast<std::uint64_t>(rest) : 0);
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
		if (joinable())
			join();
		handle_ = std::exchange(other.handle_, nullptr);
		return *this;
	}

	~thread()
	{
		if (joinable())
			upcall_join(handle_, nullptr);
	}

	bool joinable() const noexcept { return handle_ != nullptr; }
	void join() { check(handle_ ? upcall_join(std::exchange(handle_, nullptr), nullptr) : -EINVAL); }
	void detach() { check(handle_ ? upcall_detach(std::exchange(handle_, nullptr)) : -EINVAL); }
	upcall_t native_handle() const noexcept { return handle_; }

private:
	template <class Fn, class... Args> void create(const upcall_attr *attr, Fn &&fn, Args &&...args)
	{
		using Call = std::tuple<std::decay_t<Fn>, std::decay_t<Args>...>;
		auto call = std::make_unique<Call>(std::forward<Fn>(fn), std::forward<Args>(args)...);

		check(upcall_create(&handle_, attr, run<Call>, call.get()));
		static_cast<void>(call.release());
	}

	template <class Call> static void *run(void *arg) noexcept
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
		return try_lock_until(std::chrono::steady_clock::now() + time);
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
	void lock() { check(upcall_rwlock_write(&lock_)); }
	bool try_lock() { return in_time(upcall_rwlock_trywrite(&lock_)); }
	void unlock() { upcall_rwlock_unlock(&lock_); }
	void lock_shared() { check(upcall_rwlock_read(&lock_)); }
	bool try_lock_shared() { return in_time(upcall_rwlock_tryread(&lock_)); }
	void unlock_shared() { upcall_rwlock_unlock(&lock_); }

private:
	upcall_rwlock lock_ = {};
};

class condition_variable {
public:
	condition_variable() noexcept = default;
	condition_variable(const condition_variable &) = delete;
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

	/* False when the time was up and it is still not done. */
	template <class Clock, class Duration, class Predicate>
	bool wait_until(std::unique_lock<mutex> &lock, const std::chrono::time_point<Clock, Duration> &at,
			Predicate done)
	{
		while (!done())
			if (!in_time(upcall_cond_wait_until(&cond_, lock.mutex()->native_handle(), deadline(at))))
				return done();
		return true;
	}

private:
	upcall_cond cond_ = {};
};

class semaphore {
public:
	explicit semaphore(unsigned value = 0) { check(upcall_sem_init(&sem_, value)); }
	semaphore(const semaphore &) = delete;
	void release() { check(upcall_sem_post(&sem_)); }
	void acquire() { check(upcall_sem_wait(&sem_)); }
	bool try_acquire() { return in_time(upcall_sem_trywait(&sem_)); }

private:
	upcall_sem sem_;
};

namespace this_thread {

inline void yield() noexcept { upcall_yield(); }

template <class Rep, class Period> void sleep_for(const std::chrono::duration<Rep, Period> &time)
{
	auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();

	if (ns > 0)
		upcall_sleep(static_cast<std::uint64_t>(ns));
}

} // namespace this_thread

} // namespace upcall

#endif
