package dev.countersign.signer.live;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import dev.countersign.signer.apache.ApacheSigning;
import dev.countersign.signer.jdk.SigningHttpClient;
import dev.countersign.signer.okhttp.OkHttpSigning;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.util.Timeout;

/** Sends requests from standard input through each HTTP client to a running service: see signers/README.md. */
public final class LiveClient {
  private interface Sender {
    JsonObject send(Order order) throws Exception;
  }

  /** A line of the input. */
  private static final class Order {
    final String method;
    final String url;
    final JsonArray headers;
    final byte[] body;
    final boolean isStream;
    final Duration timeout;

    Order(JsonObject line) {
      JsonElement encoded = line.get("body");
      method = line.get("method").getAsString();
      url = line.get("url").getAsString();
      headers = line.has("headers") ? line.getAsJsonArray("headers") : new JsonArray();
      body = encoded == null || encoded.isJsonNull() ? null : Base64.getDecoder().decode(encoded.getAsString());
      isStream = line.has("isStream");
      timeout = line.has("timeoutMs") ? Duration.ofMillis(line.get("timeoutMs").getAsLong()) : Duration.ofMinutes(1);
    }

    /** The body as a stream whose length nobody knows. */
    InputStream stream() {
      return new ByteArrayInputStream(body);
    }
  }

  private static final Gson JSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private LiveClient() {}

  /** Answers each line, in any order, until the input ends. */
  public static void main(String[] arguments) throws Exception {
    Signer signer =
        Signer.builder()
            .clientId(System.getenv("CLIENT_ID"))
            .privateKeyFile(Path.of(System.getenv("PRIVATE_KEY_FILE")))
            .build();
    int workers = Integer.parseInt(System.getenv().getOrDefault("WORKERS", "4"));
    Map<String, Sender> senders = new TreeMap<>();
    senders.put("java.net.http", jdk(signer));
    senders.put("okhttp", okhttp(signer));
    senders.put("apache", apache(signer));

    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    JsonObject offer = new JsonObject();
    offer.add("clients", JSON.toJsonTree(senders.keySet()));
    offer.add("knows", JSON.toJsonTree(List.of("isStream", "timeoutMs")));
    print(out, offer);

    ExecutorService threads = Executors.newFixedThreadPool(workers);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (!line.isBlank()) {
        JsonObject request = JsonParser.parseString(line).getAsJsonObject();
        threads.execute(() -> print(out, answer(request, senders)));
      }
    }
    threads.shutdown();
    threads.awaitTermination(1, TimeUnit.HOURS);
    // OkHttp's idle threads would keep the process for a minute.
    System.exit(0);
  }

  private static void print(PrintStream out, JsonObject line) {
    synchronized (out) {
      out.println(JSON.toJson(line));
      out.flush();
    }
  }

  private static JsonObject answer(JsonObject request, Map<String, Sender> senders) {
    JsonObject answer;
    try {
      answer = senders.get(request.get("client").getAsString()).send(new Order(request));
    } catch (RequestRefusedException e) {
      answer = answered(e.status(), e.code(), new byte[0]);
    } catch (SigningException e) {
      answer = failed(e.code(), e);
    } catch (IllegalArgumentException e) {
      // The client itself cannot express the request: java.net.URI refuses its URL, or OkHttp a GET with a body.
      answer = failed("request_invalid", e);
    } catch (Exception e) {
      answer = failed("client_failed", e);
    }
    answer.add("id", request.get("id"));
    return answer;
  }

  private static JsonObject answered(int status, String code, byte[] body) {
    JsonObject answer = new JsonObject();
    answer.addProperty("status", status);
    answer.add("code", code == null ? JsonNull.INSTANCE : JSON.toJsonTree(code));
    answer.addProperty("body", Base64.getEncoder().encodeToString(body));
    return answer;
  }

  private static JsonObject failed(String code, Exception e) {
    JsonObject answer = new JsonObject();
    answer.addProperty("error", code);
    answer.addProperty("message", e.toString());
    return answer;
  }

  private static Sender jdk(Signer signer) {
    HttpClient client = SigningHttpClient.create(HttpClient.newBuilder(), signer);
    return order -> {
      BodyPublisher body =
          order.isStream
              ? BodyPublishers.ofInputStream(order::stream)
              : order.body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(order.body);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(order.url)).method(order.method, body).timeout(order.timeout);
      forEach(order.headers, request::header);
      HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
      return answered(response.statusCode(), null, response.body());
    };
  }

  private static Sender okhttp(Signer signer) {
    OkHttpClient.Builder builder = new OkHttpClient.Builder().connectionPool(new ConnectionPool(64, 1, TimeUnit.MINUTES));
    OkHttpClient client = OkHttpSigning.addTo(builder, signer).build();
    return order -> {
      // OkHttp wants a body for POST, PUT and PATCH.
      boolean needsBody = order.method.matches("(?i)POST|PUT|PATCH|PROPPATCH|REPORT|QUERY");
      byte[] bytes = order.body != null ? order.body : needsBody ? new byte[0] : null;
      RequestBody content =
          order.isStream ? new StreamedBody(order) : bytes == null ? null : RequestBody.create(bytes, null);
      Request.Builder request = new Request.Builder().url(order.url).method(order.method, content);
      forEach(order.headers, request::addHeader);
      // Clients that are made from one share its connections.
      OkHttpClient limited = client.newBuilder().readTimeout(order.timeout).build();
      try (Response response = limited.newCall(request.build()).execute()) {
        return answered(response.code(), null, response.body().bytes());
      }
    };
  }

  /** A body of OkHttp without a length. */
  private static final class StreamedBody extends RequestBody {
    private final Order order;

    StreamedBody(Order order) {
      this.order = order;
    }

    @Override
    public MediaType contentType() {
      return null;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      sink.write(order.body);
    }
  }

  private static Sender apache(Signer signer) {
    CloseableHttpClient client = ApacheSigning.addTo(HttpClients.custom(), signer).build();
    return order -> {
      HttpUriRequestBase request = new HttpUriRequestBase(order.method, URI.create(order.url));
      request.setConfig(
          RequestConfig.custom().setResponseTimeout(Timeout.ofMilliseconds(order.timeout.toMillis())).build());
      forEach(order.headers, request::addHeader);
      if (order.isStream) {
        request.setEntity(new InputStreamEntity(order.stream(), null));
      } else if (order.body != null) {
        request.setEntity(new ByteArrayEntity(order.body, null));
      }
      return client.execute(request, response -> {
        byte[] content = response.getEntity() == null ? new byte[0] : EntityUtils.toByteArray(response.getEntity());
        return answered(response.getCode(), null, content);
      });
    };
  }

  private interface HeaderSetter {
    void set(String name, String value) throws IOException;
  }

  private static void forEach(JsonArray headers, HeaderSetter setter) throws IOException {
    for (JsonElement line : headers) {
      setter.set(line.getAsJsonArray().get(0).getAsString(), line.getAsJsonArray().get(1).getAsString());
    }
  }
}
