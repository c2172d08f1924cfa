package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.countersign.signer.TestServer.Received;
import dev.countersign.signer.TestServer.Reply;
import dev.countersign.signer.testing.Verification;
import dev.countersign.signer.testing.Verifier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What every HTTP client does with a signer. A subclass sends by one client. */
public abstract class HttpClientTest {
  /** A request for any client. */
  public static final class Outgoing {
    public final String method;
    public final String url;
    public Map<String, String> headers = Map.of();
    public byte[] body;

    /** A body of unknown length in place of {@code body}; each call opens it anew. */
    public Supplier<InputStream> stream;

    public Outgoing(String method, String url) {
      this.method = method;
      this.url = url;
    }

    public Outgoing headers(Map<String, String> headers) {
      this.headers = headers;
      return this;
    }

    public Outgoing body(String text) {
      return body(text.getBytes(StandardCharsets.UTF_8));
    }

    public Outgoing body(byte[] bytes) {
      this.body = bytes;
      return this;
    }

    public Outgoing stream(byte[] bytes) {
      this.stream = () -> new ByteArrayInputStream(bytes);
      return this;
    }
  }

  /** What came back. */
  public static final class Incoming {
    public final int status;
    public final byte[] body;

    public Incoming(int status, byte[] body) {
      this.status = status;
      this.body = body;
    }
  }

  /** The client under test, with a signer, following redirects. */
  public interface Client extends AutoCloseable {
    Incoming send(Outgoing request) throws Exception;

    @Override
    void close() throws IOException;
  }

  protected abstract Client client(Signer signer) throws Exception;

  /** The request target that goes over the wire for one in a URL; null if the client takes no such URL. */
  protected abstract String targetOnTheWire(String target);

