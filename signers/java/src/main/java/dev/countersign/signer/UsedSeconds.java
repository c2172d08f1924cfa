package dev.countersign.signer;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Remembers which requests were signed with which {@code created}, for all signers of the process.
 *
 * <p>Two equal requests in one second would have the same text to sign, and the service would reject the second as a replay,
 * whatever the algorithm.
 */
final class UsedSeconds {
  static final UsedSeconds OF_PROCESS = new UsedSeconds();

  /** The time after which no service accepts a signature any more, with a margin. */
  static final long REMEMBER_SECONDS = 420;

  private static final class Second {
    /** When each request was first signed. */
    final Map<String, Long> identities = new HashMap<>();
    long lastAddedNanos;
  }

  private final Map<Long, Second> seconds = new HashMap<>();
  private long lastForgottenNanos = System.nanoTime();

  /** Tests replace it. */
  LongSupplier monotonicNanos = System::nanoTime;

  /** Remembers a request in a second; false if it is there for longer than it may be shared. */
  synchronized boolean add(String identity, long created, long sharedNanos) {
    long now = monotonicNanos.getAsLong();
    if (now - lastForgottenNanos > TimeUnit.SECONDS.toNanos(1)) {
      lastForgottenNanos = now;
      long rememberNanos = TimeUnit.SECONDS.toNanos(REMEMBER_SECONDS);
      seconds.values().removeIf(second -> now - second.lastAddedNanos > rememberNanos);
    }
    Second second = seconds.computeIfAbsent(created, any -> new Second());
    second.lastAddedNanos = now;
    Long first = second.identities.putIfAbsent(identity, now);
    return first == null || now - first < sharedNanos;
  }
}
