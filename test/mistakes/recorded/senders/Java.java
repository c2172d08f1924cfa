// Sends planned requests with Java's HTTP clients. One JSON document per line: a job in, what its author holds out, the
// headers in, the outcome out.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public final class Java {
  interface Serialiser {
    String write(String data) throws Exception;
  }

  interface Query {
    String write(List<String[]> pairs);
  }

  interface Client {
    void send(Job job, List<String[]> headers) throws Exception;
  }

  static final ObjectMapper MAPPER = new ObjectMapper();
  static final Map<String, Serialiser> SERIALISERS = new LinkedHashMap<>();
  static final Map<String, Query> QUERIES = new LinkedHashMap<>();
  static final Map<String, Client> CLIENTS = new LinkedHashMap<>();

  static Object read(String data) throws Exception {
    return MAPPER.readValue(data, Object.class);
  }

  static Object readGson(String data) {
    return new Gson().fromJson(data, Object.class);
  }

  static Object readOrg(String data) {
    return data.trim().startsWith("[") ? new org.json.JSONArray(data) : new org.json.JSONObject(data);
  }

  static {
    SERIALISERS.put("jackson", data -> MAPPER.writeValueAsString(read(data)));
    SERIALISERS.put("jackson pretty", data -> MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(read(data)));
    SERIALISERS.put(
        "jackson sorted",
        data -> new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).writeValueAsString(read(data)));
    SERIALISERS.put("jackson tree", data -> MAPPER.readTree(data).toString());
    SERIALISERS.put("jackson twice", data -> MAPPER.writeValueAsString(MAPPER.writeValueAsString(read(data))));
    SERIALISERS.put("gson", data -> new Gson().toJson(readGson(data)));
    SERIALISERS.put("gson pretty", data -> new GsonBuilder().setPrettyPrinting().create().toJson(readGson(data)));
    SERIALISERS.put("gson plain", data -> new GsonBuilder().disableHtmlEscaping().create().toJson(readGson(data)));
    SERIALISERS.put("gson nulls", data -> new GsonBuilder().serializeNulls().create().toJson(readGson(data)));
    SERIALISERS.put("org.json", data -> readOrg(data).toString());
    SERIALISERS.put(
        "org.json indent",
        data -> readOrg(data) instanceof org.json.JSONObject object ? object.toString(2) : new org.json.JSONArray(data).toString(2));
    SERIALISERS.put("moshi", data -> new com.squareup.moshi.Moshi.Builder().build().adapter(Object.class).toJson(read(data)));
    SERIALISERS.put("fastjson2", data -> com.alibaba.fastjson2.JSON.toJSONString(com.alibaba.fastjson2.JSON.parse(data)));
    SERIALISERS.put("json-simple", data -> org.json.simple.JSONValue.toJSONString(read(data)));
    SERIALISERS.put("toString", data -> String.valueOf(read(data)));

    QUERIES.put("naive", pairs -> joined(pairs, text -> text));
    QUERIES.put("URLEncoder", pairs -> joined(pairs, text -> URLEncoder.encode(text, StandardCharsets.UTF_8)));
    QUERIES.put(
        "URLEncoder %20", pairs -> joined(pairs, text -> URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20")));
    QUERIES.put("URLEncoder latin1", pairs -> joined(pairs, text -> URLEncoder.encode(text, StandardCharsets.ISO_8859_1)));
    QUERIES.put(
        "HashMap",
        pairs -> {
          Map<String, String> map = new TreeMap<>();
          for (String[] pair : pairs) map.put(pair[0], URLEncoder.encode(pair[1], StandardCharsets.UTF_8));
          List<String[]> sorted = new ArrayList<>();
          map.forEach((name, value) -> sorted.add(new String[] {name, value}));
          return joined(sorted, text -> text);
        });

    CLIENTS.put(
        "HttpClient",
        (job, headers) -> {
          HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(job.ownUrl())).timeout(Duration.ofSeconds(5));
          for (String[] header : headers) request.header(header[0], header[1]);
          String body = job.ownBody();
          request.method(
              job.method,
              body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build().send(request.build(), HttpResponse.BodyHandlers.discarding());
        });
    CLIENTS.put(
        "HttpURLConnection",
        (job, headers) -> {
          HttpURLConnection connection = (HttpURLConnection) new URL(job.ownUrl()).openConnection();
          connection.setRequestMethod(job.method);
          connection.setReadTimeout(5000);
          connection.setInstanceFollowRedirects(false);
          for (String[] header : headers) connection.setRequestProperty(header[0], header[1]);
          String body = job.ownBody();
          if (body != null) {
            connection.setDoOutput(true);
            connection.getOutputStream().write(body.getBytes());
          }
          connection.getResponseCode();
        });
    CLIENTS.put(
        "okhttp",
        (job, headers) -> {
          okhttp3.HttpUrl.Builder url = okhttp3.HttpUrl.get(job.url).newBuilder();
          if (job.way.equals("query")) for (String[] pair : job.query) url.addQueryParameter(pair[0], pair[1]);
          okhttp3.Request.Builder request = new okhttp3.Request.Builder().url(url.build());
          String type = null;
          for (String[] header : headers) {
            if (header[0].equals("Content-Type")) type = header[1];
            else request.header(header[0], header[1]);
          }
          okhttp3.RequestBody body = null;
          if (job.way.equals("form")) {
            okhttp3.FormBody.Builder form = new okhttp3.FormBody.Builder();
            for (String[] pair : job.query) form.add(pair[0], pair[1]);
            body = form.build();
          } else if (job.ownBody() != null) {
            body = okhttp3.RequestBody.create(job.ownBody(), type == null ? null : okhttp3.MediaType.parse(type));
          }
          new okhttp3.OkHttpClient().newCall(request.method(job.method, body).build()).execute().close();
        });
    CLIENTS.put(
        "httpclient5",
        (job, headers) -> {
          org.apache.hc.client5.http.classic.methods.HttpUriRequestBase request =
              new org.apache.hc.client5.http.classic.methods.HttpUriRequestBase(job.method, uri5(job));
          org.apache.hc.core5.http.ContentType type = null;
          for (String[] header : headers) {
            if (header[0].equals("Content-Type")) type = org.apache.hc.core5.http.ContentType.parse(header[1]);
            else request.addHeader(header[0], header[1]);
          }
          if (job.way.equals("form")) {
            List<org.apache.hc.core5.http.NameValuePair> pairs = new ArrayList<>();
            for (String[] pair : job.query) pairs.add(new org.apache.hc.core5.http.message.BasicNameValuePair(pair[0], pair[1]));
            request.setEntity(new org.apache.hc.client5.http.entity.UrlEncodedFormEntity(pairs));
          } else if (job.ownBody() != null) {
            request.setEntity(new org.apache.hc.core5.http.io.entity.StringEntity(job.ownBody(), type));
          }
          try (var client = org.apache.hc.client5.http.impl.classic.HttpClients.createDefault()) {
            client.execute(request, response -> null);
          }
        });
    CLIENTS.put(
        "httpclient4",
        (job, headers) -> {
          org.apache.http.client.methods.RequestBuilder request =
              org.apache.http.client.methods.RequestBuilder.create(job.method).setUri(job.ownUrl());
          org.apache.http.entity.ContentType type = null;
          for (String[] header : headers) {
            if (header[0].equals("Content-Type")) type = org.apache.http.entity.ContentType.parse(header[1]);
            else request.addHeader(header[0], header[1]);
          }
          if (job.ownBody() != null) request.setEntity(new org.apache.http.entity.StringEntity(job.ownBody(), type));
          try (var client = org.apache.http.impl.client.HttpClients.createDefault()) {
            client.execute(request.build()).close();
          }
        });
  }

  static URI uri5(Job job) throws Exception {
    if (!job.way.equals("query")) return URI.create(job.url);
    org.apache.hc.core5.net.URIBuilder builder = new org.apache.hc.core5.net.URIBuilder(job.url);
    for (String[] pair : job.query) builder.addParameter(pair[0], pair[1]);
    return builder.build();
  }

  interface Change {
    String of(String text);
  }

  static String joined(List<String[]> pairs, Change change) {
    List<String> parts = new ArrayList<>();
    for (String[] pair : pairs) parts.add(pair[0] + "=" + change.of(pair[1]));
    return String.join("&", parts);
  }

  static final class Job {
    String client, way, method, url, signs, sends, text, holds, data;
    List<String[]> query = new ArrayList<>();

    Job(String line) throws Exception {
      JsonNode node = MAPPER.readTree(line);
      client = node.path("client").asText();
      way = node.path("way").asText();
      method = node.path("method").asText();
      url = node.path("url").asText();
      signs = node.path("signs").asText(null);
      sends = node.path("sends").asText(null);
      text = node.path("text").asText(null);
      holds = node.path("holds").asText(null);
      // The data as its text, which is the last member.
      data = node.has("data") ? line.substring(line.indexOf("\"data\":") + 7, line.length() - 1) : null;
      for (JsonNode pair : node.path("query")) query.add(new String[] {pair.get(0).asText(), pair.get(1).asText()});
    }

    String ownBody() throws Exception {
      if (way.equals("json")) return SERIALISERS.get("jackson").write(data);
      if (way.equals("form")) return QUERIES.get("URLEncoder").write(query);
      return text;
    }

    String ownUrl() {
      return way.equals("query") ? url + "?" + QUERIES.get("URLEncoder").write(query) : url;
    }

    String heldBody() throws Exception {
      if (way.equals("form")) return QUERIES.get(signs).write(query);
      if (way.equals("json")) return holds != null ? holds : SERIALISERS.get(signs).write(data);
      return text;
    }

    String heldUrl() {
      return way.equals("query") ? url + "?" + QUERIES.get(signs).write(query) : url;
    }
  }

  static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  static void say(Object value) throws Exception {
    OUT.println(MAPPER.writeValueAsString(value));
  }

  static Map<String, Object> heldOf(String url, String body) {
    Map<String, Object> held = new LinkedHashMap<>();
    held.put("url", url);
    held.put("body", body == null ? null : Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8)));
    return Map.of("held", held);
  }

  public static void main(String[] arguments) throws Exception {
    say(Map.of("clients", CLIENTS.keySet(), "serialisers", SERIALISERS.keySet(), "queries", QUERIES.keySet()));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      try {
        Job job = new Job(line);
        if (job.way.equals("serialise")) {
          say(heldOf("", SERIALISERS.get(job.signs).write(job.data)));
          continue;
        }
        Map<String, Object> held = heldOf(job.heldUrl(), job.heldBody());
        if (job.sends != null) {
          job.text = SERIALISERS.get(job.sends).write(job.data);
          job.way = "text";
        }
        say(held);
        List<String[]> headers = new ArrayList<>();
        for (JsonNode header : MAPPER.readTree(lines.readLine()).get("headers"))
          headers.add(new String[] {header.get(0).asText(), header.get(1).asText()});
        CLIENTS.get(job.client).send(job, headers);
        say(Map.of("sent", true));
      } catch (Throwable error) {
        say(Map.of("error", String.valueOf(error.getClass().getName())));
      }
    }
  }
}
