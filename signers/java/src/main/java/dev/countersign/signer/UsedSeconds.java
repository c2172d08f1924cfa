package dev.countersign.signer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Remembers which requests were signed with which {@code created}, for all signers of the process.
 *
 * <p>Signatures of RSASSA-PKCS1-v1_5 are deterministic, so two equal requests in one second would have the same one, and the
 * service would reject the second as a replay.
 */
final class UsedSeconds {
  static final UsedSeconds OF_PROCESS = new UsedSeconds();

  /** The time after which no service accepts a signature any more, with a margin. */
  static final long REMEMBER_SECONDS = 420;

  private static final class Second {
    final Set<String> identities = new HashSet<>();
    long lastAddedNanos;
  }

  private final Map<Long, Second> seconds = new HashMap<>();
  private long lastForgottenNanos = System.nanoTime();

  /** Remembers a request in a second; false if it is already there. */
  synchronized boolean add(String identity, long created) {
    long now = System.nanoTime();
    if (now - lastForgottenNanos > TimeUnit.SECONDS.toNanos(1)) {
      lastForgottenNanos = now;
      long rememberNanos = TimeUnit.SECONDS.toNanos(REMEMBER_SECONDS);
      seconds.values().removeIf(second -> now - second.lastAddedNanos > rememberNanos);
    }
    Second second = seconds.computeIfAbsent(created, any -> new Second());
    second.lastAddedNanos = now;
    return second.identities.add(identity);
  }
}
