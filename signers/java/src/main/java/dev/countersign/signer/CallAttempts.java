package dev.countersign.signer;

import java.util.HashSet;
import java.util.Locale;
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

  /** Requests that were signed, and whose outcome is not known. */
  private final Set<String> unknown = new HashSet<>();

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
    boolean hasKey = idempotencyKey != null && !idempotencyKey.isBlank();
    if (isUnsafe(method) && !hasKey && !unknown.add(name(method, url))) {
      throw new RepeatNotSignedException(method.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * Notes that an attempt was not sent, because it could not be signed.
   *
   * @param method the method
   * @param url the URL
   */
  public synchronized void notSent(String method, String url) {
    unknown.remove(name(method, url));
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
    // A request that has to be sent elsewhere. The other redirects may follow from what was done.
    boolean isRedirect = status == 307 || status == 308;
    // The client did not have the credentials that the API asks for (RFC 9110 section 15.5.2).
    boolean isChallenge = refusal == null && (status == 401 || status == 407);
    if (isRedirect || isChallenge || refusal != null && !NO_PROOF.contains(refusal.code())) {
      unknown.remove(name(method, url));
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
