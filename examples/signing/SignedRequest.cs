// Needs .NET 8 or newer: "dotnet new console", then this as Program.cs.
using System.Security.Cryptography;
using System.Text;

const string BaseUrl = "http://127.0.0.1:8421";
const string ClientId = "client_…";
const string PrivateKey = "private.pem";

using var key = RSA.Create();
key.ImportFromPem(File.ReadAllText(PrivateKey));
// A redirect would carry the signature of another URL.
using var http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false });

await Send("GET", BaseUrl + "/v1/signature-test", null);
await Send("POST", BaseUrl + "/v1/signature-test", Encoding.UTF8.GetBytes("{\"hello\":\"from C#\"}"));

async Task Send(string method, string url, byte[]? body)
{
    var now = DateTimeOffset.UtcNow;
    var date = now.ToString("R");
    using var request = new HttpRequestMessage(new HttpMethod(method), url);
    var lines = new List<string> { "\"@method\": " + method, "\"@target-uri\": " + url };
    var components = "\"@method\" \"@target-uri\"";
    if (body is not null)
    {
        var digest = "sha-256=:" + Convert.ToBase64String(SHA256.HashData(body)) + ":";
        request.Content = new ByteArrayContent(body);
        request.Content.Headers.TryAddWithoutValidation("Content-Type", "application/json");
        request.Content.Headers.TryAddWithoutValidation("Content-Digest", digest);
        lines.Add("\"content-digest\": " + digest);
        components += " \"content-digest\"";
    }
    var parameters = "(" + components + " \"date\");created=" + now.ToUnixTimeSeconds()
        + ";keyid=\"" + ClientId + "\";alg=\"rsa-v1_5-sha256\"";
    lines.Add("\"date\": " + date);
    lines.Add("\"@signature-params\": " + parameters);

    // A line feed between the lines, and none at the end.
    var signature = key.SignData(
        Encoding.ASCII.GetBytes(string.Join("\n", lines)), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
    request.Headers.TryAddWithoutValidation("Date", date);
    request.Headers.TryAddWithoutValidation("Signature-Input", "sig=" + parameters);
    request.Headers.TryAddWithoutValidation("Signature", "sig=:" + Convert.ToBase64String(signature) + ":");

    using var answer = await http.SendAsync(request);
    Console.WriteLine(await answer.Content.ReadAsStringAsync());
    Console.WriteLine("status " + (int)answer.StatusCode);
}
