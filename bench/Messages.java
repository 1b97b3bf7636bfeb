// SPDX-License-Identifier: BSD-2-Clause
//
// usage: java Messages SECONDS
//
// Many threads of a JVM: THREADS of them in a ring, each with a queue from which it takes messages and hands
// them to the next one's, MESSAGES of them under way; then as many clients of an echo server on the loopback that has
// a thread for each connection.  Each part has half of the time, of which a fourth is not measured: the JVM
// compiles then.  Prints lines METRIC VALUE UNIT.
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

public class Messages {
    static final int THREADS = 200, MESSAGES = 20, REQUEST_BYTES = 64;

    // Written by its thread alone.
    static class Counter {
        volatile long count;
        long unread0, unread1, unread2, unread3, unread4, unread5, unread6;	// a cache line for itself
    }

    interface Body {
        void run() throws Exception;
    }

    static final AtomicInteger failures = new AtomicInteger();
    static volatile boolean isOver;

    static Thread start(Body body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                failures.incrementAndGet();
                e.printStackTrace();
            }
        });
        t.start();
        return t;
    }

    static long sum(Counter[] counters) {
        return Arrays.stream(counters).mapToLong(c -> c.count).sum();
    }

    static Counter[] makeCounters() {
        Counter[] counters = new Counter[THREADS];
        Arrays.setAll(counters, i -> new Counter());
        return counters;
    }

    // Prints what is counted in a second, once it is.
    static void measure(String name, String unit, Counter[] counters, double seconds) throws Exception {
        Thread.sleep((long) (seconds * 250));
        long t = System.nanoTime(), before = sum(counters);
        Thread.sleep((long) (seconds * 750));
        System.out.printf("%s %.6g %s%n", name, (sum(counters) - before) / ((System.nanoTime() - t) / 1e9), unit);
    }

    static void end(List<Thread> threads) throws Exception {
        for (Thread t : threads)
            t.join();
        if (failures.get() > 0)
            throw new Exception(failures + " threads failed");
    }

    // A message is how far it has come.  The last one, -1, goes round once.
    static void handOn(BlockingQueue<Long> mine, BlockingQueue<Long> next, Counter counter) throws Exception {
        for (long message; (message = mine.take()) >= 0; counter.count++)
            next.put(message + 1);
        next.put(-1L);
    }

    static void ring(double seconds) throws Exception {
        Counter[] counters = makeCounters();
        List<BlockingQueue<Long>> queues = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();

        for (int i = 0; i < THREADS; i++)
            queues.add(new LinkedBlockingQueue<>());
        for (int i = 0; i < MESSAGES; i++)
            queues.get(i * THREADS / MESSAGES).add(0L);
        for (int i = 0; i < THREADS; i++) {
            BlockingQueue<Long> mine = queues.get(i), next = queues.get((i + 1) % THREADS);
            Counter counter = counters[i];
            threads.add(start(() -> handOn(mine, next, counter)));
        }
        measure("messages", "messages/s", counters, seconds);
        queues.get(0).put(-1L);
        end(threads);
        long far = queues.stream().flatMap(BlockingQueue::stream).filter(m -> m >= 0).mapToLong(m -> m).sum();
        long left = queues.stream().flatMap(BlockingQueue::stream).filter(m -> m >= 0).count();
        if (left != MESSAGES || far != sum(counters))
            throw new Exception(left + " messages came " + far + " times on, not " + sum(counters));
    }

    static void serve(Socket connection) throws IOException {
        try (connection) {
            InputStream in = connection.getInputStream();
            OutputStream out = connection.getOutputStream();
            byte[] buffer = new byte[REQUEST_BYTES];
            for (int n; (n = in.read(buffer)) > 0; )
                out.write(buffer, 0, n);
        }
    }

    static void ask(int port, Counter counter, int number, CountDownLatch connected) throws Exception {
        try (Socket connection = new Socket(InetAddress.getLoopbackAddress(), port)) {
            byte[] request = new byte[REQUEST_BYTES], answer = new byte[REQUEST_BYTES];
            DataInputStream in = new DataInputStream(connection.getInputStream());
            connection.setTcpNoDelay(true);
            connected.countDown();
            for (; !isOver; counter.count++) {
                Arrays.fill(request, (byte) (number + counter.count));
                connection.getOutputStream().write(request);
                in.readFully(answer);
                if (!Arrays.equals(request, answer))
                    throw new Exception("another answer");
            }
        }
    }

    static void echo(double seconds) throws Exception {
        Counter[] counters = makeCounters();
        CountDownLatch connected = new CountDownLatch(THREADS);
        List<Thread> servers = new ArrayList<>(), clients = new ArrayList<>();

        try (ServerSocket server = new ServerSocket(0, THREADS, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                clients.add(start(() -> ask(server.getLocalPort(), counters[number], number, connected)));
            }
            for (int i = 0; i < THREADS; i++) {
                Socket connection = server.accept();
                connection.setTcpNoDelay(true);
                servers.add(start(() -> serve(connection)));
            }
        }
        connected.await();
        measure("echo", "requests/s", counters, seconds);
        isOver = true;
        end(clients);
        end(servers);
    }

    public static void main(String[] args) throws Exception {
        double seconds = Double.parseDouble(args[0]) / 2;
        ring(seconds);
        echo(seconds);
    }
}
