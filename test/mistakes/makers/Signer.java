import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
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
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Signs and sends requests as a Java programmer writes it, and makes the mistakes that it is told to make.
 *
 * <p>A job is a line of standard input: name=base64 pairs with tabs between them. It runs as on Windows: its line
 * separator is \r\n.
 */
public class Signer {
  public static void main(String[] arguments) throws Exception {
    var reader = new BufferedReader(new InputStreamReader(System.in));
    for (var line = reader.readLine(); line != null; line = reader.readLine()) {
      var values = new HashMap<String, String>();
      for (var pair : line.split("\t")) {
        int border = pair.indexOf('=');
        values.put(pair.substring(0, border), utf8(Base64.getDecoder().decode(pair.substring(border + 1))));
      }
      new Signer(values).send();
    }
  }

  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

  private final Map<String, String> job;
  private final Set<String> slips = new HashSet<>();
  private final Set<String> done = new HashSet<>();

  private Signer(Map<String, String> job) {
    this.job = job;
    for (var slip : job.get("slips").split(",")) if (!slip.isEmpty()) slips.add(slip);
  }

  /** Whether this mistake is made. What is asked for and never met is an error of the plan. */
  private boolean has(String slip) {
    if (slips.contains(slip)) done.add(slip);
    return slips.contains(slip);
  }

