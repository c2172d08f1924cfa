package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.countersign.signer.testing.Verifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.Security;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The forms in which openssl writes private keys. */
class PrivateKeyTextTest {
  private static final String PKCS8 = Repository.privateKey("rsa-2048-a");
  private static final String OTHER_KIND = "not an RSA, Ed25519 or ECDSA key (P-256 or P-384)";

  @TempDir Path folder;

  /** Runs openssl; with a key, it reads that one. */
  private String openssl(String key, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(Arrays.asList(arguments));
    if (key != null) {
      command.addAll(List.of("-in", Files.writeString(folder.resolve("in.pem"), key).toString()));
    }
    Path output = folder.resolve("out.pem");
    command.addAll(List.of("-out", output.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return Files.readString(output);
  }

  private static String bare(String pem) {
    return pem.replaceAll("-----[A-Z ]+-----|\r?\n", "");
  }

  private static String pem(PrivateKey key) {
    return "-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(key.getEncoded()) + "\n-----END PRIVATE KEY-----\n";
  }

  /** The algorithm of each key of the vectors that this version of Java can use. */
  private static Map<String, String> keys() {
    Map<String, String> keys =
        new HashMap<>(Map.of("rsa-2048-a", "rsa-v1_5-sha256", "ec-p256", "ecdsa-p256-sha256", "ec-p384", "ecdsa-p384-sha384"));
    if (Runtime.version().feature() >= 15) {
      keys.put("ed25519", "ed25519");
    }
    return keys;
  }

  private static void assertIsTheKey(String name, String text, String passphrase) throws IOException {
    assertSigns(Repository.publicKey(name), text, passphrase);
  }

  private static void assertSigns(String publicKey, String text, String passphrase) throws IOException {
    Signer signer = Signer.builder().clientId("a").privateKey(text).passphrase(passphrase).build();
    SignedRequest signed = signer.sign("GET", "https://a/", null);
    Map<String, List<String>> headers = new HashMap<>();
    signed.headers().forEach((header, value) -> headers.put(header, List.of(value)));
    assertEquals("ok", new Verifier("a", publicKey).verify("GET", "https://a/", headers, new byte[0]).toString());
  }

  private static String messageFor(String text, String passphrase) {
    SignerConfigurationException error = assertThrows(SignerConfigurationException.class, () -> PrivateKeyText.read(text, passphrase));
    assertEquals("private_key_invalid", error.code());
    assertNull(error.getCause(), "a cause could quote the key");
    return error.getMessage();
  }

  @Test
  void readsEachForm() throws Exception {
    for (String name : keys().keySet()) {
      String pkcs8 = Repository.privateKey(name);
      List<String> forms = new ArrayList<>(List.of(pkcs8));
      if (name.startsWith("rsa")) {
        forms.add(openssl(pkcs8, "rsa", "-traditional"));
        assertTrue(forms.get(1).startsWith("-----BEGIN RSA PRIVATE KEY-----"));
      } else if (name.startsWith("ec")) {
        forms.add(openssl(pkcs8, "ec"));
        forms.add(openssl(pkcs8, "ec", "-no_public"));
        forms.add(openssl(pkcs8, "ec", "-conv_form", "compressed"));
        assertTrue(forms.get(1).startsWith("-----BEGIN EC PRIVATE KEY-----"));
      }
      for (String pem : forms) {
        assertEquals(keys().get(name), PrivateKeyText.read(pem, null).algorithm.id);
        assertIsTheKey(name, pem, null);
        assertIsTheKey(name, bare(pem), null);
        assertIsTheKey(name, pem.replace("\n", "\r\n"), null);
        assertIsTheKey(name, "\ufeff \n" + pem.replace("\n", "\n   ") + "\n\n", null);
        assertIsTheKey(name, bare(pem).replaceAll("(.{64})", "$1\n"), null);
        assertIsTheKey(name, pem, "a passphrase that is not needed");
      }
    }
  }

  @Test
  void readsTheTwoBlocksOfOpenssl() throws Exception {
    for (String curve : List.of("prime256v1", "secp384r1")) {
      String pem = openssl(null, "ecparam", "-name", curve, "-genkey");
      assertTrue(pem.startsWith("-----BEGIN EC PARAMETERS-----"));
      String publicKey = openssl(pem, "pkey", "-pubout");
      assertSigns(publicKey, pem, null);
      assertSigns(publicKey, pem.replace("\n", "\r\n"), null);
      String parameters = pem.substring(0, pem.indexOf("-----BEGIN EC PRIVATE KEY-----"));
      assertTrue(messageFor(parameters, null).contains("Use the whole key file"));
      assertTrue(messageFor(pem + pem, null).contains("more than one"));
    }
  }

  /** RFC 8410 section 7: version 1, with attributes and the public key, as some libraries write it. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_15)
  void readsKeysWithThePublicKeyAfterThem() throws Exception {
    String text =
        "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCoB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJz"
            + "gSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
    String publicKey = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
    assertSigns(publicKey, text, null);
  }

  @Test
  void readsEncryptedKeys() throws Exception {
    for (String name : keys().keySet()) {
      for (String cipher : List.of("aes-256-cbc", "aes-128-cbc")) {
        for (String prf : List.of("hmacWithSHA256", "hmacWithSHA1", "hmacWithSHA512")) {
          String pem =
              openssl(
                  Repository.privateKey(name), "pkcs8", "-topk8", "-v2", cipher, "-v2prf", prf, "-passout", "pass:correct horse");
          assertIsTheKey(name, pem, "correct horse");
          assertIsTheKey(name, bare(pem), "correct horse");
          assertTrue(messageFor(pem, "wrong").startsWith("The passphrase is wrong"));
          assertTrue(messageFor(pem, null).startsWith("The private key is encrypted. Provide its passphrase"));
        }
      }
    }
  }

  @Test
  void saysHowToConvertOtherEncryption() throws Exception {
    String old = openssl(PKCS8, "rsa", "-traditional", "-aes128", "-passout", "pass:x");
    String oldEc = openssl(Repository.privateKey("ec-p256"), "ec", "-aes128", "-passout", "pass:x");
    String scrypt = openssl(PKCS8, "pkcs8", "-topk8", "-scrypt", "-passout", "pass:x");
    for (String pem : List.of(old, oldEc, scrypt)) {
      assertTrue(messageFor(pem, "x").contains("openssl pkcs8 -topk8"), messageFor(pem, "x"));
    }
  }

  @Test
  void refusesEverythingElseAndRepeatsNothingOfIt() throws Exception {
    String half = PKCS8.substring(0, 900);
    String damaged = PKCS8.substring(0, 800) + (PKCS8.charAt(800) == 'A' ? 'B' : 'A') + PKCS8.substring(801);
    Map<String, String> texts =
        Map.ofEntries(
            Map.entry("", "no key in the text"),
            Map.entry(half, "BEGIN or END line"),
            Map.entry(half + "\n-----END PRIVATE KEY-----\n", "damaged"),
            Map.entry(damaged, "damaged"),
            Map.entry(bare(half.substring(0, 800)), "damaged"),
            Map.entry(PKCS8 + PKCS8, "more than one"),
            Map.entry(PKCS8.replace("\n", "\\n"), "backslash"),
            Map.entry(Repository.publicKey("rsa-2048-a"), "public key"),
            Map.entry(bare(Repository.publicKey("rsa-2048-a")), "public key"),
            Map.entry(Repository.privateKey("rsa-pss-2048"), OTHER_KIND),
            Map.entry(Repository.publicKey("ec-p256"), "public key"),
            Map.entry(bare(Repository.publicKey("ed25519")), "public key"),
            Map.entry(Repository.privateKey("rsa-1024-weak"), "1024 bits"),
            Map.entry(Repository.privateKey("rsa-1536"), "1536 bits"),
            Map.entry("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----", "ssh-keygen"),
            Map.entry("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "certificate"),
            Map.entry("{\"kty\":\"RSA\"}", "damaged"),
            Map.entry("M".repeat(70_000), "too long"));
    for (Map.Entry<String, String> text : texts.entrySet()) {
      String message = messageFor(text.getKey(), null);
      assertTrue(message.contains(text.getValue()), message);
      assertFalse(message.contains(PKCS8.substring(100, 120)));
    }
  }

  private void assertIsOfAnotherKind(String text) {
    String message = messageFor(text, null);
    assertTrue(message.contains(OTHER_KIND) && message.contains("openssl genrsa"), message);
    assertFalse(message.contains(bare(text).substring(bare(text).length() / 2).substring(0, 16)));
  }

  @Test
  void refusesOtherKindsAndCurves() throws Exception {
    for (String curve : List.of("secp256k1", "secp521r1")) {
      String sec1 = openssl(null, "ecparam", "-name", curve, "-genkey");
      assertIsOfAnotherKind(sec1);
      assertIsOfAnotherKind(openssl(sec1, "pkcs8", "-topk8", "-nocrypt"));
    }
    String explicit = openssl(null, "ecparam", "-name", "prime256v1", "-param_enc", "explicit", "-genkey");
    assertIsOfAnotherKind(explicit);
    assertIsOfAnotherKind(openssl(explicit, "pkcs8", "-topk8", "-nocrypt"));
    assertIsOfAnotherKind(openssl(null, "genpkey", "-algorithm", "ed448"));
    assertIsOfAnotherKind(openssl(null, "genpkey", "-algorithm", "x25519"));
    PrivateKey dsa = pair("DSA", null).getPrivate();
    assertIsOfAnotherKind(pem(dsa));
    assertIsOfAnotherKind(pem(dsa).replace("PRIVATE", "DSA PRIVATE"));
  }

  @Test
  void noticesDamageInEcdsaKeys() throws Exception {
    for (String name : List.of("ec-p256", "ec-p384")) {
      byte[] pkcs8 = Base64.getDecoder().decode(bare(Repository.privateKey(name)));
      int size = name.equals("ec-p256") ? 32 : 48;
      int point = pkcs8.length - 2 * size;
      int number = point - 6 - size;
      byte[] ofAnotherPublicKey = pkcs8.clone();
      ofAnotherPublicKey[number + 5] ^= 1;
      byte[] aboveTheOrder = pkcs8.clone();
      Arrays.fill(aboveTheOrder, number, number + size, (byte) 0xff);
      byte[] notOnTheCurve = pkcs8.clone();
      notOnTheCurve[point + 5] ^= 1;
      byte[] withoutItsEnd = Arrays.copyOf(pkcs8, pkcs8.length - 1);
      for (byte[] damaged : List.of(ofAnotherPublicKey, aboveTheOrder, notOnTheCurve, withoutItsEnd)) {
        assertTrue(messageFor(Base64.getEncoder().encodeToString(damaged), null).contains("damaged"));
      }
    }
  }

  @Test
  void saysWhichJavaHasEd25519() {
    // Like Java 11 to 14, which lack it.
    Provider provider = Security.getProvider("SunEC");
    int position = Arrays.asList(Security.getProviders()).indexOf(provider) + 1;
    Security.removeProvider("SunEC");
    try {
      assertTrue(messageFor(Repository.privateKey("ed25519"), null).contains("Java 15 or newer"));
      assertTrue(messageFor(new NamedKey("Ed25519")).contains("Java 15 or newer"));
    } finally {
      Security.insertProviderAt(provider, position);
    }
  }

  private static KeyPair pair(String kind, String curve) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
    if (curve == null) {
      generator.initialize(1024);
    } else {
      generator.initialize(new ECGenParameterSpec(curve));
    }
    return generator.generateKeyPair();
  }

  private static String messageFor(PrivateKey key) {
    SignerConfigurationException error =
        assertThrows(SignerConfigurationException.class, () -> Signer.builder().clientId("a").privateKey(key).build());
    assertEquals("private_key_invalid", error.code());
    return error.getMessage();
  }

  @Test
  void refusesKeysOfThePlatformThatCannotSign() throws Exception {
    assertTrue(messageFor(pair("EC", "secp521r1").getPrivate()).contains(OTHER_KIND));
    assertTrue(messageFor(pair("DSA", null).getPrivate()).contains(OTHER_KIND));
    assertTrue(messageFor(pair("RSASSA-PSS", null).getPrivate()).contains(OTHER_KIND));
    assertTrue(messageFor(pair("RSA", null).getPrivate()).contains("1024 bits"));
    // As a key in a hardware module that tells no more.
    assertTrue(messageFor(new NamedKey("EC")).contains("does not tell its curve"));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_15)
  void tellsEd25519FromEd448() throws Exception {
    assertTrue(messageFor(KeyPairGenerator.getInstance("Ed448").generateKeyPair().getPrivate()).contains(OTHER_KIND));
  }

  private static final class NamedKey implements PrivateKey {
    private final String algorithm;

    NamedKey(String algorithm) {
      this.algorithm = algorithm;
    }

    @Override
    public String getAlgorithm() {
      return algorithm;
    }

    @Override
    public String getFormat() {
      return null;
    }

    @Override
    public byte[] getEncoded() {
      return null;
    }
  }

  @Test
  void takesThePassphraseFromTheEnvironment() throws Exception {
    String pem = openssl(PKCS8, "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:correct horse");
    Map<String, String> variables = new HashMap<>(Map.of("COUNTERSIGN_CLIENT_ID", "a", "COUNTERSIGN_PRIVATE_KEY", pem));
    Signer.Builder without = Signer.builder().fromEnvironment(variables);
    assertThrows(SignerConfigurationException.class, without::build);
    variables.put("COUNTERSIGN_PASSPHRASE", "correct horse");
    assertEquals("a", Signer.builder().fromEnvironment(variables).build().clientId());
  }
}
