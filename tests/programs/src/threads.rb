# SPDX-License-Identifier: BSD-2-Clause
# Ruby's threads: a global lock handed on by a timer thread, blocking regions, a queue, children.
require "open3"
require "socket"
require "timeout"

$stdout.sync = true

mutex = Mutex.new
total = 0
(1..200).map { |n| Thread.new { 100.times { mutex.synchronize { total += n } } } }.each(&:join)
puts "mutex #{total}"

gate, open, waiting = ConditionVariable.new, false, 0
all = (1..100).map do
  Thread.new do
    mutex.synchronize do
      waiting += 1
      gate.wait(mutex) until open
    end
    1
  end
end
sleep 0.005 until mutex.synchronize { waiting } == 100
mutex.synchronize { open = true; gate.broadcast }
puts "broadcast #{all.sum(&:value)}"

jobs, results = SizedQueue.new(10), Queue.new
pool = (1..10).map { Thread.new { while (job = jobs.pop) do results << job * job end } }
1000.times { |n| jobs << n }
10.times { jobs << nil }
pool.each(&:join)
puts "queue #{Array.new(1000) { results.pop }.sum}"

def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
puts "compute #{(1..8).map { Thread.new { fib(20) } }.map(&:value).uniq}"

puts "children #{(1..8).map { |n| Thread.new { `echo #{n}`.to_i } }.sum(&:value)}"
out, status = Open3.capture2("tr", "a-z", "A-Z", stdin_data: "piped")
puts "capture #{out} #{status.exitstatus}"
forked = ->(n) { Process.wait2(fork { Thread.new { exit!(n) }.join })[1].exitstatus }
puts "fork #{(1..4).map { |n| Thread.new { forked[n] } }.map(&:value)}"

begin
  Timeout.timeout(0.05) { sleep 30 }
rescue Timeout::Error
  puts "timeout"
end
begin
  Thread.new { Thread.current.report_on_exception = false; raise "inside" }.join
rescue => e
  puts "raised #{e.message}"
end
victim = Thread.new { begin sleep; ensure $ensured = true end }
sleep 0.01 until victim.stop?
victim.kill.join
puts "killed #{$ensured} #{victim.status.inspect}"

server = TCPServer.new("127.0.0.1", 0)
acceptor = Thread.new do
  20.times.map { Thread.new(server.accept) { |s| s.puts(s.gets.upcase); s.close } }.each(&:join)
end
ask = ->(n) { TCPSocket.open("127.0.0.1", server.addr[1]) { |s| s.puts("x#{n}"); s.gets.chomp } }
answers = (1..20).map { |n| Thread.new { ask[n] } }
puts "sockets #{answers.map(&:value).sort.join}"
acceptor.join

def deeper(n) = deeper(n + 1)
puts "overflow #{Thread.new { begin; deeper(0); rescue SystemStackError; 1; end }.value}"
puts "fibers #{(1..50).map { |n| Fiber.new { Fiber.yield n; n * 2 } }.sum { |f| f.resume + f.resume }}"
