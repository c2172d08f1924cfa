import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs the check of the page on each line of a file: method, target, body, now, headers, all but `now` in Base64. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    ForwardedCheck check = new ForwardedCheck(arguments[0], List.of(arguments[1].split(",")));
    for (String line : Files.readAllLines(Path.of(arguments[2]))) {
      String[] parts = line.split("\t", -1);
      Map<String, List<String>> headers = new LinkedHashMap<>();
      for (int index = 4; index + 1 < parts.length; index += 2)
        headers.computeIfAbsent(text(parts[index]), name -> new ArrayList<>()).add(text(parts[index + 1]));
      byte[] body = Base64.getDecoder().decode(parts[2]);
      try {
        var found = check.check(text(parts[0]), text(parts[1]), headers, body, Long.parseLong(parts[3]));
        System.out.println("accepted " + found.clientId() + " " + String.join(",", found.roles()) + " " + found.targetUri()
            + " " + found.profile() + " " + found.covered());
      } catch (ForwardedCheck.Refused refused) {
        System.out.println("refused " + refused.getMessage().replaceAll("\\s", " "));
      }
    }
  }

  private static String text(String encoded) {
    return new String(Base64.getDecoder().decode(encoded), StandardCharsets.ISO_8859_1);
  }
}
