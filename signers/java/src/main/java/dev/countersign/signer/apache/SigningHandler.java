package dev.countersign.signer.apache;

import dev.countersign.signer.SignedRequest;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import dev.countersign.signer.TargetUri;
import java.io.IOException;
import java.net.URISyntaxException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.net.URIAuthority;

/** The inner handler: signs each attempt just before it is sent, with its final URL. */
final class SigningHandler implements ExecChainHandler {
  /** The attribute of the context with the origin of the call. */
  static final String ORIGIN = "dev.countersign.signer.origin";

  private final Signer signer;

  SigningHandler(Signer signer) {
    this.signer = signer;
  }

  @Override
  public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    try {
      TargetUri url = normalize(request);
      // A redirect to another origin is followed without a signature.
      if (url.origin().equals(scope.clientContext.getAttribute(ORIGIN))) {
        sign(request, url);
      }
    } catch (SigningException e) {
      throw new SigningFailure(e);
    }
    return chain.proceed(request, scope);
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
    String authority = url.origin().substring(url.origin().indexOf("://") + 3);
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
