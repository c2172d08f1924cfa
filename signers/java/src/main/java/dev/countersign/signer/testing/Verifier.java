package dev.countersign.signer.testing;

import static dev.countersign.signer.testing.Verification.refused;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Checks signed requests as a service does, as far as a request alone tells: fields, time, signature, digest, repetition.
 *
 * <pre>{@code
 * Verifier verifier = new Verifier("client_01m7xpht4ya6hy6swme76qzc7p", publicKeyPem);
 * Verification result = verifier.verify("POST", "http://localhost:8080/v1/payments", headers, body);
 * assertEquals("ok", result.toString());
 * }</pre>
 *
 * <p>It is for tests of your own program, not for protecting an API. It is stricter than a service in one respect: an equal
 * GET is a repetition at once, not only after two seconds. It is thread-safe.
 */
public final class Verifier {
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}");
  private static final Pattern TARGET_URI =
      Pattern.compile("https?://[^\\x00-\\x20\\x7f-\\uffff/?#@\\\\]+/[^\\x00-\\x20\\x7f-\\uffff#]*");
  private static final Pattern CONTENT_DIGEST = Pattern.compile("sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:");
  private static final Pattern SIGNATURE =
      Pattern.compile("sig=:((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?):");
  private static final Pattern KEYID = Pattern.compile("[\\x21-\\x7e]{1,256}");
  private static final Pattern NONCE = Pattern.compile("[\\x21-\\x7e]{16,64}");
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC)
          .withResolverStyle(ResolverStyle.STRICT);
  private static final Set<String> KNOWN_PARAMETERS = Set.of("created", "keyid", "alg", "nonce");
  private static final int FIELD_LENGTH_MAX = 4096;
  private static final int TARGET_URI_LENGTH_MAX = 8492;
  private static final int MAX_AGE_SECONDS = 300;
  private static final int MAX_FUTURE_SECONDS = 60;
  private static final int MAX_DATE_DIFFERENCE_SECONDS = 60;
  private static final long EQUAL_READS_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final String clientId;
  private final VerifyingKey publicKey;
  /** When each signature was first used: an ECDSA signature by the text it signs, any other by itself. */
  private final Map<String, Long> usedSignatures = new HashMap<>();
  private boolean acceptWithoutDate;
  private boolean requireNonce;
  private boolean strict;
  private Supplier<Instant> now = Instant::now;

  /**
   * Makes a verifier for one client.
   *
   * @param clientId the client ID
   * @param publicKey RSA, ECDSA (P-256 or P-384) or, from Java 15, Ed25519: PEM or bare Base64, as {@code openssl pkey
   *     -pubout} writes it
   * @throws IllegalArgumentException for a key that a service would not register
   */
  public Verifier(String clientId, String publicKey) {
    this(clientId, VerifyingKey.read(publicKey));
  }

  /**
   * Makes a verifier for one client.
   *
   * @param clientId the client ID
   * @param publicKey the key, of the same kinds
   * @throws IllegalArgumentException for a key that a service would not register
   */
  public Verifier(String clientId, PublicKey publicKey) {
    this(clientId, VerifyingKey.of(publicKey));
  }

  private Verifier(String clientId, VerifyingKey publicKey) {
    this.clientId = clientId;
    this.publicKey = publicKey;
  }

  /**
   * Accepts requests without {@code Date}, as a service does for clients that are registered so.
   *
   * @return this verifier
   */
  public synchronized Verifier acceptWithoutDate() {
    this.acceptWithoutDate = true;
    return this;
  }

  /**
   * Sets whether no signature is accepted twice. By default, equal GET, HEAD and OPTIONS requests are accepted for two seconds.
   *
   * @param strict true for a service with this setting
   * @return this verifier
   */
  public synchronized Verifier strict(boolean strict) {
    this.strict = strict;
    return this;
  }

  /**
   * Requires the parameter {@code nonce}, as a service does that is set so. Otherwise it is not allowed.
   *
   * @return this verifier
   */
  public synchronized Verifier requireNonce() {
    this.requireNonce = true;
    return this;
  }

  /**
   * Sets the clock.
   *
   * @param clock returns the time
   * @return this verifier
   */
  public synchronized Verifier now(Supplier<Instant> clock) {
    this.now = clock;
    return this;
  }

  /**
   * Checks a request as it was received.
   *
   * @param method the method
   * @param targetUri the URL as called: scheme and host of the server under test, and the target of the request line
   * @param headers the header lines by name, in any case
   * @param body the bytes of the body; empty for none
   * @return ok, or the code with which a service would reject the request
   */
  public synchronized Verification verify(
      String method, String targetUri, Map<String, List<String>> headers, byte[] body) {
    if (!METHOD.matcher(method).matches()
        || !TARGET_URI.matcher(targetUri).matches()
        || targetUri.length() > TARGET_URI_LENGTH_MAX) {
      return refused("request_malformed", "method or URL is not one that can be signed");
    }
    List<String> inputs = values(headers, "signature-input");
    List<String> signatures = values(headers, "signature");
    if (inputs.size() != 1 || signatures.size() != 1) {
      return refused("signature_missing", "Signature-Input and Signature must come once each");
    }
    if (inputs.get(0).length() > FIELD_LENGTH_MAX || signatures.get(0).length() > FIELD_LENGTH_MAX) {
      return refused("signature_malformed", "a signature field has more than " + FIELD_LENGTH_MAX + " characters");
    }
    SignatureInput input = SignatureInput.read(inputs.get(0));
    if (input == null || !SIGNATURE.matcher(signatures.get(0)).matches()) {
      return refused("signature_malformed", "the signature fields are not one member \"sig\" in canonical text");
    }
    byte[] signature =
        Base64.getDecoder().decode(signatures.get(0).substring("sig=:".length(), signatures.get(0).length() - 1));
    return verify(method, targetUri, headers, body, input, signature);
  }

  private Verification verify(
      String method,
      String targetUri,
      Map<String, List<String>> headers,
      byte[] body,
      SignatureInput input,
      byte[] signature) {
    Verification parameters = checkParameters(input);
    if (!parameters.isOk()) {
      return parameters;
    }
    boolean coversDigest = input.components.contains("\"content-digest\"");
    boolean coversDate = input.components.contains("\"date\"");
    String expected =
        "(\"@method\" \"@target-uri\""
            + (body.length > 0 ? " \"content-digest\"" : "")
            + (coversDate ? " \"date\"" : "")
            + ")";
    if (!input.components.equals(expected)) {
      return refused("components_invalid", "covered are " + input.components + ", not " + expected);
    }
    List<String> dates = values(headers, "date");
    Verification time = checkTime(input.integer("created"), coversDate, dates);
    if (!time.isOk()) {
      return time;
    }
    List<String> digests = values(headers, "content-digest");
    if (coversDigest && (digests.size() != 1 || !CONTENT_DIGEST.matcher(digests.get(0)).matches())) {
      return digests.isEmpty()
          ? refused("digest_missing", "Content-Digest is covered but missing")
          : refused("digest_malformed", "Content-Digest is not one sha-256 digest");
    }

    List<String> lines = new ArrayList<>();
    lines.add("\"@method\": " + method);
    lines.add("\"@target-uri\": " + targetUri);
    if (coversDigest) {
      lines.add("\"content-digest\": " + digests.get(0));
    }
    if (coversDate) {
      lines.add("\"date\": " + dates.get(0));
    }
    lines.add("\"@signature-params\": " + input.text);
    String base = String.join("\n", lines);
    if (!input.string("keyid").equals(clientId)
        || !input.string("alg").equals(publicKey.algorithm)
        || !publicKey.verifies(base.getBytes(StandardCharsets.ISO_8859_1), signature)) {
      return refused(
          "signature_invalid",
          "the " + publicKey.algorithm + " key of " + clientId + " has not made this signature over\n" + lines);
    }

    if (!coversDate && !acceptWithoutDate) {
      return refused("components_invalid", "\"date\" is not covered");
    }
    if (coversDigest && !digests.get(0).equals(contentDigest(body))) {
      return refused("digest_mismatch", "Content-Digest is not the digest of the " + body.length + " bytes received");
    }
    if (isReplay(method, publicKey.isMalleable() ? base : Base64.getEncoder().encodeToString(signature))) {
      return refused("signature_replayed", "a request with this signature was accepted before");
    }
    return Verification.ok();
  }

  private synchronized boolean isReplay(String method, String signature) {
    Long first = usedSignatures.putIfAbsent(signature, System.nanoTime());
    boolean mayBeEqual = !strict && List.of("GET", "HEAD", "OPTIONS").contains(method);
    return first != null && (!mayBeEqual || System.nanoTime() - first > EQUAL_READS_NANOS);
  }

  private Verification checkParameters(SignatureInput input) {
    String keyid = input.string("keyid");
    if (input.integer("created") == null || keyid == null || input.string("alg") == null) {
      return refused("parameters_invalid", "created must be an integer, keyid and alg must be strings");
    }
    if (!KEYID.matcher(keyid).matches()) {
      return refused("parameters_invalid", "keyid must have 1 to 256 visible ASCII characters");
    }
    String nonce = input.string("nonce");
    if (requireNonce ? nonce == null || !NONCE.matcher(nonce).matches() : input.parameters.containsKey("nonce")) {
      return refused("parameters_invalid", requireNonce ? "nonce is missing or not valid" : "nonce is not allowed");
    }
    if (!KNOWN_PARAMETERS.containsAll(input.parameters.keySet())) {
      return refused("parameters_invalid", "there are other parameters than created, keyid and alg");
    }
    if (!VerifyingKey.ALGORITHMS.contains(input.string("alg"))) {
      return refused("algorithm_not_allowed", "alg is none of " + VerifyingKey.ALGORITHMS);
    }
    return Verification.ok();
  }

  private Verification checkTime(long created, boolean coversDate, List<String> dates) {
    long age = now.get().getEpochSecond() - created;
    if (age > MAX_AGE_SECONDS) {
      return refused("created_expired", "created is " + age + " s old");
    }
    if (-age > MAX_FUTURE_SECONDS) {
      return refused("created_in_future", "created is " + -age + " s ahead");
    }
    if (!coversDate) {
      return Verification.ok();
    }
    if (dates.size() != 1) {
      return refused("date_invalid", "Date must come once");
    }
    long date;
    try {
      date = Instant.from(IMF_FIXDATE.parse(dates.get(0))).getEpochSecond();
    } catch (DateTimeException e) {
      return refused("date_invalid", "Date is not an IMF-fixdate");
    }
    return Math.abs(date - created) > MAX_DATE_DIFFERENCE_SECONDS
        ? refused("date_mismatch", "Date and created are " + Math.abs(date - created) + " s apart")
        : Verification.ok();
  }

  private static String contentDigest(byte[] body) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
      return "sha-256=:" + Base64.getEncoder().encodeToString(hash) + ":";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }

  /** Returns the lines with a name, without white space around them (RFC 9110 section 5.5). */
  private static List<String> values(Map<String, List<String>> headers, String name) {
    List<String> values = new ArrayList<>();
    headers.forEach((key, lines) -> {
      if (name.equals(key == null ? "" : key.toLowerCase(Locale.ROOT))) {
        lines.forEach(line -> values.add(trimmed(line)));
      }
    });
    return values;
  }

  private static String trimmed(String line) {
    int start = 0;
    int end = line.length();
    while (start < end && " \t".indexOf(line.charAt(start)) >= 0) {
      start++;
    }
    while (end > start && " \t".indexOf(line.charAt(end - 1)) >= 0) {
      end--;
    }
    return line.substring(start, end);
  }
}
