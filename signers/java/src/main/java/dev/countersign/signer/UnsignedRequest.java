package dev.countersign.signer;

import java.util.Locale;

/** A request that was checked, apart from its time. */
final class UnsignedRequest {
  final String method;
  final TargetUri url;
  final byte[] body;

  /** {@code Content-Digest}; null if there is no body. */
  final String contentDigest;

  UnsignedRequest(String method, TargetUri url, byte[] body) {
    this.method = method.toUpperCase(Locale.ROOT);
    this.url = url;
    this.body = body;
    this.contentDigest = SignatureBase.contentDigest(body);
  }
}
