package dev.countersign.signer;

import java.util.Collections;
import java.util.Map;

/** A signed request. Send exactly this method, URL and body, with these headers besides your own. */
public final class SignedRequest {
  private final String method;
  private final String url;
  private final byte[] body;
  private final Map<String, String> headers;
  private final long created;
  private final String signatureBase;

  SignedRequest(
      String method, String url, byte[] body, Map<String, String> headers, long created, String signatureBase) {
    this.method = method;
    this.url = url;
    this.body = body;
    this.headers = Collections.unmodifiableMap(headers);
    this.created = created;
    this.signatureBase = signatureBase;
  }

  /**
   * Returns the method.
   *
   * @return the method in upper case
   */
  public String method() {
    return method;
  }

  /**
   * Returns the URL.
   *
   * @return the URL as it was signed, see {@link TargetUri}
   */
  public String url() {
    return url;
  }

  /**
   * Returns the body.
   *
   * @return the bytes that were signed; empty if there are none
   */
  public byte[] body() {
    return body.clone();
  }

  /**
   * Returns the header lines to set.
   *
   * @return {@code Content-Digest} (with a body), {@code Date} or {@code Signature-Agent}, {@code Signature-Input} and
   *     {@code Signature}
   */
  public Map<String, String> headers() {
    return headers;
  }

  /**
   * Returns the time in the signature.
   *
   * @return Unix seconds
   */
  public long created() {
    return created;
  }

  /**
   * Returns the text that was signed (RFC 9421 section 2.5), for logs and comparison.
   *
   * @return the signature base
   */
  public String signatureBase() {
    return signatureBase;
  }
}
