package dev.countersign.signer.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.countersign.signer.HttpClientTest;
import dev.countersign.signer.Repository;
import dev.countersign.signer.Signer;
import dev.countersign.signer.TestServer;
import dev.countersign.signer.TestServer.Received;
import dev.countersign.signer.TestServer.Reply;
import dev.countersign.signer.testing.Verifier;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.UUID;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
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
      client.send(new Outgoing("GET", server.url("/second")));
      assertEquals(3, server.requests.size());
      assertNotEquals(server.request(1).header("Signature"), server.request(2).header("Signature"));
      Verifier verifier = new Verifier(clientId, Repository.publicKey("rsa-2048-a"));
      for (Received request : server.requests) {
        assertEquals("ok", request.verify(verifier).toString());
      }
      client.close();
    }
  }
}
