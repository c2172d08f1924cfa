package dev.countersign.signer;

import static dev.countersign.signer.SignerConfigurationException.privateKeyInvalid;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
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
 * Reads private keys as people keep them: PKCS#8, PKCS#1 and SEC 1, PEM or bare Base64, and encrypted PKCS#8.
 *
 * <p>Error messages say what to do and never contain any of the text or the passphrase, and neither do their causes.
 */
final class PrivateKeyText {
  private static final int TEXT_LENGTH_MAX = 64 * 1024;
  private static final String CONVERT = "openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem";
  private static final String PUBLIC = "This is a public key, which cannot sign. Use the private key instead.";

  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,60})-----(.*?)-----END ([A-Z0-9 ]{1,60})-----", Pattern.DOTALL);

  /** What {@code openssl ecparam} writes before a key that names its curve too. */
  private static final Pattern PARAMETERS_BLOCK =
      Pattern.compile("\\A-----BEGIN EC PARAMETERS-----[^-]*-----END EC PARAMETERS-----\\s*(?=-----BEGIN )");

  /** What to say about PEM blocks that hold something else. */
  private static final Map<String, String> OTHER_LABELS =
      Map.of(
          "PUBLIC KEY", PUBLIC,
          "RSA PUBLIC KEY", PUBLIC,
          "CERTIFICATE", "This is a certificate, which cannot sign. Use its private key instead.",
          "EC PARAMETERS", "These are the parameters of a key, without the key. Use the whole key file.",
          "DSA PRIVATE KEY", SigningKey.OTHER_KIND,
          "OPENSSH PRIVATE KEY",
              "OpenSSH private keys are not supported. Convert a copy: ssh-keygen -p -m PKCS8 -f copy-of-key");

  /** The content of AlgorithmIdentifier for rsaEncryption, with NULL parameters (RFC 8017 appendix A.1). */
  private static final byte[] RSA_ENCRYPTION = Der.joined(Algorithm.RSA.identifiers, new byte[] {0x05, 0x00});

  /** The object identifier id-ecPublicKey (RFC 5480 section 2.1.1), which the curve follows. */
  private static final byte[] EC_PUBLIC_KEY = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};

  /** The tags of the optional elements of ECPrivateKey (RFC 5915 section 3). */
  private static final int EC_PARAMETERS = 0xa0;

  private static final int EC_PUBLIC_POINT = 0xa1;

  private PrivateKeyText() {}

  /** Reads the one key in a text. The passphrase is ignored if the key is not encrypted; it may be null. */
  static SigningKey read(String text, String passphrase) {
    String trimmed = (text.startsWith("\ufeff") ? text.substring(1) : text).trim();
    trimmed = PARAMETERS_BLOCK.matcher(trimmed).replaceFirst("");
    if (trimmed.isEmpty()) {
      throw privateKeyInvalid("There is no key in the text.");
    }
    if (trimmed.length() > TEXT_LENGTH_MAX) {
      throw privateKeyInvalid("The text is too long to be a private key.");
    }
    if (!trimmed.contains("-----BEGIN") && !trimmed.contains("-----END")) {
      return readDer(decoded(trimmed), passphrase);
    }
    Matcher pem = PEM.matcher(trimmed);
    if (!pem.find() || !pem.group(1).equals(pem.group(3))) {
      throw privateKeyInvalid("The BEGIN or END line of the private key is missing or damaged. Use the whole PEM file.");
    }
    if (trimmed.indexOf("-----BEGIN", pem.end()) >= 0) {
      throw privateKeyInvalid("The text contains more than one PEM block. Use exactly one private key.");
    }
    String otherLabel = OTHER_LABELS.get(pem.group(1));
    if (otherLabel != null) {
      throw privateKeyInvalid(otherLabel);
    }
    if (pem.group(2).contains("Proc-Type:")) {
      throw privateKeyInvalid("The private key uses OpenSSL's legacy encryption, which is not supported. Convert it: " + CONVERT);
    }
    return readDer(decoded(pem.group(2)), passphrase);
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64.replaceAll("[ \t\r\n]", ""));
    } catch (IllegalArgumentException e) {
      throw privateKeyInvalid(
          base64.contains("\\n")
              ? "The private key contains a backslash and an n (\\n) instead of line breaks. Replace each one with a line break."
              : "The text is not a private key in a supported format, or the key is damaged. Use the whole PEM file.");
    }
  }

  private static SigningKey readDer(byte[] der, String passphrase) {
    try {
      return readStructure(der, passphrase);
    } catch (GeneralSecurityException e) {
      throw privateKeyInvalid("The private key is damaged or incomplete. Use the whole key file.");
    }
  }

  /** Tells encodings apart by their first elements, so that bare Base64 needs no label. */
  private static SigningKey readStructure(byte[] der, String passphrase) throws GeneralSecurityException {
    Der key = Der.sequence(der);
    if (key.tag() == Der.SEQUENCE) {
      // The algorithm, then an OCTET STRING (RFC 5958 section 3) or a BIT STRING (RFC 5280 section 4.1).
      key.read(Der.SEQUENCE);
      if (key.tag() == Der.OCTET_STRING) {
        return readStructure(decrypted(der, passphrase), null);
      }
      key.read(Der.BIT_STRING);
      throw privateKeyInvalid(PUBLIC);
    }
    byte[] number = key.read(Der.INTEGER);
    switch (key.tag()) {
      case Der.SEQUENCE: // PrivateKeyInfo (RFC 5958 section 2)
        return signingKey(key.read(Der.SEQUENCE), key.read(Der.OCTET_STRING));
      case Der.OCTET_STRING: // ECPrivateKey (RFC 5915 section 3)
        key.read(Der.OCTET_STRING);
        return signingKey(Der.joined(EC_PUBLIC_KEY, key.read(EC_PARAMETERS)), der);
      default: // RSAPrivateKey (RFC 8017 appendix A.1.2), or the public key, in which the modulus stands first
        key.read(Der.INTEGER);
        if (number.length > 1) {
          throw privateKeyInvalid(PUBLIC);
        }
        return signingKey(RSA_ENCRYPTION, der);
    }
  }

  /** Makes a key of the main parts of PrivateKeyInfo (RFC 5958 section 2), the only form that Java reads. */
  private static SigningKey signingKey(byte[] identifier, byte[] content) throws GeneralSecurityException {
    Algorithm algorithm = Algorithm.identifiedBy(identifier);
    if (algorithm == null) {
      throw privateKeyInvalid(SigningKey.OTHER_KIND);
    }
    byte[] version = {0};
    byte[] info =
        Der.element(
            Der.SEQUENCE,
            Der.element(Der.INTEGER, version),
            Der.element(Der.SEQUENCE, identifier),
            Der.element(Der.OCTET_STRING, content));
    PrivateKey key;
    try {
      key = KeyFactory.getInstance(algorithm.keyFactory).generatePrivate(new PKCS8EncodedKeySpec(info));
    } catch (NoSuchAlgorithmException e) {
      throw privateKeyInvalid(SigningKey.NEEDS_JAVA_15);
    } catch (RuntimeException e) {
      throw new GeneralSecurityException("The key is damaged.");
    }
    SigningKey signing = SigningKey.of(key);
    KeySpec publicKey = algorithm == Algorithm.RSA ? rsaPublicKey(key) : ecPublicKey(algorithm, identifier, content);
    if (publicKey != null && !SigningKey.signsFor(algorithm, key, publicKey)) {
      throw new GeneralSecurityException("The key is damaged.");
    }
    return signing;
  }

  private static KeySpec rsaPublicKey(PrivateKey key) {
    if (!(key instanceof RSAPrivateCrtKey)) {
      throw privateKeyInvalid("The private key lacks its public exponent and primes. Use the whole key file.");
    }
    RSAPrivateCrtKey numbers = (RSAPrivateCrtKey) key;
    if (!numbers.getPublicExponent().equals(BigInteger.valueOf(65537))) {
      throw privateKeyInvalid("The private key's public exponent is not 65537. " + SigningKey.MAKE);
    }
    return new RSAPublicKeySpec(numbers.getModulus(), numbers.getPublicExponent());
  }

  /** Returns the public key in an ECPrivateKey; null if there is none, or not in the form that Java reads, and for Ed25519. */
  private static KeySpec ecPublicKey(Algorithm algorithm, byte[] identifier, byte[] content) throws GeneralSecurityException {
    if (algorithm.order == null) {
      return null;
    }
    Der key = Der.sequence(content);
    key.read(Der.INTEGER);
    BigInteger number = new BigInteger(1, key.read(Der.OCTET_STRING));
    if (number.signum() == 0 || number.compareTo(algorithm.order) >= 0) {
      throw new GeneralSecurityException("The number is not one of the curve.");
    }
    if (key.tag() == EC_PARAMETERS) {
      key.read(EC_PARAMETERS);
    }
    if (key.tag() != EC_PUBLIC_POINT) {
      return null;
    }
    byte[] bits = Der.of(key.read(EC_PUBLIC_POINT)).read(Der.BIT_STRING);
    // After the number of unused bits, 4 says that both coordinates follow.
    return bits.length < 2 || bits[1] != 4
        ? null
        : new X509EncodedKeySpec(
            Der.element(Der.SEQUENCE, Der.element(Der.SEQUENCE, identifier), Der.element(Der.BIT_STRING, bits)));
  }

  private static byte[] decrypted(byte[] der, String passphrase) {
    if (passphrase == null || passphrase.isEmpty()) {
      throw privateKeyInvalid("The private key is encrypted. Provide its passphrase.");
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
      throw privateKeyInvalid("Java doesn't support the private key's encryption. Convert the key: " + CONVERT);
    } finally {
      spec.clearPassword();
    }
    try {
      byte[] plain = cipher.doFinal(info.getEncryptedData());
      Der.sequence(plain).read(Der.INTEGER);
      return plain;
    } catch (GeneralSecurityException e) {
      // Wrong padding: the usual result of a wrong passphrase.
      throw privateKeyInvalid("The passphrase is wrong, or the private key is damaged.");
    }
  }
}
