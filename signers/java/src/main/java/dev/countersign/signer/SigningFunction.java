package dev.countersign.signer;

/** Signs bytes with a private key that stays elsewhere, for example in a vault or a hardware module. */
@FunctionalInterface
public interface SigningFunction {
  /**
   * Returns the RSASSA-PKCS1-v1_5 signature with SHA-256 (in JCA terms {@code SHA256withRSA}) over some bytes.
   *
   * @param signatureBase the bytes to sign, not their hash
   * @return the raw signature, as long as the key's modulus
   * @throws Exception if the key store cannot sign; it becomes the cause of a {@link SigningException}
   */
  byte[] sign(byte[] signatureBase) throws Exception;
}
