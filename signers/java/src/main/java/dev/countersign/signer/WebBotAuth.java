package dev.countersign.signer;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Web Bot Auth, for agents that services know by a public JWK Set (draft-ietf-webbotauth-httpsig-protocol-01). */
final class WebBotAuth implements Profile {
  private static final Set<Algorithm> ALGORITHMS = EnumSet.of(Algorithm.ED25519, Algorithm.ECDSA_P256);
  private static final int NONCE_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** What a string of a structured field holds unescaped, without a fragment and a user name. */
  private static final Pattern URL =
      Pattern.compile(
          "(https://[\\x21-\\x7e&&[^\"\\\\#/?@]]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?)"
              + "([/?][\\x21-\\x7e&&[^\"\\\\#]]*)?");

  private final String agent;
  private final String functionKeyid;

  /** How long a signature lives. Tests replace it. */
  Duration life = Duration.ofMinutes(5);

  /** Makes the nonce of each signature. Tests replace it. */
  Supplier<String> nonces = WebBotAuth::randomNonce;

  /** Takes the URL of the JWK Set, and the {@code keyid} of a function that signs; null with a key, which has its own. */
  WebBotAuth(String url, String functionKeyid) {
    if (!URL.matcher(url).matches()) {
      throw new SignerConfigurationException(
          "request_invalid",
          "signatureAgent must be the https URL of the agent's JWK Set, in visible ASCII characters without a quotation "
              + "mark, backslash, user name or fragment. Only localhost, 127.0.0.1 and [::1] may have http.");
    }
    this.agent = '"' + url + '"';
    this.functionKeyid = functionKeyid;
  }

  @Override
  public SigningKey withKeyid(SigningKey key) {
    if (!ALGORITHMS.contains(key.algorithm)) {
      throw SignerConfigurationException.privateKeyInvalid(
          "Web Bot Auth is signed with Ed25519 or ECDSA P-256 here. Create such a key: "
              + "openssl genpkey -algorithm ed25519 -out private.pem");
    }
    return key.withKeyid(functionKeyid == null ? JwkThumbprint.of(key) : functionKeyid);
  }

  /** The nonce makes each text another one. */
  @Override
  public boolean repeatsText() {
    return false;
  }

  @Override
  public SignatureBase base(UnsignedRequest request, long created, SigningKey key) {
    SignatureBase base =
        new SignatureBase()
            .cover("\"@authority\"", request.url.authority())
            .cover("\"@method\"", request.method)
            .cover("\"@target-uri\"", request.url.toString());
    if (request.contentDigest != null) {
      base.coverContentDigest(request.contentDigest);
    }
    return base
        .cover("\"signature-agent\";key=\"" + SignatureBase.LABEL + '"', agent)
        .send("Signature-Agent", SignatureBase.LABEL + '=' + agent)
        .time("created", created)
        .time("expires", created + life.toSeconds())
        .text("keyid", key.keyid)
        .text("alg", key.algorithm.id)
        .text("nonce", nonces.get())
        .text("tag", "web-bot-auth");
  }

  private static String randomNonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }
}
