package dev.countersign.signer.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.countersign.signer.CallAttempts;
import dev.countersign.signer.HttpClientTest;
import dev.countersign.signer.Refusal;
import dev.countersign.signer.RepeatNotSignedException;
import dev.countersign.signer.Repository;
import dev.countersign.signer.Signer;
import dev.countersign.signer.TestServer.Received;
import dev.countersign.signer.TestServer.Reply;
import dev.countersign.signer.TestServer;
import dev.countersign.signer.testing.Verifier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import okio.Okio;
import org.junit.jupiter.api.Test;

class OkHttpSigningTest extends HttpClientTest {
  @Override
  protected Client client(Signer signer) {
    return client(OkHttpSigning.addTo(new OkHttpClient.Builder(), signer).build());
  }

  private static Client client(OkHttpClient http) {
    return new Client() {
      @Override
      public Incoming send(Outgoing request) throws IOException {
        try (Response response = http.newCall(built(request)).execute()) {
          return new Incoming(response.code(), response.body().bytes());
        }
      }

      @Override
      public void close() {
        http.dispatcher().executorService().shutdown();
        http.connectionPool().evictAll();
      }
    };
  }

  static Request built(HttpClientTest.Outgoing request) {
    String contentType = request.headers.get("Content-Type");
    Request.Builder builder =
        new Request.Builder()
            .url(request.url)
            .method(
                request.method,
                request.stream != null
                    ? new StreamBody(request)
                    : request.body == null
                        ? null
                        : RequestBody.create(request.body, contentType == null ? null : MediaType.get(contentType)));
    request.headers.forEach(builder::header);
    return builder.build();
  }

  private static final class StreamBody extends RequestBody {
    private final HttpClientTest.Outgoing request;

    StreamBody(HttpClientTest.Outgoing request) {
      this.request = request;
    }

    @Override
    public MediaType contentType() {
      return null;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      try (InputStream stream = request.stream.get()) {
        sink.writeAll(Okio.source(stream));
      }
    }
  }

  /** OkHttp rewrites URLs as browsers do, when a request is built. The signature covers the result. */
  @Override
  protected String targetOnTheWire(String target) {
    return Map.ofEntries(
            Map.entry("", "/"),
            Map.entry("?x=1", "/?x=1"),
            Map.entry("/a/../b/./c", "/b/c"),
            Map.entry("/%2e%2e/x", "/x"),
            Map.entry("/é?ü=€", "/%C3%A9?%C3%BC=%E2%82%AC"),
            Map.entry("/x?y#fragment", "/x?y"),
            Map.entry("/q?x='\"'", "/q?x=%27%22%27"),
            Map.entry("/a b", "/a%20b"))
        .getOrDefault(target, target);
  }

  @Test
  void signsARetryAgain() throws Exception {
    // The second request of the first connection is not answered, so OkHttp sends it again.
    try (TestServer server =
        new TestServer(request -> request.connection == 1 && request.ofConnection == 2 ? Reply.hangUp() : Reply.ok())) {
      String clientId = "client_" + UUID.randomUUID();
      Signer signer = Signer.builder().clientId(clientId).privateKey(Repository.privateKey("rsa-2048-a")).build();
      Client client = client(signer);
      client.send(new Outgoing("GET", server.url("/first")));
      client.send(new Outgoing("PUT", server.url("/second")).body(new byte[] {1}));
      assertEquals(3, server.requests.size());
      assertNotEquals(server.request(1).header("Signature"), server.request(2).header("Signature"));
      Verifier verifier = new Verifier(clientId, Repository.publicKey("rsa-2048-a"));
      for (Received request : server.requests) {
        assertEquals("ok", request.verify(verifier).toString());
      }
      client.close();
    }
  }

  private static Signer.Builder options() {
    return Signer.builder().clientId("client_" + UUID.randomUUID()).privateKey(Repository.privateKey("rsa-2048-a"));
  }

  private static Outgoing payment(TestServer server) {
    return new Outgoing("POST", server.url("/pay")).body("{}");
  }

  @Test
  void signsNoRepeatThatTheApiMayHaveCarriedOut() throws Exception {
    // OkHttp itself repeats a request whose connection broke, and for these two.
    for (Reply reply :
        List.of(Reply.hangUp(), Reply.of(408, "", ""), Reply.of(503, "Retry-After: 0", ""))) {
      try (TestServer server = new TestServer(request -> request.target.equals("/pay") ? reply : Reply.ok());
          Client client = client(options().build())) {
        client.send(new Outgoing("GET", server.url("/first")));
        RepeatNotSignedException error =
            assertThrows(RepeatNotSignedException.class, () -> client.send(payment(server)));
        assertEquals("repeat_not_signed", error.code());
        assertTrue(error.getMessage().startsWith("This POST was sent once already"), error.getMessage());
        assertEquals(2, server.requests.size());
      }
    }
  }

