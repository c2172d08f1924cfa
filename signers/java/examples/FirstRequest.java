import dev.countersign.signer.RequestRefusedException;
import dev.countersign.signer.Signer;
import dev.countersign.signer.jdk.SigningHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;

public class FirstRequest {
  public static void main(String[] args) throws Exception {
    // Made once, used for every request.
    Signer signer =
        Signer.builder()
            .clientId(System.getenv("CLIENT_ID"))
            .privateKeyFile(Path.of(System.getenv("PRIVATE_KEY_FILE")))
            .build();
    HttpClient client = SigningHttpClient.create(HttpClient.newBuilder(), signer);

    HttpRequest request =
        HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + "/v1/payments"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"amount\":1250,\"currency\":\"EUR\",\"reference\":\"from-java\"}"))
            .build();
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      System.out.println(response.statusCode() + " " + response.body());
    } catch (RequestRefusedException e) {
      System.out.println(e.getMessage()); // its code, what is wrong, and what to do
    }
  }
}
