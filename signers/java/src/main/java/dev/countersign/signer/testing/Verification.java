package dev.countersign.signer.testing;

/** The result of {@link Verifier#verify}. */
public final class Verification {
  private final String code;
  private final String reason;

  private Verification(String code, String reason) {
    this.code = code;
    this.reason = reason;
  }

  static Verification ok() {
    return new Verification(null, null);
  }

  static Verification refused(String code, String reason) {
    return new Verification(code, reason);
  }

  /**
   * Returns whether a service would accept the signature.
   *
   * @return true if every check passed
   */
  public boolean isOk() {
    return code == null;
  }

  /**
   * Returns the code with which a service would reject the request.
   *
   * @return one of the codes of docs/errors.md; null if the request is accepted
   */
  public String code() {
    return code;
  }

  /**
   * Returns what is wrong.
   *
   * @return one sentence; null if the request is accepted
   */
  public String reason() {
    return reason;
  }

  /** Returns {@code ok}, or code and reason. */
  @Override
  public String toString() {
    return isOk() ? "ok" : code + ": " + reason;
  }
}
