// Needs Java 17 or newer, and the private key as PKCS#8 ("BEGIN PRIVATE KEY").
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;

public class SignedRequest {
  static final String BASE_URL = "http://127.0.0.1:8421";
  static final String CLIENT_ID = "client_…";
  static final String PRIVATE_KEY = "private.pem";
  static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  public static void main(String[] arguments) throws Exception {
    // HttpClient sends Date only when it is told so before its first use.
    System.setProperty("jdk.httpclient.allowRestrictedHeaders", "date");
    PrivateKey key = readKey(Path.of(PRIVATE_KEY));
    send(key, "GET", BASE_URL + "/v1/signature-test", null);
    send(key, "POST", BASE_URL + "/v1/signature-test", "{\"hello\":\"from Java\"}".getBytes(StandardCharsets.UTF_8));
  }

  static PrivateKey readKey(Path file) throws Exception {
    String base64 = Files.readString(file).replaceAll("-----[A-Z ]+-----|\\s", "");
    var encoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
    return KeyFactory.getInstance("RSA").generatePrivate(encoded);
  }

  static void send(PrivateKey key, String method, String url, byte[] body) throws Exception {
    Instant now = Instant.now();
    String date = HTTP_DATE.format(now);
    String digest = null;
    String lines = "\"@method\": " + method + "\n\"@target-uri\": " + url + "\n";
    String components = "\"@method\" \"@target-uri\"";
    if (body != null) {
      digest = "sha-256=:" + base64(MessageDigest.getInstance("SHA-256").digest(body)) + ":";
      lines += "\"content-digest\": " + digest + "\n";
      components += " \"content-digest\"";
    }
    String params = "(" + components + " \"date\");created=" + now.getEpochSecond()
        + ";keyid=\"" + CLIENT_ID + "\";alg=\"rsa-v1_5-sha256\"";
    // A line feed between the lines, and none at the end.
    String base = lines + "\"date\": " + date + "\n\"@signature-params\": " + params;

    Signature signer = Signature.getInstance("SHA256withRSA");
    signer.initSign(key);
    signer.update(base.getBytes(StandardCharsets.US_ASCII));
    String signature = base64(signer.sign());

    var request = HttpRequest.newBuilder(URI.create(url))
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
        .header("Date", date)
        .header("Signature-Input", "sig=" + params)
        .header("Signature", "sig=:" + signature + ":");
    if (body != null) request.header("Content-Type", "application/json").header("Content-Digest", digest);
    var answer = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    System.out.println(answer.body());
    System.out.println("status " + answer.statusCode());
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
