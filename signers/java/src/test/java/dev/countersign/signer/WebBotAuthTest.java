package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Filter;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Signatures of agents. HttpClientTest sends them through each client. */
class WebBotAuthTest {
  private static final String AGENT = "https://agent.example.test/keys.json";
  private static final String URL = "https://shop.example.test/v1/orders";
  private static final JsonObject VECTORS = Repository.json("vectors/web-bot-auth.json");

  private static Signer.Builder agent() {
    return Signer.builder().signatureAgent(AGENT);
  }

  private static Signer.Builder agent(String key) {
    return agent().privateKey(Repository.privateKey(key));
  }

  private static String thumbprint(String key) {
    return VECTORS.getAsJsonObject("thumbprints").get(key).getAsString();
  }

  private static String input(SignedRequest signed) {
    return signed.headers().get("Signature-Input");
  }

  @TestFactory
  Stream<DynamicTest> signsTheVectors() {
    return StreamSupport.stream(VECTORS.getAsJsonArray("cases").spliterator(), false)
        .map(one -> one.getAsJsonObject())
        // Java has Ed25519 since version 15.
        .filter(one -> Runtime.version().feature() >= 15 || !one.toString().contains("ed25519"))
        .map(one -> dynamicTest(one.get("id").getAsString(), () -> assertSignsVector(one.getAsJsonObject("signer"))));
  }

  private static void assertSignsVector(JsonObject vector) throws Exception {
    JsonObject given = vector.getAsJsonObject("input");
    JsonObject expected = vector.getAsJsonObject("output");
    String key = given.get("privateKey").getAsString();
    Instant created = Instant.ofEpochSecond(given.get("created").getAsLong());
    Signer signer = agent(key).signatureAgent(given.get("signatureAgent").getAsString()).now(() -> created).build();
    WebBotAuth profile = (WebBotAuth) signer.profile;
    profile.life = Duration.between(created, Instant.ofEpochSecond(given.get("expires").getAsLong()));
    profile.nonces = () -> given.get("nonce").getAsString();
    String body = textOf(given.get("body"));

    SignedRequest signed =
        signer.sign(
            given.get("method").getAsString(),
            given.get("url").getAsString(),
            body == null ? null : body.getBytes(StandardCharsets.UTF_8));

    assertEquals(expected.get("signatureBase").getAsString(), signed.signatureBase());
    assertEquals(expected.get("signatureAgent").getAsString(), signed.headers().get("Signature-Agent"));
    assertEquals(expected.get("signatureInput").getAsString(), input(signed));
    assertEquals(textOf(expected.get("contentDigest")), signed.headers().get("Content-Digest"));
    assertFalse(signed.headers().containsKey("Date"));
    assertEquals(created.getEpochSecond(), signed.created());
    String signature = signed.headers().get("Signature");
    assertTrue(Repository.verifies(key, signed.signatureBase(), signature));
    if (expected.has("signature")) {
      assertEquals(expected.get("signature").getAsString(), signature);
    }
    assertEquals(thumbprint(key), signer.clientId());
  }

  private static String textOf(JsonElement text) {
    return text.isJsonNull() ? null : text.getAsString();
  }

  @Test
  void givesEachRequestANonceAndNoSecondOfItsOwn(@TempDir Path folder) throws Exception {
    Instant now = Instant.ofEpochSecond(1_795_800_000);
    Signer signer = agent("ec-p256").now(() -> now).sharedFolder(folder).build();
    signer.pause = milliseconds -> {
      throw new AssertionError("A request waited.");
    };
    SignedRequest first = signer.sign("POST", URL, new byte[] {1});
    for (int count = 0; count < 40; count++) {
      SignedRequest next = signer.sign("POST", URL, new byte[] {1});
      assertEquals(1_795_800_000, next.created());
      assertTrue(input(next).contains(";created=1795800000;expires=1795800300;"), input(next));
      assertNotEquals(nonce(first), nonce(next));
      assertNotEquals(first.signatureBase(), next.signatureBase());
    }
    assertEquals(32, Base64.getDecoder().decode(nonce(first)).length);
    assertEquals(0, folder.toFile().list().length);
  }

  private static String nonce(SignedRequest signed) {
    return input(signed).replaceAll(".*;nonce=\"|\";tag=.*", "");
  }