  private final String clientId = "client_" + UUID.randomUUID();
  private final Verifier verifier = new Verifier(clientId, Repository.publicKey("rsa-2048-a"));
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
  }

  private Signer.Builder options() {
    return Signer.builder().clientId(clientId).privateKey(Repository.privateKey("rsa-2048-a"));
  }

  private TestServer server(Function<Received, Reply> answers) throws IOException {
    TestServer server = new TestServer(answers);
    opened.add(server);
    return server;
  }

  private Client open(Signer signer) throws Exception {
    Client client = client(signer);
    opened.add(client);
    return client;
  }

  private Client open() throws Exception {
    return open(options().build());
  }

  private void assertAccepted(Received request) {
    assertEquals("ok", request.verify(verifier).toString(), request.method + " " + request.url());
  }

  /** With all headers of the service, which an answer to HEAD consists of. */
  private static Reply refusal(String code, Instant date) {
    String headers =
        "Content-Type: application/problem+json\r\nWWW-Authenticate: Signature error=\"" + code + "\"\r\nDate: "
            + DateTimeFormatter.RFC_1123_DATE_TIME.format(date.atZone(ZoneOffset.UTC));
    return Reply.of(401, headers, problem(code, null));
  }

  private static String problem(String code, Instant serverTime) {
    return "{\"type\":\"https://api.example.com/docs/errors#" + code + "\",\"title\":\"A title\",\"status\":401,"
        + "\"detail\":\"Do \\u0022this\\u0022.\",\"code\":\"" + code + "\",\"reason\":\"a reason\","
        + "\"requestId\":\"request_1\",\"errors\":[{\"pointer\":\"/a\",\"n\":[1,-2.5e3,true,null]}]"
        + (serverTime == null ? "" : ",\"serverTime\":\"" + serverTime + "\"") + "}";
  }

  // Signing

  @Test
  void signsEveryMethod() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Client client = open();
    for (String method : List.of("GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "REPORT", "patch")) {
      boolean hasBody = List.of("POST", "PUT", "PATCH", "patch", "REPORT").contains(method);
      Outgoing request = new Outgoing(method, server.url("/methods"));
      assertEquals(200, client.send(hasBody ? request.body("{\"a\":1}") : request).status);
    }
    assertEquals(9, server.requests.size());
    server.requests.forEach(this::assertAccepted);
    assertEquals("PATCH", server.request(8).method);
  }

  @Test
  void signsTheBytesOfTheBody() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Client client = open();
    byte[] binary = new byte[64 * 1024];
    new Random(1).nextBytes(binary);
    List<byte[]> bodies =
        List.of("é\r\n\n".getBytes(StandardCharsets.UTF_8), new byte[] {0}, new byte[] {(byte) 0xff, (byte) 0xfe}, binary);
    for (byte[] body : bodies) {
      client.send(new Outgoing("POST", server.url("/bytes")).body(body));
      client.send(new Outgoing("PUT", server.url("/stream")).stream(body));
    }
    for (int index = 0; index < 8; index++) {
      assertArrayEquals(bodies.get(index / 2), server.request(index).body);
      assertAccepted(server.request(index));
    }
  }

  @Test
  void leavesOutTheDigestOfAnEmptyBody() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Client client = open();
    client.send(new Outgoing("POST", server.url("/empty")).body(""));
    client.send(new Outgoing("POST", server.url("/empty-stream")).stream(new byte[0]));
    for (Received request : server.requests) {
      assertNull(request.header("Content-Digest"));
      assertAccepted(request);
    }
  }

  @Test
  void replacesSignatureHeadersOfTheCaller() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Map<String, String> stale = Map.of("Signature", "sig=:AA==:", "signature-input", "sig=()", "Content-Digest", "old");
    open().send(new Outgoing("DELETE", server.url("/stale")).headers(stale));
    assertAccepted(server.request(0));
    assertNull(server.request(0).header("Content-Digest"));
  }

  @Test
  void signsAsAnAgent() throws Exception {
    TestServer server = server(request -> request.target.equals("/old") ? Reply.redirect(307, "/new") : Reply.ok());
    String agent = "https://agent.example.test/keys.json";
    Signer signer = Signer.builder().signatureAgent(agent).privateKey(Repository.privateKey("ec-p256")).build();
    Client client = open(signer);
    Map<String, String> stale = Map.of("Signature-Agent", "sig=\"https://other.test/\"", "Signature", "sig=:AA==:", "X-Own", "1");
    client.send(new Outgoing("PUT", server.url("/old")).headers(stale).body("{}"));
    client.send(new Outgoing("GET", server.url("/new?a=b")));

    Pattern input =
        Pattern.compile("sig=(\\(.*\\);created=([0-9]+);expires=([0-9]+);keyid=\"(.*)\";alg=\"(.*)\";nonce=\"([0-9A-Za-z+/]{43}=)\";tag=\"web-bot-auth\")");
    Set<String> nonces = new HashSet<>();
    assertEquals(3, server.requests.size());
    for (Received request : server.requests) {
      boolean hasBody = request.body.length > 0;
      assertEquals(request.method.equals("PUT"), hasBody);
      assertEquals(List.of("sig=\"" + agent + "\""), request.headers.get("Signature-Agent"));
      assertNull(request.header("Date"));
      assertEquals(hasBody ? SignatureBase.contentDigest(request.body) : null, request.header("Content-Digest"));
      assertEquals(List.of(1, 1), List.of(request.headers.get("Signature-Input").size(), request.headers.get("Signature").size()));
      Matcher parts = input.matcher(request.header("Signature-Input"));
      assertTrue(parts.matches(), request.header("Signature-Input"));
      assertEquals(300, Long.parseLong(parts.group(3)) - Long.parseLong(parts.group(2)));
      assertEquals(signer.clientId(), parts.group(4));
      assertEquals("ecdsa-p256-sha256", parts.group(5));
      assertTrue(nonces.add(parts.group(6)));
      String base =
          "\"@authority\": " + request.header("Host") + "\n\"@method\": " + request.method + "\n\"@target-uri\": " + request.url()
              + (hasBody ? "\n\"content-digest\": " + request.header("Content-Digest") : "")
              + "\n\"signature-agent\";key=\"sig\": \"" + agent + "\"\n\"@signature-params\": " + parts.group(1);
      assertTrue(Repository.verifies("ec-p256", base, request.header("Signature")), base);
    }
    assertEquals("1", server.request(1).header("X-Own"));
  }

  @Test
  void keepsOtherHeaders() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Map<String, String> headers = Map.of("Content-Type", "text/x-own; a=\"b\"", "X-Own", "1");
    open().send(new Outgoing("POST", server.url("/headers")).headers(headers).body("x"));
    assertEquals(List.of("text/x-own; a=\"b\""), server.request(0).headers.get("Content-Type"));
    assertEquals("1", server.request(0).header("X-Own"));
  }

  @TestFactory
  Stream<DynamicTest> signsTheUrlThatIsSent() {
    return Stream.of(
            "", "/", "/a?", "?x=1", "/a/", "//x//y", "/a+b?c+d=%20", "/%7e%7E~", "/%C3%A9%c3%a9", "/a%2Fb%2fc",
            "/%2e%2e/x", "/a/../b/./c", "/q?f%5Bn%5d=1&f[m]=2", "/é?ü=€", "/q?a=&b&&c==d", "/x?y#fragment", "/a%00b",
            "/q?x=%0D%0A", "/m;v=1,2/b:c@d/e!$&'()*+,=", "/q?a=b?c/d", "/*", "/q?x='\"'", "/q?x=a|b{c}^`", "/a b", "/%", "/%zz")
        .map(target -> dynamicTest("target " + target, () -> {
          TestServer server = server(request -> Reply.ok());
          Outgoing request = new Outgoing("GET", server.url(target));
          String expected = targetOnTheWire(target);
          if (expected == null) {
            assertThrows(IllegalArgumentException.class, () -> open().send(request));
            assertTrue(server.requests.isEmpty());
          } else {
            assertEquals(200, open().send(request).status);
            assertEquals(expected, server.request(0).target);
            assertAccepted(server.request(0));
          }
        }));
  }

  @Test
  void sendsTheHostThatIsSigned() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Client client = open();
    client.send(new Outgoing("GET", server.url("/").replace("http://127.0.0.1", "HTTP://LOCALHOST")));
    client.send(new Outgoing("GET", server.url("/").replace("127.0.0.1", "localhost")));
    assertEquals(server.url("").replace("http://127.0.0.1", "localhost"), server.request(0).header("Host"));
    server.requests.forEach(this::assertAccepted);
  }

  @Test
  void rejectsUserNamesInTheUrl() throws Exception {
    TestServer server = server(request -> Reply.ok());
    String url = server.url("/").replace("http://", "http://user:secret@");
    SigningException error = assertThrows(SigningException.class, () -> open().send(new Outgoing("GET", url)));
    assertEquals("request_invalid", error.code());
    assertFalse(error.getMessage().contains("secret"));
    assertTrue(server.requests.isEmpty());
  }

  @Test
  void neverSendsOneSignatureTwice() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Signer signer = options().build();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<Incoming>> sent = new ArrayList<>();
      for (int index = 0; index < 24; index++) {
        // Two clients with the same key, as in a program that makes one for each task.
        Client client = open(index % 2 == 0 ? signer : options().build());
        sent.add(threads.submit(() -> client.send(new Outgoing("POST", server.url("/equal")).body("{}"))));
      }
      for (Future<Incoming> one : sent) {
        assertEquals(200, one.get().status);
      }
    } finally {
      threads.shutdown();
    }
    assertEquals(24, server.requests.size());
    server.requests.forEach(this::assertAccepted);
  }

  @Test
  void sendsEqualReadsAsOftenAsItLikes() throws Exception {
    for (String kind : List.of("lenient GET", "strict GET", "lenient HEAD", "strict HEAD")) {
      boolean strict = kind.startsWith("strict");
      Verifier service = new Verifier(clientId, Repository.publicKey("rsa-2048-a")).strict(strict);
      TestServer server =
          server(request -> {
            Verification result = request.verify(service);
            return result.isOk() ? Reply.ok() : refusal(result.code(), Instant.now());
          });
      Client client = open();
      for (int count = 0; count < 12; count++) {
        assertEquals(200, client.send(new Outgoing(kind.split(" ")[1], server.url("/equal"))).status);
      }
    }
  }

  @Test
  void rejectsBodiesAboveTheLimit() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Client client = open(options().bodyBytesMax(1000).build());
    Outgoing known = new Outgoing("POST", server.url("/")).body(new byte[1001]);
    Outgoing unknown = new Outgoing("POST", server.url("/")).stream(new byte[50_000]);
    assertEquals("body_too_large", assertThrows(SigningException.class, () -> client.send(known)).code());
    assertEquals("body_too_large", assertThrows(SigningException.class, () -> client.send(unknown)).code());
    assertTrue(server.requests.isEmpty());
    client.send(new Outgoing("POST", server.url("/")).body(new byte[1000]));
    assertAccepted(server.request(0));
  }

  @Test
  void reportsWhatCannotBeSigned() throws Exception {
    TestServer server = server(request -> Reply.ok());
    SigningFunction broken = base -> {
      throw new IllegalStateException("the vault is sealed");
    };
    Client client = open(Signer.builder().clientId(clientId).privateKey(broken).build());
    SigningException error =
        assertThrows(SigningException.class, () -> client.send(new Outgoing("GET", server.url("/"))));
    assertEquals("signing_failed", error.code());
    assertEquals("the vault is sealed", error.getCause().getMessage());
    assertTrue(server.requests.isEmpty());
  }

  // Redirects and retries

  @Test
  void signsRedirectsWithinTheOriginAgain() throws Exception {
    for (int status : new int[] {301, 302, 303, 307, 308}) {
      TestServer server =
          server(request -> request.target.equals("/new?x=%7e") ? Reply.ok() : Reply.redirect(status, "/new?x=%7e"));
      assertEquals(200, open().send(new Outgoing("GET", server.url("/old"))).status);
      assertEquals(2, server.requests.size());
      server.requests.forEach(this::assertAccepted);
    }
  }

  @Test
  void keepsTheBodyOfARedirectThatKeepsTheMethod() throws Exception {
    TestServer server =
        server(request -> request.target.equals("/new") ? Reply.ok() : Reply.redirect(308, "/new"));
    assertEquals(200, open().send(new Outgoing("POST", server.url("/old")).body("{\"a\":1}")).status);
    assertEquals("POST", server.request(1).method);
    assertEquals("{\"a\":1}", new String(server.request(1).body, StandardCharsets.UTF_8));
    server.requests.forEach(this::assertAccepted);
  }

  @Test
  void signsARedirectThatBecomesGet() throws Exception {
    TestServer server =
        server(request -> request.target.equals("/new") ? Reply.ok() : Reply.redirect(303, "/new"));
    assertEquals(200, open().send(new Outgoing("POST", server.url("/old")).body("{\"a\":1}")).status);
    assertEquals("GET", server.request(1).method);
    server.requests.forEach(this::assertAccepted);
  }

  @Test
  void sendsNoSignatureToAnotherOrigin() throws Exception {
    TestServer other = server(request -> Reply.ok());
    TestServer server = server(request -> Reply.redirect(307, other.url("/stolen")));
    Incoming response = open().send(new Outgoing("POST", server.url("/")).body("{}"));
    assertTrue(response.status == 200 || response.status == 307, "status " + response.status);
    assertAccepted(server.request(0));
    for (Received request : other.requests) {
      for (String name : List.of("Signature", "Signature-Input", "Content-Digest", "Date")) {
        assertNull(request.header(name), name);
      }
    }
  }

  @Test
  void endsRedirectsThatGoInACircle() throws Exception {
    TestServer server = server(request -> Reply.redirect(302, "/again?" + request.target.length()));
    try {
      assertEquals(302, open().send(new Outgoing("GET", server.url("/"))).status);
    } catch (IOException e) {
      // Some clients report it as an error.
    }
    assertTrue(server.requests.size() <= 60, server.requests.size() + " requests");
    server.requests.forEach(this::assertAccepted);
  }

  @Test
  void makesNoSecondPaymentWhenAnAnswerIsLost() throws Exception {
    for (String method : List.of("POST", "PATCH", "REPORT")) {
      // Carries the request out, and then closes the connection, which was in use before.
      TestServer server = server(request -> request.target.equals("/pay") ? Reply.hangUp() : Reply.ok());
      Client client = open();
      client.send(new Outgoing("GET", server.url("/first")));
      assertThrows(IOException.class, () -> client.send(new Outgoing(method, server.url("/pay")).body("{}")));
      assertEquals(2, server.requests.size(), method + " was sent again");
      // Another call is the caller's own decision.
      assertThrows(IOException.class, () -> client.send(new Outgoing(method, server.url("/pay")).body("{}")));
      assertEquals(3, server.requests.size());
    }
  }

  @Test
  void addsIdempotencyKeysIfAsked() throws Exception {
    TestServer server = server(request -> Reply.ok());
    Client client = open(options().idempotencyKeys(true).build());
    client.send(new Outgoing("POST", server.url("/")).body("{}"));
    client.send(new Outgoing("POST", server.url("/")).body("{}"));
    client.send(new Outgoing("POST", server.url("/")).body("{}").headers(Map.of("Idempotency-Key", "own")));
    client.send(new Outgoing("PUT", server.url("/")).body("{}"));
    client.send(new Outgoing("GET", server.url("/")));
    String key = server.request(0).header("Idempotency-Key");
    assertEquals(36, key.length());
    assertEquals(36, server.request(1).header("Idempotency-Key").length());
    assertFalse(key.equals(server.request(1).header("Idempotency-Key")));
    assertEquals(List.of("own"), server.request(2).headers.get("Idempotency-Key"));
    assertNull(server.request(3).header("Idempotency-Key"));
    assertNull(server.request(4).header("Idempotency-Key"));
    open().send(new Outgoing("POST", server.url("/")).body("{}"));
    assertNull(server.request(5).header("Idempotency-Key"));
  }

  // The clock

  @Test
  void correctsItsClockOnce() throws Exception {
    for (String code : List.of("created_expired", "created_in_future", "date_mismatch")) {
      Instant serviceTime = Instant.now().plus(code.equals("created_in_future") ? Duration.ofHours(-7) : Duration.ofHours(7));
      Verifier service = new Verifier(clientId, Repository.publicKey("rsa-2048-a")).now(() -> serviceTime);
      TestServer server =
          server(request -> {
            Verification result = request.verify(service);
            return result.isOk() ? Reply.ok() : Reply.problem(401, problem(code, serviceTime));
          });
      Client client = open();
      assertEquals(200, client.send(new Outgoing("POST", server.url("/clock-" + code)).body("{}")).status);
      assertEquals(2, server.requests.size());
      assertEquals("{}", new String(server.request(1).body, StandardCharsets.UTF_8));
      // From now on the clock is right.
      assertEquals(200, client.send(new Outgoing("DELETE", server.url("/clock-" + code))).status);
      assertEquals(3, server.requests.size());
    }
  }

  @Test
  void correctsItsClockByTheHeadersOfAHead() throws Exception {
    Instant serviceTime = Instant.now().plus(Duration.ofHours(7));
    Verifier service = new Verifier(clientId, Repository.publicKey("rsa-2048-a")).now(() -> serviceTime);
    TestServer server =
        server(request -> request.verify(service).isOk() ? Reply.ok() : refusal("created_expired", serviceTime));
    assertEquals(200, open().send(new Outgoing("HEAD", server.url("/"))).status);
    assertEquals(2, server.requests.size());
  }

  @Test
  void passesAHeadOfTheApiThrough() throws Exception {
    for (String headers : List.of("", "\r\nWWW-Authenticate: Signature error=\"out_of_stock\"")) {
      TestServer server = server(request -> Reply.of(401, "Content-Type: application/problem+json" + headers, ""));
      assertEquals(401, open().send(new Outgoing("HEAD", server.url("/"))).status);
      assertEquals(1, server.requests.size());
    }
  }

  @Test
  void takesOverNoClockOfTheApi() throws Exception {
    String own = problem("created_expired", Instant.now().plusSeconds(4000))
        .replaceFirst("https://[^\"]*#", "https://shop.example/problems#");
    TestServer server = server(request -> request.target.equals("/pay") ? Reply.problem(409, own) : Reply.ok());
    Client client = open();
    assertEquals(409, client.send(new Outgoing("POST", server.url("/pay")).body("{}")).status);
    assertEquals(1, server.requests.size());
    client.send(new Outgoing("POST", server.url("/next")).body("{}"));
    server.requests.forEach(this::assertAccepted);
  }

  @Test
  void repeatsARequestOnceOnly() throws Exception {
    TestServer server = server(request -> Reply.problem(401, problem("created_expired", Instant.now().plusSeconds(4000))));
    Client client = open();
    RequestRefusedException error =
        assertThrows(RequestRefusedException.class, () -> client.send(new Outgoing("GET", server.url("/"))));
    assertEquals("created_expired", error.code());
    assertEquals(2, server.requests.size());
  }

  @Test
  void doesNotBelieveAClockThatIsADayOff() throws Exception {
    TestServer server = server(request -> Reply.problem(401, problem("created_expired", Instant.now().plus(Duration.ofHours(25)))));
    Client client = open();
    assertThrows(RequestRefusedException.class, () -> client.send(new Outgoing("GET", server.url("/"))));
    assertEquals(1, server.requests.size());
  }

  @Test
  void believesNoOtherRefusalAboutTheClock() throws Exception {
    TestServer server = server(request -> Reply.problem(401, problem("signature_invalid", Instant.now().plusSeconds(4000))));
    Client client = open();
    assertThrows(RequestRefusedException.class, () -> client.send(new Outgoing("GET", server.url("/"))));
    assertEquals(1, server.requests.size());
  }

  @Test
  void learnsNothingFromResponsesToAnAgent() throws Exception {
    for (String code : List.of("created_expired", "created_in_future", "date_mismatch", "signature_replayed")) {
      for (String method : List.of("GET", "HEAD")) {
        Instant now = Instant.ofEpochSecond(1_795_800_000);
        Instant wrong = now.plus(Duration.ofHours(7));
        String headers =
            "Content-Type: application/problem+json\r\nWWW-Authenticate: Signature error=\"" + code + "\"\r\nDate: "
                + DateTimeFormatter.RFC_1123_DATE_TIME.format(wrong.atZone(ZoneOffset.UTC));
        TestServer site = server(request -> Reply.of(401, headers, problem(code, wrong)));
        TestServer other = server(request -> Reply.ok());
        Signer signer =
            Signer.builder()
                .signatureAgent("https://agent.example.test/keys.json")
                .privateKey(Repository.privateKey("ec-p256"))
                .now(() -> now)
                .build();
        Client client = open(signer);
        RequestRefusedException error =
            assertThrows(RequestRefusedException.class, () -> client.send(new Outgoing(method, site.url("/"))));
        assertEquals(code, error.code());
        assertEquals(wrong, error.refusal().serverTime());
        assertEquals(1, site.requests.size());
        assertEquals(200, client.send(new Outgoing(method, other.url("/"))).status);
        String input = other.request(0).header("Signature-Input");
        assertTrue(input.contains(";created=1795800000;"), input);
      }
    }
  }

  // Refusals

  @Test
  void throwsRefusalsWithTheirMembers() throws Exception {
    Instant serverTime = Instant.parse("2026-11-21T00:01:58.000Z");
    TestServer server = server(request -> Reply.problem(403, problem("permission_denied", serverTime)));
    Client client = open();
    RequestRefusedException error =
        assertThrows(RequestRefusedException.class, () -> client.send(new Outgoing("POST", server.url("/")).body("x")));
    assertEquals(403, error.status());
    assertEquals("permission_denied", error.code());
    Refusal refusal = error.refusal();
    assertEquals("A title", refusal.title());
    assertEquals("Do \"this\".", refusal.detail());
    assertEquals("a reason", refusal.reason());
    assertEquals("request_1", refusal.requestId());
    assertEquals(serverTime, refusal.serverTime());
    assertEquals("https://api.example.com/docs/errors#permission_denied", refusal.type());
    assertEquals("permission_denied: A title. a reason. Do \"this\". (request_1)", error.getMessage());
  }

  @Test
  void saysThatTheFirstRequestOfAReplayMayHaveBeenAccepted() throws Exception {
    TestServer server = server(request -> Reply.problem(401, problem("signature_replayed", null)));
    Client client = open();
    RequestRefusedException error =
        assertThrows(RequestRefusedException.class, () -> client.send(new Outgoing("POST", server.url("/")).body("x")));
    assertTrue(error.getMessage().contains("may have been accepted: look it up"), error.getMessage());
  }

  @Test
  void returnsRefusalsAsResponsesIfAsked() throws Exception {
    String json = problem("permission_denied", null);
    TestServer server = server(request -> Reply.problem(403, json));
    Incoming response = open(options().throwsRefusals(false).build()).send(new Outgoing("GET", server.url("/")));
    assertEquals(403, response.status);
    assertEquals(json, new String(response.body, StandardCharsets.UTF_8));
  }

  @Test
  void passesErrorsOfTheApiThrough() throws Exception {
    List<Reply> errors =
        List.of(
            Reply.problem(409, "{\"code\":\"out_of_stock\",\"title\":\"é\"}"),
            Reply.problem(404, "{\"title\":\"no code\"}"),
            Reply.problem(403, "{\"code\":\"permission_denied\"}"),
            Reply.problem(403, "{\"code\":\"permission_denied\",\"type\":\"about:blank\"}"),
            Reply.problem(403, "{\"code\":\"permission_denied\",\"type\":\"https://a.test/problems/permission_denied\"}"),
            Reply.problem(429, problem("rate_limited", null)),
            Reply.problem(503, problem("guard_full", null)),
            Reply.problem(400, "no JSON"),
            Reply.problem(400, "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\""),
            Reply.problem(400, "[\"signature_invalid\"]"),
            Reply.problem(500, "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\",\"padding\":\"" + "x".repeat(270_000) + "\"}"),
            Reply.problem(200, "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\"}"),
            Reply.problem(404, ""),
            Reply.of(401, "Content-Type: application/json", "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\"}"),
            Reply.of(503, "", "busy"));
    for (Reply error : errors) {
      TestServer server = server(request -> error);
      Incoming response = open().send(new Outgoing("POST", server.url("/")).body("x"));
      assertEquals(error.status, response.status);
      assertArrayEquals(error.body, response.body);
      server.requests.forEach(this::assertAccepted);
    }
  }
}
