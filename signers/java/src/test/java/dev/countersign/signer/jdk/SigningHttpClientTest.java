package dev.countersign.signer.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.countersign.signer.HttpClientTest;
import dev.countersign.signer.Repository;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import dev.countersign.signer.TestServer;
import dev.countersign.signer.TestServer.Reply;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class SigningHttpClientTest extends HttpClientTest {
  @Override
  protected Client client(Signer signer) {
    HttpClient http = SigningHttpClient.create(HttpClient.newBuilder().followRedirects(Redirect.NORMAL), signer);
    return new Client() {
      @Override
      public Incoming send(Outgoing request) throws Exception {
        HttpResponse<byte[]> response = http.send(built(request), BodyHandlers.ofByteArray());
        return new Incoming(response.statusCode(), response.body());
      }

      @Override
      public void close() {}
    };
  }

  static HttpRequest built(HttpClientTest.Outgoing request) {
    BodyPublisher body =
        request.stream != null
            ? BodyPublishers.ofInputStream(request.stream)
            : request.body != null ? BodyPublishers.ofByteArray(request.body) : BodyPublishers.noBody();
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(request.url)).method(request.method, body);
    request.headers.forEach(builder::header);
    return builder.build();
  }

  /** java.net.URI refuses what RFC 3986 does. The JDK drops a lone question mark, and would send é in its own way. */
  @Override
  protected String targetOnTheWire(String target) {
    Map<String, String> changed =
        Map.of(
            "", "/", "/a?", "/a", "?x=1", "/?x=1", "/é?ü=€", "/%C3%A9?%C3%BC=%E2%82%AC", "/x?y#fragment", "/x?y");
    boolean isRefused = target.matches(".*[\"|{}^` ].*|.*%(?![0-9A-Fa-f]{2}).*");
    return isRefused ? null : changed.getOrDefault(target, target);
  }

  private static Signer signer() throws SigningException {
    return Signer.builder()
        .clientId("client_" + UUID.randomUUID())
        .privateKey(Repository.privateKey("rsa-2048-a"))
        .build();
  }

  @Test
  void refusesAClientThatFollowsRedirectsItself() throws Exception {
    HttpClient following = HttpClient.newBuilder().followRedirects(Redirect.ALWAYS).build();
    Signer signer = signer();
    assertThrows(IllegalArgumentException.class, () -> SigningHttpClient.create(following, signer));
    assertEquals(Redirect.NEVER, SigningHttpClient.create(HttpClient.newHttpClient(), signer).followRedirects());
  }

  @Test
  void followsNoRedirectUnlessAsked() throws Exception {
    try (TestServer server = new TestServer(request -> Reply.redirect(302, "/new"))) {
      HttpClient client = SigningHttpClient.create(HttpClient.newBuilder(), signer());
      HttpRequest request = HttpRequest.newBuilder(URI.create(server.url("/"))).build();
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      assertEquals(302, response.statusCode());
      assertEquals("moved", response.body());
      assertEquals(1, server.requests.size());
    }
  }

  @Test
  void sendsAsynchronously() throws Exception {
    try (TestServer server =
        new TestServer(
            request ->
                request.target.equals("/refused")
                    ? Reply.problem(403, "{\"type\":\"https://a.test/docs/errors#client_disabled\",\"code\":\"client_disabled\"}")
                    : Reply.ok())) {
      HttpClient client = SigningHttpClient.create(HttpClient.newBuilder(), signer());
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url("/a"))).POST(BodyPublishers.ofString("x"));
      assertEquals("fine", client.sendAsync(request.build(), BodyHandlers.ofString()).join().body());

      HttpRequest refused = request.uri(URI.create(server.url("/refused"))).build();
      CompletionException error =
          assertThrows(CompletionException.class, () -> client.sendAsync(refused, BodyHandlers.ofString()).join());
      assertEquals("client_disabled", assertInstanceOf(RequestRefusedException.class, error.getCause()).code());

      HttpRequest invalid = request.uri(URI.create("http://user@localhost/")).build();
      error = assertThrows(CompletionException.class, () -> client.sendAsync(invalid, BodyHandlers.ofString()).join());
      assertEquals("request_invalid", assertInstanceOf(SigningException.class, error.getCause()).code());
    }
  }
}
