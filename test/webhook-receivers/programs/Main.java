import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/** Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    for (String line : Files.readAllLines(Path.of("cases"))) {
      String[] parts = line.split("\\|", -1);
      byte[] body = Base64.getDecoder().decode(parts[4]);
      long now = Long.parseLong(parts[5]);
      System.out.println(Webhooks.isFromService(parts[0], parts[1], parts[2], parts[3], body, now) ? "accept" : "reject");
    }
  }
}
