package dev.countersign.signer;

/**
 * The HTTP client tried to repeat a request that the API may have carried out already, such as a POST whose response was
 * lost. Its code is {@code repeat_not_signed}; the cause or the suppressed exceptions say what became of the first attempt.
 */
public final class RepeatNotSignedException extends SigningException {
  private static final long serialVersionUID = 1L;

  RepeatNotSignedException(String method) {
    super(
        "repeat_not_signed",
        "This " + method + " was sent once already, and it is not known whether the API carried it out. Signing it again "
            + "could carry it out twice, so it was not signed. Look up the outcome first, or send an Idempotency-Key that "
            + "the API honors.");
  }
}
