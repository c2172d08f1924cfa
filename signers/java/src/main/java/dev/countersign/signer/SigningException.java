package dev.countersign.signer;

import java.io.IOException;

/**
 * A request that cannot be signed. Nothing was sent, except that of a {@link RepeatNotSignedException}, which was sent before.
 * A signer that cannot be built is a {@link SignerConfigurationException}.
 *
 * <p>Match on {@link #code()}. The message says what to do and never contains key material. It is an {@link IOException}
 * because HTTP clients report those to their callers and callbacks.
 */
public class SigningException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The code. */
  private final String code;

  SigningException(String code, String message) {
    super(message);
    this.code = code;
  }

  SigningException(String code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /**
   * Reports a request that no signature can cover. For adapters of HTTP clients.
   *
   * @param reason what is wrong and what to do, as a clause without a full stop
   * @return the exception, with the code {@code request_invalid}
   */
  public static SigningException requestInvalid(String reason) {
    return new SigningException("request_invalid", "This request cannot be signed: " + reason + ".");
  }

  /**
   * Returns the error's code.
   *
   * @return {@code request_invalid}, {@code body_too_large}, {@code too_many_equal_requests}, {@code signing_failed} or
   *     {@code repeat_not_signed}
   */
  public String code() {
    return code;
  }
}
