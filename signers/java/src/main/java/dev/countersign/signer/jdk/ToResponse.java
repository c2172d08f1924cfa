package dev.countersign.signer.jdk;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;

/** Passes single buffers to a subscriber that takes lists of them. */
final class ToResponse implements Flow.Subscriber<ByteBuffer> {
  private final BodySubscriber<?> subscriber;

  ToResponse(BodySubscriber<?> subscriber) {
    this.subscriber = subscriber;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscriber.onSubscribe(subscription);
  }

  @Override
  public void onNext(ByteBuffer part) {
    subscriber.onNext(List.of(part));
  }

  @Override
  public void onError(Throwable cause) {
    subscriber.onError(cause);
  }

  @Override
  public void onComplete() {
    subscriber.onComplete();
  }
}
