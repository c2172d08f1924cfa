package dev.countersign.signer;

/** What signatures cover and say. A signer has one profile for all its requests. */
interface Profile {
  /**
   * Returns a key with its {@code keyid}.
   *
   * @throws SignerConfigurationException {@code private_key_invalid} if the profile has no signatures by such a key
   */
  SigningKey withKeyid(SigningKey key);

  /** Returns whether equal requests have the same text to sign in a second, so that each needs one of its own. */
  boolean repeatsText();

  /**
   * Returns whether refusals may change the signer's clock and its use of seconds. Only if all its requests go to services that
   * know the client: any other site could answer with a wrong time.
   */
  boolean learnsFromRefusals();

  /** Composes the text to sign and the header lines to send. */
  SignatureBase base(UnsignedRequest request, long created, SigningKey key);
}
