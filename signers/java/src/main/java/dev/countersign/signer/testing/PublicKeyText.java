package dev.countersign.signer.testing;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** Reads the public keys that a service would register. */
final class PublicKeyText {
  private PublicKeyText() {}

  /** Reads SubjectPublicKeyInfo, as {@code openssl rsa -pubout} writes it: PEM or bare Base64. */
  static RSAPublicKey read(String text) {
    if (text.contains("PRIVATE KEY")) {
      throw new IllegalArgumentException("This is a private key. Use its public key instead.");
    }
    String base64 = text.replaceAll("-----(BEGIN|END) PUBLIC KEY-----|\\s", "");
    try {
      byte[] der = Base64.getDecoder().decode(base64);
      return checked((RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der)));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The text is not an RSA public key. Give what this writes: openssl rsa -in private.pem -pubout", e);
    }
  }

  /** Checks size and exponent, as a service does at registration. */
  static RSAPublicKey checked(RSAPublicKey key) {
    int bits = key.getModulus().bitLength();
    if (bits < 2048 || bits > 8192 || !key.getPublicExponent().equals(BigInteger.valueOf(65537))) {
      throw new IllegalArgumentException("A service registers RSA keys of 2048 to 8192 bits with the exponent 65537.");
    }
    return key;
  }
}
