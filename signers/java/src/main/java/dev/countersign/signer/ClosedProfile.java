package dev.countersign.signer;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.UUID;
import java.util.function.LongFunction;
import java.util.regex.Pattern;

/** The profile of docs/profile.md, for clients that are registered with a service. */
final class ClosedProfile implements Profile {
  /** An IMF-fixdate (RFC 9110 section 5.6.7). RFC_1123_DATE_TIME writes days below ten with one digit. */
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  private static final Pattern CLIENT_ID = Pattern.compile("[\\x21-\\x7e]{1,256}");

  private final String clientId;
  private final boolean coverDate;
  private final boolean nonce;

  /** Writes {@code Date} for a time. Tests replace it. */
  LongFunction<String> date = unixSeconds -> IMF_FIXDATE.format(Instant.ofEpochSecond(unixSeconds));

  ClosedProfile(String clientId, boolean coverDate, boolean nonce) {
    if (!isKeyid(clientId)) {
      throw SignerConfigurationException.keyidInvalid(
          "clientId must be the client ID from the API Keys page: 1 to 256 visible ASCII characters without spaces.");
    }
    this.clientId = clientId;
    this.coverDate = coverDate;
    this.nonce = nonce;
  }

  static boolean isKeyid(String text) {
    return text != null && CLIENT_ID.matcher(text).matches();
  }

  @Override
  public SigningKey withKeyid(SigningKey key) {
    return key.withKeyid(clientId);
  }

  @Override
  public boolean repeatsText() {
    return true;
  }

  @Override
  public boolean learnsFromRefusals() {
    return true;
  }

  @Override
  public SignatureBase base(UnsignedRequest request, long created, SigningKey key) {
    SignatureBase base =
        new SignatureBase().cover("\"@method\"", request.method).cover("\"@target-uri\"", request.url.toString());
    if (request.contentDigest != null) {
      base.coverContentDigest(request.contentDigest);
    }
    if (coverDate) {
      String text = date.apply(created);
      base.cover("\"date\"", text).send("Date", text);
    }
    base.time("created", created).text("keyid", key.keyid).text("alg", key.algorithm.id);
    return nonce ? base.text("nonce", UUID.randomUUID().toString()) : base;
  }
}
