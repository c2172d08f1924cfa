package dev.countersign.signer.okhttp;

import dev.countersign.signer.CallAttempts;
import dev.countersign.signer.Refusal;
import dev.countersign.signer.RepeatNotSignedException;
import dev.countersign.signer.SignedRequest;
import dev.countersign.signer.Signer;
import java.io.IOException;
import java.net.ProtocolException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** The inner interceptor: signs each attempt just before it is sent, with its final URL. */
final class SigningInterceptor implements Interceptor {
  private final Signer signer;

  SigningInterceptor(Signer signer) {
    this.signer = signer;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    RefusalInterceptor.SignedCall call = request.tag(RefusalInterceptor.SignedCall.class);
    boolean leavesOrigin = call == null || !call.includes(request.url());
    return leavesOrigin ? chain.proceed(request) : attempt(chain, request, call.attempts);
  }

  /** OkHttp comes here again for a request whose connection broke, and for status 408 and 503. */
  private Response attempt(Chain chain, Request request, CallAttempts attempts) throws IOException {
    String url = request.url().toString();
    try {
      attempts.begin(request.method(), url, request.header("Idempotency-Key"));
    } catch (RepeatNotSignedException e) {
      throw new RepeatFailure(e);
    }
    Request signed;
    try {
      signed = signed(request);
    } catch (IOException e) {
      attempts.notSent(request.method(), url);
      throw e;
    }
    Response response = chain.proceed(signed);
    if (CallAttempts.isUnsafe(request.method())) {
      Refusal refusal = RefusalInterceptor.refusalIn(response).orElse(null);
      attempts.answered(request.method(), url, response.code(), refusal);
    }
    return response;
  }

  private Request signed(Request request) throws IOException {
    RequestBody body = request.body();
    BufferedBody buffered = body == null ? null : BufferedBody.of(body, signer);
    SignedRequest signed =
        signer.sign(request.method(), request.url().toString(), buffered == null ? null : buffered.bytes);
    Request.Builder builder = request.newBuilder().method(signed.method(), buffered);
    builder.removeHeader("Content-Digest").removeHeader("Date");
    signed.headers().forEach(builder::header);
    return builder.build();
  }

  /** Keeps OkHttp from trying other addresses: it repeats no {@link ProtocolException}. */
  static final class RepeatFailure extends ProtocolException {
    private static final long serialVersionUID = 1L;

    /** The error for the caller. */
    final RepeatNotSignedException error;

    RepeatFailure(RepeatNotSignedException error) {
      super(error.getMessage());
      this.error = error;
    }
  }
}
