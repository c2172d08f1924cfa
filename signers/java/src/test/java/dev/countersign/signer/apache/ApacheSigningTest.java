package dev.countersign.signer.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.countersign.signer.HttpClientTest;
import dev.countersign.signer.RepeatNotSignedException;
import dev.countersign.signer.Repository;
import dev.countersign.signer.Signer;
import dev.countersign.signer.TestServer;
import dev.countersign.signer.TestServer.Received;
import dev.countersign.signer.TestServer.Reply;
import dev.countersign.signer.testing.Verifier;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;

class ApacheSigningTest extends HttpClientTest {
  @Override
  protected Client client(Signer signer) {
    CloseableHttpClient http = ApacheSigning.addTo(HttpClients.custom().disableAutomaticRetries(), signer).build();
    return client(http);
  }

  private static Client client(CloseableHttpClient http) {
    return new Client() {
      @Override
      public Incoming send(Outgoing request) throws IOException {
        return http.execute(built(request), response -> {
          byte[] body = response.getEntity() == null ? new byte[0] : EntityUtils.toByteArray(response.getEntity());
          return new Incoming(response.getCode(), body);
        });
      }

      @Override
      public void close() throws IOException {
        http.close();
      }
    };
  }

  static HttpUriRequestBase built(HttpClientTest.Outgoing request) {
    HttpUriRequestBase built = new HttpUriRequestBase(request.method, URI.create(request.url));
    if (request.stream != null) {
      built.setEntity(new InputStreamEntity(request.stream.get(), null));
    } else if (request.body != null) {
      built.setEntity(new ByteArrayEntity(request.body, null));
    }
    request.headers.forEach(built::setHeader);
    return built;
  }

  /** java.net.URI refuses what RFC 3986 does. The client itself would send é as raw bytes. */
  @Override
  protected String targetOnTheWire(String target) {
    Map<String, String> changed =
        Map.of("", "/", "?x=1", "/?x=1", "/é?ü=€", "/%C3%A9?%C3%BC=%E2%82%AC", "/x?y#fragment", "/x?y");
    boolean isRefused = target.matches(".*[\"|{}^` ].*|.*%(?![0-9A-Fa-f]{2}).*");
    return isRefused ? null : changed.getOrDefault(target, target);
  }

  @Test
  void signsARetryAgain() throws Exception {
    // The second request of the first connection is not answered, so the client sends it again.
    try (TestServer server =
        new TestServer(request -> request.connection == 1 && request.ofConnection == 2 ? Reply.hangUp() : Reply.ok())) {
      String clientId = "client_" + UUID.randomUUID();
      Signer signer = Signer.builder().clientId(clientId).privateKey(Repository.privateKey("rsa-2048-a")).build();
      Client client = client(ApacheSigning.addTo(HttpClients.custom(), signer).build());
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
    // The client's own strategy repeats every request for the first two.
    for (Reply reply : List.of(Reply.of(503, "", ""), Reply.of(429, "Retry-After: 0", ""), Reply.of(500, "", ""), Reply.hangUp())) {
      try (TestServer server = new TestServer(request -> request.target.equals("/pay") ? reply : Reply.ok());
          Client client = client(ApacheSigning.addTo(retrying(), options().build()).build())) {
        client.send(new Outgoing("GET", server.url("/first")));
        RepeatNotSignedException error =
            assertThrows(RepeatNotSignedException.class, () -> client.send(payment(server)));
        assertEquals("repeat_not_signed", error.code());
        assertEquals(2, server.requests.size());
      }
    }
  }

  @Test
  void signsARepeatThatIsSafe() throws Exception {
    String problem = "{\"type\":\"https://api.example.com/docs/errors#guard_full\",\"code\":\"guard_full\"}";
    signsARepeat(Reply.problem(503, problem), Map.of());
    signsARepeat(Reply.of(500, "", ""), Map.of("Idempotency-Key", "one"));
    signsARepeat(Reply.of(401, "", ""), Map.of());
  }

  private static void signsARepeat(Reply first, Map<String, String> headers) throws Exception {
    try (TestServer server = new TestServer(request -> request.connection == 1 && request.ofConnection == 1 ? first : Reply.ok());
        Client client = client(ApacheSigning.addTo(retrying(), options().build()).build())) {
      Outgoing payment = payment(server);
      payment.headers = headers;
      assertEquals(200, client.send(payment).status);
      assertEquals(2, server.requests.size());
      assertNotEquals(server.request(0).header("Signature"), server.request(1).header("Signature"));
    }
  }

  /** Repeats everything once that did not succeed, at once. */
  private static HttpClientBuilder retrying() {
    return HttpClients.custom()
        .setRetryStrategy(
            new HttpRequestRetryStrategy() {
              @Override
              public boolean retryRequest(HttpRequest request, IOException e, int count, HttpContext context) {
                return count <= 1;
              }

              @Override
              public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
                return count <= 1 && response.getCode() >= 400;
              }

              @Override
              public TimeValue getRetryInterval(HttpResponse response, int count, HttpContext context) {
                return TimeValue.ZERO_MILLISECONDS;
              }
            });
  }
}
