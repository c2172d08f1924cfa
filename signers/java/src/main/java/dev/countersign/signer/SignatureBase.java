package dev.countersign.signer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;

/** The texts of the profile: the signature base and the header values. */
final class SignatureBase {
  /** An IMF-fixdate (RFC 9110 section 5.6.7). RFC_1123_DATE_TIME writes days below ten with one digit. */
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  private SignatureBase() {}

  /** Returns {@code Content-Digest} for a body (RFC 9530 section 2); null for an empty one, which has no digest. */
  static String contentDigest(byte[] body) {
    return body.length == 0 ? null : "sha-256=:" + Base64.getEncoder().encodeToString(sha256(body)) + ":";
  }

  static String date(long unixSeconds) {
    return IMF_FIXDATE.format(Instant.ofEpochSecond(unixSeconds));
  }

  /** Returns the value of {@code @signature-params}, which is also the part of {@code Signature-Input} after the label. */
  static String params(
      String contentDigest, String date, long created, String clientId, Algorithm algorithm, String nonce) {
    StringBuilder text = new StringBuilder(160).append("(\"@method\" \"@target-uri\"");
    if (contentDigest != null) {
      text.append(" \"content-digest\"");
    }
    if (date != null) {
      text.append(" \"date\"");
    }
    text.append(");created=").append(created);
    text.append(";keyid=\"").append(escaped(clientId)).append('"');
    text.append(";alg=\"").append(algorithm.id).append('"');
    if (nonce != null) {
      text.append(";nonce=\"").append(nonce).append('"');
    }
    return text.toString();
  }

  /** Returns the text to sign (RFC 9421 section 2.5): lines joined by a line feed, with none after the last one. */
  static String of(String method, String url, String contentDigest, String date, String params) {
    StringBuilder base = new StringBuilder(512);
    base.append("\"@method\": ").append(method).append('\n');
    base.append("\"@target-uri\": ").append(url).append('\n');
    if (contentDigest != null) {
      base.append("\"content-digest\": ").append(contentDigest).append('\n');
    }
    if (date != null) {
      base.append("\"date\": ").append(date).append('\n');
    }
    return base.append("\"@signature-params\": ").append(params).toString();
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

  /** Escapes a string of a structured field (RFC 8941 section 4.1.6). */
  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
