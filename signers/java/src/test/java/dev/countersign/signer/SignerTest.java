package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.countersign.signer.testing.Verifier;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignerTest {
  private static final String URL = "https://api.example.com/v1/payments";
  private static final Instant NOW = Instant.ofEpochSecond(1_775_505_115, 999_000_000);

  private final String clientId = "client_" + UUID.randomUUID();

  private Signer.Builder options() {
    return Signer.builder().clientId(clientId).privateKey(Repository.privateKey("rsa-2048-a")).now(() -> NOW);
  }

  private static Map<String, List<String>> lines(SignedRequest signed) {
    return signed.headers().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, line -> List.of(line.getValue())));
  }

  private String verdict(Verifier verifier, SignedRequest signed) {
    return verifier.now(() -> NOW).verify(signed.method(), signed.url(), lines(signed), signed.body()).toString();
  }

  private Verifier verifier() {
    return new Verifier(clientId, Repository.publicKey("rsa-2048-a"));
  }

  private static String codeOf(Signer.Builder options) {
    return assertThrows(SignerConfigurationException.class, options::build).code();
  }

  @Test
  void takesTheTimeFromItsClock() throws Exception {
    SignedRequest signed = options().build().sign("get", URL, null);
    assertEquals(1_775_505_115, signed.created());
    assertEquals("Mon, 06 Apr 2026 19:51:55 GMT", signed.headers().get("Date"));
    assertTrue(signed.headers().get("Signature-Input").contains(";created=1775505115;keyid="));
    assertEquals("ok", verdict(verifier(), signed));
  }

  @Test
  void waitsForASecond() throws Exception {
    AtomicLong now = new AtomicLong(1_775_600_000);
    Signer signer = options().now(() -> Instant.ofEpochSecond(now.get())).build();
    signer.pause = milliseconds -> now.incrementAndGet();
    for (int index = 0; index < 40; index++) {
      assertEquals(1_775_600_000 + index, signer.sign("POST", URL, new byte[] {2}).created());
    }
    assertEquals(1_775_600_009, now.get());
  }

  @Test
  void letsReadsShareSecondsAgainSomeTimeAfterOneWasRejected() throws Exception {
    AtomicLong now = new AtomicLong(1_775_800_000);
    Signer signer = options().now(() -> Instant.ofEpochSecond(now.get())).build();
    Refusal replayed =
        Refusal.readHead(401, "application/problem+json", "Signature error=\"signature_replayed\"", null).orElseThrow();
    assertTrue(signer.changeSecond("GET", replayed));
    for (int ahead = 0; ahead < 3; ahead++) {
      assertEquals(1_775_800_000 + ahead, signer.sign("GET", URL, null).created());
    }
    now.addAndGet(10);
    for (int count = 0; count < 3; count++) {
      assertEquals(1_775_800_010, signer.sign("GET", URL, null).created());
    }
  }

  @Test
  void letsEqualReadsShareASecond() throws Exception {
    AtomicLong milliseconds = new AtomicLong(1_775_700_000_000L);
    Signer signer = options().now(() -> Instant.ofEpochMilli(milliseconds.get())).build();
    UsedSeconds.OF_PROCESS.monotonicNanos = () -> TimeUnit.MILLISECONDS.toNanos(milliseconds.get());
    try {
      for (String method : List.of("GET", "HEAD", "OPTIONS")) {
        for (int count = 0; count < 50; count++) {
          assertEquals(1_775_700_000, signer.sign(method, URL, null).created());
        }
      }
      // Two a second for five minutes.
      for (int count = 0; count < 600; count++) {
        assertEquals(milliseconds.addAndGet(500) / 1000, signer.sign("GET", URL, null).created());
      }
      // A clock that goes back a second finds that one used for too long.
      long now = milliseconds.get() / 1000;
      Signer late = options().now(() -> Instant.ofEpochSecond(now - 1)).build();
      milliseconds.addAndGet(400);
      assertEquals(now, late.sign("GET", URL, null).created());
    } finally {
      UsedSeconds.OF_PROCESS.monotonicNanos = System::nanoTime;
    }
  }

  @Test
  void movesEqualRequestsToLaterSeconds() throws Exception {
    Verifier verifier = verifier();
    Signer signer = options().build();
    for (int index = 0; index <= 30; index++) {
      // Another signer with the same client shares the memory.
      SignedRequest signed = (index % 3 == 0 ? options().build() : signer).sign("POST", URL, new byte[] {1});
      assertEquals(1_775_505_115 + index, signed.created());
      assertEquals("ok", verdict(verifier, signed));
    }
    AtomicInteger waits = new AtomicInteger();
    signer.pause = milliseconds -> waits.incrementAndGet();
    SigningException error = assertThrows(SigningException.class, () -> signer.sign("POST", URL, new byte[] {1}));
    assertEquals("too_many_equal_requests", error.code());
    assertEquals(30, waits.get());
    // Other requests are not affected.
    assertEquals(1_775_505_115, signer.sign("POST", URL, new byte[] {2}).created());
    assertEquals(1_775_505_115, signer.sign("PUT", URL, new byte[] {1}).created());
    assertEquals(1_775_505_115, signer.sign("POST", URL + "?", new byte[] {1}).created());
    assertEquals(1_775_505_115, signer.sign("POST", URL, null).created());
  }

  @Test
  void sharesSecondsThroughAFolder(@TempDir Path folder) throws Exception {
    // The name is the contract with signers in other languages and processes.
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
    String digest = SignatureBase.contentDigest(body);
    String hash = SignatureBase.identity(clientId, "POST", URL, digest);
    Files.createFile(folder.resolve(hash + ".1775505115"));
    Files.createFile(folder.resolve(hash + ".1775505117"));
    Path old = Files.createFile(folder.resolve("0123456789abcdef0123456789abcdef.1775500000"));
    Path foreign = Files.createFile(folder.resolve("notes.txt"));
    for (Path file : List.of(old, foreign)) {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(421)));
    }

    Signer signer = options().sharedFolder(folder).build();
    assertEquals(1_775_505_116, signer.sign("POST", URL, body).created());
    assertEquals(1_775_505_118, signer.sign("POST", URL, body).created());
    try (Stream<Path> files = Files.list(folder)) {
      Set<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
      assertEquals(
          Set.of(hash + ".1775505115", hash + ".1775505116", hash + ".1775505117", hash + ".1775505118", "notes.txt"),
          names);
    }
  }

  @Test
  void namesFilesAsOtherLanguagesDo() {
    // printf 'client_1\0POST\0https://api.example.com/v1/payments\0sha-256=:…:' | sha256sum
    assertEquals(
        "16da7972df7193368f6d6c3f022ce89b",
        SignatureBase.identity("client_1", "POST", URL, "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"));
    assertEquals("507db41486e85baa7750af21252d3869", SignatureBase.identity("client_1", "GET", URL, null));
  }

  @Test
  void reportsASharedFolderThatIsMissing(@TempDir Path folder) throws Exception {
    Signer signer = options().sharedFolder(folder.resolve("missing")).build();
    assertEquals("signing_failed", assertThrows(SigningException.class, () -> signer.sign("POST", URL, null)).code());
  }

  @Test
  void leavesOutDateIfAsked() throws Exception {
    SignedRequest signed = options().coverDate(false).build().sign("POST", URL, new byte[] {1});
    assertNull(signed.headers().get("Date"));
    assertEquals("ok", verdict(verifier().acceptWithoutDate(), signed));
    assertTrue(verdict(verifier(), signed).startsWith("components_invalid"));
  }

  @Test
  void addsANonceIfAsked() throws Exception {
    Signer signer = options().nonce(true).build();
    SignedRequest first = signer.sign("GET", URL + "?1", null);
    assertEquals("ok", verdict(verifier().requireNonce(), first));
    assertTrue(verdict(verifier(), first).startsWith("parameters_invalid"));
    String input = first.headers().get("Signature-Input");
    String nonce = input.substring(input.indexOf(";nonce="));
    assertTrue(nonce.length() > 16);
    assertFalse(signer.sign("GET", URL + "?2", null).headers().get("Signature-Input").contains(nonce));
  }

  @Test
  void verifierNoticesRepetitionAndChanges() throws Exception {
    Verifier verifier = verifier();
    SignedRequest signed = options().build().sign("POST", URL, new byte[] {1});
    Map<String, List<String>> lines = lines(signed);
    verifier.now(() -> NOW);
    assertEquals("signature_invalid", verifier.verify("PUT", URL, lines, signed.body()).code());
    assertEquals("signature_invalid", verifier.verify("POST", URL + "?", lines, signed.body()).code());
    assertEquals("digest_mismatch", verifier.verify("POST", URL, lines, new byte[] {2}).code());
    assertEquals("components_invalid", verifier.verify("POST", URL, lines, new byte[0]).code());
    assertEquals("ok", verifier.verify("POST", URL, lines, signed.body()).toString());
    assertEquals("signature_replayed", verifier.verify("POST", URL, lines, signed.body()).code());
    verifier.now(() -> NOW.plusSeconds(301));
    assertEquals("created_expired", verifier.verify("POST", URL, lines, signed.body()).code());
    verifier.now(() -> NOW.minusSeconds(61));
    assertEquals("created_in_future", verifier.verify("POST", URL, lines, signed.body()).code());
  }

  @Test
  void escapesTheClientId() throws Exception {
    Signer signer = options().clientId("a\"b\\c").build();
    SignedRequest signed = signer.signAt("GET", URL, null, 1);
    assertTrue(signed.signatureBase().endsWith(";keyid=\"a\\\"b\\\\c\";alg=\"rsa-v1_5-sha256\""));
  }

  @Test
  void rejectsClientIdsThatAreNone() {
    for (String bad : List.of("", " ", "a b", "client_1\n", "client_1\r\n", "é", "x".repeat(257))) {
      assertEquals("keyid_invalid", codeOf(options().clientId(bad)));
    }
    assertEquals("keyid_invalid", codeOf(Signer.builder().privateKey(Repository.privateKey("rsa-2048-a"))));
  }

  @Test
  void wantsExactlyOneKey(@TempDir Path folder) {
    assertEquals("private_key_invalid", codeOf(Signer.builder().clientId("a")));
    assertEquals("private_key_invalid", codeOf(options().privateKeyFile(folder.resolve("k.pem"))));
  }

  @Test
  void rejectsMethodsAndUrlsThatAreNone() throws Exception {
    Signer signer = options().build();
    for (String method : List.of("", "GET ", "GET\n", "GE T", "GÉT", "A".repeat(65))) {
      assertEquals("request_invalid", assertThrows(SigningException.class, () -> signer.sign(method, URL, null)).code());
    }
    for (String url :
        List.of("", "/v1", "ftp://a/", "https:///v1", "https://a b/", "https://a/\n", "https://a/\u007f", "https://u@a/",
            "https://bücher.example/", "https://a:x/", "https://a/" + "x".repeat(8500), "https://a/\ud800")) {
      assertEquals("request_invalid", assertThrows(SigningException.class, () -> signer.sign("GET", url, null)).code());
    }
  }

  @Test
  void normalizesUrls() throws Exception {
    Map<String, String> urls =
        Map.of(
            "HTTPS://API.Example.COM/A?B", "https://api.example.com/A?B",
            "https://a:443", "https://a/",
            "http://a:80?x", "http://a/?x",
            "https://a:80/", "https://a:80/",
            "http://[::1]:/#x?", "http://[::1]/",
            "https://[2001:DB8::1]:8443/~%7e", "https://[2001:db8::1]:8443/~%7e",
            "https://a/é?€=😀", "https://a/%C3%A9?%E2%82%AC=%F0%9F%98%80");
    for (Map.Entry<String, String> url : urls.entrySet()) {
      assertEquals(url.getValue(), TargetUri.parse(url.getKey()).toString());
    }
    assertEquals("https://a:80", TargetUri.parse("https://A:80/x?y").origin());
    assertEquals("/x?y", TargetUri.parse("https://A:80/x?y").target());
  }

  /** How the platform makes keys and signatures of each algorithm. */
  private enum Kind {
    RSA("rsa-v1_5-sha256", "RSA", new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F4), "SHA256withRSA", 256),
    P256("ecdsa-p256-sha256", "EC", new ECGenParameterSpec("secp256r1"), "SHA256withECDSAinP1363Format", 64),
    P384("ecdsa-p384-sha384", "EC", new ECGenParameterSpec("secp384r1"), "SHA384withECDSAinP1363Format", 96),
    ED25519("ed25519", "Ed25519", null, "Ed25519", 64);

    final String algorithm;
    final String jcaKey;
    final AlgorithmParameterSpec parameters;
    final String jcaSignature;
    final int length;

    Kind(String algorithm, String jcaKey, AlgorithmParameterSpec parameters, String jcaSignature, int length) {
      this.algorithm = algorithm;
      this.jcaKey = jcaKey;
      this.parameters = parameters;
      this.jcaSignature = jcaSignature;
      this.length = length;
    }

    static List<Kind> all() {
      return Runtime.version().feature() >= 15 ? List.of(values()) : List.of(RSA, P256, P384);
    }

    KeyPair pair() throws GeneralSecurityException {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(jcaKey);
      if (parameters != null) {
        generator.initialize(parameters);
      }
      return generator.generateKeyPair();
    }
  }

  private static SigningFunction function(String jcaSignature, KeyPair pair) {
    return base -> {
      Signature signature = Signature.getInstance(jcaSignature);
      signature.initSign(pair.getPrivate());
      signature.update(base);
      return signature.sign();
    };
  }

  private static byte[] signatureOf(SignedRequest signed) {
    return Base64.getDecoder().decode(signed.headers().get("Signature").replaceAll("^sig=:|:$", ""));
  }

  private Signer.Builder withoutKey() {
    return Signer.builder().clientId(clientId).now(() -> NOW);
  }

  @Test
  void signsWithKeysOfThePlatformAndFunctions() throws Exception {
    for (Kind kind : Kind.all()) {
      KeyPair pair = kind.pair();
      Verifier verifier = new Verifier(clientId, pair.getPublic());
      Signer withKey = withoutKey().privateKey(pair.getPrivate()).build();
      Signer inVault = withoutKey().privateKey(function(kind.jcaSignature, pair)).algorithm(kind.algorithm).build();
      // Integers with leading zeros, which DER leaves out, come in one of a hundred signatures.
      for (int index = 0; index < (kind.parameters instanceof ECGenParameterSpec ? 600 : 1); index++) {
        SignedRequest signed = withKey.sign("GET", URL + "?key" + index, null);
        assertEquals("ok", verdict(verifier, signed));
        assertEquals(kind.length, signatureOf(signed).length);
        assertTrue(signed.headers().get("Signature-Input").endsWith(";alg=\"" + kind.algorithm + "\""));
      }
      assertEquals("ok", verdict(verifier, inVault.sign("GET", URL + "?function", null)));
    }
    KeyPair rsa = Kind.RSA.pair();
    Signer byDefault = withoutKey().privateKey(function("SHA256withRSA", rsa)).build();
    assertEquals("ok", verdict(new Verifier(clientId, rsa.getPublic()), byDefault.sign("GET", URL + "?default", null)));
  }

  @Test
  void refusesOtherSignaturesOfFunctions() throws Exception {
    Map<String, List<Integer>> wrong =
        Map.of(
            "rsa-v1_5-sha256", List.of(0, 255, 1025),
            "ed25519", List.of(0, 63, 65),
            "ecdsa-p256-sha256", List.of(63, 65, 96),
            "ecdsa-p384-sha384", List.of(64, 95, 97));
    for (Map.Entry<String, List<Integer>> one : wrong.entrySet()) {
      for (int length : one.getValue()) {
        assertFailsToSign(base -> new byte[length], one.getKey());
      }
      assertFailsToSign(base -> null, one.getKey());
    }
    String der = assertFailsToSign(function("SHA256withECDSA", Kind.P256.pair()), "ecdsa-p256-sha256");
    assertTrue(der.contains("64 bytes: r and s, not DER"), der);
    der = assertFailsToSign(function("SHA384withECDSA", Kind.P384.pair()), "ecdsa-p384-sha384");
    assertTrue(der.contains("96 bytes: r and s, not DER"), der);
  }

  private String assertFailsToSign(SigningFunction function, String algorithm) {
    Signer signer = withoutKey().privateKey(function).algorithm(algorithm).build();
    SigningException error = assertThrows(SigningException.class, () -> signer.sign("GET", URL, null));
    assertEquals("signing_failed", error.code());
    return error.getMessage();
  }

  @Test
  void takesAnAlgorithmOnlyForFunctions(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("private.pem"), Repository.privateKey("ec-p256"));
    for (Signer.Builder withKey : List.of(options(), withoutKey().privateKeyFile(file), withoutKey().privateKey(Kind.P256.pair().getPrivate()))) {
      String message = messageOf(withKey.algorithm("ecdsa-p256-sha256"));
      assertTrue(message.startsWith("algorithm is only for a function that signs"), message);
    }
    for (String unknown : List.of("", "ES256", "RSA-V1_5-SHA256", "rsa-pss-sha512", "hmac-sha256")) {
      String message = messageOf(withoutKey().privateKey(base -> base).algorithm(unknown));
      assertEquals(
          "algorithm must be one of rsa-v1_5-sha256, ed25519, ecdsa-p256-sha256, ecdsa-p384-sha384.", message);
    }
  }

  private static String messageOf(Signer.Builder options) {
    SignerConfigurationException error = assertThrows(SignerConfigurationException.class, options::build);
    assertEquals("private_key_invalid", error.code());
    return error.getMessage();
  }

  @Test
  void verifierRecognizesTheOtherFormOfAnEcdsaSignature() throws Exception {
    Map<String, String> orders =
        Map.of(
            "ec-p256", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "ec-p384",
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973");
    for (Map.Entry<String, String> one : orders.entrySet()) {
      Verifier verifier = new Verifier(clientId, Repository.publicKey(one.getKey())).now(() -> NOW);
      Signer signer = withoutKey().privateKey(Repository.privateKey(one.getKey())).build();
      SignedRequest signed = signer.sign("POST", URL + "?" + one.getKey(), null);
      Map<String, List<String>> other = new HashMap<>(lines(signed));
      other.put("Signature", List.of("sig=:" + Base64.getEncoder().encodeToString(negated(signatureOf(signed), one.getValue())) + ":"));

      assertEquals("ok", verdict(verifier, signed));
      assertEquals("signature_replayed", verifier.verify("POST", signed.url(), other, signed.body()).code());
      // It is refused for that only.
      Verifier fresh = new Verifier(clientId, Repository.publicKey(one.getKey())).now(() -> NOW);
      assertEquals("ok", fresh.verify("POST", signed.url(), other, signed.body()).toString());
    }
  }

  /** Returns (r, n - s). */
  private static byte[] negated(byte[] signature, String order) {
    int size = signature.length / 2;
    BigInteger s = new BigInteger(1, Arrays.copyOfRange(signature, size, 2 * size));
    byte[] negative = new BigInteger(order, 16).subtract(s).toByteArray();
    byte[] other = Arrays.copyOf(Arrays.copyOf(signature, size), 2 * size);
    int length = Math.min(negative.length, size);
    System.arraycopy(negative, negative.length - length, other, 2 * size - length, length);
    return other;
  }

  @Test
  void verifierTakesTheAlgorithmFromTheKey() throws Exception {
    for (Kind kind : Kind.all()) {
      KeyPair pair = kind.pair();
      Verifier verifier = new Verifier(clientId, pair.getPublic());
      for (Kind other : Kind.values()) {
        byte[] signature = new byte[other.length];
        SigningFunction ofTheKey = function(kind.jcaSignature, pair);
        SigningFunction function = base -> other.length == kind.length ? ofTheKey.sign(base) : signature;
        Signer signer = withoutKey().privateKey(function).algorithm(other.algorithm).build();
        String verdict = verdict(verifier, signer.sign("GET", URL + "?" + kind + other, null));
        assertTrue(verdict.startsWith(kind == other ? "ok" : "signature_invalid"), verdict);
      }
    }
  }

  @Test
  void verifierRefusesKeysThatAServiceDoesNotRegister() throws Exception {
    KeyPairGenerator pss = KeyPairGenerator.getInstance("RSASSA-PSS");
    pss.initialize(2048);
    KeyPairGenerator curve = KeyPairGenerator.getInstance("EC");
    curve.initialize(new ECGenParameterSpec("secp521r1"));
    for (KeyPairGenerator kind : List.of(pss, curve, KeyPairGenerator.getInstance("DSA"))) {
      PublicKey key = kind.generateKeyPair().getPublic();
      assertThrows(IllegalArgumentException.class, () -> new Verifier(clientId, key));
      String text = Base64.getEncoder().encodeToString(key.getEncoded());
      assertThrows(IllegalArgumentException.class, () -> new Verifier(clientId, text));
    }
    for (String name : List.of("rsa-1024-weak", "rsa-2047", "rsa-2048-e3", "rsa-pss-2048")) {
      assertThrows(IllegalArgumentException.class, () -> new Verifier(clientId, Repository.publicKey(name)));
    }
    assertThrows(IllegalArgumentException.class, () -> new Verifier(clientId, Repository.privateKey("ec-p256")));
  }

  @Test
  void followsItsKeyFile(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("private.pem");
    Files.writeString(file, Repository.privateKey("rsa-2048-a"));
    Signer signer = Signer.builder().clientId(clientId).privateKeyFile(file).build();
    Verifier first = verifier();
    Verifier second = new Verifier(clientId, Repository.publicKey("rsa-2048-b"));

    assertTrue(eventually(signer, first));
    Files.writeString(file, Repository.privateKey("rsa-2048-b"));
    assertTrue(eventually(signer, second));
    // Half a file changes nothing.
    Files.writeString(file, Repository.privateKey("rsa-2048-a").substring(0, 500));
    Thread.sleep(600);
    assertTrue(accepts(signer, second));
    // The algorithm may change too.
    for (String name : List.of("ec-p384", "ec-p256", "rsa-2048-a")) {
      Files.writeString(file, Repository.privateKey(name));
      assertTrue(eventually(signer, new Verifier(clientId, Repository.publicKey(name))), name);
    }
  }

  private int count;

  private boolean accepts(Signer signer, Verifier verifier) throws IOException {
    SignedRequest signed = signer.sign("GET", URL + "?" + count++, null);
    return verifier.verify(signed.method(), signed.url(), lines(signed), signed.body()).isOk();
  }

  /** Waits for the change of key, however slow the machine is. */
  private boolean eventually(Signer signer, Verifier verifier) throws Exception {
    for (int attempt = 0; attempt < 600; attempt++) {
      if (accepts(signer, verifier)) {
        return true;
      }
      Thread.sleep(50);
    }
    return false;
  }

  @Test
  void reportsAKeyFileThatCannotBeRead(@TempDir Path folder) throws IOException {
    Path large = Files.write(folder.resolve("large"), new byte[65 * 1024]);
    for (Path file : List.of(folder.resolve("missing.pem"), folder, large)) {
      SignerConfigurationException error =
          assertThrows(
              SignerConfigurationException.class, () -> Signer.builder().clientId("a").privateKeyFile(file).build());
      assertEquals("private_key_invalid", error.code());
      assertTrue(error.getMessage().contains(file.toString()));
    }
  }

  @Test
  void readsTheEnvironment(@TempDir Path folder) throws Exception {
    String client = "COUNTERSIGN_CLIENT_ID";
    String key = "COUNTERSIGN_PRIVATE_KEY";
    String file = "COUNTERSIGN_PRIVATE_KEY_FILE";
    String pem = Repository.privateKey("rsa-2048-a");
    assertEquals("keyid_invalid", codeOfEnvironment(Map.of(key, pem)));
    assertEquals("keyid_invalid", codeOfEnvironment(Map.of(key, pem, client, "")));
    assertEquals("private_key_invalid", codeOfEnvironment(Map.of(client, clientId)));
    assertEquals("private_key_invalid", codeOfEnvironment(Map.of(client, clientId, key, "", file, "")));
    assertEquals("private_key_invalid", codeOfEnvironment(Map.of(client, clientId, key, pem, file, "private.pem")));
    assertEquals("private_key_invalid", codeOfEnvironment(Map.of(client, clientId, file, "a\0b")));
    assertEquals("keyid_invalid", codeOfEnvironment(Map.of(client, "a b", key, pem)));

    Path saved = Files.writeString(folder.resolve("private.pem"), pem);
    for (Map<String, String> variables :
        List.of(Map.of(client, clientId, key, pem, file, ""), Map.of(client, clientId, file, saved.toString()))) {
      Signer signer = Signer.builder().fromEnvironment(variables).now(() -> NOW).build();
      assertEquals("ok", verdict(verifier(), signer.sign("GET", URL + "?" + variables.size(), null)));
    }
  }

  private static String codeOfEnvironment(Map<String, String> variables) {
    return assertThrows(SignerConfigurationException.class, () -> Signer.builder().fromEnvironment(variables).build())
        .code();
  }

  @Test
  void knowsTheCodesOfTheService() {
    // Errors of operations stand in the other sections.
    Set<String> sections =
        Set.of(
            "Framing", "The signature headers", "The time", "The caller", "The body", "An API behind the gateway",
            "The service itself");
    Set<String> documented = new HashSet<>();
    for (String section : Repository.text("docs/errors.md").split("\n## ")) {
      if (sections.contains(section.lines().findFirst().orElse(""))) {
        Matcher code = Pattern.compile("^### `([a-z_]+)`", Pattern.MULTILINE).matcher(section);
        while (code.find()) {
          documented.add(code.group(1));
        }
      }
    }
    assertEquals(documented, ServiceCodes.ALL);
  }

  @Test
  void readsProblemsThatAreHostile() {
    String deep = "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}";
    for (String json : List.of("{\"type\":\"/docs/errors#not_found\",\"code\":\"not_found\"}", deep, "", "{", "{}", "null", "{\"code\":1}", "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\"}x", "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",}",
        "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",\"a\":01}", "{\"code\":\"\\u00\"}", "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\n\"}", "{'code':'client_disabled'}")) {
      assertTrue(Refusal.read(400, "application/problem+json", json.getBytes(StandardCharsets.UTF_8)).isEmpty(), json);
    }
    byte[] latin1 = "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",\"title\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1);
    assertTrue(Refusal.read(400, "application/problem+json", latin1).isEmpty());
    byte[] good = "{\"serverTime\":\"tomorrow\",\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\"}".getBytes(StandardCharsets.UTF_8);
    assertNull(Refusal.read(400, "Application/Problem+JSON;a=b", good).get().serverTime());
  }
}
