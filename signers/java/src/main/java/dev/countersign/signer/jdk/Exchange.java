package dev.countersign.signer.jdk;

import dev.countersign.signer.CallAttempts;
import dev.countersign.signer.Refusal;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.SignedRequest;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import dev.countersign.signer.TargetUri;
import java.net.URI;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One call: its attempts, each with a signature of its own, from the first request to the response for the caller. */
final class Exchange<T> {
  /** The limit of the JDK's client. */
  private static final int REDIRECTS_MAX = 5;

  private static final Set<Integer> REDIRECT_STATUSES = Set.of(301, 302, 303, 307, 308);
  /** Those of the signature, and those that say where the body ends: the client writes them for the signed bytes. */
  private static final Set<String> OWN_HEADERS =
      Set.of("content-digest", "date", "signature-input", "signature", "content-length", "transfer-encoding");

  private final Signer signer;
  private final Redirect redirects;
  private final HttpRequest request;
  private final BodyHandler<T> handler;
  private final CallAttempts attempts;

  private String method;
  private URI url;
  private byte[] body;
  private int redirectCount;
  private boolean clockCorrected;
  private boolean secondChanged;

  Exchange(Signer signer, Redirect redirects, HttpRequest request, byte[] body, BodyHandler<T> handler) {
    this.signer = signer;
    this.redirects = redirects;
    this.request = request;
    this.handler = handler;
    this.attempts = new CallAttempts(signer);
    this.method = request.method();
    this.url = request.uri();
    this.body = body;
  }

  /** Returns the next attempt, newly signed. */
  HttpRequest attempt() throws SigningException {
    String given = request.headers().firstValue("Idempotency-Key").orElse(null);
    String idempotencyKey = attempts.idempotencyKey(method, given);
    attempts.begin(method, url.toString(), idempotencyKey);
    SignedRequest signed = signer.sign(method, withoutEmptyQuery(url), body);
    HttpRequest.Builder attempt =
        HttpRequest.newBuilder(URI.create(signed.url()))
            .method(signed.method(), body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
            .expectContinue(request.expectContinue());
    request.timeout().ifPresent(attempt::timeout);
    request.version().ifPresent(attempt::version);
    request.headers().map().forEach((name, values) -> {
      if (!OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
        values.forEach(value -> attempt.header(name, value));
      }
    });
    if (idempotencyKey != null) {
      attempt.setHeader("Idempotency-Key", idempotencyKey);
    }
    try {
      signed.headers().forEach(attempt::setHeader);
    } catch (IllegalArgumentException e) {
      throw SigningException.requestInvalid(
          "this Java does not let java.net.http send Date; use Java 12 or newer, OkHttp or Apache HttpClient");
    }
    return attempt.build();
  }

  /** Sends the bodies of redirects and refusals to the signer, and all others to the caller. */
  BodyHandler<Answer<T>> attemptHandler() {
    return info -> {
      if (redirectTarget(info.statusCode(), info.headers()) != null) {
        return BodySubscribers.replacing(new Answer<>(null, CompletableFuture::new));
      }
      String contentType = info.headers().firstValue("Content-Type").orElse(null);
      if (!Refusal.isPossible(info.statusCode(), contentType)) {
        return BodySubscribers.mapping(
            handler.apply(info), value -> new Answer<>(null, () -> CompletableFuture.completedFuture(value)));
      }
      return BodySubscribers.mapping(
          BodySubscribers.ofByteArray(),
          bytes -> new Answer<>(refusalIn(info, contentType, bytes).orElse(null), () -> handOver(info, bytes)));
    };
  }

  private Optional<Refusal> refusalIn(ResponseInfo info, String contentType, byte[] bytes) {
    if (!method.equalsIgnoreCase("HEAD")) {
      return Refusal.read(info.statusCode(), contentType, bytes);
    }
    String challenge = info.headers().firstValue("WWW-Authenticate").orElse(null);
    return Refusal.readHead(info.statusCode(), contentType, challenge, info.headers().firstValue("Date").orElse(null));
  }

  /** Returns whether another attempt must follow this response, and prepares it. */
  boolean goesOn(HttpResponse<Answer<T>> response) {
    attempts.answered(method, url.toString(), response.statusCode(), response.body().refusal);
    URI target = redirectTarget(response.statusCode(), response.headers());
    if (target != null) {
      follow(response.statusCode(), target);
      return true;
    }
    Refusal refusal = response.body().refusal;
    if (refusal == null) {
      return false;
    }
    if (!clockCorrected && signer.correctClock(refusal)) {
      clockCorrected = true;
      return true;
    }
    if (!secondChanged && signer.changeSecond(method, refusal)) {
      secondChanged = true;
      return true;
    }
    return false;
  }

  /** Returns the body of the last response, or fails with its refusal. */
  CompletableFuture<T> finish(HttpResponse<Answer<T>> response) {
    Answer<T> answer = response.body();
    return answer.refusal != null && signer.throwsRefusals() && !answer.refusal.isTemporary()
        ? CompletableFuture.failedFuture(new RequestRefusedException(answer.refusal))
        : answer.body.get();
  }

  /** Returns the URL of a redirect that is to be followed; null for every other response. */
  private URI redirectTarget(int status, HttpHeaders headers) {
    String location = headers.firstValue("Location").orElse(null);
    if (redirects == Redirect.NEVER || location == null || !REDIRECT_STATUSES.contains(status)) {
      return null;
    }
    try {
      URI target = url.resolve(location);
      boolean sameOrigin =
          TargetUri.parse(target.toString()).origin().equals(TargetUri.parse(url.toString()).origin());
      return sameOrigin && redirectCount < REDIRECTS_MAX ? target : null;
    } catch (IllegalArgumentException | SigningException e) {
      return null;
    }
  }

  private void follow(int status, URI target) {
    redirectCount++;
    url = target;
    // As browsers and the JDK's client do (RFC 9110 section 15.4).
    boolean becomesGet = status == 303 ? !method.equals("HEAD") : status < 303 && method.equals("POST");
    if (becomesGet) {
      method = "GET";
      body = new byte[0];
    }
  }

  /** Gives bytes that have arrived to the caller's handler. */
  private CompletableFuture<T> handOver(ResponseInfo info, byte[] bytes) {
    BodySubscriber<T> subscriber = handler.apply(info);
    BodyPublishers.ofByteArray(bytes).subscribe(new ToResponse(subscriber));
    return subscriber.getBody().toCompletableFuture();
  }

  /** Returns the URL without a lone question mark at its end, which the JDK leaves out of the request line. */
  private static String withoutEmptyQuery(URI url) {
    String text = url.toString();
    if (!"".equals(url.getRawQuery())) {
      return text;
    }
    return text.substring(0, text.indexOf('?'));
  }
}
