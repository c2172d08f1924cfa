package dev.countersign.signer;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.RSAKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads RSA private keys as people keep them: PKCS#8 and PKCS#1, PEM or bare Base64, and encrypted PKCS#8.
 *
 * <p>Error messages say what to do and never contain any of the text or the passphrase, and neither do their causes.
 */
final class PrivateKeyText {
  private static final int TEXT_LENGTH_MAX = 64 * 1024;
  private static final String CONVERT = "openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem";
  private static final String MAKE = "openssl genrsa -out private.pem 3072";

  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,60})-----(.*?)-----END ([A-Z0-9 ]{1,60})-----", Pattern.DOTALL);

  /** What to say about PEM blocks that hold something else. */
  private static final Map<String, String> OTHER_LABELS =
      Map.of(
          "PUBLIC KEY", "This is a public key, which cannot sign. Use the private key instead.",
          "RSA PUBLIC KEY", "This is a public key, which cannot sign. Use the private key instead.",
          "CERTIFICATE", "This is a certificate, which cannot sign. Use its private key instead.",
          "EC PRIVATE KEY", "The private key is not an RSA key. Create one: " + MAKE,
          "DSA PRIVATE KEY", "The private key is not an RSA key. Create one: " + MAKE,
          "OPENSSH PRIVATE KEY",
              "OpenSSH private keys are not supported. Convert a copy: ssh-keygen -p -m PKCS8 -f copy-of-key");

  /** AlgorithmIdentifier of rsaEncryption with NULL parameters (RFC 8017 appendix A.1). */
  private static final byte[] RSA_ENCRYPTION = {
    0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00
  };

  private PrivateKeyText() {}

  /** Reads the one key in a text. The passphrase is ignored if the key is not encrypted; it may be null. */
  static PrivateKey read(String text, String passphrase) {
    String trimmed = (text.startsWith("\ufeff") ? text.substring(1) : text).trim();
    if (trimmed.isEmpty()) {
      throw invalid("There is no key in the text.");
    }
    if (trimmed.length() > TEXT_LENGTH_MAX) {
      throw invalid("The text is too long to be a private key.");
    }
    if (!trimmed.contains("-----BEGIN") && !trimmed.contains("-----END")) {
      return readDer(decoded(trimmed), passphrase);
    }
    Matcher pem = PEM.matcher(trimmed);
    if (!pem.find() || !pem.group(1).equals(pem.group(3))) {
      throw invalid("The BEGIN or END line of the private key is missing or damaged. Use the whole PEM file.");
    }
    if (trimmed.indexOf("-----BEGIN", pem.end()) >= 0) {
      throw invalid("The text contains more than one PEM block. Use exactly one private key.");
    }
    String otherLabel = OTHER_LABELS.get(pem.group(1));
    if (otherLabel != null) {
      throw invalid(otherLabel);
    }
    if (pem.group(2).contains("Proc-Type:")) {
      throw invalid("The private key uses OpenSSL's legacy encryption, which is not supported. Convert it: " + CONVERT);
    }
    return readDer(decoded(pem.group(2)), passphrase);
  }

  /** Checks a key of the platform: RSA with 2048 to 8192 bits, as far as the key tells. */
  static PrivateKey checked(PrivateKey key) {
    if (!"RSA".equals(key.getAlgorithm())) {
      throw invalid("The private key must be RSA, not " + key.getAlgorithm() + ". Create one: " + MAKE);
    }
    if (key instanceof RSAKey) {
      int bits = ((RSAKey) key).getModulus().bitLength();
      if (bits < 2048 || bits > 8192) {
        throw invalid("The private key has " + bits + " bits; 2048 to 8192 are allowed. Create a new one: " + MAKE);
      }
    }
    return key;
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64.replaceAll("[ \t\r\n]", ""));
    } catch (IllegalArgumentException e) {
      throw invalid(
          base64.contains("\\n")
              ? "The private key contains a backslash and an n (\\n) instead of line breaks. Replace each one with a line break."
              : "The text is not a private key in a supported format, or the key is damaged. Use the whole PEM file.");
    }
  }

  private static PrivateKey readDer(byte[] der, String passphrase) {
    switch (shapeOf(der)) {
      case "pkcs8":
        return rsaKey(der);
      case "pkcs1":
        return rsaKey(pkcs8FromPkcs1(der));
      case "encrypted":
        return rsaKey(decrypted(der, passphrase));
      case "public":
        throw invalid(OTHER_LABELS.get("PUBLIC KEY"));
      default:
        throw invalid("The private key is damaged or incomplete. Use the whole key file.");
    }
  }

  /** Tells encodings apart by their first elements, so that bare Base64 needs no label. */
  private static String shapeOf(byte[] der) {
    ByteBuffer bytes = ByteBuffer.wrap(der);
    if (!enter(bytes, 0x30) || !bytes.hasRemaining()) {
      return "unknown";
    }
    if (bytes.get(bytes.position()) == 0x30) {
      // SEQUENCE, then an OCTET STRING (RFC 5958 section 3) or a BIT STRING (RFC 5280 section 4.1).
      int next = skip(bytes);
      return next == 0x04 ? "encrypted" : next == 0x03 ? "public" : "unknown";
    }
    // INTEGER version, then the algorithm (RFC 5958 section 2) or the modulus (RFC 8017 appendix A.1.2). The modulus
    // stands first in a public key.
    boolean isVersion = bytes.remaining() > 2 && bytes.get(bytes.position() + 1) == 1;
    int next = skip(bytes);
    if (next == 0x02) {
      return isVersion ? "pkcs1" : "public";
    }
    return next == 0x30 ? "pkcs8" : "unknown";
  }

  /** Moves to the content of an element with this tag; false if there is another one. */
  private static boolean enter(ByteBuffer bytes, int tag) {
    return bytes.remaining() >= 2 && (bytes.get() & 0xff) == tag && length(bytes) >= 0;
  }

  /** Moves behind the next element and returns the tag that follows; -1 if there is none. */
  private static int skip(ByteBuffer bytes) {
    bytes.get();
    int length = bytes.hasRemaining() ? length(bytes) : -1;
    if (length < 0 || length >= bytes.remaining()) {
      return -1;
    }
    bytes.position(bytes.position() + length);
    return bytes.get(bytes.position()) & 0xff;
  }

  /** Reads a DER length; -1 if it is damaged. */
  private static int length(ByteBuffer bytes) {
    int first = bytes.get() & 0xff;
    if (first < 0x80) {
      return first;
    }
    int count = first & 0x7f;
    if (count == 0 || count > 3 || bytes.remaining() < count) {
      return -1;
    }
    int length = 0;
    for (int index = 0; index < count; index++) {
      length = length << 8 | bytes.get() & 0xff;
    }
    return length;
  }

  /** Wraps an RSAPrivateKey as PrivateKeyInfo (RFC 5958 section 2), the only form that Java reads. */
  private static byte[] pkcs8FromPkcs1(byte[] pkcs1) {
    byte[] version = {0x02, 0x01, 0x00};
    return element(0x30, version, RSA_ENCRYPTION, element(0x04, pkcs1));
  }

  private static byte[] element(int tag, byte[]... contents) {
    int length = 0;
    for (byte[] content : contents) {
      length += content.length;
    }
    ByteBuffer der = ByteBuffer.allocate(length + 5);
    der.put((byte) tag);
    if (length < 0x80) {
      der.put((byte) length);
    } else if (length < 0x100) {
      der.put((byte) 0x81).put((byte) length);
    } else {
      der.put((byte) 0x82).putShort((short) length);
    }
    for (byte[] content : contents) {
      der.put(content);
    }
    byte[] bytes = new byte[der.position()];
    der.flip().get(bytes);
    return bytes;
  }

  private static byte[] decrypted(byte[] der, String passphrase) {
    if (passphrase == null || passphrase.isEmpty()) {
      throw invalid("The private key is encrypted. Provide its passphrase.");
    }
    Cipher cipher;
    EncryptedPrivateKeyInfo info;
    PBEKeySpec spec = new PBEKeySpec(passphrase.toCharArray());
    try {
      info = new EncryptedPrivateKeyInfo(der);
      // For PBES2 (RFC 8018 section 6.2), the JDK names the cipher in the text of the parameters only.
      String algorithm = info.getAlgParameters() == null ? info.getAlgName() : info.getAlgParameters().toString();
      SecretKey key = SecretKeyFactory.getInstance(algorithm).generateSecret(spec);
      cipher = Cipher.getInstance(algorithm);
      cipher.init(Cipher.DECRYPT_MODE, key, info.getAlgParameters());
    } catch (GeneralSecurityException | java.io.IOException | RuntimeException e) {
      throw invalid("Java doesn't support the private key's encryption. Convert the key: " + CONVERT);
    } finally {
      spec.clearPassword();
    }
    try {
      byte[] plain = cipher.doFinal(info.getEncryptedData());
      if (shapeOf(plain).equals("pkcs8")) {
        return plain;
      }
    } catch (GeneralSecurityException e) {
      // Wrong padding: the usual result of a wrong passphrase.
    }
    throw invalid("The passphrase is wrong, or the private key is damaged.");
  }

  private static PrivateKey rsaKey(byte[] pkcs8) {
    PrivateKey key;
    try {
      key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw invalid(
          "The private key is not an RSA key for PKCS#1 v1.5 signatures, or it is damaged. Create one: " + MAKE);
    }
    checked(key);
    if (!(key instanceof RSAPrivateCrtKey)) {
      throw invalid("The private key lacks its public exponent and primes. Use the whole key file.");
    }
    RSAPrivateCrtKey numbers = (RSAPrivateCrtKey) key;
    if (!numbers.getPublicExponent().equals(BigInteger.valueOf(65537))) {
      throw invalid("The private key's public exponent is not 65537. Create a new key: " + MAKE);
    }
    if (!signsCorrectly(numbers)) {
      throw invalid("The private key is damaged. Use the whole key file.");
    }
    return key;
  }

  private static boolean signsCorrectly(RSAPrivateCrtKey key) {
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      byte[] signed = signature.sign();
      RSAPublicKeySpec numbers = new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent());
      signature.initVerify(KeyFactory.getInstance("RSA").generatePublic(numbers));
      return signature.verify(signed);
    } catch (GeneralSecurityException | RuntimeException e) {
      return false;
    }
  }

  private static SignerConfigurationException invalid(String message) {
    return new SignerConfigurationException("private_key_invalid", message);
  }
}
