package dev.countersign.signer;

import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The service's answer to a request that it rejects. Match on {@link #code()}: texts may change. */
public final class Refusal implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final Pattern CHALLENGE = Pattern.compile("Signature error=\"([a-z_]+)\"");

  /** The largest body that is read as a problem document. An explanation makes it long. */
  public static final int BODY_BYTES_MAX = 256 * 1024;

  /** The HTTP status. */
  private final int status;

  /** The strings of the problem document, by name. */
  private final HashMap<String, String> members;

  /** The service's clock, or null. */
  private final Instant serverTime;

  private Refusal(int status, Map<String, String> members) {
    this.status = status;
    this.members = new HashMap<>(members);
    this.serverTime = instant(members.get("serverTime"));
  }

  /**
   * Returns whether a response can be a refusal, so that its body is worth reading.
   *
   * @param status the HTTP status
   * @param contentType the value of {@code Content-Type}; null for none
   * @return true for an error with a problem document (RFC 9457)
   */
  public static boolean isPossible(int status, String contentType) {
    String mediaType = contentType == null ? "" : contentType.split(";", 2)[0].trim();
    return status >= 400 && mediaType.toLowerCase(Locale.ROOT).equals("application/problem+json");
  }

  /**
   * Reads a response as a refusal.
   *
   * @param status the HTTP status
   * @param contentType the value of {@code Content-Type}; null for none
   * @param body the whole body, decompressed
   * @return the refusal; empty if the API itself answered
   */
  public static Optional<Refusal> read(int status, String contentType, byte[] body) {
    if (!isPossible(status, contentType) || body.length > BODY_BYTES_MAX) {
      return Optional.empty();
    }
    Map<String, String> members = ProblemDocument.read(body);
    return members != null && isOurs(members.getOrDefault("code", ""), members.getOrDefault("type", ""))
        ? Optional.of(new Refusal(status, members))
        : Optional.empty();
  }

  /**
   * Reads the response to HEAD as a refusal. It has no body, but says the code in its headers.
   *
   * @param status the HTTP status
   * @param contentType the value of {@code Content-Type}; null for none
   * @param challenge the value of {@code WWW-Authenticate}; null for none
   * @param date the value of {@code Date}; null for none
   * @return the refusal; empty if the API itself answered
   */
  public static Optional<Refusal> readHead(int status, String contentType, String challenge, String date) {
    Matcher code = CHALLENGE.matcher(challenge == null ? "" : challenge);
    if (!isPossible(status, contentType) || !code.matches() || !ServiceCodes.ALL.contains(code.group(1))) {
      return Optional.empty();
    }
    Map<String, String> members = new HashMap<>(Map.of("code", code.group(1)));
    try {
      members.put("serverTime", Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date == null ? "" : date)).toString());
    } catch (DateTimeException e) {
      // Then the refusal tells no time.
    }
    return Optional.of(new Refusal(status, members));
  }

  /** The type is the page of the code. An API may use a code like one of these in problem documents of its own. */
  private static boolean isOurs(String code, String type) {
    return ServiceCodes.ALL.contains(code) && type.endsWith("/docs/errors#" + code);
  }

  /**
   * Returns whether adapters leave this refusal as a response even if the signer throws refusals: 429 and 503, for which HTTP
   * clients and frameworks have retries of their own.
   *
   * @return true for a request that can be sent again later
   */
  public boolean isTemporary() {
    return status == 429 || status == 503;
  }

  /**
   * Returns the HTTP status.
   *
   * @return the status of the response
   */
  public int status() {
    return status;
  }

  /**
   * Returns the code, such as {@code signature_invalid}.
   *
   * @return one of the codes of docs/errors.md
   */
  public String code() {
    return members.get("code");
  }

  /**
   * Returns a short summary of the code.
   *
   * @return the title; null if the service gave none
   */
  public String title() {
    return members.get("title");
  }

  /**
   * Returns what to do about the code.
   *
   * @return one sentence; null if the service gave none
   */
  public String detail() {
    return members.get("detail");
  }

  /**
   * Returns what is wrong with this very request.
   *
   * @return one sentence; null if the service gave none
   */
  public String reason() {
    return members.get("reason");
  }

  /**
   * Returns the request's ID, which the operator asks for.
   *
   * @return the ID; null if the service gave none
   */
  public String requestId() {
    return members.get("requestId");
  }

  /**
   * Returns the service's clock.
   *
   * @return the time of the answer; null if the refusal has nothing to do with time
   */
  public Instant serverTime() {
    return serverTime;
  }

  /**
   * Returns the address of the documentation of the code.
   *
   * @return a URL; null if the service gave none
   */
  public String type() {
    return members.get("type");
  }

  /** Returns code, title, reason, advice and request ID in one line, for people and logs. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(code()).append(':');
    for (String sentence : new String[] {title(), reason(), detail()}) {
      if (sentence != null && !sentence.isEmpty()) {
        text.append(' ').append(sentence).append(sentence.matches("(?s).*[.!?]") ? "" : ".");
      }
    }
    if (code().equals("signature_replayed")) {
      // Some clients repeat a request with its signature, such as the JDK's on request.
      text.append(" The first request with this signature may have been accepted: look it up before sending again.");
    }
    if (requestId() != null) {
      text.append(" (").append(requestId()).append(')');
    }
    return text.toString();
  }

  private static Instant instant(String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException e) {
      return null;
    }
  }
}