  /** HttpClientTest has it for each client. */
  @Test
  void learnsNothingFromRefusals() throws Exception {
    Instant now = Instant.ofEpochSecond(1_795_800_000);
    Signer signer = agent("ec-p256").now(() -> now).build();
    for (String code : List.of("created_expired", "created_in_future", "date_mismatch", "signature_replayed")) {
      Refusal refusal =
          Refusal.readHead(401, "application/problem+json", "Signature error=\"" + code + "\"", "Fri, 27 Nov 2026 17:21:40 GMT")
              .orElseThrow();
      assertFalse(signer.correctClock(refusal));
      assertFalse(signer.changeSecond("GET", refusal));
      assertEquals(now.getEpochSecond(), signer.sign("GET", URL, null).created());
    }
  }

  private static void assertRefused(String code, String text, Signer.Builder options) {
    SignerConfigurationException error = assertThrows(SignerConfigurationException.class, options::build);
    assertEquals(code, error.code(), error.getMessage());
    assertTrue(error.getMessage().contains(text), error.getMessage());
  }

  @Test
  void refusesKeysOfOtherKinds() {
    for (String key : List.of("rsa-2048-a", "ec-p384")) {
      assertRefused("private_key_invalid", "Ed25519 or ECDSA P-256", agent(key));
    }
    SigningFunction function = base -> base;
    assertRefused("private_key_invalid", "Ed25519 or ECDSA P-256", agent().clientId("a").privateKey(function));
    assertRefused("private_key_invalid", "exactly one", agent());
    assertRefused("private_key_invalid", "whose public key the signer cannot derive", agent().privateKey(new InHardware()));
  }

  /** A P-256 key of a module that tells the curve and does not agree on keys. */
  private static final class InHardware implements PrivateKey, ECKey {
    @Override
    public String getAlgorithm() {
      return "EC";
    }

    @Override
    public String getFormat() {
      return null;
    }

    @Override
    public byte[] getEncoded() {
      return null;
    }

