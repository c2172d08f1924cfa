package dev.countersign.signer.apache;

import dev.countersign.signer.CallAttempts;
import dev.countersign.signer.Refusal;
import dev.countersign.signer.SignedRequest;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import dev.countersign.signer.TargetUri;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.function.Supplier;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.net.URIAuthority;

/** The inner handler: signs each attempt just before it is sent, with its final URL. */
final class SigningHandler implements ExecChainHandler {
  private final Signer signer;

  SigningHandler(Signer signer) {
    this.signer = signer;
  }

  @Override
  public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    Call call = Call.in(scope);
    TargetUri url;
    boolean leavesOrigin;
    try {
      url = normalize(request);
      // A redirect to another origin is followed without a signature.
      leavesOrigin = call == null || !url.origin().equals(call.origin);
      if (!leavesOrigin) {
        call.attempts.begin(request.getMethod(), url.toString(), idempotencyKey(request));
        sign(request, url);
      }
    } catch (SigningException e) {
      throw new SigningFailure(e);
    }
    ClassicHttpResponse response = chain.proceed(request, scope);
    if (!leavesOrigin && CallAttempts.isUnsafe(request.getMethod())) {
      Refusal refusal = RefusalHandler.refusalIn(response).orElse(null);
      call.attempts.answered(request.getMethod(), url.toString(), response.getCode(), refusal);
    }
    return response;
  }

  static String idempotencyKey(ClassicHttpRequest request) {
    Header header = request.getFirstHeader("Idempotency-Key");
    return header == null ? null : header.getValue();
  }

  private void sign(ClassicHttpRequest request, TargetUri url) throws IOException {
    byte[] body = null;
    if (request.getEntity() != null) {
      BufferedEntity entity = BufferedEntity.of(request.getEntity(), signer);
      request.setEntity(entity);
      body = entity.bytes;
    }
    SignedRequest signed = signer.sign(request.getMethod(), url.toString(), body);
    request.removeHeaders("Content-Digest");
    request.removeHeaders("Date");
    signed.headers().forEach(request::setHeader);
  }

  /** Gives a request the URL that is signed, and returns that. */
  static TargetUri normalize(ClassicHttpRequest request) throws SigningException {
    TargetUri url = TargetUri.parse(request.getScheme() + "://" + request.getAuthority() + request.getRequestUri());
    String authority = url.authority();
    try {
      request.setAuthority(URIAuthority.create(authority));
    } catch (URISyntaxException e) {
      throw SigningException.requestInvalid("the URL has no valid host");
    }
    request.setPath(url.target());
    if (request.containsHeader(HttpHeaders.HOST)) {
      request.setHeader(HttpHeaders.HOST, authority);
    }
    return url;
  }

  /** A call of the client, in its context: the origin, and the attempts. */
  static final class Call {
    private static final String ATTRIBUTE = "dev.countersign.signer.call";

    final CallAttempts attempts;
    private final String exchangeId;
    private final String origin;

    private Call(String exchangeId, String origin, CallAttempts attempts) {
      this.exchangeId = exchangeId;
      this.origin = origin;
      this.attempts = attempts;
    }

    /** Returns the call of a scope: the one that is known, if a handler of the caller's has sent it before. */
    static Call of(ExecChain.Scope scope, String origin, Supplier<CallAttempts> attempts) {
      Call known = in(scope);
      Call call = new Call(scope.exchangeId, origin, known == null ? attempts.get() : known.attempts);
      scope.clientContext.setAttribute(ATTRIBUTE, call);
      return call;
    }

    /** Returns the call that a scope belongs to; null if none was begun. A context may have served an earlier call. */
    private static Call in(ExecChain.Scope scope) {
      Object call = scope.clientContext.getAttribute(ATTRIBUTE);
      return call instanceof Call && ((Call) call).exchangeId.equals(scope.exchangeId) ? (Call) call : null;
    }
  }

  /** Passes the client's retry handler, which would repeat an {@link IOException}. */
  static final class SigningFailure extends HttpException {
    private static final long serialVersionUID = 1L;

    /** The error for the caller. */
    final SigningException error;

    SigningFailure(SigningException error) {
      super(error.getMessage(), error);
      this.error = error;
    }
  }
}
