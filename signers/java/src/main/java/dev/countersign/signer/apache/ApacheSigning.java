package dev.countersign.signer.apache;

import dev.countersign.signer.Signer;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

/**
 * Makes an Apache HttpClient 5 sign its requests.
 *
 * <pre>{@code
 * CloseableHttpClient client = ApacheSigning.addTo(HttpClients.custom(), signer).build();
 * }</pre>
 *
 * <p>Two handlers are needed: the client follows redirects and retries between them, so the inner one signs each attempt,
 * and the outer one, which sees the final response, corrects the clock and throws refusals.
 */
public final class ApacheSigning {
  private ApacheSigning() {}

  /**
   * Adds the handlers. Call this after adding your own, so that nothing changes a request that is signed.
   *
   * @param builder the client's builder
   * @param signer signs the requests
   * @return the builder
   */
  public static HttpClientBuilder addTo(HttpClientBuilder builder, Signer signer) {
    return builder
        .addExecInterceptorFirst("countersign-refusals", new RefusalHandler(signer))
        .addExecInterceptorBefore(ChainElement.MAIN_TRANSPORT.name(), "countersign-signing", new SigningHandler(signer));
  }
}
