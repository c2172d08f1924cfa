package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.countersign.signer.TestServer.Reply;
import dev.countersign.signer.testing.Verifier;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents of the package: its examples run, and the code of the README compiles. */
class ExamplesTest {
  private static final Path README = Path.of("README.md");
  private static final Path FIRST_REQUEST = Path.of("examples/FirstRequest.java");

  /** Runs the program as the README says, from its source file. */
  private static String firstRequest(TestServer server, Path privateKey) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder program = new ProcessBuilder(java, "-cp", "target/classes", FIRST_REQUEST.toString());
    program.environment().put("CLIENT_ID", "client_1");
    program.environment().put("PRIVATE_KEY_FILE", privateKey.toString());
    program.environment().put("BASE_URL", server.url(""));
    Process process = program.redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return printed.trim();
  }

  @Test
  void firstRequestIsAccepted(@TempDir Path folder) throws Exception {
    Path key = Files.writeString(folder.resolve("private.pem"), Repository.privateKey("rsa-3072-a"));
    try (TestServer server = new TestServer(request -> Reply.of(201, "", "made"))) {
      assertEquals("201 made", firstRequest(server, key));
      Verifier verifier = new Verifier("client_1", Repository.publicKey("rsa-3072-a"));
      assertEquals("ok", server.request(0).verify(verifier).toString());
      assertEquals("POST", server.request(0).method);
    }
    Reply refusal = Reply.problem(403, "{\"code\":\"client_disabled\",\"detail\":\"Ask the operator.\"}");
    try (TestServer server = new TestServer(request -> refusal)) {
      assertEquals("client_disabled: Ask the operator.", firstRequest(server, key));
    }
  }

  @Test
  void readmeShowsTheFirstRequest() throws Exception {
    String program = Files.readString(FIRST_REQUEST);
    assertTrue(Files.readString(README).contains("```java\n" + program + "```\n"));
  }

  @Test
  void codeOfTheReadmeCompiles() throws Exception {
    List<String> statements = new ArrayList<>();
    Matcher blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(README));
    while (blocks.find()) {
      if (!blocks.group(1).startsWith("import ")) {
        statements.add("    {\n" + blocks.group(1) + "    }\n");
      }
    }
    assertEquals(5, statements.size());
    String source =
        "import dev.countersign.signer.*;\nimport dev.countersign.signer.apache.*;\nimport dev.countersign.signer.jdk.*;\n"
            + "import dev.countersign.signer.okhttp.*;\nimport dev.countersign.signer.testing.*;\n"
            + "import java.net.http.HttpClient;\nimport java.nio.charset.StandardCharsets;\nimport java.util.*;\n"
            + "import okhttp3.OkHttpClient;\nimport org.apache.hc.client5.http.impl.classic.*;\n"
            + "class Readme {\n"
            + "  void show(Signer signer, String clientId, String publicKeyPem, Map<String, List<String>> headers, byte[] given)"
            + " throws Exception {\n"
            + String.join("", statements).replace("headers, body)", "headers, given)")
            + "  }\n}\n";
    assertEquals("", compile(source));
  }

  private static String compile(String source) throws IOException {
    SimpleJavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///Readme.java"), SimpleJavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of("-proc:none", "-d", "target/readme", "-cp", System.getProperty("java.class.path"), "-Xlint:-classfile");
    Files.createDirectories(Path.of("target/readme"));
    compiler.getTask(messages, null, null, options, null, List.of(file)).call();
    return messages.toString();
  }
}
