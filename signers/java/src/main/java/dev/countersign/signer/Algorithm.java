package dev.countersign.signer;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The algorithms that services accept. */
enum Algorithm {
  /** RSASSA-PKCS1-v1_5 with SHA-256. */
  RSA(
      "rsa-v1_5-sha256",
      "RSA",
      "SHA256withRSA",
      "06092a864886f70d010101",
      null,
      256,
      1024,
      "an RSA signature of 256 to 1024 bytes"),
  ED25519("ed25519", "Ed25519", "Ed25519", "06032b6570", null, 64, 64, "an Ed25519 signature of 64 bytes"),
  ECDSA_P256(
      "ecdsa-p256-sha256",
      "EC",
      "SHA256withECDSA",
      "06072a8648ce3d020106082a8648ce3d030107",
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
      64,
      64,
      "an ECDSA signature of 64 bytes: r and s, not DER"),
  ECDSA_P384(
      "ecdsa-p384-sha384",
      "EC",
      "SHA384withECDSA",
      "06072a8648ce3d020106052b81040022",
      "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
      96,
      96,
      "an ECDSA signature of 96 bytes: r and s, not DER");

  /** The value of {@code alg}, a name of RFC 9421 section 6.2. */
  final String id;

  /** The algorithm of the JCA's {@code KeyFactory}. */
  final String keyFactory;

  /** The algorithm of the JCA's {@code Signature}. It writes ECDSA signatures in DER. */
  final String signature;

  /** The key's object identifiers in DER, as they start the content of its AlgorithmIdentifier (RFC 5280 section 4.1.1.2). */
  final byte[] identifiers;

  /** The order of the curve; null if this is not ECDSA. */
  final BigInteger order;

  final int signatureBytesMin;
  final int signatureBytesMax;

  /** The noun phrase for messages. */
  final String signatureForm;

  Algorithm(
      String id,
      String keyFactory,
      String signature,
      String identifiers,
      String order,
      int signatureBytesMin,
      int signatureBytesMax,
      String signatureForm) {
    this.id = id;
    this.keyFactory = keyFactory;
    this.signature = signature;
    this.identifiers = new BigInteger(identifiers, 16).toByteArray();
    this.order = order == null ? null : new BigInteger(order, 16);
    this.signatureBytesMin = signatureBytesMin;
    this.signatureBytesMax = signatureBytesMax;
    this.signatureForm = signatureForm;
  }

  /** Returns the algorithm with the name {@code id}. */
  static Algorithm named(String id) {
    return Stream.of(values())
        .filter(one -> one.id.equals(id))
        .findAny()
        .orElseThrow(() ->
            SignerConfigurationException.privateKeyInvalid(
                "algorithm must be one of " + Stream.of(values()).map(one -> one.id).collect(Collectors.joining(", ")) + "."));
  }

  /** Returns the algorithm of keys with this content of AlgorithmIdentifier; null if there is none. */
  static Algorithm identifiedBy(byte[] content) {
    return Stream.of(values())
        .filter(one -> Arrays.equals(Arrays.copyOf(content, one.identifiers.length), one.identifiers))
        .findAny()
        .orElse(null);
  }

  /** Returns the algorithm of keys on the curve with this order; null if there is none. */
  static Algorithm ofCurve(BigInteger order) {
    return Stream.of(values()).filter(one -> order.equals(one.order)).findAny().orElse(null);
  }
}