    @Override
    public ECParameterSpec getParams() {
      try {
        return ((ECKey) p256Pair().getPrivate()).getParams();
      } catch (java.security.GeneralSecurityException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void takesAClientIdForFunctionsOnly() throws Exception {
    assertRefused("keyid_invalid", "Leave out clientId", agent("ec-p256").clientId("client_1"));
    SigningFunction function = base -> new byte[64];
    Signer.Builder inVault = agent().privateKey(function).algorithm("ecdsa-p256-sha256");
    assertRefused("keyid_invalid", "thumbprint (RFC 7638) of the function's public key", inVault);
    assertRefused("keyid_invalid", "thumbprint", inVault.clientId("a b"));
    SignedRequest signed = inVault.clientId(thumbprint("ec-p256")).build().sign("GET", URL, null);
    assertTrue(input(signed).contains(";keyid=\"" + thumbprint("ec-p256") + "\";alg=\"ecdsa-p256-sha256\";"));
  }

  private static final String URL_MESSAGE =
      "The signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and backslashes; "
          + "http only for localhost.";

  private static List<String> urls(String verdict) {
    return StreamSupport.stream(VECTORS.getAsJsonObject("signatureAgents").getAsJsonArray(verdict).spliterator(), false)
        .map(JsonElement::getAsString)
        .collect(Collectors.toList());
  }

  private static String ofLength(int characters) {
    return AGENT + "x".repeat(characters - AGENT.length());
  }

  @TestFactory
  Stream<DynamicTest> takesTheUrlsOfAgents() {
    Stream<String> more = Stream.of("https://[::ffff:192.0.2.7]:1", "https://a_b.example?c=@d:|", "http://[::1]:1?x", ofLength(2048));
    return Stream.concat(urls("accepted").stream(), more)
        .map(url -> dynamicTest("takes " + shortened(url), () -> {
          SignedRequest signed = agent("ec-p256").signatureAgent(url).build().sign("GET", URL, null);
          assertEquals("sig=\"" + url + "\"", signed.headers().get("Signature-Agent"));
        }));
  }

  @TestFactory
  Stream<DynamicTest> refusesOtherUrls() {
    Stream<String> more =
        Stream.of(
            "https://agent.example/\n", "https://agent.example:080/", "https://[abc]/", "https://[192.0.2.7]/", "https://[::1%251]/",
            "https://[::1]x/", "http://LOCALHOST/", "http://localhost:1@agent.example/", "http://[::2]/", ofLength(2049));
    return Stream.concat(urls("refused").stream(), more)
        .map(url -> dynamicTest("refuses " + shortened(url), () ->
            assertRefused("request_invalid", URL_MESSAGE, agent("ec-p256").signatureAgent(url))));
  }

  private static String shortened(String url) {
    return url.substring(0, Math.min(url.length(), 60));
  }

  @Test
  void readsTheEnvironment() throws Exception {
    String key = "COUNTERSIGN_PRIVATE_KEY";
    String agent = "COUNTERSIGN_SIGNATURE_AGENT";
    String pem = Repository.privateKey("ec-p256");
    Signer signer = Signer.builder().fromEnvironment(Map.of(key, pem, agent, AGENT, "COUNTERSIGN_CLIENT_ID", "")).build();
    assertEquals("sig=\"" + AGENT + "\"", signer.sign("GET", URL, null).headers().get("Signature-Agent"));
    SignerConfigurationException none =
        assertThrows(SignerConfigurationException.class, () -> Signer.builder().fromEnvironment(Map.of(key, pem)));
    assertTrue(none.getMessage().contains("COUNTERSIGN_CLIENT_ID") && none.getMessage().contains(agent), none.getMessage());
    Map<String, String> both = Map.of(key, pem, agent, AGENT, "COUNTERSIGN_CLIENT_ID", "client_1");
    assertRefused("keyid_invalid", "Leave out clientId", Signer.builder().fromEnvironment(both));
    Signer client = Signer.builder().fromEnvironment(Map.of(key, pem, agent, "", "COUNTERSIGN_CLIENT_ID", "client_1")).build();
    assertFalse(client.sign("GET", URL, null).headers().containsKey("Signature-Agent"));
  }

  private static KeyPair p256Pair() throws java.security.GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static void assertThumbprint(String jwk, PrivateKey key) throws Exception {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(jwk.getBytes(StandardCharsets.US_ASCII));
    assertEquals(base64url(hash), agent().privateKey(key).build().clientId(), jwk);
  }

  private static String base64url(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Of 300 points, some have a coordinate with a leading zero. */
  @Test
  void computesThumbprintsOfP256() throws Exception {
    for (int count = 0; count < 300; count++) {
      KeyPair pair = p256Pair();
      ECPublicKey publicKey = (ECPublicKey) pair.getPublic();
      String x = coordinate(publicKey.getW().getAffineX());
      String y = coordinate(publicKey.getW().getAffineY());
      assertThumbprint("{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" + x + "\",\"y\":\"" + y + "\"}", pair.getPrivate());
    }
  }

  private static String coordinate(BigInteger number) {
    String digits = String.format("01%064x", number);
    return base64url(Arrays.copyOfRange(new BigInteger(digits, 16).toByteArray(), 1, 33));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_15)
  void computesThumbprintsOfEd25519() throws Exception {
    for (int count = 0; count < 20; count++) {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      byte[] spki = pair.getPublic().getEncoded();
      String x = base64url(Arrays.copyOfRange(spki, spki.length - 32, spki.length));
      assertThumbprint("{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" + x + "\"}", pair.getPrivate());
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_15)
  void followsItsKeyFile(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("private.pem"), Repository.privateKey("ed25519"));
    Signer signer = agent().privateKeyFile(file).build();
    assertEquals("ed25519", signingKey(signer));
    Files.writeString(file, Repository.privateKey("ec-p256"));
    awaitKey(signer, "ec-p256");

    // A key of another kind changes nothing, and is reported.
    AtomicReference<String> warning = new AtomicReference<>();
    Logger log = Logger.getLogger(KeyFile.class.getName());
    Filter before = log.getFilter();
    log.setFilter(entry -> {
      warning.set(String.valueOf(Arrays.toString(entry.getParameters())));
      return false;
    });
    try {
      Files.writeString(file, Repository.privateKey("rsa-2048-a"));
      while (warning.get() == null) {
        assertEquals("ec-p256", signingKey(signer));
        Thread.sleep(20);
      }
    } finally {
      log.setFilter(before);
    }
    assertTrue(warning.get().contains("Ed25519 or ECDSA P-256"), warning.get());
    assertEquals("ec-p256", signingKey(signer));
    Files.writeString(file, Repository.privateKey("ed25519"));
    awaitKey(signer, "ed25519");
  }

  private static void awaitKey(Signer signer, String key) throws Exception {
    while (!signingKey(signer).equals(key)) {
      Thread.sleep(20);
    }
  }

  /** Returns which key a request was signed with, if keyid, alg and the signature are all of that key. */
  private static String signingKey(Signer signer) throws Exception {
    SignedRequest signed = signer.sign("GET", URL, null);
    boolean isEd25519 = input(signed).contains(";alg=\"ed25519\";");
    String key = isEd25519 ? "ed25519" : "ec-p256";
    assertTrue(input(signed).contains(";keyid=\"" + thumbprint(key) + "\";"), input(signed));
    assertTrue(isEd25519 || input(signed).contains(";alg=\"ecdsa-p256-sha256\";"), input(signed));
    assertTrue(Repository.verifies(key, signed.signatureBase(), signed.headers().get("Signature")));
    return key;
  }
}
