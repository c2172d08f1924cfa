package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The forms in which openssl writes private keys. */
class PrivateKeyTextTest {
  private static final String PKCS8 = Repository.privateKey("rsa-2048-a");

  @TempDir Path folder;

  private String openssl(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(Arrays.asList(arguments));
    Path input = Files.writeString(folder.resolve("in.pem"), PKCS8);
    Path output = folder.resolve("out.pem");
    command.addAll(List.of("-in", input.toString(), "-out", output.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return Files.readString(output);
  }

  private static String bare(String pem) {
    return pem.replaceAll("-----[A-Z ]+-----|\n", "");
  }

  private static void assertIsTheKey(String text, String passphrase) throws SignerConfigurationException {
    PrivateKey key = PrivateKeyText.read(text, passphrase);
    assertEquals(bare(PKCS8), Base64.getEncoder().encodeToString(key.getEncoded()));
  }

  private static String messageFor(String text, String passphrase) {
    SignerConfigurationException error = assertThrows(SignerConfigurationException.class, () -> PrivateKeyText.read(text, passphrase));
    assertEquals("private_key_invalid", error.code());
    assertNull(error.getCause(), "a cause could quote the key");
    return error.getMessage();
  }

  @Test
  void readsPkcs8AndPkcs1() throws Exception {
    String pkcs1 = openssl("rsa", "-traditional");
    assertTrue(pkcs1.startsWith("-----BEGIN RSA PRIVATE KEY-----"));
    for (String pem : List.of(PKCS8, pkcs1)) {
      assertIsTheKey(pem, null);
      assertIsTheKey(bare(pem), null);
      assertIsTheKey(pem.replace("\n", "\r\n"), null);
      assertIsTheKey("\ufeff \n" + pem.replace("\n", "\n   ") + "\n\n", null);
      assertIsTheKey(bare(pem).replaceAll("(.{64})", "$1\n"), null);
      assertIsTheKey(pem, "a passphrase that is not needed");
    }
  }

  @Test
  void readsEncryptedKeys() throws Exception {
    for (String cipher : List.of("aes-256-cbc", "aes-128-cbc")) {
      for (String prf : List.of("hmacWithSHA256", "hmacWithSHA1", "hmacWithSHA512")) {
        String pem = openssl("pkcs8", "-topk8", "-v2", cipher, "-v2prf", prf, "-passout", "pass:correct horse");
        assertIsTheKey(pem, "correct horse");
        assertIsTheKey(bare(pem), "correct horse");
        assertTrue(messageFor(pem, "wrong").startsWith("The passphrase is wrong"));
        assertTrue(messageFor(pem, null).startsWith("The private key is encrypted. Provide its passphrase"));
      }
    }
  }

  @Test
  void saysHowToConvertOtherEncryption() throws Exception {
    String old = openssl("rsa", "-traditional", "-aes128", "-passout", "pass:x");
    String scrypt = openssl("pkcs8", "-topk8", "-scrypt", "-passout", "pass:x");
    for (String pem : List.of(old, scrypt)) {
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
            Map.entry(Repository.privateKey("ec-p256"), "not an RSA key"),
            Map.entry(Repository.privateKey("ed25519"), "not an RSA key"),
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

  @Test
  void refusesKeysOfThePlatformThatCannotSign() throws Exception {
    KeyPairGenerator elliptic = KeyPairGenerator.getInstance("EC");
    assertThrows(SignerConfigurationException.class, () -> PrivateKeyText.checked(elliptic.generateKeyPair().getPrivate()));
    KeyPairGenerator small = KeyPairGenerator.getInstance("RSA");
    small.initialize(1024);
    assertThrows(SignerConfigurationException.class, () -> PrivateKeyText.checked(small.generateKeyPair().getPrivate()));
  }

  @Test
  void takesThePassphraseFromTheEnvironment() throws Exception {
    String pem = openssl("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:correct horse");
    Map<String, String> variables = new HashMap<>(Map.of("COUNTERSIGN_CLIENT_ID", "a", "COUNTERSIGN_PRIVATE_KEY", pem));
    Signer.Builder without = Signer.builder().fromEnvironment(variables);
    assertThrows(SignerConfigurationException.class, without::build);
    variables.put("COUNTERSIGN_PASSPHRASE", "correct horse");
    assertEquals("a", Signer.builder().fromEnvironment(variables).build().clientId());
  }
}
