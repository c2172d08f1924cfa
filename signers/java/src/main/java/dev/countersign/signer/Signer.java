package dev.countersign.signer;

import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
  private static final long NONE_FREE = Long.MIN_VALUE;
  private static final Set<String> CLOCK_CODES = Set.of("created_expired", "created_in_future", "date_mismatch");

  /** Tests look into it. */
  final Profile profile;

  private final KeySource keySource;
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

  private Signer(Builder builder, Profile profile) {
    this.profile = profile;
    this.keySource = builder.keySource(profile);
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
   * seconds ahead, this waits for the next second, up to 30 seconds. The signatures of an agent differ by their {@code nonce}
   * and never wait.
   *
   * @param method the method; it is signed, and must be sent, in upper case
   * @param url the absolute URL; send {@link SignedRequest#url()}, which is normalized
   * @param body the bytes of the body; null or empty for none
   * @return the request to send
   * @throws SigningException if the request cannot be signed
   */
  public SignedRequest sign(String method, String url, byte[] body) throws SigningException {
    UnsignedRequest request = unsigned(method, url, body);
    return complete(request, profile.repeatsText() ? takeSecond(request) : serviceSeconds());
  }

  /** Signs with a given time, for the test vectors, and remembers nothing. */
  SignedRequest signAt(String method, String url, byte[] body, long created) throws SigningException {
    return complete(unsigned(method, url, body), created);
  }

  /**
   * Takes over the service's clock if a request was rejected for its time. For adapters of HTTP clients: sign and send the
   * request once more if this returns true, and do so once for each request.
   *
   * @param refusal the rejection
   * @return true if the clock was corrected; false for other refusals, for differences of more than a day, and for an agent, as
   *     any site could shift its clock for all others
   */
  public boolean correctClock(Refusal refusal) {
    if (!profile.learnsFromRefusals() || !CLOCK_CODES.contains(refusal.code()) || refusal.serverTime() == null) {
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
   * @return true if the request was a read, and its signature was used before; false for an agent
   */
  public boolean changeSecond(String method, Refusal refusal) {
    if (!profile.learnsFromRefusals()
        || !refusal.code().equals("signature_replayed")
        || !READS.contains(method.toUpperCase(Locale.ROOT))) {
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
   * @return the {@code keyid} of the signatures; for an agent, it is the thumbprint of the current key
   */
  public String clientId() {
    return keySource.current().keyid;
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

  private UnsignedRequest unsigned(String method, String url, byte[] body) throws SigningException {
    if (!METHOD.matcher(method).matches()) {
      throw SigningException.requestInvalid("the method must be a word, such as GET or POST");
    }
    byte[] bytes = body == null ? new byte[0] : body.clone();
    checkBodyLength(bytes.length);
    return new UnsignedRequest(method, TargetUri.parse(url), bytes);
  }

  private long takeSecond(UnsignedRequest request) throws SigningException {
    String identity = SignatureBase.identity(clientId(), request.method, request.url.toString(), request.contentDigest);
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
    long seconds = serviceSeconds();
    for (long created = seconds; created <= seconds + AHEAD_SECONDS_MAX; created++) {
      boolean isFree = UsedSeconds.OF_PROCESS.add(identity, created, isShared ? EQUAL_READS_NANOS : 0);
      if (isFree && (isShared || sharedFolder == null || sharedFolder.add(identity, created))) {
        return created;
      }
    }
    return NONE_FREE;
  }

  private long serviceSeconds() {
    return now.get().plus(clockDifference).getEpochSecond();
  }

  private static void sleep(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      // Whoever waits longer sees it.
      Thread.currentThread().interrupt();
    }
  }

  private SignedRequest complete(UnsignedRequest request, long created) throws SigningException {
    // Once, as the next one may be of another algorithm.
    SigningKey key = keySource.current();
    SignatureBase base = profile.base(request, created, key);
    String text = base.toString();
    Map<String, String> headers = base.headers(key.sign(text));
    return new SignedRequest(request.method, request.url.toString(), request.body, headers, created, text);
  }

  /** Collects the options of a signer. */
  public static final class Builder {
    private String clientId;
    private String signatureAgent;
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
     * line reads the same variables. An agent has {@code COUNTERSIGN_SIGNATURE_AGENT} in place of the client ID; the command line
     * does not read that one.
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
      this.signatureAgent = given.signatureAgent();
      this.privateKeyFile = given.privateKeyFile();
      this.keyText = given.privateKey();
      this.passphrase = given.passphrase();
      return this;
    }

    /**
     * Sets the client ID from the portal, which becomes the {@code keyid}. Required, except for an agent: see {@link
     * #signatureAgent}.
     *
     * @param clientId the client ID
     * @return this builder
     */
    public Builder clientId(String clientId) {
      this.clientId = clientId;
      return this;
    }

    /**
     * Signs as an agent by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01), for services that know the agent by its
     * public keys at a URL. The key must be Ed25519 or ECDSA on P-256. Leave out {@code clientId}: the {@code keyid} is the JWK
     * thumbprint (RFC 7638) of the public key. Only with a function that signs, set it to the thumbprint. {@code coverDate},
     * {@code nonce} and {@code sharedFolder} have no effect, and refusals do not correct the clock.
     *
     * @param url the https URL of the JWK Set, at most 2,048 characters; for tests, http is allowed with localhost, 127.0.0.1
     *     and [::1]
     * @return this builder
     */
    public Builder signatureAgent(String url) {
      this.signatureAgent = Objects.requireNonNull(url, "signatureAgent");
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
     * @throws SignerConfigurationException {@code keyid_invalid}, {@code private_key_invalid} or, for {@code signatureAgent},
     *     {@code request_invalid}; the message says what to do
     */
    public Signer build() {
      return new Signer(this, profile());
    }

    private Profile profile() {
      if (signatureAgent == null) {
        return new ClosedProfile(clientId, coverDate, nonce);
      }
      if (function == null && clientId != null) {
        throw SignerConfigurationException.keyidInvalid(
            "Leave out clientId: with signatureAgent, the keyid is the thumbprint of the key.");
      }
      if (function != null && !ClosedProfile.isKeyid(clientId)) {
        throw SignerConfigurationException.keyidInvalid(
            "Set clientId to the JWK thumbprint (RFC 7638) of the function's public key, which the signer does not know.");
      }
      return new WebBotAuth(signatureAgent, clientId);
    }

    private KeySource keySource(Profile profile) {
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
        // The builder may go on to build others.
        String ofThisKey = passphrase;
        return new KeyFile(privateKeyFile, text -> profile.withKeyid(PrivateKeyText.read(text, ofThisKey)));
      }
      SigningKey key = profile.withKeyid(givenKey());
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
