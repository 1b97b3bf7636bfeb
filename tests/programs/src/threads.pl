# SPDX-License-Identifier: BSD-2-Clause
# Perl's interpreter threads: each is a clone of the whole interpreter, with shared data on top.
use strict;
use warnings;
use threads;
use threads::shared;
use Thread::Queue;
use Time::HiRes qw(sleep time);

$| = 1;

my $counter :shared = 0;
my %seen :shared;
my @workers = map {
	my $n = $_;
	threads->create(sub {
		for (1 .. 200) { lock($counter); $counter++; }
		{ lock(%seen); $seen{$n} = threads->tid(); }
		return $n * $n;
	});
} 1 .. 40;
my $squares = 0;
$squares += $_->join for @workers;
my %tids = map { $_ => 1 } values %seen;
print "counter $counter squares $squares threads ", scalar(keys %tids), "\n";

my ($jobs, $results) = (Thread::Queue->new, Thread::Queue->new);
my @pool = map { threads->create(sub {
	while (defined(my $job = $jobs->dequeue)) { $results->enqueue($job * 2); }
}) } 1 .. 8;
$jobs->enqueue($_) for 1 .. 1000;
$jobs->end;
$_->join for @pool;
my $sum = 0;
$sum += $results->dequeue_nb for 1 .. 1000;
print "queue $sum\n";

my $turn :shared = 0;
my @pingpong = map {
	my $me = $_;
	threads->create(sub {
		for (1 .. 200) {
			lock($turn);
			cond_wait($turn) until $turn % 2 == $me;
			$turn++;
			cond_broadcast($turn);
		}
	});
} 0, 1;
$_->join for @pingpong;
print "turns $turn\n";

{
	lock($turn);
	my $start = time;
	my $woken = cond_timedwait($turn, time + 1);
	my $punctual = time - $start >= 0.9 ? "in time" : "early";
	print "timed wait ", ($woken ? "woken" : "timed out"), " $punctual\n";
}

my $died = threads->create({ context => 'scalar' }, sub { eval { die "inside\n" }; return $@ });
print "died ", $died->join;

my @outputs = map { $_->join } map {
	my $n = $_;
	threads->create(sub { my $out = `echo child $n`; chomp $out; return $out });
} 1 .. 6;
print join(", ", @outputs), "\n";

my @sleepers = map { threads->create(sub { sleep 0.05; 1 }) } 1 .. 20;
print "slept ", scalar(grep { $_->join } @sleepers), "\n";
