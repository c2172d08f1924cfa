package dev.countersign.signer.okhttp;

import dev.countersign.signer.Signer;
import okhttp3.OkHttpClient;

/**
 * Makes an OkHttp client sign its requests.
 *
 * <pre>{@code
 * OkHttpClient client = OkHttpSigning.addTo(new OkHttpClient.Builder(), signer).build();
 * }</pre>
 *
 * <p>Two interceptors are needed: OkHttp follows redirects and retries between them, so the inner one signs each attempt,
 * and the outer one, which sees the final response, corrects the clock and throws refusals. Web sockets are not signed.
 */
public final class OkHttpSigning {
  private OkHttpSigning() {}

  /**
   * Adds the interceptors. Call this after adding your own, so that nothing changes a request that is signed.
   *
   * @param builder the client's builder
   * @param signer signs the requests
   * @return the builder
   */
  public static OkHttpClient.Builder addTo(OkHttpClient.Builder builder, Signer signer) {
    return builder.addInterceptor(new RefusalInterceptor(signer)).addNetworkInterceptor(new SigningInterceptor(signer));
  }
}
