package dev.countersign.signer.okhttp;

import dev.countersign.signer.SignedRequest;
import dev.countersign.signer.Signer;
import java.io.IOException;
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
    RefusalInterceptor.SignedOrigin origin = request.tag(RefusalInterceptor.SignedOrigin.class);
    boolean leavesOrigin = origin == null || !origin.includes(request.url());
    return chain.proceed(leavesOrigin ? request : signed(request));
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
}
