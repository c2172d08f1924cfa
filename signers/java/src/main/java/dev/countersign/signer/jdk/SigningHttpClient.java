package dev.countersign.signer.jdk;

import dev.countersign.signer.Signer;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * An {@link HttpClient} that signs each request, for everything that takes an {@code HttpClient}.
 *
 * <pre>{@code
 * HttpClient client = SigningHttpClient.create(HttpClient.newBuilder(), signer);
 * }</pre>
 *
 * <p>It follows redirects itself, as the wrapped client's policy says, but only within an origin, and signs them again. A
 * redirect to another origin is returned as the response. {@link #newWebSocketBuilder()} is not supported.
 */
public final class SigningHttpClient extends HttpClient {
  private final HttpClient client;
  private final Redirect redirects;
  private final Signer signer;

  private SigningHttpClient(HttpClient client, Redirect redirects, Signer signer) {
    this.client = client;
    this.redirects = redirects;
    this.signer = signer;
  }

  /**
   * Builds a signing client.
   *
   * @param builder the client to build, with any settings
   * @param signer signs the requests
   * @return the client
   */
  public static SigningHttpClient create(HttpClient.Builder builder, Signer signer) {
    Objects.requireNonNull(signer, "signer");
    Redirect redirects = builder.build().followRedirects();
    return new SigningHttpClient(builder.followRedirects(Redirect.NEVER).build(), redirects, signer);
  }

  /**
   * Wraps a client that exists already.
   *
   * @param client a client that follows no redirects, because it would send the signature along
   * @param signer signs the requests
   * @return the client
   * @throws IllegalArgumentException if the client follows redirects
   */
  public static SigningHttpClient create(HttpClient client, Signer signer) {
    Objects.requireNonNull(signer, "signer");
    if (client.followRedirects() != Redirect.NEVER) {
      throw new IllegalArgumentException(
          "The client follows redirects, and would send a signature to another URL. Pass its builder instead.");
    }
    return new SigningHttpClient(client, Redirect.NEVER, signer);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    byte[] body = result(BodyBytes.of(request, signer));
    Exchange<T> exchange = new Exchange<>(signer, redirects, request, body, handler);
    HttpResponse<Answer<T>> response;
    do {
      response = client.send(exchange.attempt(), exchange.attemptHandler());
    } while (exchange.goesOn(response));
    return new SignedResponse<>(response, result(exchange.finish(response)));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
    return BodyBytes.of(request, signer)
        // In another thread: a signature may have to wait.
        .thenComposeAsync(body -> attempt(new Exchange<>(signer, redirects, request, body, handler)));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushPromiseHandler) {
    if (pushPromiseHandler != null) {
      throw new UnsupportedOperationException("Server push is not supported: pushed requests are not signed.");
    }
    return sendAsync(request, handler);
  }

  private <T> CompletableFuture<HttpResponse<T>> attempt(Exchange<T> exchange) {
    HttpRequest attempt;
    try {
      attempt = exchange.attempt();
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
    return client
        .sendAsync(attempt, exchange.attemptHandler())
        .thenComposeAsync(response -> exchange.goesOn(response) ? attempt(exchange) : finished(exchange, response));
  }

  private static <T> CompletableFuture<HttpResponse<T>> finished(
      Exchange<T> exchange, HttpResponse<Answer<T>> response) {
    return exchange.finish(response).thenApply(body -> new SignedResponse<>(response, body));
  }

  /** Waits for a result as {@link HttpClient#send} does. */
  private static <T> T result(CompletableFuture<T> future) throws IOException, InterruptedException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException) {
        throw (IOException) cause;
      } else if (cause instanceof RuntimeException) {
        throw (RuntimeException) cause;
      } else if (cause instanceof Error) {
        throw (Error) cause;
      }
      throw new IOException(cause);
    }
  }

  @Override
  public Redirect followRedirects() {
    return redirects;
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }

  /** Closes the wrapped client, on Java 21 and newer. Earlier versions have nothing to close. */
  public void close() {
    if (client instanceof AutoCloseable) {
      try {
        ((AutoCloseable) client).close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
