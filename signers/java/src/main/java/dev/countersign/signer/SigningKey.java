package dev.countersign.signer;

import static dev.countersign.signer.SignerConfigurationException.privateKeyInvalid;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.KeySpec;

/** A key that signs, and the one algorithm it signs with. */
final class SigningKey {
  static final String MAKE = "Create one: openssl genrsa -out private.pem 3072";
  static final String OTHER_KIND = "The private key is not an RSA, Ed25519 or ECDSA key (P-256 or P-384). " + MAKE;
  static final String NEEDS_JAVA_15 = "Ed25519 keys need Java 15 or newer. Update Java, or use a key of another kind.";

  final Algorithm algorithm;

  /** The key of the platform; null if a function signs. */
  final PrivateKey privateKey;

  /** The name of the key in signatures; null until {@link Profile#withKeyid} has given one. */
  final String keyid;

  private final SigningFunction function;

  SigningKey(Algorithm algorithm, SigningFunction function) {
    this(algorithm, null, null, function);
  }

  private SigningKey(Algorithm algorithm, PrivateKey privateKey, String keyid, SigningFunction function) {
    this.algorithm = algorithm;
    this.privateKey = privateKey;
    this.keyid = keyid;
    this.function = function;
  }

  SigningKey withKeyid(String keyid) {
    return new SigningKey(algorithm, privateKey, keyid, function);
  }

  /** Takes a key of the platform, if it is one that services register, as far as the key tells. */
  static SigningKey of(PrivateKey key) {
    Algorithm algorithm = algorithmOf(key);
    return new SigningKey(algorithm, key, null, signatureBase -> {
      Signature signature = Signature.getInstance(algorithm.signature);
      signature.initSign(key);
      signature.update(signatureBase);
      byte[] signed = signature.sign();
      // Not all providers know the names that end in inP1363Format.
      return algorithm.order == null ? signed : Der.joinedIntegers(signed, algorithm.signatureBytesMax / 2);
    });
  }

  private static Algorithm algorithmOf(PrivateKey key) {
    switch (key.getAlgorithm()) {
      case "RSA":
        if (key instanceof RSAKey) {
          checkSize(((RSAKey) key).getModulus().bitLength());
        }
        return Algorithm.RSA;
      case "EdDSA":
      case "Ed25519":
        checkEd25519(key);
        return Algorithm.ED25519;
      case "EC":
      case "ECDSA":
        if (!(key instanceof ECKey)) {
          throw privateKeyInvalid(
              "The private key does not tell its curve. Set privateKey to a function that signs with it, and algorithm.");
        }
        Algorithm ofCurve = Algorithm.ofCurve(((ECKey) key).getParams().getOrder());
        if (ofCurve != null) {
          return ofCurve;
        }
        throw privateKeyInvalid(OTHER_KIND);
      default:
        throw privateKeyInvalid(OTHER_KIND);
    }
  }

  private static void checkSize(int bits) {
    if (bits < 2048 || bits > 8192) {
      throw privateKeyInvalid("The private key has " + bits + " bits; 2048 to 8192 are allowed. " + MAKE);
    }
  }

  /** Tells Ed25519 from Ed448. Java has a type for these keys, but not in version 11. */
  private static void checkEd25519(PrivateKey key) {
    try {
      Signature.getInstance(Algorithm.ED25519.signature).initSign(key);
    } catch (NoSuchAlgorithmException e) {
      throw privateKeyInvalid(NEEDS_JAVA_15);
    } catch (InvalidKeyException e) {
      throw privateKeyInvalid(OTHER_KIND);
    }
  }

  /** Returns whether a public key verifies what a private key signs. */
  static boolean signsFor(Algorithm algorithm, PrivateKey key, KeySpec publicKey) {
    try {
      // Not of nothing: Ed25519 in Java 17 does not verify that.
      byte[] text = {1};
      Signature check = Signature.getInstance(algorithm.signature);
      check.initSign(key);
      check.update(text);
      byte[] signed = check.sign();
      check.initVerify(KeyFactory.getInstance(algorithm.keyFactory).generatePublic(publicKey));
      check.update(text);
      return check.verify(signed);
    } catch (GeneralSecurityException | RuntimeException e) {
      return false;
    }
  }

  byte[] sign(String signatureBase) throws SigningException {
    byte[] signature;
    try {
      signature = function.sign(signatureBase.getBytes(StandardCharsets.US_ASCII));
    } catch (Exception e) {
      throw new SigningException("signing_failed", "The private key cannot sign now. See the cause.", e);
    }
    if (signature == null
        || signature.length < algorithm.signatureBytesMin
        || signature.length > algorithm.signatureBytesMax) {
      throw new SigningException(
          "signing_failed", "The signing function did not return " + algorithm.signatureForm + ".");
    }
    return signature;
  }
}
