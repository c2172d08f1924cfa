package dev.countersign.signer.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import dev.countersign.signer.Repository;
import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SignerConfigurationException;
import dev.countersign.signer.TestServer;
import dev.countersign.signer.TestServer.Reply;
import dev.countersign.signer.testing.Verifier;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** Starts applications that have the package on their class path. */
class SpringTest {
  private static final String KEY = Repository.privateKey("rsa-2048-a");

  private final String clientId = "client_" + UUID.randomUUID();

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Application {}

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class WithItsOwnSigner {
    @Bean
    Signer vault() {
      return Signer.builder().clientId("client_vault").privateKey(KEY).build();
    }
  }

  /** Starts an application that has nothing in its environment but these variables. */
  private static ConfigurableApplicationContext start(Class<?> application, Map<String, String> variables, String... properties) {
    StandardEnvironment environment = new StandardEnvironment();
    String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    environment.getPropertySources().replace(name, new SystemEnvironmentPropertySource(name, new HashMap<>(variables)));
    return new SpringApplicationBuilder(application)
        .environment(environment)
        .web(WebApplicationType.NONE)
        .bannerMode(Banner.Mode.OFF)
        .logStartupInfo(false)
        .properties("logging.level.root=off")
        .properties(properties)
        .run();
  }

  private ConfigurableApplicationContext start(String... properties) {
    return start(Application.class, Map.of("COUNTERSIGN_CLIENT_ID", clientId, "COUNTERSIGN_PRIVATE_KEY", KEY), properties);
  }

  private Verifier verifier() {
    return new Verifier(clientId, Repository.publicKey("rsa-2048-a"));
  }

  @Test
  void doesNotStartWithASettingThatIsWrong() {
    Map<String, String> missing = Map.of("COUNTERSIGN_CLIENT_ID", "a", "COUNTERSIGN_PRIVATE_KEY_FILE", "/none/private.pem");
    for (Map<String, String> variables : Set.of(Map.of("COUNTERSIGN_CLIENT_ID", "a"), missing)) {
      Throwable error = assertThrows(RuntimeException.class, () -> start(Application.class, variables));
      while (error.getCause() instanceof RuntimeException) {
        error = error.getCause();
      }
      assertEquals("private_key_invalid", assertInstanceOf(SignerConfigurationException.class, error).code());
    }
  }

  @Test
  void doesNothingInAnApplicationThatIsNoClient() {
    try (ConfigurableApplicationContext context = start(Application.class, Map.of())) {
      assertFalse(context.getBeanProvider(Signer.class).stream().findAny().isPresent());
      assertFalse(context.getBeanProvider(SigningRequestFactory.class).stream().findAny().isPresent());
    }
  }

  @Test
  void leavesASignerOfTheApplicationAlone() {
    Map<String, String> variables = Map.of("COUNTERSIGN_CLIENT_ID", clientId);
    try (ConfigurableApplicationContext context = start(WithItsOwnSigner.class, variables)) {
      assertEquals("client_vault", context.getBean(Signer.class).clientId());
      assertTrue(context.getBeanProvider(SigningRequestFactory.class).stream().findAny().isPresent());
    }
  }

