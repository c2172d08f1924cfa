package dev.countersign.signer;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Follows the attempts of one call, so that a client that repeats a request by itself makes no second payment. For adapters
 * of HTTP clients: they keep one for each call of their client.
 */
public final class CallAttempts {
  /** RFC 9110 section 9.2.2. */
  private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

  /** The request may have been carried out, whatever these codes say. */
  private static final Set<String> NO_PROOF =
      Set.of(
          "signature_replayed",
          "upstream_failed",
          "upstream_timeout",
          "outcome_unknown",
          "request_timeout",
          "internal_error");

  private final boolean addsIdempotencyKeys;
  private final String idempotencyKey = UUID.randomUUID().toString();

  /** Requests that were sent, and may have been carried out. */
  private final Map<String, Unknown> unknown = new HashMap<>();

  private static final class Unknown {
    final String idempotencyKey;
    int attempts;

    Unknown(String idempotencyKey) {
      this.idempotencyKey = idempotencyKey;
    }
  }

  /**
   * Begins a call.
   *
   * @param signer the signer of its attempts
   */
  public CallAttempts(Signer signer) {
    this.addsIdempotencyKeys = signer.idempotencyKeys();
  }

  /**
   * Returns the {@code Idempotency-Key} that an attempt is sent with: the same one for all attempts of a call.
   *
   * @param method the method
   * @param given the header of the caller; null for none
   * @return the caller's; a random one if it is missing, the method is not idempotent and the signer adds keys; null for none
   */
  public String idempotencyKey(String method, String given) {
    boolean isMissing = given == null || given.isBlank();
    return isMissing && addsIdempotencyKeys && isUnsafe(method) ? idempotencyKey : given;
  }

  /**
   * Begins an attempt. Call this before signing it.
   *
   * @param method the method
   * @param url the URL that is signed
   * @param idempotencyKey the attempt's {@code Idempotency-Key}; null for none
   * @throws RepeatNotSignedException if the request was sent before, and may have been carried out
   */
  public synchronized void begin(String method, String url, String idempotencyKey) throws RepeatNotSignedException {
    if (!isUnsafe(method)) {
      return;
    }
    String key = idempotencyKey == null ? "" : idempotencyKey.trim();
    Unknown earlier = unknown.computeIfAbsent(name(method, url), any -> new Unknown(key));
    // Only the key that it was sent with keeps the API from carrying it out twice.
    if (earlier.attempts > 0 && (key.isEmpty() || !key.equals(earlier.idempotencyKey))) {
      throw new RepeatNotSignedException(method.toUpperCase(Locale.ROOT));
    }
    earlier.attempts++;
  }

  /**
   * Notes that an attempt was not sent, because it could not be signed. Earlier ones may have been carried out.
   *
   * @param method the method
   * @param url the URL
   */
  public synchronized void notSent(String method, String url) {
    unknown.computeIfPresent(name(method, url), (any, earlier) -> --earlier.attempts == 0 ? null : earlier);
  }

  /**
   * Notes the response to an attempt, which may prove that the request was not carried out.
   *
   * @param method the method
   * @param url the URL that was signed
   * @param status the HTTP status
   * @param refusal the refusal in the response; null for none
   */
  public synchronized void answered(String method, String url, int status, Refusal refusal) {
    // The client did not have the credentials that the API asks for (RFC 9110 section 15.5.2).
    boolean isChallenge = refusal == null && (status == 401 || status == 407);
    if (isChallenge || refusal != null && !NO_PROOF.contains(refusal.code())) {
      notSent(method, url);
    }
  }

  /**
   * Returns whether repeating a request can do something twice.
   *
   * @param method the method
   * @return false for the idempotent methods of RFC 9110
   */
  public static boolean isUnsafe(String method) {
    return !IDEMPOTENT.contains(method.toUpperCase(Locale.ROOT));
  }

  private static String name(String method, String url) {
    return method.toUpperCase(Locale.ROOT) + " " + url;
  }
}
