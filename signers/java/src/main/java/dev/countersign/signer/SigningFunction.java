package dev.countersign.signer;

/** Signs bytes with a private key that stays elsewhere, for example in a vault or a hardware module. */
@FunctionalInterface
public interface SigningFunction {
  /**
   * Returns the signature over some bytes. In JCA terms it is that of {@code SHA256withRSA}, or as {@link
   * Signer.Builder#algorithm} says, {@code Ed25519}, {@code SHA256withECDSAinP1363Format} or {@code
   * SHA384withECDSAinP1363Format}: for ECDSA r and s one after the other, not DER.
   *
   * @param signatureBase the bytes to sign, not their hash
   * @return the raw signature
   * @throws Exception if the key store cannot sign; it becomes the cause of a {@link SigningException}
   */
  byte[] sign(byte[] signatureBase) throws Exception;
}
