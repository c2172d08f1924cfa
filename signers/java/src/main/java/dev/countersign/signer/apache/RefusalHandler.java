package dev.countersign.signer.apache;

import dev.countersign.signer.CallAttempts;
import dev.countersign.signer.Refusal;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.Locale;
import java.util.Optional;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/** The outer handler: buffers the body, corrects the clock once, and throws refusals. */
final class RefusalHandler implements ExecChainHandler {
  private final Signer signer;

  RefusalHandler(Signer signer) {
    this.signer = signer;
  }

  @Override
  public ClassicHttpResponse execute(ClassicHttpRequest given, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    ClassicHttpRequest request = copy(given);
    if (request.getEntity() != null) {
      request.setEntity(BufferedEntity.of(request.getEntity(), signer));
    }
    SigningHandler.Call call =
        SigningHandler.Call.of(scope, SigningHandler.normalize(request).origin(), () -> new CallAttempts(signer));
    String idempotencyKey = call.attempts.idempotencyKey(request.getMethod(), SigningHandler.idempotencyKey(request));
    if (idempotencyKey != null) {
      request.setHeader("Idempotency-Key", idempotencyKey);
    }

    ClassicHttpResponse response = proceed(request, scope, chain);
    Optional<Refusal> refusal = refusalIn(response);
    if (refusal.isPresent() && signer.correctClock(refusal.get())) {
      response.close();
      response = proceed(request, scope, chain);
      refusal = refusalIn(response);
    }
    if (refusal.isPresent() && signer.changeSecond(request.getMethod(), refusal.get())) {
      response.close();
      response = proceed(request, scope, chain);
      refusal = refusalIn(response);
    }
    if (refusal.isPresent() && signer.throwsRefusals() && !refusal.get().isTemporary()) {
      response.close();
      throw new RequestRefusedException(refusal.get());
    }
    return response;
  }

  private static ClassicHttpResponse proceed(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    // Redirects and retries start from the scope's request, so that must be the one with the buffered body.
    ExecChain.Scope buffered =
        new ExecChain.Scope(scope.exchangeId, scope.route, copy(request), scope.execRuntime, scope.clientContext);
    try {
      return chain.proceed(copy(request), buffered);
    } catch (SigningHandler.SigningFailure e) {
      throw e.error;
    }
  }

  /** Copies a request, with its method in upper case: that is signed, and the client decides about redirects by it. */
  private static ClassicHttpRequest copy(ClassicHttpRequest request) {
    ClassicRequestBuilder copy = ClassicRequestBuilder.create(request.getMethod().toUpperCase(Locale.ROOT));
    copy.setVersion(request.getVersion());
    copy.setScheme(request.getScheme());
    copy.setAuthority(request.getAuthority());
    copy.setPath(request.getPath());
    copy.setHeaders(request.getHeaders());
    copy.setEntity(request.getEntity());
    return copy.build();
  }

  static Optional<Refusal> refusalIn(ClassicHttpResponse response) throws IOException {
    HttpEntity entity = response.getEntity();
    if (entity == null) {
      return Refusal.readHead(
          response.getCode(), header(response, "Content-Type"), header(response, "WWW-Authenticate"), header(response, "Date"));
    }
    if (!Refusal.isPossible(response.getCode(), entity.getContentType())) {
      return Optional.empty();
    }
    InputStream content = entity.getContent();
    byte[] start = content.readNBytes(Refusal.BODY_BYTES_MAX + 1);
    // Leaves the body for the caller.
    response.setEntity(
        start.length <= Refusal.BODY_BYTES_MAX
            ? new BufferedEntity(start, entity)
            : new StartedEntity(entity, new SequenceInputStream(new ByteArrayInputStream(start), content)));
    return Refusal.read(response.getCode(), entity.getContentType(), start);
  }

  private static String header(ClassicHttpResponse response, String name) {
    Header header = response.getFirstHeader(name);
    return header == null ? null : header.getValue();
  }

  /** An entity whose start was read. */
  private static final class StartedEntity extends HttpEntityWrapper {
    private final InputStream content;

    StartedEntity(HttpEntity entity, InputStream content) {
      super(entity);
      this.content = content;
    }

    @Override
    public InputStream getContent() {
      return content;
    }

    @Override
    public void writeTo(OutputStream stream) throws IOException {
      content.transferTo(stream);
    }
  }
}
