package dev.countersign.signer.spring;

import dev.countersign.signer.Signer;
import dev.countersign.signer.jdk.SigningHttpClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * Makes the signed requests of a {@code RestClient} or {@code RestTemplate}. It sends them with {@code java.net.http}.
 *
 * <pre>{@code
 * RestClient payments = RestClient.builder()
 *     .requestFactory(new SigningRequestFactory(signer))
 *     .baseUrl("https://api.example.com")
 *     .build();
 * }</pre>
 *
 * <p>Give it only to clients of the API that Countersign protects: it signs what it sends, wherever that goes.
 */
public final class SigningRequestFactory implements ClientHttpRequestFactory {
  private final JdkClientHttpRequestFactory requests;

  /**
   * Makes a factory with the defaults of {@code java.net.http}.
   *
   * @param signer signs the requests
   */
  public SigningRequestFactory(Signer signer) {
    this(signer, HttpClient.newBuilder());
  }

  /**
   * Makes a factory with settings of your own.
   *
   * @param signer signs the requests
   * @param builder the client to build, with any settings
   */
  public SigningRequestFactory(Signer signer, HttpClient.Builder builder) {
    this.requests = new JdkClientHttpRequestFactory(SigningHttpClient.create(builder, signer));
  }

  /**
   * Sets how long a response may take. There is no limit unless this is called.
   *
   * @param readTimeout the time from the request to the response
   */
  public void setReadTimeout(Duration readTimeout) {
    requests.setReadTimeout(readTimeout);
  }

  @Override
  public ClientHttpRequest createRequest(URI uri, HttpMethod method) throws IOException {
    return requests.createRequest(uri, method);
  }
}
