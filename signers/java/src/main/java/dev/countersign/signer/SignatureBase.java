package dev.countersign.signer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** The text to sign (RFC 9421 section 2.5), and the header lines that go with it. A {@link Profile} says what is in it. */
final class SignatureBase {
  /** The label of the signature. */
  static final String LABEL = "sig";

  private final StringBuilder lines = new StringBuilder(512);
  private final StringJoiner components = new StringJoiner(" ", "(", ")");
  private final StringBuilder parameters = new StringBuilder(160);
  private final Map<String, String> headers = new LinkedHashMap<>();

  /** Adds a covered component: its identifier, with quotes and parameters, and its value. */
  SignatureBase cover(String component, String value) {
    components.add(component);
    lines.append(component).append(": ").append(value).append('\n');
    return this;
  }

  /** Covers and sends {@code Content-Digest}. */
  SignatureBase coverContentDigest(String contentDigest) {
    return cover("\"content-digest\"", contentDigest).send("Content-Digest", contentDigest);
  }

  /** Adds a header line to send. */
  SignatureBase send(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** Adds a parameter of the signature that is a time in Unix seconds. */
  SignatureBase time(String name, long unixSeconds) {
    parameters.append(';').append(name).append('=').append(unixSeconds);
    return this;
  }

  /** Adds a parameter of the signature that is a string. */
  SignatureBase text(String name, String value) {
    parameters.append(';').append(name).append("=\"").append(escaped(value)).append('"');
    return this;
  }

  /** Returns the text to sign: lines joined by a line feed, with none after the last one. */
  @Override
  public String toString() {
    return lines + "\"@signature-params\": " + signatureParams();
  }

  /** Returns the header lines, with those of the signature. */
  Map<String, String> headers(byte[] signature) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Signature-Input", LABEL + "=" + signatureParams());
    all.put("Signature", LABEL + "=:" + Base64.getEncoder().encodeToString(signature) + ":");
    return all;
  }

  /** Returns the value of {@code @signature-params}, which is also the part of {@code Signature-Input} after the label. */
  private String signatureParams() {
    return components.toString() + parameters;
  }

  /** Escapes a string of a structured field (RFC 8941 section 4.1.6). */
  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  /** Returns {@code Content-Digest} for a body (RFC 9530 section 2); null for an empty one, which has no digest. */
  static String contentDigest(byte[] body) {
    return body.length == 0 ? null : "sha-256=:" + Base64.getEncoder().encodeToString(sha256(body)) + ":";
  }

  /** Names a request apart from its time: 32 hexadecimal digits. Signers in all languages compute the same. */
  static String identity(String clientId, String method, String url, String contentDigest) {
    String text = String.join("\0", clientId, method, url, contentDigest == null ? "" : contentDigest);
    byte[] hash = sha256(text.getBytes(StandardCharsets.US_ASCII));
    StringBuilder digits = new StringBuilder(32);
    for (int index = 0; index < 16; index++) {
      digits.append(Character.forDigit((hash[index] >> 4) & 15, 16)).append(Character.forDigit(hash[index] & 15, 16));
    }
    return digits.toString();
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }
}
