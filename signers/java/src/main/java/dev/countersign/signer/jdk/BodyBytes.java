package dev.countersign.signer.jdk;

import dev.countersign.signer.BodyBuffer;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/** Collects a request's body, up to the signer's limit. */
final class BodyBytes implements Flow.Subscriber<ByteBuffer> {
  private final BodyBuffer buffer;
  private final CompletableFuture<byte[]> result = new CompletableFuture<>();
  private Flow.Subscription subscription;

  private BodyBytes(Signer signer) {
    this.buffer = new BodyBuffer(signer);
  }

  /** Returns the bytes of a request's body; empty if it has none. */
  static CompletableFuture<byte[]> of(HttpRequest request, Signer signer) {
    BodyPublisher publisher = request.bodyPublisher().orElseGet(HttpRequest.BodyPublishers::noBody);
    BodyBytes body = new BodyBytes(signer);
    try {
      signer.checkBodyLength(publisher.contentLength());
      publisher.subscribe(body);
    } catch (SigningException e) {
      body.result.completeExceptionally(e);
    }
    return body.result;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(ByteBuffer part) {
    byte[] copy = new byte[part.remaining()];
    part.get(copy);
    try {
      buffer.write(copy, 0, copy.length);
    } catch (SigningException e) {
      subscription.cancel();
      result.completeExceptionally(e);
    }
  }

  @Override
  public void onError(Throwable cause) {
    result.completeExceptionally(cause);
  }

  @Override
  public void onComplete() {
    result.complete(buffer.toByteArray());
  }
}