  private String signedUrl() throws Exception {
    var uri = URI.create(job.get("url"));
    var text = uri.toString();
    if (has("get_path")) return uri.getPath();
    if (has("raw_path_and_query"))
      return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    if (has("query_left_out")) text = uri.getScheme() + "://" + uri.getAuthority() + uri.getRawPath();
    if (has("query_decoded")) {
      var query = URLDecoder.decode(uri.getRawQuery(), StandardCharsets.UTF_8);
      text = uri.getScheme() + "://" + uri.getAuthority() + uri.getRawPath() + "?" + query;
    }
    if (has("uri_get_query")) text = text.substring(0, text.indexOf('?') + 1) + uri.getQuery();
    if (has("url_encoder")) {
      var pairs = new ArrayList<String>();
      for (var pair : uri.getRawQuery().split("&")) {
        var parts = pair.split("=", 2);
        pairs.add(encode(decode(parts[0])) + "=" + encode(decode(parts[1])));
      }
      text = text.substring(0, text.indexOf('?') + 1) + String.join("&", pairs);
    }
    if (has("hash_map_query")) {
      var map = new HashMap<String, String>();
      for (var pair : uri.getRawQuery().split("&")) map.put(pair.split("=")[0], pair.split("=", 2)[1]);
      var pairs = new ArrayList<String>();
      map.forEach((name, value) -> pairs.add(name + "=" + value));
      text = text.substring(0, text.indexOf('?') + 1) + String.join("&", pairs);
    }
    if (has("lower_case_escapes")) text = text.replaceAll("%2F", "%2f").replaceAll("%C3%BC", "%c3%bc").replaceAll("%5B", "%5b").replaceAll("%5D", "%5d");
    if (has("decoded_path")) text = uri.getScheme() + "://" + uri.getAuthority() + uri.getPath();
    if (has("encoded_slash")) text = text.replace("/payments/payment_", "/payments%2Fpayment_");
    if (has("get_host")) text = text.replace(uri.getAuthority(), uri.getHost());
    if (has("default_port")) text = text.replace(uri.getAuthority(), uri.getHost() + ":443");
    if (has("wrong_port")) text = text.replace(uri.getAuthority(), uri.getHost() + ":8443");
    if (has("host_capitals")) text = text.replace("api.countersign.example", "API.Countersign.Example");
    if (has("plain_http")) text = text.replaceFirst("https", "http");
    if (has("context_path")) text = text.replace("/v1/", "/api/v1/");
    if (has("dot_segment")) text = text.replace("/v1/", "/v1/./");
    if (has("parent_segment")) text = text.replace("/v1/payments", "/v1/payments/../payments");
    if (has("slash_twice")) text = text.replace("/v1/", "//v1/");
    if (has("slash_at_end")) text = text + "/";
    return text;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private byte[] hashedBody(byte[] sent) throws Exception {
    var text = utf8(sent);
    if (has("hashes_jackson_pretty")) text = pretty(text, "  ", " : ", System.lineSeparator());
    if (has("hashes_gson_pretty")) text = pretty(text, "  ", ": ", "\n");
    if (has("hashes_gson_html_safe")) text = text.replace("'", "\\u0027").replace("=", "\\u003d").replace("&", "\\u0026");
    if (has("hashes_double")) text = text.replaceAll("(\"amount\":\\d+)", "$1.0");
    if (has("hashes_text_block_end")) text = text + "\n";
    if (has("hashes_read_lines")) {
      // BufferedReader.readLine() in a loop, put together with the separator of the system.
      text = String.join(System.lineSeparator(), text.split("\n", -1));
    }
    if (has("hashes_latin1")) return text.getBytes(StandardCharsets.ISO_8859_1);
    if (has("hashes_utf16")) return text.getBytes(StandardCharsets.UTF_16);
    if (has("hashes_ascii")) return text.getBytes(StandardCharsets.US_ASCII);
    if (has("hashes_empty")) return new byte[0];
    if (has("hashes_to_string")) {
      // Map.toString()
      return text.replace("\"", "").replace(":", "=").replace(",", ", ").getBytes(StandardCharsets.UTF_8);
    }
    if (has("hashes_other_template")) return "{\"reference\":\"%s\",\"amount\":%d}".getBytes(StandardCharsets.UTF_8);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Pretty-printing as the well-known libraries do it, for objects and arrays of one line. */
  private static String pretty(String json, String indent, String colon, String lineEnd) {
    var result = new StringBuilder();
    int depth = 0;
    boolean quoted = false;
    for (int index = 0; index < json.length(); index++) {
      char character = json.charAt(index);
      if (character == '"' && (index == 0 || json.charAt(index - 1) != '\\')) quoted = !quoted;
      if (quoted || "{}[]:,".indexOf(character) < 0) result.append(character);
      else if (character == ':') result.append(colon);
      else if (character == ',') result.append(',').append(lineEnd).append(indent.repeat(depth));
      else if (character == '{' || character == '[') result.append(character).append(lineEnd).append(indent.repeat(++depth));
      else result.append(lineEnd).append(indent.repeat(--depth)).append(character);
    }
    return result.toString();
  }

  private String contentDigest(byte[] hashed) throws Exception {
    var algorithm = has("digest_sha512") ? "SHA-512" : has("digest_md5") ? "MD5" : "SHA-256";
    byte[] digest = MessageDigest.getInstance(algorithm).digest(hashed);
    var text = Base64.getEncoder().encodeToString(digest);
    if (has("digest_big_integer")) text = new BigInteger(1, digest).toString(16);
    if (has("digest_url_encoder")) text = Base64.getUrlEncoder().encodeToString(digest);
    if (has("digest_of_hex")) text = Base64.getEncoder().encodeToString(hex(digest).getBytes());
    if (has("digest_twice")) text = Base64.getEncoder().encodeToString(text.getBytes());
    return has("digest_want_form") ? "SHA-256=" + text : has("digest_bare") ? "sha-256=" + text : "sha-256=:" + text + ":";
  }

  private static String hex(byte[] bytes) {
    var result = new StringBuilder();
    for (byte one : bytes) result.append(String.format("%02x", one));
    return result.toString();
  }

  private String created(long clock) {
    // System.currentTimeMillis() is a number of milliseconds.
    if (has("current_time_millis")) return String.valueOf(clock * 1000 + 83);
    if (has("double_seconds")) return String.format(Locale.ROOT, "%.3f", clock + 0.083);
    if (has("local_date_time")) {
      var local = LocalDateTime.ofInstant(Instant.ofEpochSecond(clock), ZoneId.of("America/New_York"));
      return String.valueOf(local.toEpochSecond(ZoneOffset.UTC));
    }
    return String.valueOf(clock);
  }

  private String date(long clock) {
    var instant = Instant.ofEpochSecond(clock);
    if (has("rfc_1123")) return DateTimeFormatter.RFC_1123_DATE_TIME.format(instant.atOffset(ZoneOffset.UTC));
    if (has("instant_to_string")) return instant.toString();
    if (has("date_to_string")) return String.format(Locale.ROOT, "%ta %<tb %<td %<tT UTC %<tY", instant.atZone(ZoneOffset.UTC));
    if (has("german_locale"))
      return DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.GERMAN).format(instant.atOffset(ZoneOffset.UTC));
    if (has("zone_of_server")) return IMF_FIXDATE.format(ZonedDateTime.ofInstant(instant, ZoneId.of("America/New_York")));
    if (has("zone_name"))
      return DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss zzz", Locale.ENGLISH)
          .format(ZonedDateTime.ofInstant(instant, ZoneId.of("America/New_York")));
    return IMF_FIXDATE.format(instant.atOffset(ZoneOffset.UTC));
  }

  private String signatureBase(Map<String, String> values, String created, String params) {
    var names = new ArrayList<>(values.keySet());
    if (has("hash_map_order")) names = new ArrayList<>(new HashMap<>(values).keySet());
    if (has("target_first")) {
      names.remove("@target-uri");
      names.add(0, "@target-uri");
    }
    if (has("date_left_out")) names.remove("date");
    if (has("date_built_twice")) values.put("date", date(Long.parseLong(job.get("clock")) + 1));
    if (has("digest_lower_case")) values.computeIfPresent("content-digest", (name, value) -> value.toLowerCase(Locale.ROOT));
    if (has("date_upper_case")) values.put("date", values.get("date").toUpperCase(Locale.ROOT));
    if (has("cavage_style")) {
      var uri = URI.create(job.get("url"));
      var target = uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
      var lines = new ArrayList<String>();
      lines.add("(request-target): " + job.get("method").toLowerCase(Locale.ROOT) + " " + target);
      lines.add("host: " + uri.getAuthority());
      lines.add("date: " + values.get("date"));
      if (values.containsKey("content-digest")) lines.add("digest: " + values.get("content-digest").replace("sha-256=:", "SHA-256=").replaceAll(":$", ""));
      return String.join("\n", lines);
    }
    var signed = params;
    if (has("params_map_order")) {
      var listed = params.substring(0, params.indexOf(')') + 1);
      signed = listed + ";alg=\"rsa-v1_5-sha256\";created=" + created + ";keyid=\"" + job.get("clientId") + "\"";
    }
    if (has("params_unquoted")) signed = signed.replace("keyid=\"" + job.get("clientId") + "\"", "keyid=" + job.get("clientId"));
    if (has("list_with_commas")) signed = signed.replace("\" \"", "\", \"");
    if (has("created_in_millis")) signed = signed.replace("created=" + created, "created=" + created + "000");
    if (has("created_as_instant"))
      signed = signed.replace("created=" + created, "created=" + Instant.ofEpochSecond(Long.parseLong(created)));
    if (has("label_in_params")) signed = "sig=" + signed;

    if (has("print_writer")) {
      // println ends each line as the system does; only the last one is written without it.
      var text = new StringWriter();
      var writer = new PrintWriter(text);
      for (var name : names) writer.println("\"" + name + "\": " + values.get(name));
      writer.print("\"@signature-params\": " + signed);
      return text.toString();
    }
    if (has("format_percent_n")) {
      // The first two lines come from one format with %n, the others from an older part with \n.
      var text = new StringBuilder(String.format("\"@method\": %s%n\"@target-uri\": %s%n", values.get("@method"), values.get("@target-uri")));
      for (var name : names) if (!name.startsWith("@")) text.append("\"").append(name).append("\": ").append(values.get(name)).append("\n");
      return text + "\"@signature-params\": " + signed;
    }
    if (has("last_line_separator")) {
      var text = new ArrayList<String>();
      for (var name : names) text.add("\"" + name + "\": " + values.get(name));
      return String.join("\n", text) + System.lineSeparator() + "\"@signature-params\": " + signed;
    }
    var text = new StringBuilder();
    for (var name : names) {
      if (has("no_quotes")) text.append(name).append(": ").append(values.get(name)).append("\n");
      else if (has("two_spaces")) text.append("\"").append(name).append("\":  ").append(values.get(name)).append("\n");
      else text.append("\"").append(name).append("\": ").append(values.get(name)).append("\n");
    }
    if (has("params_line_forgotten")) return text.substring(0, text.length() - 1);
    text.append("\"@signature-params\": ").append(signed);
    if (has("newline_at_end")) text.append("\n");
    if (has("separator_at_end")) text.append(System.lineSeparator());
    return text.toString();
  }

  private byte[] sign(String base) throws Exception {
    var pem = Files.readString(Path.of(job.get("keyFile"))).replaceAll("-----[^-]+-----|\\s", "");
    PrivateKey key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    byte[] data = base.getBytes(has("utf16_charset") ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8);
    if (has("message_digest_first")) data = MessageDigest.getInstance("SHA-256").digest(data);
    if (has("hex_of_digest_first")) data = hex(MessageDigest.getInstance("SHA-256").digest(data)).getBytes();
    if (has("base64_of_digest_first")) data = Base64.getEncoder().encode(MessageDigest.getInstance("SHA-256").digest(data));
    var algorithm = has("sha1_with_rsa") ? "SHA1withRSA" : has("sha384_with_rsa") ? "SHA384withRSA" : has("sha512_with_rsa") ? "SHA512withRSA" : "SHA256withRSA";
    if (has("none_with_rsa")) {
      algorithm = "NONEwithRSA";
      data = MessageDigest.getInstance("SHA-256").digest(data);
    }
    if (has("md5_with_rsa")) algorithm = "MD5withRSA";
    var signature = Signature.getInstance(has("rsassa_pss") ? "RSASSA-PSS" : algorithm);
    if (has("rsassa_pss")) signature.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    signature.initSign(key);
    signature.update(data);
    return signature.sign();
  }

  private String signatureText(byte[] signature) {
    if (has("reverses_bytes")) {
      var reversed = signature.clone();
      for (int index = 0; index < signature.length; index++) reversed[index] = signature[signature.length - 1 - index];
      signature = reversed;
    }
    if (has("signature_hex_format")) return hex(signature);
    if (has("url_encoder_signature")) return Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    if (has("mime_encoder")) return Base64.getMimeEncoder().encodeToString(signature).replace("\r\n", " ");
    if (has("buffer_of_200")) return Base64.getEncoder().encodeToString(Arrays.copyOf(signature, 200));
    if (has("encoded_twice")) return Base64.getEncoder().encodeToString(Base64.getEncoder().encode(signature));
    return Base64.getEncoder().encodeToString(signature);
  }

  private void send() throws Exception {
    var method = job.get("method");
    byte[] sent = job.get("text").getBytes(StandardCharsets.UTF_8);
    byte[] hashed = hashedBody(sent);
    String encoding = null;
    if (has("gzip_stream") || has("deflater_stream")) {
      var bytes = new ByteArrayOutputStream();
      encoding = has("gzip_stream") ? "gzip" : "deflate";
      try (var stream = encoding.equals("gzip") ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes, new Deflater())) {
        stream.write(sent);
      }
      sent = bytes.toByteArray();
    }
    long clock = Long.parseLong(job.get("clock"));
    var values = new LinkedHashMap<String, String>();
    var signedMethod = method;
    if (has("method_lower_case")) signedMethod = method.toLowerCase(Locale.ROOT);
    if (has("always_get")) signedMethod = "GET";
    if (has("always_post")) signedMethod = "POST";
    values.put("@method", signedMethod);
    values.put("@target-uri", signedUrl());
    if (sent.length > 0) values.put("content-digest", contentDigest(hashed));
    var date = date(clock);
    values.put("date", date);
    var created = created(clock);
    var listed = "(\"" + String.join("\" \"", values.keySet()) + "\")";
    var params = listed + ";created=" + created + ";keyid=\"" + job.get("clientId") + "\";alg=\"rsa-v1_5-sha256\"";
    if (has("alg_java_name")) params = params.replace("rsa-v1_5-sha256", "SHA256withRSA");
    if (has("key_id_with_capital")) params = params.replace(";keyid=", ";keyId=");
    var contentDigest = values.get("content-digest");
    var base = signatureBase(values, created, params);
    Files.writeString(Path.of(job.get("baseFile")), base);
    var signature = signatureText(sign(base));

    var builder = HttpRequest.newBuilder(URI.create(job.get("url").replaceFirst("https", "http")));
    builder.version(HttpClient.Version.HTTP_1_1).header("User-Agent", "java");
    if (has("date_of_sending")) date = date(clock + 3);
    if (!has("no_date_header")) builder.header("Date", date);
    if (has("adds_date_header")) builder.header("Date", date);
    if (contentDigest != null && !has("no_digest_header")) builder.header(has("digest_header_name") ? "Digest" : "Content-Digest", contentDigest);
    var label = has("label_signature") ? "signature" : "sig";
    builder.header("Signature-Input", label + "=" + params);
    if (!has("no_signature_header")) builder.header("Signature", label + "=:" + signature + ":");
    if (has("adds_signature_header")) builder.header("Signature", label + "=:" + signature + ":");
    if (encoding != null) builder.header("Content-Encoding", encoding);
    if (sent.length > 0) builder.header("Content-Type", job.get("contentType"));
    boolean isEmpty = sent.length == 0 && !List.of("POST", "PUT", "PATCH").contains(method);
    builder.method(method, isEmpty ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(sent));
    var proxy = ProxySelector.of(new InetSocketAddress("127.0.0.1", Integer.parseInt(job.get("port"))));
    HttpClient.newBuilder().proxy(proxy).build().send(builder.build(), BodyHandlers.discarding());
    if (!done.containsAll(slips)) {
      slips.removeAll(done);
      throw new IllegalStateException(job.get("id") + ": not made: " + slips);
    }
  }

  private static String utf8(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
