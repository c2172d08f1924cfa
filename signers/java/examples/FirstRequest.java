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

/** Sends a signed request and prints the response. */
public class FirstRequest {
  static final String BASE_URL = "http://127.0.0.1:8421";
  static final String CLIENT_ID = "client_…";
  static final String PRIVATE_KEY_FILE = "private.pem";

  public static void main(String[] args) throws Exception {
    // Made once, used for every request.
    Signer signer = Signer.builder().clientId(CLIENT_ID).privateKeyFile(Path.of(PRIVATE_KEY_FILE)).build();
    HttpClient client = SigningHttpClient.create(HttpClient.newBuilder(), signer);

    HttpRequest request =
        HttpRequest.newBuilder(URI.create(BASE_URL + "/v1/signature-test"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"hello\":\"from Java\"}"))
            .build();
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      System.out.println(response.statusCode() + " " + response.body());
    } catch (RequestRefusedException e) {
      System.out.println(e.getMessage()); // its code, what is wrong, and what to do
    }
  }
}
