// SPDX-License-Identifier: BSD-2-Clause
/*
 * C++: philosophers who take both forks with std::scoped_lock, which cannot deadlock, and a waiter who
 * brings a meal at a time.  Threads join themselves where they go out of scope.
 */
#include <array>
#include <cstdio>
#include <deque>
#include <vector>
#include <upcall/upcall.hpp>

namespace {

constexpr int philosophers = 50, meals = 100;

class kitchen {
public:
	void cook(int meal)
	{
		std::lock_guard hold(mutex_);
		ready_.push_back(meal);
		cond_.notify_one();
	}

	int fetch()
	{
		std::unique_lock lock(mutex_);
		cond_.wait(lock, [this] { return !ready_.empty(); });
		int meal = ready_.front();
		ready_.pop_front();
		return meal;
	}

private:
	upcall::mutex mutex_;
	upcall::condition_variable cond_;
	std::deque<int> ready_;
};

struct fork {
	upcall::mutex mutex;
	int used = 0;
};

} // namespace

int main()
{
	std::array<fork, philosophers> forks;
	std::vector<long> eaten(philosophers);
	kitchen kitchen;
	long sum = 0, used = 0;
	{
		std::vector<upcall::thread> table;

		for (int i = 0; i < philosophers; i++)
			table.emplace_back([&, i] {
				fork &left = forks[i], &right = forks[(i + 1) % philosophers];

				for (int m = 0; m < meals; m++) {
					int meal = kitchen.fetch();
					std::scoped_lock both(left.mutex, right.mutex);

					left.used++;
					right.used++;
					eaten[i] += meal;
				}
			});
		for (int meal = 0; meal < philosophers * meals; meal++)
			kitchen.cook(meal);
	}
	for (long e : eaten)
		sum += e;
	for (const fork &f : forks)
		used += f.used;
	std::printf("%d meals were eaten with %ld forks\n", philosophers * meals, used);
	return used != 2L * philosophers * meals || sum != (philosophers * meals - 1L) * philosophers * meals / 2;
}
