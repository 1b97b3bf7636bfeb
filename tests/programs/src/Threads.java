// SPDX-License-Identifier: BSD-2-Clause
//
// The JVM's threads: 200 at once, faults turned into exceptions (stack overflow, null), monitors,
// parking, pools, garbage collection under way, sockets and children.  One line a part.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

public class Threads {
    interface Body {
        void run(int n) throws Exception;
    }

    static final AtomicInteger failures = new AtomicInteger();

    static void inThreads(int count, Body body) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int n = i;
            threads.add(new Thread(() -> {
                try {
                    body.run(n);
                } catch (Throwable t) {
                    failures.incrementAndGet();
                    t.printStackTrace();
                }
            }));
        }
        for (Thread t : threads)
            t.start();
        for (Thread t : threads)
            t.join();
    }

    static int deeper(int n) {
        return deeper(n + 1) + 1;
    }

    static String text;

    static void faults() throws Exception {
        AtomicInteger overflows = new AtomicInteger(), nulls = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(200);
        inThreads(200, n -> {
            all.countDown();
            all.await();
            try {
                deeper(0);
            } catch (StackOverflowError e) {
                overflows.incrementAndGet();
            }
            for (int i = 0; i < 50; i++) {
                try {
                    nulls.addAndGet(text.length());
                } catch (NullPointerException e) {
                    nulls.incrementAndGet();
                }
            }
        });
        System.out.println("faults " + overflows + " " + nulls);
    }

    static long counter;
    static int turn;

    static void monitors() throws Exception {
        Object lock = new Object();
        inThreads(50, n -> {
            for (int i = 0; i < 1000; i++) {
                synchronized (lock) {
                    counter++;
                }
            }
        });
        inThreads(2, me -> {
            for (int i = 0; i < 500; i++) {
                synchronized (lock) {
                    while (turn % 2 != me)
                        lock.wait();
                    turn++;
                    lock.notifyAll();
                }
            }
        });
        long start = System.nanoTime();
        synchronized (lock) {
            lock.wait(20);
        }
        LockSupport.parkNanos(1_000_000);
        boolean inTime = System.nanoTime() - start >= 1_000_000;
        System.out.println("monitors " + counter + " " + turn + " " + inTime);
    }

    static void pools() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(32);
        List<Callable<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            int n = i;
            jobs.add(() -> n * n);
        }
        long sum = 0;
        for (Future<Integer> f : pool.invokeAll(jobs))
            sum += f.get();
        pool.shutdown();
        boolean ended = pool.awaitTermination(30, TimeUnit.SECONDS);
        long parallel = LongStream.rangeClosed(1, 2_000_000).parallel().map(x -> x % 7).sum();
        int chained = CompletableFuture.supplyAsync(() -> 20).thenCombineAsync(
            CompletableFuture.supplyAsync(() -> 22), Integer::sum).get();
        System.out.println("pools " + sum + " " + ended + " " + parallel + " " + chained);
    }

    static void queues() throws Exception {
        LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>(16);
        AtomicLong sum = new AtomicLong();
        CyclicBarrier barrier = new CyclicBarrier(20);
        inThreads(20, n -> {
            barrier.await();
            for (int i = 0; i < 500; i++) {
                if (n % 2 == 0)
                    queue.put(i);
                else
                    sum.addAndGet(queue.take());
            }
            barrier.await();
        });
        System.out.println("queues " + sum + " " + queue.poll(5, TimeUnit.MILLISECONDS));
    }

    // Collections stop every thread at a safepoint, wherever it is.
    static void garbage() throws Exception {
        ConcurrentHashMap<Integer, byte[]> kept = new ConcurrentHashMap<>();
        AtomicLong bytes = new AtomicLong();
        inThreads(40, n -> {
            for (int i = 0; i < 400; i++) {
                byte[] b = new byte[4096 + i];
                b[i] = (byte) n;
                kept.put(n * 8 + i % 8, b);
                if (i % 100 == 0 && n % 10 == 0)
                    System.gc();
            }
            for (int i = 0; i < 8; i++)
                bytes.addAndGet(kept.get(n * 8 + i)[392 + i]);
        });
        System.out.println("garbage " + kept.size() + " " + bytes);
    }

    static void interrupts() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        List<Thread> sleepers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Thread t = new Thread(() -> {
                try {
                    Thread.sleep(1_000_000);
                } catch (InterruptedException e) {
                    woken.incrementAndGet();
                }
            });
            t.start();
            sleepers.add(t);
        }
        for (Thread t : sleepers)
            t.interrupt();
        for (Thread t : sleepers)
            t.join();
        System.out.println("interrupts " + woken);
    }

    static void sockets() throws Exception {
        AtomicInteger good = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress())) {
            Thread acceptor = new Thread(() -> {
                try {
                    for (int i = 0; i < 50; i++) {
                        Socket s = server.accept();
                        new Thread(() -> serve(s)).start();
                    }
                } catch (Exception e) {
                    failures.incrementAndGet();
                }
            });
            acceptor.start();
            inThreads(50, n -> {
                try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    PrintWriter out = new PrintWriter(s.getOutputStream(), true);
                    BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                    for (int i = 0; i < 10; i++) {
                        out.println("x" + n + " " + i);
                        if (in.readLine().equals("X" + n + " " + i))
                            good.incrementAndGet();
                    }
                }
            });
            acceptor.join();
        }
        System.out.println("sockets " + good);
    }

    static void serve(Socket s) {
        try (s) {
            PrintWriter out = new PrintWriter(s.getOutputStream(), true);
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            for (String line; (line = in.readLine()) != null;)
                out.println(line.toUpperCase());
        } catch (Exception e) {
            failures.incrementAndGet();
        }
    }

    static void children() throws Exception {
        AtomicInteger good = new AtomicInteger();
        inThreads(8, n -> {
            Process p = new ProcessBuilder("sh", "-c", "echo " + n + "; exit " + n).start();
            String line = new BufferedReader(new InputStreamReader(p.getInputStream())).readLine();
            if (line.equals("" + n) && p.waitFor() == n)
                good.incrementAndGet();
        });
        System.out.println("children " + good);
    }

    public static void main(String[] args) throws Exception {
        faults();
        monitors();
        pools();
        queues();
        garbage();
        interrupts();
        sockets();
        children();
        Thread atExit = new Thread(() -> System.out.println("shutdown hook"));
        Runtime.getRuntime().addShutdownHook(atExit);
        System.out.println("failures " + failures);
    }
}
