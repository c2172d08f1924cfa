package dev.countersign.signer.jdk;

import dev.countersign.signer.Refusal;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The body of one attempt's response: for the caller, or a refusal that the signer looks at first. */
final class Answer<T> {
  /** Null if the response is not a refusal. */
  final Refusal refusal;

  /** Hands the body to the caller's handler, at most once. */
  final Supplier<CompletableFuture<T>> body;

  Answer(Refusal refusal, Supplier<CompletableFuture<T>> body) {
    this.refusal = refusal;
    this.body = body;
  }
}
