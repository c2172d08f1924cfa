package dev.countersign.signer.testing;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** A public key that a service would register, with its one algorithm. */
final class VerifyingKey {
  static final List<String> ALGORITHMS = List.of("rsa-v1_5-sha256", "ed25519", "ecdsa-p256-sha256", "ecdsa-p384-sha384");

  private static final BigInteger ORDER_P256 =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
  private static final BigInteger ORDER_P384 =
      new BigInteger("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16);

  /** The value of {@code alg}. */
  final String algorithm;

  private final PublicKey key;
  private final String jcaName;
  private final int signatureBytes;
  /** The order of the curve; null if this is not ECDSA. */
  private final BigInteger order;

  private VerifyingKey(PublicKey key, String algorithm, String jcaName, int signatureBytes, BigInteger order) {
    this.key = key;
    this.algorithm = algorithm;
    this.jcaName = jcaName;
    this.signatureBytes = signatureBytes;
    this.order = order;
  }

  /** Reads SubjectPublicKeyInfo, as {@code openssl pkey -pubout} writes it: PEM or bare Base64. */
  static VerifyingKey read(String text) {
    if (text.contains("PRIVATE KEY")) {
      throw new IllegalArgumentException("This is a private key. Use its public key instead.");
    }
    byte[] der;
    try {
      der = Base64.getDecoder().decode(text.replaceAll("-----(BEGIN|END) PUBLIC KEY-----|\\s", ""));
    } catch (IllegalArgumentException e) {
      throw notAKey();
    }
    for (String kind : List.of("RSA", "EC", "Ed25519")) {
      try {
        return of(KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(der)));
      } catch (GeneralSecurityException e) {
        // It is of another kind.
      }
    }
    throw notAKey();
  }

  private static IllegalArgumentException notAKey() {
    return new IllegalArgumentException(
        "The text is not an RSA, ECDSA (P-256 or P-384) or, from Java 15, Ed25519 public key. "
            + "Give what this writes: openssl pkey -in private.pem -pubout");
  }

  /** Checks a key as a service does at registration. */
  static VerifyingKey of(PublicKey key) {
    if (key instanceof RSAPublicKey && key.getAlgorithm().equals("RSA")) {
      int bits = checkedBits((RSAPublicKey) key);
      return new VerifyingKey(key, "rsa-v1_5-sha256", "SHA256withRSA", (bits + 7) / 8, null);
    }
    if (key instanceof ECPublicKey) {
      BigInteger order = ((ECPublicKey) key).getParams().getOrder();
      if (order.equals(ORDER_P256)) {
        return new VerifyingKey(key, "ecdsa-p256-sha256", "SHA256withECDSAinP1363Format", 64, order);
      }
      if (order.equals(ORDER_P384)) {
        return new VerifyingKey(key, "ecdsa-p384-sha384", "SHA384withECDSAinP1363Format", 96, order);
      }
    } else if (isEd25519(key)) {
      return new VerifyingKey(key, "ed25519", "Ed25519", 64, null);
    }
    throw new IllegalArgumentException("A service registers RSA, Ed25519 and ECDSA keys (P-256 or P-384).");
  }

  private static int checkedBits(RSAPublicKey key) {
    int bits = key.getModulus().bitLength();
    if (bits < 2048 || bits > 8192 || !key.getPublicExponent().equals(BigInteger.valueOf(65537))) {
      throw new IllegalArgumentException("A service registers RSA keys of 2048 to 8192 bits with the exponent 65537.");
    }
    return bits;
  }

  /** Tells Ed25519 from Ed448. Java has a type for these keys, but not in version 11. */
  private static boolean isEd25519(PublicKey key) {
    try {
      Signature.getInstance("Ed25519").initVerify(key);
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Returns whether anyone can turn a signature into another one of the same text, as (r, s) into (r, n - s). */
  boolean isMalleable() {
    return order != null;
  }

  boolean verifies(byte[] base, byte[] signature) {
    // Java 17 accepts an Ed25519 signature with a zero after it.
    if (signature.length != signatureBytes || order != null && !isInRange(signature)) {
      return false;
    }
    try {
      Signature verification = Signature.getInstance(jcaName);
      verification.initVerify(key);
      verification.update(base);
      return verification.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Checks r and s. Java 15 to 18 accepted zeros (CVE-2022-21449). */
  private boolean isInRange(byte[] signature) {
    int size = signatureBytes / 2;
    return isInRange(new BigInteger(1, Arrays.copyOf(signature, size)))
        && isInRange(new BigInteger(1, Arrays.copyOfRange(signature, size, signatureBytes)));
  }

  private boolean isInRange(BigInteger number) {
    return number.signum() > 0 && number.compareTo(order) < 0;
  }
}
