using System;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using Countersign;

public static class FirstRequest
{
    public static void Main()
    {
        SendAsync().GetAwaiter().GetResult();
    }

    private static async Task SendAsync()
    {
        // Made once, used for every request.
        var signer = new Signer(new SignerOptions
        {
            ClientId = Environment.GetEnvironmentVariable("CLIENT_ID"),
            PrivateKeyFile = Environment.GetEnvironmentVariable("PRIVATE_KEY_FILE"),
        });
        var client = new HttpClient(new SigningHandler(signer, new HttpClientHandler()));

        string url = Environment.GetEnvironmentVariable("BASE_URL") + "/v1/payments";
        string json = "{\"amount\":1250,\"currency\":\"EUR\",\"reference\":\"from-csharp\"}";
        try
        {
            var response = await client.PostAsync(url, new StringContent(json, Encoding.UTF8, "application/json"));
            Console.WriteLine((int)response.StatusCode + " " + await response.Content.ReadAsStringAsync());
        }
        catch (RequestRefusedException e)
        {
            Console.WriteLine(e.Message); // its code, what is wrong, and what to do
        }
    }
}
