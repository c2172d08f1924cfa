package dev.countersign.signer;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.interfaces.ECKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.KeyAgreement;

/**
 * The thumbprint of a key's public key (RFC 7638 section 3; RFC 8037 appendix A.3 for Ed25519). Java has no
 * method that returns the public key of a private one, so it is derived and then checked with a signature.
 */
final class JwkThumbprint {
  private static final int COORDINATE_BYTES = 32;

  private JwkThumbprint() {}

  /** Returns the thumbprint of an Ed25519 or P-256 key. */
  static String of(SigningKey key) {
    String jwk;
    try {
      jwk = key.algorithm == Algorithm.ED25519 ? ed25519(key.privateKey) : p256(key.privateKey);
    } catch (GeneralSecurityException | ProviderException e) {
      throw SignerConfigurationException.privateKeyInvalid(
          "This is a private key whose public key the signer cannot derive. Set privateKey to a function that signs with it, "
              + "algorithm, and clientId to the thumbprint of the public key.");
    }
    return base64url(SignatureBase.sha256(jwk.getBytes(StandardCharsets.US_ASCII)));
  }

  private static String ed25519(PrivateKey key) throws GeneralSecurityException {
    if (key.getEncoded() == null) {
      throw new InvalidKeyException("The key stays where it is.");
    }
    // PrivateKeyInfo (RFC 5958 section 2) with the seed (RFC 8410 section 7).
    Der info = Der.sequence(key.getEncoded());
    info.read(Der.INTEGER);
    info.read(Der.SEQUENCE);
    byte[] seed = Der.of(info.read(Der.OCTET_STRING)).read(Der.OCTET_STRING);
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(255, new Given(seed));
    byte[] encoded = generator.generateKeyPair().getPublic().getEncoded();
    if (!SigningKey.signsFor(Algorithm.ED25519, key, new X509EncodedKeySpec(encoded))) {
      throw new InvalidKeyException("The platform made another key.");
    }
    byte[] x = Arrays.copyOfRange(encoded, encoded.length - COORDINATE_BYTES, encoded.length);
    return "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" + base64url(x) + "\"}";
  }

  /** A random generator that returns the seed, from which the platform makes the key pair. */
  private static final class Given extends SecureRandom {
    private static final long serialVersionUID = 1L;
    private final byte[] seed;

    Given(byte[] seed) {
      this.seed = seed;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(seed, 0, bytes, 0, Math.min(seed.length, bytes.length));
    }
  }

  private static String p256(PrivateKey key) throws GeneralSecurityException {
    ECPoint point = publicPoint(key);
    return "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" + coordinate(point.getAffineX()) + "\",\"y\":\""
        + coordinate(point.getAffineY()) + "\"}";
  }

  /** Lets the platform multiply the generator: a key agreement with it gives x, and one of two y signs. */
  private static ECPoint publicPoint(PrivateKey key) throws GeneralSecurityException {
    ECParameterSpec curve = ((ECKey) key).getParams();
    KeyFactory factory = KeyFactory.getInstance("EC");
    KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
    agreement.init(key);
    agreement.doPhase(factory.generatePublic(new ECPublicKeySpec(curve.getGenerator(), curve)), true);
    BigInteger x = new BigInteger(1, agreement.generateSecret());

    // y² = x³ + ax + b. The prime is 3 modulo 4, so this power is a square root.
    BigInteger prime = ((ECFieldFp) curve.getCurve().getField()).getP();
    BigInteger square = x.pow(2).add(curve.getCurve().getA()).multiply(x).add(curve.getCurve().getB());
    BigInteger y = square.modPow(prime.add(BigInteger.ONE).shiftRight(2), prime);
    for (ECPoint point : List.of(new ECPoint(x, y), new ECPoint(x, prime.subtract(y)))) {
      if (SigningKey.signsFor(Algorithm.ECDSA_P256, key, new ECPublicKeySpec(point, curve))) {
        return point;
      }
    }
    throw new InvalidKeyException("The key agrees on something else than it signs with.");
  }

  private static String coordinate(BigInteger number) throws GeneralSecurityException {
    return base64url(Der.padded(number.toByteArray(), COORDINATE_BYTES));
  }

  private static String base64url(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
