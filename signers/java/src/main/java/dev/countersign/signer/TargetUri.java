package dev.countersign.signer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The URL of a request in the form that is signed and sent: {@code @target-uri} (RFC 9421 section 2.2.2).
 *
 * <p>Everything that HTTP clients change on the way is settled here: the fragment is dropped, scheme and host are in lower
 * case, the scheme's own port is left out, an empty path becomes {@code /}, and characters outside ASCII are
 * percent-encoded as UTF-8. Path and query are otherwise kept character by character.
 */
public final class TargetUri {
  /** An 8 KiB request target and its origin. */
  private static final int LENGTH_MAX = 8492;

  private static final Pattern PARTS = Pattern.compile("(?i)(https?)://([^/?]*)(.*)", Pattern.DOTALL);
  private static final Pattern AUTHORITY =
      Pattern.compile("([a-z0-9._~!$&'()*+,;=%-]+|\\[[0-9a-f:.]+\\])(?::([0-9]{0,5}))?");

  private final String origin;
  private final String target;

  private TargetUri(String origin, String target) {
    this.origin = origin;
    this.target = target;
  }

  /**
   * Reads an absolute {@code http} or {@code https} URL.
   *
   * @param url the URL, as it is given to the HTTP client
   * @return the URL as it is signed and must be sent
   * @throws SigningException {@code request_invalid} if no client could send it unchanged
   */
  public static TargetUri parse(String url) throws SigningException {
    int fragment = url.indexOf('#');
    String text = fragment < 0 ? url : url.substring(0, fragment);
    if (text.chars().anyMatch(character -> character <= 0x20 || character == 0x7f)) {
      throw SigningException.requestInvalid("the URL has a space or a control character; percent-encode it");
    }
    Matcher parts = PARTS.matcher(text);
    if (!parts.matches()) {
      throw SigningException.requestInvalid("the URL must begin with https:// or http://");
    }
    String scheme = parts.group(1).toLowerCase(Locale.ROOT);
    String target = percentEncoded(parts.group(3));
    TargetUri uri =
        new TargetUri(scheme + "://" + authority(scheme, parts.group(2)), target.startsWith("/") ? target : "/" + target);
    if (uri.toString().length() > LENGTH_MAX) {
      throw SigningException.requestInvalid("the URL has more than " + LENGTH_MAX + " characters");
    }
    return uri;
  }

  /**
   * Returns scheme, host and port, such as {@code https://api.example.com}. A signature must not leave its origin.
   *
   * @return the origin, without the scheme's own port
   */
  public String origin() {
    return origin;
  }

  /**
   * Returns host and port, as {@code @authority} has them (RFC 9421 section 2.2.3), such as {@code api.example.com}.
   *
   * @return the authority, without the scheme's own port
   */
  public String authority() {
    return origin.substring(origin.indexOf("://") + 3);
  }

  /**
   * Returns path and query, as they stand in the request line.
   *
   * @return the request target, which begins with a slash
   */
  public String target() {
    return target;
  }

  /** Returns the whole URL. */
  @Override
  public String toString() {
    return origin + target;
  }

  private static String authority(String scheme, String text) throws SigningException {
    // The message must not repeat the URL: there may be a password in it.
    if (text.contains("@")) {
      throw SigningException.requestInvalid("the URL has a user name or password; leave it out");
    }
    Matcher authority = AUTHORITY.matcher(text.toLowerCase(Locale.ROOT));
    if (!authority.matches()) {
      throw SigningException.requestInvalid("the URL has no valid host; write international names in Punycode (xn--…)");
    }
    String port = authority.group(2);
    boolean isDefault = port == null || port.isEmpty() || port.equals(scheme.equals("https") ? "443" : "80");
    return isDefault ? authority.group(1) : authority.group(1) + ":" + port;
  }

  private static String percentEncoded(String text) throws SigningException {
    if (text.chars().allMatch(character -> character < 0x80)) {
      return text;
    }
    ByteBuffer bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException e) {
      throw SigningException.requestInvalid("the URL has half a character (an unpaired surrogate)");
    }
    StringBuilder encoded = new StringBuilder(bytes.remaining() * 3);
    while (bytes.hasRemaining()) {
      int octet = bytes.get() & 0xff;
      if (octet < 0x80) {
        encoded.append((char) octet);
      } else {
        encoded.append('%').append(hexadecimal(octet >> 4)).append(hexadecimal(octet & 15));
      }
    }
    return encoded.toString();
  }

  private static char hexadecimal(int digit) {
    return "0123456789ABCDEF".charAt(digit);
  }
}
