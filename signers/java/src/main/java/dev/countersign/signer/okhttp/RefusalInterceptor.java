package dev.countersign.signer.okhttp;

import dev.countersign.signer.CallAttempts;
import dev.countersign.signer.Refusal;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** The outer interceptor: buffers the body, corrects the clock once, and throws refusals. */
final class RefusalInterceptor implements Interceptor {
  private final Signer signer;
  /** An interceptor of the caller's may come here several times in one call. */
  private final Map<Call, CallAttempts> calls = new WeakHashMap<>();

  RefusalInterceptor(Signer signer) {
    this.signer = signer;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request original = chain.request();
    RequestBody body = original.body();
    CallAttempts attempts = attemptsOf(chain.call());
    Request.Builder builder =
        original
            .newBuilder()
            .method(original.method(), body == null ? null : BufferedBody.of(body, signer))
            // The network interceptor signs for this origin only.
            .tag(SignedCall.class, new SignedCall(original.url(), attempts));
    String idempotencyKey = attempts.idempotencyKey(original.method(), original.header("Idempotency-Key"));
    if (idempotencyKey != null) {
      builder.header("Idempotency-Key", idempotencyKey);
    }
    Request request = builder.build();

    Response response = proceed(chain, request);
    Optional<Refusal> refusal = refusalIn(response);
    if (refusal.isPresent() && signer.correctClock(refusal.get())) {
      response.close();
      response = proceed(chain, request);
      refusal = refusalIn(response);
    }
    if (refusal.isPresent() && signer.changeSecond(request.method(), refusal.get())) {
      response.close();
      response = proceed(chain, request);
      refusal = refusalIn(response);
    }
    if (refusal.isPresent() && signer.throwsRefusals() && !refusal.get().isTemporary()) {
      response.close();
      throw new RequestRefusedException(refusal.get());
    }
    return response;
  }

  private CallAttempts attemptsOf(Call call) {
    synchronized (calls) {
      return calls.computeIfAbsent(call, any -> new CallAttempts(signer));
    }
  }

  private static Response proceed(Chain chain, Request request) throws IOException {
    try {
      return chain.proceed(request);
    } catch (SigningInterceptor.RepeatFailure e) {
      for (Throwable earlier : e.getSuppressed()) {
        e.error.addSuppressed(earlier);
      }
      throw e.error;
    }
  }

  static Optional<Refusal> refusalIn(Response response) throws IOException {
    String contentType = response.header("Content-Type");
    if (!Refusal.isPossible(response.code(), contentType)) {
      return Optional.empty();
    }
    if (response.request().method().equals("HEAD")) {
      return Refusal.readHead(response.code(), contentType, response.header("WWW-Authenticate"), response.header("Date"));
    }
    // Leaves the body for the caller.
    try (ResponseBody start = response.peekBody(Refusal.BODY_BYTES_MAX + 1L)) {
      return Refusal.read(response.code(), contentType, start.bytes());
    }
  }

  /** The origin of the call, and its attempts. */
  static final class SignedCall {
    final CallAttempts attempts;
    private final HttpUrl url;

    SignedCall(HttpUrl url, CallAttempts attempts) {
      this.url = url;
      this.attempts = attempts;
    }

    boolean includes(HttpUrl other) {
      return url.scheme().equals(other.scheme()) && url.host().equals(other.host()) && url.port() == other.port();
    }
  }
}
