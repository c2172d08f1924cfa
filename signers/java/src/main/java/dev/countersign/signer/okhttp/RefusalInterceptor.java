package dev.countersign.signer.okhttp;

import dev.countersign.signer.Refusal;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import java.io.IOException;
import java.util.Optional;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** The outer interceptor: buffers the body, corrects the clock once, and throws refusals. */
final class RefusalInterceptor implements Interceptor {
  private final Signer signer;

  RefusalInterceptor(Signer signer) {
    this.signer = signer;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request original = chain.request();
    RequestBody body = original.body();
    Request request =
        original
            .newBuilder()
            .method(original.method(), body == null ? null : BufferedBody.of(body, signer))
            // The network interceptor signs for this origin only.
            .tag(SignedOrigin.class, new SignedOrigin(original.url()))
            .build();

    Response response = chain.proceed(request);
    Optional<Refusal> refusal = refusalIn(response);
    if (refusal.isPresent() && signer.correctClock(refusal.get())) {
      response.close();
      response = chain.proceed(request);
      refusal = refusalIn(response);
    }
    if (refusal.isPresent() && signer.throwsRefusals()) {
      response.close();
      throw new RequestRefusedException(refusal.get());
    }
    return response;
  }

  private static Optional<Refusal> refusalIn(Response response) throws IOException {
    String contentType = response.header("Content-Type");
    if (!Refusal.isPossible(response.code(), contentType)) {
      return Optional.empty();
    }
    // Leaves the body for the caller.
    try (ResponseBody start = response.peekBody(Refusal.BODY_BYTES_MAX + 1L)) {
      return Refusal.read(response.code(), contentType, start.bytes());
    }
  }

  /** The origin of the call. */
  static final class SignedOrigin {
    private final HttpUrl url;

    SignedOrigin(HttpUrl url) {
      this.url = url;
    }

    boolean includes(HttpUrl other) {
      return url.scheme().equals(other.scheme()) && url.host().equals(other.host()) && url.port() == other.port();
    }
  }
}
