package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
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

/** The documents of the package: the README shows the example, and its code compiles. */
class ExamplesTest {
  private static final Path README = Path.of("README.md");
  private static final Path FIRST_REQUEST = Path.of("examples/FirstRequest.java");
  private static final String SPRING =
      "import dev.countersign.signer.spring.*;\nimport org.springframework.context.annotation.Bean;\n"
          + "import org.springframework.web.client.*;\n";

  @Test
  void readmeShowsTheFirstRequest() throws Exception {
    String program = Files.readString(FIRST_REQUEST);
    assertTrue(Files.readString(README).contains("```java\n" + program + "```\n"));
  }

  @Test
  void codeOfTheReadmeCompiles() throws Exception {
    List<String> statements = new ArrayList<>();
    List<String> members = new ArrayList<>();
    Matcher blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(README));
    while (blocks.find()) {
      if (blocks.group(1).startsWith("@Bean")) {
        members.add(blocks.group(1));
      } else if (!blocks.group(1).startsWith("import ")) {
        statements.add("    {\n" + blocks.group(1) + "    }\n");
      }
    }
    assertEquals(7, statements.size());
    // There is no Spring for Java before 17.
    boolean hasSpring = Runtime.version().feature() >= 17;
    assertEquals(1, members.size());
    String source =
        "import dev.countersign.signer.*;\nimport dev.countersign.signer.apache.*;\nimport dev.countersign.signer.jdk.*;\n"
            + "import dev.countersign.signer.okhttp.*;\nimport dev.countersign.signer.testing.*;\n"
            + "import java.net.http.HttpClient;\nimport java.nio.charset.StandardCharsets;\nimport java.nio.file.Path;\nimport java.util.*;\n"
            + "import okhttp3.OkHttpClient;\nimport org.apache.hc.client5.http.impl.classic.*;\n"
            + (hasSpring ? SPRING : "")
            + "class Readme {\n"
            + (hasSpring ? String.join("", members) : "")
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