  @Test
  void signsNoRepeatOfAnInterceptor() throws Exception {
    try (TestServer server = new TestServer(request -> Reply.of(500, "", ""))) {
      OkHttpClient.Builder builder = new OkHttpClient.Builder().addInterceptor(chain -> {
        chain.proceed(chain.request()).close();
        return chain.proceed(chain.request().newBuilder().header("X-Attempt", "2").build());
      });
      try (Client client = client(OkHttpSigning.addTo(builder, options().build()).build())) {
        assertThrows(RepeatNotSignedException.class, () -> client.send(payment(server)));
        assertEquals(1, server.requests.size());
        client.send(new Outgoing("PUT", server.url("/pay")).body("{}"));
        client.send(payment(server).headers(Map.of("Idempotency-Key", "one")));
        assertEquals(5, server.requests.size());
      }
      try (Client client = client(OkHttpSigning.addTo(builder, options().idempotencyKeys(true).build()).build())) {
        client.send(payment(server));
        String key = server.request(5).header("Idempotency-Key");
        assertEquals(key, server.request(6).header("Idempotency-Key"));
        assertNotEquals(server.request(5).header("Signature"), server.request(6).header("Signature"));
      }
    }
  }

  @Test
  void signsNoRepeatWithAnotherIdempotencyKey() throws Exception {
    for (List<String> keys : List.of(List.of("one", "two"), List.of("", "two"), List.of("one", ""))) {
      try (TestServer server = new TestServer(request -> Reply.of(500, "", ""))) {
        OkHttpClient.Builder builder = new OkHttpClient.Builder().addInterceptor(chain -> {
          chain.proceed(chain.request().newBuilder().header("Idempotency-Key", keys.get(0)).build()).close();
          return chain.proceed(chain.request().newBuilder().header("Idempotency-Key", keys.get(1)).build());
        });
        try (Client client = client(OkHttpSigning.addTo(builder, options().build()).build())) {
          assertThrows(RepeatNotSignedException.class, () -> client.send(payment(server)));
          assertEquals(1, server.requests.size());
        }
      }
    }
  }

  @Test
  void signsNoPaymentAgainAfterARedirect() throws Exception {
    String problem = "{\"type\":\"https://api.example.com/docs/errors#rate_limited\",\"code\":\"rate_limited\"}";
    for (int status : List.of(302, 303, 307)) {
      try (TestServer server =
          new TestServer(request -> request.target.equals("/pay") ? Reply.redirect(status, "/done") : Reply.problem(429, problem))) {
        OkHttpClient.Builder builder = new OkHttpClient.Builder().addInterceptor(chain -> {
          chain.proceed(chain.request()).close();
          return chain.proceed(chain.request());
        });
        try (Client client = client(OkHttpSigning.addTo(builder, options().build()).build())) {
          assertThrows(RepeatNotSignedException.class, () -> client.send(payment(server)));
          assertEquals(2, server.requests.size());
        }
      }
    }
  }

  @Test
  void clearsOnlyTheAttemptThatWasRefused() throws Exception {
    String problem = "{\"type\":\"https://api.example.com/docs/errors#rate_limited\",\"code\":\"rate_limited\"}";
    Refusal refusal = Refusal.read(401, "application/problem+json", problem.getBytes(StandardCharsets.UTF_8)).orElseThrow();
    CallAttempts attempts = new CallAttempts(options().build());
    attempts.begin("POST", "https://a.test/", "one");
    attempts.begin("POST", "https://a.test/", "one");
    attempts.answered("POST", "https://a.test/", 401, refusal);
    assertThrows(RepeatNotSignedException.class, () -> attempts.begin("POST", "https://a.test/", "two"));
  }

  @Test
  void signsARepeatAfterARefusal() throws Exception {
    String problem = "{\"type\":\"https://api.example.com/docs/errors#CODE\",\"code\":\"CODE\"}";
    for (String code : List.of("recently_restarted", "upstream_busy", "upstream_timeout", "outcome_unknown")) {
      Reply refusal =
          Reply.of(503, "Content-Type: application/problem+json\r\nRetry-After: 0", problem.replace("CODE", code));
      try (TestServer server = new TestServer(request -> request.connection == 1 && request.ofConnection == 1 ? refusal : Reply.ok());
          Client client = client(options().build())) {
        if (List.of("recently_restarted", "upstream_busy").contains(code)) {
          assertEquals(200, client.send(payment(server)).status);
          assertNotEquals(server.request(0).header("Signature"), server.request(1).header("Signature"));
        } else {
          assertThrows(RepeatNotSignedException.class, () -> client.send(payment(server)));
          assertEquals(1, server.requests.size());
        }
      }
    }
  }
}
