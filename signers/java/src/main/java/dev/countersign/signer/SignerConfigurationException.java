package dev.countersign.signer;

/**
 * A signer that cannot be built: a client ID, the URL of an agent, a key, a key file or a variable is missing or wrong.
 *
 * <p>It is unchecked, because no caller can do anything about it but stop. Match on {@link #code()}. The message says what to do
 * and never contains key material.
 */
public final class SignerConfigurationException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** The code. */
  private final String code;

  SignerConfigurationException(String code, String message) {
    super(message);
    this.code = code;
  }

  SignerConfigurationException(String code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  static SignerConfigurationException keyidInvalid(String message) {
    return new SignerConfigurationException("keyid_invalid", message);
  }

  static SignerConfigurationException privateKeyInvalid(String message) {
    return new SignerConfigurationException("private_key_invalid", message);
  }

  /**
   * Returns the error's code.
   *
   * @return {@code keyid_invalid}, {@code private_key_invalid} or, for the URL of an agent, {@code request_invalid}
   */
  public String code() {
    return code;
  }
}
