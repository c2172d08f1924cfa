using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Countersign.Live
{
    /// <summary>Sends requests from standard input to a running service: see signers/README.md.</summary>
    internal static class Live
    {
        private static readonly TextWriter Out =
            TextWriter.Synchronized(new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true });

        private static void Main()
        {
            RunAsync().GetAwaiter().GetResult();
        }

        private static async Task RunAsync()
        {
            ServicePointManager.DefaultConnectionLimit = 64;
            // Each write of a request's head and body is sent at once.
            ServicePointManager.UseNagleAlgorithm = false;
            ServicePointManager.Expect100Continue = false;
            var signer = new Signer(new SignerOptions
            {
                ClientId = Environment.GetEnvironmentVariable("CLIENT_ID"),
                PrivateKeyFile = Environment.GetEnvironmentVariable("PRIVATE_KEY_FILE"),
            });
            var client = new HttpClient(new SigningHandler(signer, new HttpClientHandler()));
            var workers = new SemaphoreSlim(int.Parse(Environment.GetEnvironmentVariable("WORKERS") ?? "4"));
            Out.WriteLine("{\"clients\":[\"HttpClient\"],\"knows\":[\"isStream\",\"timeoutMs\"]}");

            var sent = new List<Task>();
            var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
            for (string line = input.ReadLine(); line != null; line = input.ReadLine())
            {
                if (line.Trim() == "") continue;
                var request = (Dictionary<string, object>)Json.Read(Encoding.UTF8.GetBytes(line));
                await workers.WaitAsync();
                sent.Add(Task.Run(async () =>
                {
                    Out.WriteLine("{\"id\":" + request["id"] + "," + await AnswerAsync(client, request) + "}");
                    workers.Release();
                }));
            }
            await Task.WhenAll(sent);
        }

        private static async Task<string> AnswerAsync(HttpClient client, Dictionary<string, object> request)
        {
            try
            {
                using (CancellationTokenSource timeout = TimeoutOf(request))
                using (HttpResponseMessage response = await client.SendAsync(MessageOf(request), timeout.Token))
                {
                    byte[] body = await response.Content.ReadAsByteArrayAsync();
                    return Answered((int)response.StatusCode, "null", body);
                }
            }
            catch (RequestRefusedException e)
            {
                return Answered(e.Status, Quoted(e.Code), new byte[0]);
            }
            catch (SigningException e)
            {
                return "\"error\":" + Quoted(e.Code) + ",\"message\":" + Quoted(e.Message);
            }
            catch (Exception e)
            {
                return "\"error\":\"client_failed\",\"message\":" + Quoted(e.ToString());
            }
        }

        private static CancellationTokenSource TimeoutOf(Dictionary<string, object> request)
        {
            return request.TryGetValue("timeoutMs", out object milliseconds)
                ? new CancellationTokenSource(Convert.ToInt32(milliseconds))
                : new CancellationTokenSource();
        }

        /// <summary>A body whose length nobody knows.</summary>
        private sealed class StreamedContent : HttpContent
        {
            private readonly byte[] body;

            public StreamedContent(byte[] body)
            {
                this.body = body;
            }

            protected override Task SerializeToStreamAsync(Stream stream, TransportContext context)
            {
                return stream.WriteAsync(body, 0, body.Length);
            }

            protected override bool TryComputeLength(out long length)
            {
                length = 0;
                return false;
            }
        }

        private static HttpRequestMessage MessageOf(Dictionary<string, object> request)
        {
            var message = new HttpRequestMessage(new HttpMethod((string)request["method"]), (string)request["url"]);
            if (request["body"] is string body)
            {
                byte[] bytes = Convert.FromBase64String(body);
                message.Content = request.ContainsKey("isStream") ? (HttpContent)new StreamedContent(bytes) : new ByteArrayContent(bytes);
            }
            foreach (List<object> header in (List<object>)request["headers"])
            {
                string name = (string)header[0];
                // .NET keeps the headers of a body apart.
                if (!message.Headers.TryAddWithoutValidation(name, (string)header[1]))
                {
                    message.Content?.Headers.TryAddWithoutValidation(name, (string)header[1]);
                }
            }
            return message;
        }

        private static string Answered(int status, string code, byte[] body)
        {
            return "\"status\":" + status + ",\"code\":" + code + ",\"body\":\"" + Convert.ToBase64String(body) + "\"";
        }

        private static string Quoted(string text)
        {
            return "\"" + string.Concat(text.Select(character =>
                character < ' ' || character == '"' || character == '\\' || character > '~'
                    ? "\\u" + ((int)character).ToString("x4")
                    : character.ToString())) + "\"";
        }
    }
}
