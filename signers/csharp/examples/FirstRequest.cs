using System;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using Countersign;

/// <summary>Sends a signed request and prints the response.</summary>
public static class FirstRequest
{
    private const string BaseUrl = "http://127.0.0.1:8421";
    private const string ClientId = "client_…";
    private const string PrivateKeyFile = "private.pem";

    public static void Main()
    {
        SendAsync().GetAwaiter().GetResult();
    }

    private static async Task SendAsync()
    {
        // Made once, used for every request.
        var signer = new Signer(new SignerOptions { ClientId = ClientId, PrivateKeyFile = PrivateKeyFile });
        var client = new HttpClient(new SigningHandler(signer, new HttpClientHandler()));

        var body = new StringContent("{\"hello\":\"from C#\"}", Encoding.UTF8, "application/json");
        try
        {
            var response = await client.PostAsync(BaseUrl + "/v1/signature-test", body);
            Console.WriteLine((int)response.StatusCode + " " + await response.Content.ReadAsStringAsync());
        }
        catch (RequestRefusedException e)
        {
            Console.WriteLine(e.Message); // its code, what is wrong, and what to do
        }
    }
}