  @Test
  void readsItsProperties(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("private.pem"), KEY);
    try (ConfigurableApplicationContext context =
        start(
            Application.class, Map.of(), "countersign.client-id=" + clientId, "countersign.private-key-file=" + file,
            "countersign.throws-refusals=false", "countersign.idempotency-keys=true", "countersign.nonce=true",
            "countersign.cover-date=false", "countersign.body-bytes-max=3", "countersign.shared-folder=" + folder)) {
      Signer signer = context.getBean(Signer.class);
      assertEquals(clientId, signer.clientId());
      assertFalse(signer.throwsRefusals());
      assertTrue(signer.idempotencyKeys());
      Map<String, String> headers = signer.sign("POST", "https://a/", new byte[] {1}).headers();
      assertTrue(headers.get("Signature-Input").contains(";nonce="));
      assertFalse(headers.containsKey("Date"));
      assertEquals(2, folder.toFile().list().length);
      assertThrows(java.io.IOException.class, () -> signer.sign("POST", "https://a/", new byte[4]));
    }
  }

  @Test
  void signsAsAnAgent() throws Exception {
    Map<String, String> variables =
        Map.of("COUNTERSIGN_SIGNATURE_AGENT", "https://agent.example.test/keys.json", "COUNTERSIGN_PRIVATE_KEY", Repository.privateKey("ec-p256"));
    try (TestServer server = new TestServer(); ConfigurableApplicationContext context = start(Application.class, variables)) {
      RestClient client = RestClient.builder().requestFactory(context.getBean(SigningRequestFactory.class)).build();
      assertEquals("fine", client.get().uri(server.url("/")).retrieve().body(String.class));
      assertEquals("sig=\"https://agent.example.test/keys.json\"", server.request(0).header("Signature-Agent"));
    }
  }

  @Test
  void signsTheRequestsOfRestClientAndRestTemplate() throws Exception {
    try (TestServer server = new TestServer(); ConfigurableApplicationContext context = start()) {
      SigningRequestFactory factory = context.getBean(SigningRequestFactory.class);
      RestClient client = RestClient.builder().requestFactory(factory).baseUrl(server.url("")).build();
      assertEquals("fine", client.post().uri("/v1/payments?a={a}", "é b").body("pay").retrieve().body(String.class));
      assertEquals("fine", client.get().uri("/v1/payments").retrieve().body(String.class));
      RestTemplate template = new RestTemplate(factory);
      assertEquals("fine", template.postForObject(server.url("/v1/payments"), "pay", String.class));
      assertEquals(3, server.requests.size());
      Verifier verifier = verifier();
      for (TestServer.Received request : server.requests) {
        assertEquals("ok", request.verify(verifier).toString(), request.method + " " + request.target);
      }
      assertEquals("pay", new String(server.request(0).body, StandardCharsets.UTF_8));
    }
  }

  @Test
  void namesTheRefusalAsTheCause() throws Exception {
    String json = "{\"type\":\"https://a/docs/errors#client_disabled\",\"code\":\"client_disabled\"}";
    try (TestServer server = new TestServer(request -> Reply.problem(403, json)); ConfigurableApplicationContext context = start()) {
      RestClient client = RestClient.builder().requestFactory(context.getBean(SigningRequestFactory.class)).build();
      ResourceAccessException error =
          assertThrows(
              ResourceAccessException.class, () -> client.get().uri(server.url("/")).retrieve().toBodilessEntity());
      assertEquals("client_disabled", assertInstanceOf(RequestRefusedException.class, error.getCause()).code());
    }
  }

  @Test
  @Timeout(60) // Without a time-out of the client's own, it would wait for ever.
  void endsARequestThatTakesTooLong() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (TestServer server = new TestServer(request -> afterwards(ended)); ConfigurableApplicationContext context =
        start("countersign.read-timeout=200ms", "countersign.connect-timeout=5s")) {
      RestClient client = RestClient.builder().requestFactory(context.getBean(SigningRequestFactory.class)).build();
      assertThrows(
          ResourceAccessException.class, () -> client.post().uri(server.url("/")).body("pay").retrieve().toBodilessEntity());
      // On a busy machine, the time may be up before the server has read the request.
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (server.requests.isEmpty() && System.nanoTime() < deadline) {
        Thread.sleep(10);
      }
      assertEquals(1, server.requests.size());
    } finally {
      ended.countDown();
    }
  }

  private static Reply afterwards(CountDownLatch ended) {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Reply.ok();
  }

  @Test
  void describesEachPropertyForEditors() throws Exception {
    Set<String> described = new TreeSet<>();
    try (InputStreamReader reader =
        new InputStreamReader(
            SpringTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"), StandardCharsets.UTF_8)) {
      for (JsonElement property : JsonParser.parseReader(reader).getAsJsonObject().getAsJsonArray("properties")) {
        described.add(property.getAsJsonObject().get("name").getAsString());
      }
    }
    Set<String> settable = new TreeSet<>();
    for (Method method : CountersignProperties.class.getMethods()) {
      if (method.getName().startsWith("set")) {
        String name = method.getName().substring(3).replaceAll("(?<=.)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        settable.add("countersign." + name);
      }
    }
    assertEquals(settable, described);
  }
}
