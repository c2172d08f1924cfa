package dev.countersign.signer;

import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Signs the requests of one client. Build it once and use it for all requests; it is thread-safe.
 *
 * <pre>{@code
 * Signer signer = Signer.builder()
 *     .clientId("client_01m7xpht4ya6hy6swme76qzc7p")
 *     .privateKeyFile(Path.of("private.pem"))
 *     .build();
 * }</pre>
 *
 * <p>Usually an HTTP client calls it: see the packages {@code jdk}, {@code okhttp} and {@code apache}. For any other client,
 * send what {@link #sign} returns, unchanged, and call it again for every retry and redirect.
 */
public final class Signer {
  private static final int AHEAD_SECONDS_MAX = 30;
  /** How often a request waits for the next second, when too many equal ones are ahead. */
  private static final int WAITS_MAX = 30;
  /** Services accept equal reads for two seconds, which leaves one for the way. */
  private static final long EQUAL_READS_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
  private static final Duration CLOCK_CORRECTION_MAX = Duration.ofDays(1);
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}");
  private static final Pattern CLIENT_ID = Pattern.compile("[\\x21-\\x7e]{1,256}");
  private static final long NONE_FREE = Long.MIN_VALUE;
  private static final Set<String> CLOCK_CODES = Set.of("created_expired", "created_in_future", "date_mismatch");

  private final String clientId;
  private final KeySource keySource;
  private final boolean coverDate;
  private final boolean nonce;
  private final int bodyBytesMax;
  private final SharedFolder sharedFolder;
  private final boolean throwsRefusals;
  private final boolean idempotencyKeys;
  private final Supplier<Instant> now;

  /** The service's clock minus this one. */
  private volatile Duration clockDifference = Duration.ZERO;

  /**
   * How long each read gets a second of its own after one was rejected for sharing it. A read that came late is rejected for
   * that too, and nobody can poll twice a second for long with a second for each read.
   */
  private static final Duration STRICT_FOR = Duration.ofSeconds(10);

  /** Until then, the service is taken to accept equal reads once, as a refusal has said. */
  private volatile Instant strictUntil = Instant.MIN;

  /** Waits for some milliseconds. Tests replace it. */
  LongConsumer pause = Signer::sleep;

  private Signer(Builder builder, KeySource keySource) {
    this.clientId = builder.clientId;
    this.keySource = keySource;
    this.coverDate = builder.coverDate;
    this.nonce = builder.nonce;
    this.bodyBytesMax = builder.bodyBytesMax;
    this.sharedFolder = builder.sharedFolder == null ? null : new SharedFolder(builder.sharedFolder);
    this.throwsRefusals = builder.throwsRefusals;
    this.idempotencyKeys = builder.idempotencyKeys;
    this.now = builder.now;
  }

  /**
   * Starts a signer.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Signs a request. Each call gives a new signature: an equal request in the same second gets a later {@code created} and
   * {@code Date}. Equal reads (GET, HEAD, OPTIONS) share a second instead, as services allow. When equal requests are 30
   * seconds ahead, this waits for the next second, up to 30 seconds.
   *
   * @param method the method; it is signed, and must be sent, in upper case
   * @param url the absolute URL; send {@link SignedRequest#url()}, which is normalized
   * @param body the bytes of the body; null or empty for none
   * @return the request to send
   * @throws SigningException if the request cannot be signed
   */
  public SignedRequest sign(String method, String url, byte[] body) throws SigningException {
    Unsigned request = unsigned(method, url, body);
    long created = takeSecond(request);
    return complete(request, created, SignatureBase.date(created));
  }

  /** Signs with given times, for the test vectors, and remembers nothing. */
  SignedRequest signAt(String method, String url, byte[] body, long created, String date) throws SigningException {
    return complete(unsigned(method, url, body), created, date);
  }

  /**
   * Takes over the service's clock if a request was rejected for its time. For adapters of HTTP clients: sign and send the
   * request once more if this returns true, and do so once for each request.
   *
   * @param refusal the rejection
   * @return true if the clock was corrected; false for other refusals, and for differences of more than a day
   */
  public boolean correctClock(Refusal refusal) {
    if (!CLOCK_CODES.contains(refusal.code()) || refusal.serverTime() == null) {
      return false;
    }
    Duration difference = Duration.between(now.get(), refusal.serverTime());
    if (difference.abs().compareTo(CLOCK_CORRECTION_MAX) > 0) {
      return false;
    }
    clockDifference = difference;
    return true;
  }

  /**
   * Gives each read a second of its own for a while, if one was rejected for sharing it, as services with the setting {@code strict} do.
   * For adapters of HTTP clients: sign and send the request once more if this returns true, and do so once for each request.
   *
   * @param method the method of the request
   * @param refusal the rejection
   * @return true if the request was a read, and its signature was used before
   */
  public boolean changeSecond(String method, Refusal refusal) {
    if (!refusal.code().equals("signature_replayed") || !READS.contains(method.toUpperCase(Locale.ROOT))) {
      return false;
    }
    strictUntil = now.get().plus(STRICT_FOR);
    return true;
  }

  /**
   * Checks a body's length before it is buffered. For adapters of HTTP clients.
   *
   * @param bytes the length, or what is known of it so far
   * @throws SigningException {@code body_too_large}
   */
  public void checkBodyLength(long bytes) throws SigningException {
    if (bytes > bodyBytesMax) {
      throw new SigningException(
          "body_too_large",
          "The body has more than " + bodyBytesMax + " bytes, and bodies are buffered to be signed. "
              + "Send less at a time, or raise bodyBytesMax.");
    }
  }

  /**
   * Returns the client ID.
   *
   * @return the {@code keyid} of the signatures
   */
  public String clientId() {
    return clientId;
  }

  /**
   * Returns whether adapters throw {@link RequestRefusedException}.
   *
   * @return false if refusals are ordinary responses
   */
  public boolean throwsRefusals() {
    return throwsRefusals;
  }

  /**
   * Returns whether adapters add {@code Idempotency-Key}.
   *
   * @return true if each call of a method that is not idempotent gets one, unless it has one
   */
  public boolean idempotencyKeys() {
    return idempotencyKeys;
  }

  /** A request that was checked, apart from its time. */
  private static final class Unsigned {
    final String method;
    final String url;
    final byte[] body;
    final String contentDigest;

    Unsigned(String method, String url, byte[] body) {
      this.method = method;
      this.url = url;
      this.body = body;
      this.contentDigest = SignatureBase.contentDigest(body);
    }
  }

  private Unsigned unsigned(String method, String url, byte[] body) throws SigningException {
    if (!METHOD.matcher(method).matches()) {
      throw SigningException.requestInvalid("the method must be a word, such as GET or POST");
    }
    byte[] bytes = body == null ? new byte[0] : body.clone();
    checkBodyLength(bytes.length);
    return new Unsigned(method.toUpperCase(Locale.ROOT), TargetUri.parse(url).toString(), bytes);
  }

  private long takeSecond(Unsigned request) throws SigningException {
    String identity = SignatureBase.identity(clientId, request.method, request.url, request.contentDigest);
    boolean isShared = READS.contains(request.method) && !now.get().isBefore(strictUntil);
    for (int waits = 0; ; waits++) {
      long created = freeSecond(identity, isShared);
      if (created != NONE_FREE) {
        return created;
      }
      if (waits == WAITS_MAX || Thread.currentThread().isInterrupted()) {
        throw new SigningException(
            "too_many_equal_requests",
            "More than " + AHEAD_SECONDS_MAX + " identical requests ahead: at most one a second can be signed in the long "
                + "run. Send fewer, or make them differ, for example by a query parameter.");
      }
      pause.accept(1000 - System.currentTimeMillis() % 1000);
    }
  }

  private long freeSecond(String identity, boolean isShared) throws SigningException {
    long seconds = now.get().plus(clockDifference).getEpochSecond();
    for (long created = seconds; created <= seconds + AHEAD_SECONDS_MAX; created++) {
      boolean isFree = UsedSeconds.OF_PROCESS.add(identity, created, isShared ? EQUAL_READS_NANOS : 0);
      if (isFree && (isShared || sharedFolder == null || sharedFolder.add(identity, created))) {
        return created;
      }
    }
    return NONE_FREE;
  }

  private static void sleep(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      // Whoever waits longer sees it.
      Thread.currentThread().interrupt();
    }
  }

  private SignedRequest complete(Unsigned request, long created, String dateText) throws SigningException {
    String date = coverDate ? dateText : null;
    String nonceText = nonce ? UUID.randomUUID().toString() : null;
    // Once, as the next one may be of another algorithm.
    SigningKey key = keySource.current();
    String params = SignatureBase.params(request.contentDigest, date, created, clientId, key.algorithm, nonceText);
    String base = SignatureBase.of(request.method, request.url, request.contentDigest, date, params);
    String signature = Base64.getEncoder().encodeToString(key.sign(base));

    Map<String, String> headers = new LinkedHashMap<>();
    if (request.contentDigest != null) {
      headers.put("Content-Digest", request.contentDigest);
    }
    if (date != null) {
      headers.put("Date", date);
    }
    headers.put("Signature-Input", "sig=" + params);
    headers.put("Signature", "sig=:" + signature + ":");
    return new SignedRequest(request.method, request.url, request.body, headers, created, base);
  }

  /** Collects the options of a signer. */
  public static final class Builder {
    private String clientId;
    private String keyText;
    private PrivateKey platformKey;
    private SigningFunction function;
    private String algorithm;
    private Path privateKeyFile;
    private String passphrase;
    private boolean coverDate = true;
    private boolean nonce;
    private int bodyBytesMax = 10 * 1024 * 1024;
    private Path sharedFolder;
    private boolean throwsRefusals = true;
    private boolean idempotencyKeys;
    private Supplier<Instant> now = Instant::now;

    private Builder() {}

    /**
     * Takes client ID, key and passphrase from the environment: {@code COUNTERSIGN_CLIENT_ID},
     * {@code COUNTERSIGN_PRIVATE_KEY_FILE} or {@code COUNTERSIGN_PRIVATE_KEY}, and {@code COUNTERSIGN_PASSPHRASE}. The command
     * line reads the same variables.
     *
     * @return this builder
     * @throws SignerConfigurationException if a variable is missing
     */
    public Builder fromEnvironment() {
      return fromEnvironment(System.getenv());
    }

    /**
     * Takes client ID, key and passphrase from variables, such as those of a {@code .env} file. An empty one counts as not set.
     *
     * @param variables the values by name, as {@link #fromEnvironment()} has them
     * @return this builder
     * @throws SignerConfigurationException if a variable is missing; the message repeats no value
     */
    public Builder fromEnvironment(Map<String, String> variables) {
      EnvironmentVariables given = new EnvironmentVariables(variables);
      this.clientId = given.clientId();
      this.privateKeyFile = given.privateKeyFile();
      this.keyText = given.privateKey();
      this.passphrase = given.passphrase();
      return this;
    }

    /**
     * Sets the client ID from the portal, which becomes the {@code keyid}. Required.
     *
     * @param clientId the client ID
     * @return this builder
     */
    public Builder clientId(String clientId) {
      this.clientId = clientId;
      return this;
    }

    /**
     * Sets the private key as text: PKCS#8, PKCS#1 or SEC 1, PEM or bare Base64, or encrypted PKCS#8. The key determines the
     * algorithm: RSA, ECDSA (P-256 or P-384) or, from Java 15, Ed25519.
     *
     * @param pemOrBase64 the text
     * @return this builder
     */
    public Builder privateKey(String pemOrBase64) {
      this.keyText = Objects.requireNonNull(pemOrBase64, "privateKey");
      return this;
    }

    /**
     * Sets the private key as an object, for example from a {@link java.security.KeyStore}.
     *
     * @param key a key of any provider: RSA, ECDSA (P-256 or P-384) or, from Java 15, Ed25519
     * @return this builder
     */
    public Builder privateKey(PrivateKey key) {
      this.platformKey = Objects.requireNonNull(key, "privateKey");
      return this;
    }

    /**
     * Sets a function that signs, for keys in a vault or in hardware.
     *
     * @param function signs bytes
     * @return this builder
     */
    public Builder privateKey(SigningFunction function) {
      this.function = Objects.requireNonNull(function, "privateKey");
      return this;
    }

    /**
     * Sets the algorithm of a function that signs. A key has its own.
     *
     * @param algorithm {@code rsa-v1_5-sha256} unless set, {@code ed25519}, {@code ecdsa-p256-sha256} or {@code
     *     ecdsa-p384-sha384}
     * @return this builder
     */
    public Builder algorithm(String algorithm) {
      this.algorithm = Objects.requireNonNull(algorithm, "algorithm");
      return this;
    }

    /**
     * Sets a file with the private key. A change of the file takes effect within a second, even to a key of another algorithm.
     *
     * @param file the file
     * @return this builder
     */
    public Builder privateKeyFile(Path file) {
      this.privateKeyFile = Objects.requireNonNull(file, "privateKeyFile");
      return this;
    }

    /**
     * Sets the passphrase of an encrypted private key.
     *
     * @param passphrase the passphrase
     * @return this builder
     */
    public Builder passphrase(String passphrase) {
      this.passphrase = passphrase;
      return this;
    }

    /**
     * Sets whether {@code Date} is sent and signed. Turn it off only for a client that is registered to do without.
     *
     * @param coverDate true unless set
     * @return this builder
     */
    public Builder coverDate(boolean coverDate) {
      this.coverDate = coverDate;
      return this;
    }

    /**
     * Sets whether each signature carries a random {@code nonce}, for services that require one.
     *
     * @param nonce false unless set
     * @return this builder
     */
    public Builder nonce(boolean nonce) {
      this.nonce = nonce;
      return this;
    }

    /**
     * Sets the largest body that is buffered for its digest. A larger one is an error.
     *
     * @param bodyBytesMax the number of bytes; 10 MiB unless set
     * @return this builder
     */
    public Builder bodyBytesMax(int bodyBytesMax) {
      if (bodyBytesMax < 0) {
        throw new IllegalArgumentException("bodyBytesMax must be 0 or more.");
      }
      this.bodyBytesMax = bodyBytesMax;
      return this;
    }

    /**
     * Sets a folder in which processes with the same key record the seconds that they have used, so that equal requests from
     * several processes stay distinct.
     *
     * @param folder a folder that all of them can write
     * @return this builder
     */
    public Builder sharedFolder(Path folder) {
      this.sharedFolder = Objects.requireNonNull(folder, "sharedFolder");
      return this;
    }

    /**
     * Sets whether a refusal becomes a {@link RequestRefusedException} instead of an ordinary response.
     *
     * @param throwsRefusals true unless set
     * @return this builder
     */
    public Builder throwsRefusals(boolean throwsRefusals) {
      this.throwsRefusals = throwsRefusals;
      return this;
    }

    /**
     * Sets whether each POST, PATCH and other request that is not idempotent gets a random {@code Idempotency-Key}, unless it
     * has one. All attempts of a call have the same key, so the client may repeat it. Only for APIs that honor the header.
     *
     * @param idempotencyKeys false unless set
     * @return this builder
     */
    public Builder idempotencyKeys(boolean idempotencyKeys) {
      this.idempotencyKeys = idempotencyKeys;
      return this;
    }

    /**
     * Sets the clock, for tests.
     *
     * @param now returns the time
     * @return this builder
     */
    public Builder now(Supplier<Instant> now) {
      this.now = Objects.requireNonNull(now, "now");
      return this;
    }

    /**
     * Builds the signer and reads the key.
     *
     * @return the signer
     * @throws SignerConfigurationException {@code keyid_invalid} or {@code private_key_invalid}; the message says what to do
     */
    public Signer build() {
      if (clientId == null || !CLIENT_ID.matcher(clientId).matches()) {
        throw new SignerConfigurationException(
            "keyid_invalid",
            "clientId must be the client ID from the API Keys page: 1 to 256 visible ASCII characters without spaces.");
      }
      return new Signer(this, keySource());
    }

    private KeySource keySource() {
      int given = 0;
      for (Object key : new Object[] {keyText, platformKey, function, privateKeyFile}) {
        given += key == null ? 0 : 1;
      }
      if (given != 1) {
        throw SignerConfigurationException.privateKeyInvalid("Set exactly one of privateKey and privateKeyFile.");
      }
      if (algorithm != null && function == null) {
        throw SignerConfigurationException.privateKeyInvalid(
            "algorithm is only for a function that signs. Leave it out: a key has its own.");
      }
      if (privateKeyFile != null) {
        return new KeyFile(privateKeyFile, passphrase);
      }
      SigningKey key = givenKey();
      return () -> key;
    }

    private SigningKey givenKey() {
      if (function != null) {
        return new SigningKey(algorithm == null ? Algorithm.RSA : Algorithm.named(algorithm), function);
      }
      return keyText != null ? PrivateKeyText.read(keyText, passphrase) : SigningKey.of(platformKey);
    }
  }
}
