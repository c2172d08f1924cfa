package dev.countersign.signer;

import java.io.IOException;

/**
 * The service rejected a signed request. Match on {@link #code()}.
 *
 * <p>Only refusals of Countersign become this exception. Other error responses are the API's own, and are returned.
 */
public final class RequestRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The service's answer. */
  private final Refusal refusal;

  /**
   * Wraps a refusal. For adapters of HTTP clients.
   *
   * @param refusal the service's answer
   */
  public RequestRefusedException(Refusal refusal) {
    super(refusal.toString());
    this.refusal = refusal;
  }

  /**
   * Returns the service's answer.
   *
   * @return the refusal
   */
  public Refusal refusal() {
    return refusal;
  }

  /**
   * Returns the HTTP status.
   *
   * @return the status of the response
   */
  public int status() {
    return refusal.status();
  }

  /**
   * Returns the code, such as {@code signature_invalid}.
   *
   * @return one of the codes of docs/errors.md
   */
  public String code() {
    return refusal.code();
  }
}
