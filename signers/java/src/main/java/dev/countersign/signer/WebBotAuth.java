package dev.countersign.signer;

import java.net.URI;
import java.net.URISyntaxException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Web Bot Auth, for agents that services know by a public JWK Set (draft-ietf-webbotauth-httpsig-protocol-01). */
final class WebBotAuth implements Profile {
  private static final Set<Algorithm> ALGORITHMS = EnumSet.of(Algorithm.ED25519, Algorithm.ECDSA_P256);
  private static final int NONCE_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final int URL_LENGTH_MAX = 2048;
  private static final int PORT_MAX = 65535;

  /** A structured field's string holds such a URL without escapes. */
  private static final Pattern URL =
      Pattern.compile(
          "(?:https://(?:[A-Za-z0-9._-]+|(?<ipv6>\\[[0-9A-Fa-f:.]+\\]))|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))"
              + "(?::(?<port>[1-9][0-9]{0,4}))?(?:[/?][\\x21-\\x7e&&[^\"\\\\#]]*)?");

  private final String agent;
  private final String functionKeyid;

  /** How long a signature lives. Tests replace it. */
  Duration life = Duration.ofMinutes(5);

  /** Makes the nonce of each signature. Tests replace it. */
  Supplier<String> nonces = WebBotAuth::randomNonce;

  /** Takes the URL of the JWK Set, and the {@code keyid} of a function that signs; null with a key, which has its own. */
  WebBotAuth(String url, String functionKeyid) {
    if (!isAgent(url)) {
      throw new SignerConfigurationException(
          "request_invalid",
          "The signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and "
              + "backslashes; http only for localhost.");
    }
    this.agent = '"' + url + '"';
    this.functionKeyid = functionKeyid;
  }

  private static boolean isAgent(String url) {
    Matcher parts = URL.matcher(url);
    if (url.length() > URL_LENGTH_MAX || !parts.matches()) {
      return false;
    }
    String port = parts.group("port");
    String ipv6 = parts.group("ipv6");
    return (port == null || Integer.parseInt(port) <= PORT_MAX) && (ipv6 == null || isIpv6(ipv6));
  }

  /** Parses with URI, as InetAddress might look the host up. */
  private static boolean isIpv6(String host) {
    try {
      return new URI("https://" + host).parseServerAuthority().getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
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

  /** The nonce makes each signature different. */
  @Override
  public boolean repeatsText() {
    return false;
  }

  /** An agent sends requests to any site. */
  @Override
  public boolean learnsFromRefusals() {
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
