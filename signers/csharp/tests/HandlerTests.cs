using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Countersign.Testing;

namespace Countersign.Tests
{
    /// <summary>HttpClient with a SigningHandler, against a server that sees the bytes.</summary>
    internal sealed class HandlerTests
    {
        private readonly string clientId = "client_" + Guid.NewGuid();

        private SignerOptions Options()
        {
            return new SignerOptions { ClientId = clientId, PrivateKey = Repository.PrivateKey("rsa-2048-a") };
        }

        private Verifier Verifier()
        {
            return new Verifier(clientId, Repository.PublicKey("rsa-2048-a"));
        }

        private static HttpClient Client(SignerOptions options)
        {
            return new HttpClient(new SigningHandler(new Signer(options), new HttpClientHandler()));
        }

        private static HttpRequestMessage Request(string method, string url, byte[] body = null)
        {
            var request = new HttpRequestMessage(new HttpMethod(method), url);
            if (body != null) request.Content = new ByteArrayContent(body);
            return request;
        }

        private static byte[] Bytes(string text)
        {
            return Encoding.UTF8.GetBytes(text);
        }

        private static string Problem(string code, DateTimeOffset? serverTime)
        {
            return "{\"type\":\"https://api.example.com/docs/errors#" + code + "\",\"title\":\"A title\",\"status\":401,"
                + "\"detail\":\"Do \\u0022this\\u0022.\",\"code\":\"" + code + "\",\"reason\":\"a reason\","
                + "\"requestId\":\"request_1\",\"errors\":[{\"pointer\":\"/a\",\"n\":[1,-2.5e3,true,null]}]"
                + (serverTime == null ? "" : ",\"serverTime\":\"" + serverTime.Value.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'") + "\"")
                + "}";
        }

        private static void AllAccepted(TestServer server, Verifier verifier)
        {
            foreach (Received request in server.Requests)
            {
                Program.Equal("ok", request.Verdict(verifier), request.Method + " " + request.Url);
            }
        }

        [Test]
        public async Task ReportsWhatItDecides()
        {
            var heard = new List<SigningEvent>();
            SignerOptions options = Options();
            options.OnEvent = heard.Add;
            options.Now = () => DateTimeOffset.FromUnixTimeSeconds(1775505115);
            var answers = new Queue<Reply>(new[]
            {
                Reply.Problem(401, Problem("created_expired", options.Now().AddHours(1))), Reply.Fine(),
                Reply.Problem(401, Problem("signature_replayed", null)), Reply.Fine(),
                Reply.Problem(401, "{\"code\":\"signature_replayed\",\"type\":\"https://api.example.com/own\"}"),
            });
            using (var server = new TestServer(request => answers.Dequeue()))
            using (var client = Client(options))
            {
                string url = server.Url("/report");
                for (int call = 0; call < 3; call++) await client.GetAsync(url + "?token=secret");
                string kinds = string.Join(" ", heard.Select(what => what.Kind));
                Program.Equal("RequestRefused ClockCorrected RequestRefused EqualReadsRefused", kinds);
                Program.Equal(url, heard[0].Url);
                Program.Equal("created_expired", heard[0].Refusal.Code);
                Program.Equal(TimeSpan.FromHours(1), heard[1].ClockDifference.Value);
                Program.Equal(null, heard[1].Url);
            }
        }

        [Test]
        public async Task SignsEveryMethod()
        {
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(Options()))
            {
                foreach (string method in new[] { "GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "REPORT", "patch" })
                {
                    byte[] body = "POST PUT PATCH REPORT patch".Split(' ').Contains(method) ? Bytes("{\"a\":1}") : null;
                    var response = await client.SendAsync(Request(method, server.Url("/methods"), body));
                    Program.Equal(200, (int)response.StatusCode, method);
                }
                Program.Equal(9, server.Requests.Count);
                Program.Equal("PATCH", server.Requests[8].Method);
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task SignsTheBytesOfTheBody()
        {
            var binary = new byte[64 * 1024];
            new Random(1).NextBytes(binary);
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(Options()))
            {
                var bodies = new[] { Bytes("é\r\n\n"), new byte[1], new byte[] { 0xff, 0xfe }, binary };
                foreach (byte[] body in bodies)
                {
                    await client.SendAsync(Request("POST", server.Url("/bytes"), body));
                    await client.PutAsync(server.Url("/stream"), new StreamContent(new UnknownLength(body)));
                }
                for (int index = 0; index < 8; index++)
                {
                    Program.True(bodies[index / 2].SequenceEqual(server.Requests[index].Body), "body " + index);
                }
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task LeavesOutTheDigestOfAnEmptyBody()
        {
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(Options()))
            {
                await client.SendAsync(Request("POST", server.Url("/empty"), new byte[0]));
                await client.PostAsync(server.Url("/empty-stream"), new StreamContent(new UnknownLength(new byte[0])));
                await client.SendAsync(Request("POST", server.Url("/none")));
                Program.True(server.Requests.All(request => request.Header("Content-Digest") == null), "a digest of nothing");
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task ReplacesSignatureHeadersOfTheCaller()
        {
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(Options()))
            {
                var request = Request("POST", server.Url("/stale"), new byte[1]);
                foreach (string name in new[] { "Signature", "signature-input", "Content-Digest", "Date" })
                {
                    request.Headers.TryAddWithoutValidation(name, "stale");
                }
                request.Headers.Add("X-Own", "1");
                request.Content.Headers.TryAddWithoutValidation("Content-Digest", "stale");
                request.Content.Headers.TryAddWithoutValidation("Content-Type", "text/x-own");
                await client.SendAsync(request);
                Program.Equal("1", server.Requests[0].Header("X-Own"));
                Program.Equal("text/x-own", server.Requests[0].Header("Content-Type"));
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task SignsTheUrlThatIsSent()
        {
            // System.Uri rewrites URLs when they are read; .NET does the same.
            var targets = new Dictionary<string, string>
            {
                [""] = "/", ["?x=1"] = "/?x=1", ["/a?"] = "/a?", ["/%7e%7E~"] = "/~~~", ["/%41bc"] = "/Abc",
                ["/a/../b/./c"] = "/b/c", ["/%2e%2e/x"] = "/x", ["/a%2Fb%2fc"] = "/a%2Fb%2fc", ["/a+b?c+d=%20"] = "/a+b?c+d=%20",
                ["//x//y"] = "//x//y", ["/q?f%5Bn%5d=1&f[m]=2"] = "/q?f%5Bn%5d=1&f[m]=2", ["/é?ü=€"] = "/%C3%A9?%C3%BC=%E2%82%AC",
                ["/q?a=&b&&c==d"] = "/q?a=&b&&c==d", ["/x?y#fragment"] = "/x?y", ["/a%00b"] = "/a%00b",
                ["/q?x=%0D%0A"] = "/q?x=%0D%0A", ["/m;v=1,2/b:c@d/e!$&'()*+,="] = "/m;v=1,2/b:c@d/e!$&'()*+,=",
                ["/q?x='\"'"] = "/q?x='%22'", ["/a b"] = "/a%20b", ["/%zz"] = "/%25zz",
            };
            foreach (var target in targets)
            {
                using (var server = new TestServer(request => Reply.Fine()))
                using (var client = Client(Options()))
                {
                    await client.SendAsync(Request("GET", server.Url(target.Key)));
                    Program.Equal(target.Value, server.Requests[0].Target);
                    AllAccepted(server, Verifier());
                }
            }
        }

        [Test]
        public async Task SendsTheHostThatIsSigned()
        {
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(Options()))
            {
                await client.GetAsync(server.Url("/").Replace("http://127.0.0.1", "HTTP://LOCALHOST"));
                Program.Equal(server.Url("").Replace("http://127.0.0.1", "localhost"), server.Requests[0].Header("Host"));
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task RejectsUrlsThatCannotBeSigned()
        {
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(Options()))
            {
                string url = server.Url("/").Replace("http://", "http://user:secret@");
                var error = await Program.FailsAsync<SigningException>(() => client.GetAsync(url));
                Program.Equal("request_invalid", error.Code);
                Program.True(!error.Message.Contains("secret"), "the message repeats the password");
                Program.Equal(0, server.Requests.Count);
            }
        }

        [Test]
        public async Task NeverSendsOneSignatureTwice()
        {
            using (var server = new TestServer(request => Reply.Fine()))
            {
                var signer = new Signer(Options());
                var sent = Enumerable.Range(0, 24).Select(index => Task.Run(async () =>
                {
                    // Two signers with the same key, as in a program that makes one for each task.
                    var own = index % 2 == 0 ? signer : new Signer(Options());
                    using (var client = new HttpClient(new SigningHandler(own, new HttpClientHandler())))
                    {
                        await client.SendAsync(Request("POST", server.Url("/equal"), Bytes("{}")));
                    }
                }));
                await Task.WhenAll(sent);
                Program.Equal(24, server.Requests.Count);
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task SignsARetryAgain()
        {
            using (var server = new TestServer(request => Reply.Of(503, "", "busy")))
            {
                var signing = new SigningHandler(new Signer(Options()), new HttpClientHandler());
                using (var client = new HttpClient(new RetryOnce { InnerHandler = signing }))
                {
                    var request = Request("POST", server.Url("/retry"), Bytes("{}"));
                    request.Headers.Add("Idempotency-Key", "one");
                    var response = await client.SendAsync(request);
                    Program.Equal(503, (int)response.StatusCode);
                }
                Program.Equal(2, server.Requests.Count);
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task SignsNoRepeatThatTheApiMayHaveCarriedOut()
        {
            string gateway = Problem("upstream_timeout", null);
            foreach (Reply reply in new[] { Reply.Of(503, "", "busy"), Reply.HangUp(), Reply.Problem(504, gateway) })
            {
                foreach (string method in new[] { "POST", "PATCH", "REPORT" })
                {
                    foreach (var retry in new DelegatingHandler[] { new RetryOnce(), new RetryClone() })
                    {
                        var options = Options();
                        options.ThrowsRefusals = false;
                        retry.InnerHandler = new SigningHandler(new Signer(options), new HttpClientHandler());
                        using (var server = new TestServer(request => reply))
                        using (var client = new HttpClient(retry))
                        {
                            var error = await Program.FailsAsync<RepeatNotSignedException>(
                                () => client.SendAsync(Request(method, server.Url("/pay"), Bytes("{}"))));
                            Program.Equal("repeat_not_signed", error.Code);
                            Program.True(error.Message.StartsWith("This " + method + " was sent once already"), error.Message);
                            Program.Equal(1, server.Requests.Count, method);
                        }
                    }
                }
            }
        }

        [Test]
        public async Task MakesOnePaymentWhoseAnswerIsLost()
        {
            using (var server = new TestServer(request => request.Target == "/pay" ? Reply.HangUp() : Reply.Fine()))
            using (var client = Client(Options()))
            {
                await client.SendAsync(Request("GET", server.Url("/first")));
                await Program.FailsAsync<HttpRequestException>(
                    () => client.SendAsync(Request("POST", server.Url("/pay"), Bytes("{}"))));
                var payments = server.Requests.Where(request => request.Method == "POST").ToList();
                Program.Equal(1, payments.Select(request => request.Header("Signature")).Distinct().Count());
            }
        }

        [Test]
        public async Task SignsARepeatThatIsSafe()
        {
            foreach (string kind in new[] { "a key", "a key of ours", "a refusal", "PUT" })
            {
                var options = Options();
                options.ThrowsRefusals = false;
                options.IdempotencyKeys = kind == "a key of ours";
                Reply reply = kind == "a refusal" ? Reply.Problem(503, Problem("guard_full", null)) : Reply.HangUp();
                int count = 0;
                using (var server = new TestServer(request => count++ == 0 ? reply : Reply.Fine()))
                using (var client = new HttpClient(
                    new RetryOnce { InnerHandler = new SigningHandler(new Signer(options), new HttpClientHandler()) }))
                {
                    var request = Request(kind == "PUT" ? "PUT" : "POST", server.Url("/pay"), Bytes("{}"));
                    if (kind == "a key") request.Headers.Add("Idempotency-Key", "one");
                    Program.Equal(200, (int)(await client.SendAsync(request)).StatusCode, kind);
                    Program.Equal(2, server.Requests.Count, kind);
                    AllAccepted(server, Verifier());
                    string key = server.Requests[0].Header("Idempotency-Key");
                    Program.Equal(key, server.Requests[1].Header("Idempotency-Key"), kind);
                    Program.Equal(kind == "a key" ? 3 : kind == "a key of ours" ? 36 : 0, (key ?? "").Length, kind);
                }
            }
        }

        [Test]
        public async Task SignsNoRepeatWithAnotherIdempotencyKey()
        {
            foreach (var keys in new[] { new[] { "one", "two" }, new[] { "", "two" }, new[] { "one", "" } })
            {
                var rekey = new Rekey { Keys = keys, InnerHandler = new SigningHandler(new Signer(Options()), new HttpClientHandler()) };
                using (var server = new TestServer(request => Reply.Of(500, "", "")))
                using (var client = new HttpClient(rekey))
                {
                    await Program.FailsAsync<RepeatNotSignedException>(
                        () => client.SendAsync(Request("POST", server.Url("/pay"), Bytes("{}"))));
                    Program.Equal(1, server.Requests.Count, string.Join(",", keys));
                }
            }
        }

        [Test]
        public async Task GivesClonesOfACallOneIdempotencyKey()
        {
            var options = Options();
            options.IdempotencyKeys = true;
            var retry = new RetryClone { InnerHandler = new SigningHandler(new Signer(options), new HttpClientHandler()) };
            using (var server = new TestServer(request => Reply.Of(503, "", "busy")))
            using (var client = new HttpClient(retry))
            {
                await client.SendAsync(Request("POST", server.Url("/pay"), Bytes("{}")));
                Program.Equal(2, server.Requests.Count);
                Program.Equal(server.Requests[0].Header("Idempotency-Key"), server.Requests[1].Header("Idempotency-Key"));
            }
        }

        [Test]
        public async Task SignsNoPaymentAgainAfterARedirect()
        {
            foreach (int status in new[] { 302, 303, 307 })
            {
                var options = Options();
                options.ThrowsRefusals = false;
                var retry = new RetryFirst { InnerHandler = new SigningHandler(new Signer(options), new HttpClientHandler()) };
                using (var server = new TestServer(request => request.Target == "/pay"
                    ? Reply.Redirect(status, "/done")
                    : Reply.Problem(429, Problem("rate_limited", null))))
                using (var client = new HttpClient(retry))
                {
                    await Program.FailsAsync<RepeatNotSignedException>(
                        () => client.SendAsync(Request("POST", server.Url("/pay"), Bytes("{}"))));
                    Program.Equal(1, server.Requests.Count(request => request.Target == "/pay"), "" + status);
                }
            }
        }

        [Test]
        public void ClearsOnlyTheAttemptThatWasRefused()
        {
            Refusal refusal = Refusal.Read(401, Bytes(Problem("rate_limited", null)));
            var attempts = new Attempts();
            var request = Request("POST", "https://a.test/pay#part");
            request.Headers.Add("Idempotency-Key", "one");
            attempts.Begin(request);
            attempts.Begin(request);
            attempts.Answered(request, refusal);
            var other = Request("POST", "https://a.test/pay");
            other.Headers.Add("Idempotency-Key", "two");
            Program.Equal("repeat_not_signed", Program.SigningFails(() => attempts.Begin(other)).Code);
        }

        [Test]
        public async Task SignsAgainWhatWasNotSent()
        {
            string url;
            using (var server = new TestServer(request => Reply.Fine())) url = server.Url("/pay");
            using (var client = new HttpClient(
                new RetryOnce { InnerHandler = new SigningHandler(new Signer(Options()), new HttpClientHandler()) }))
            {
                await Program.FailsAsync<HttpRequestException>(() => client.SendAsync(Request("POST", url, Bytes("{}"))));
            }
        }

        [Test]
        public async Task SaysThatTheFirstRequestOfAReplayMayHaveBeenAccepted()
        {
            using (var server = new TestServer(request => Reply.Problem(401, Problem("signature_replayed", null))))
            using (var client = Client(Options()))
            {
                var error = await Program.FailsAsync<RequestRefusedException>(
                    () => client.SendAsync(Request("POST", server.Url("/"), Bytes("{}"))));
                Program.True(error.Message.Contains("may have been accepted: look it up"), error.Message);
            }
        }

        [Test]
        public async Task RejectsBodiesAboveTheLimit()
        {
            var options = Options();
            options.BodyBytesMax = 1000;
            using (var server = new TestServer(request => Reply.Fine()))
            using (var client = Client(options))
            {
                var contents = new HttpContent[]
                {
                    new ByteArrayContent(new byte[1001]), new StreamContent(new UnknownLength(new byte[50000])),
                };
                foreach (HttpContent content in contents)
                {
                    var error = await Program.FailsAsync<SigningException>(() => client.PostAsync(server.Url("/"), content));
                    Program.Equal("body_too_large", error.Code);
                }
                Program.Equal(0, server.Requests.Count);
                await client.PostAsync(server.Url("/"), new ByteArrayContent(new byte[1000]));
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task SignsRedirectsWithinTheOriginAgain()
        {
            foreach (int status in new[] { 301, 302, 303, 307, 308 })
            {
                using (var server = new TestServer(
                    request => request.Target == "/new?x=1" ? Reply.Fine() : Reply.Redirect(status, "/new?x=1")))
                using (var client = Client(Options()))
                {
                    var response = await client.SendAsync(Request("POST", server.Url("/old"), Bytes("{}")));
                    Program.Equal(200, (int)response.StatusCode);
                    Program.Equal(2, server.Requests.Count);
                    Program.Equal(status < 307 ? "GET" : "POST", server.Requests[1].Method);
                    Program.Equal(status < 307 ? "" : "{}", server.Requests[1].BodyText);
                    AllAccepted(server, Verifier());
                }
            }
        }

        [Test]
        public async Task SendsNothingToAnotherOrigin()
        {
            using (var other = new TestServer(request => Reply.Fine()))
            using (var server = new TestServer(request => Reply.Redirect(307, other.Url("/stolen"))))
            using (var client = Client(Options()))
            {
                var response = await client.SendAsync(Request("POST", server.Url("/"), Bytes("{}")));
                Program.Equal(307, (int)response.StatusCode);
                Program.Equal(1, server.Requests.Count);
                Program.Equal(0, other.Requests.Count);
            }
        }

        [Test]
        public async Task FollowsNoRedirectIfTheInnerHandlerDoesNot()
        {
            using (var server = new TestServer(request => Reply.Redirect(302, "/new")))
            {
                var inner = new HttpClientHandler { AllowAutoRedirect = false };
                using (var client = new HttpClient(new SigningHandler(new Signer(Options()), inner)))
                {
                    Program.Equal(302, (int)(await client.GetAsync(server.Url("/"))).StatusCode);
                    Program.Equal(1, server.Requests.Count);
                }
            }
        }

        [Test]
        public async Task EndsRedirectsThatGoInACircle()
        {
            using (var server = new TestServer(request => Reply.Redirect(302, "/again?" + request.Target.Length)))
            {
                var inner = new HttpClientHandler { MaxAutomaticRedirections = 3 };
                using (var client = new HttpClient(new SigningHandler(new Signer(Options()), inner)))
                {
                    Program.Equal(302, (int)(await client.GetAsync(server.Url("/"))).StatusCode);
                    Program.Equal(4, server.Requests.Count);
                    AllAccepted(server, Verifier());
                }
            }
        }

        [Test]
        public async Task CorrectsItsClockOnce()
        {
            foreach (string code in new[] { "created_expired", "created_in_future", "date_mismatch" })
            {
                var serviceTime = DateTimeOffset.UtcNow.AddHours(code == "created_in_future" ? -7 : 7);
                Verifier service = Verifier();
                service.Now = () => serviceTime;
                using (var server = new TestServer(
                    request => request.Verdict(service) == "ok" ? Reply.Fine() : Reply.Problem(401, Problem(code, serviceTime))))
                using (var client = Client(Options()))
                {
                    var response = await client.SendAsync(Request("POST", server.Url("/" + code), Bytes("{}")));
                    Program.Equal(200, (int)response.StatusCode);
                    Program.Equal(2, server.Requests.Count);
                    Program.Equal("{}", server.Requests[1].BodyText);
                    // From now on the clock is right.
                    await client.DeleteAsync(server.Url("/" + code));
                    Program.Equal(3, server.Requests.Count);
                }
            }
        }

        /// <summary>A refusal with all headers of the service, which the answer to HEAD consists of.</summary>
        private static Reply Refused(string code, DateTimeOffset date)
        {
            string headers = "Content-Type: application/problem+json\r\nWWW-Authenticate: Signature error=\"" + code
                + "\"\r\nDate: " + date.UtcDateTime.ToString("r");
            return Reply.Of(401, headers, Problem(code, null));
        }

        [Test]
        public async Task CorrectsItsClockByTheHeadersOfAHead()
        {
            var serviceTime = DateTimeOffset.UtcNow.AddHours(7);
            Verifier service = Verifier();
            service.Now = () => serviceTime;
            using (var server = new TestServer(
                request => request.Verdict(service) == "ok" ? Reply.Fine() : Refused("created_expired", serviceTime)))
            using (var client = Client(Options()))
            {
                var response = await client.SendAsync(Request("HEAD", server.Url("/")));
                Program.Equal(200, (int)response.StatusCode);
                Program.Equal(2, server.Requests.Count);
            }
        }

        [Test]
        public async Task SendsEqualReadsAsOftenAsItLikes()
        {
            foreach (bool strict in new[] { false, true })
            {
                Verifier service = Verifier();
                service.Strict = strict;
                using (var server = new TestServer(request =>
                {
                    string verdict = request.Verdict(service);
                    return verdict == "ok" ? Reply.Fine() : Refused(verdict.Split(':')[0], DateTimeOffset.UtcNow);
                }))
                using (var client = Client(Options()))
                {
                    foreach (string method in Enumerable.Repeat("GET", 12).Concat(Enumerable.Repeat("HEAD", 12)))
                    {
                        var response = await client.SendAsync(Request(method, server.Url("/equal")));
                        Program.Equal(200, (int)response.StatusCode, method + strict);
                    }
                }
            }
        }

        [Test]
        public async Task TakesOverNoClockOfTheApi()
        {
            string own = Problem("created_expired", DateTimeOffset.UtcNow.AddSeconds(4000))
                .Replace("https://api.example.com/docs/errors#", "https://shop.example/problems#");
            using (var server = new TestServer(request => request.Target == "/pay" ? Reply.Problem(409, own) : Reply.Fine()))
            using (var client = Client(Options()))
            {
                var response = await client.SendAsync(Request("POST", server.Url("/pay"), Bytes("{}")));
                Program.Equal(409, (int)response.StatusCode);
                Program.Equal(1, server.Requests.Count);
                await client.SendAsync(Request("POST", server.Url("/next"), Bytes("{}")));
                AllAccepted(server, Verifier());
            }
        }

        [Test]
        public async Task BelievesOnlyWhatItShouldAboutTheClock()
        {
            await AssertRequests(2, Problem("created_expired", DateTimeOffset.UtcNow.AddSeconds(4000)));
            await AssertRequests(1, Problem("created_expired", DateTimeOffset.UtcNow.AddHours(25)));
            await AssertRequests(1, Problem("signature_invalid", DateTimeOffset.UtcNow.AddSeconds(4000)));
            await AssertRequests(1, Problem("created_expired", null));
        }

        private async Task AssertRequests(int expected, string problem)
        {
            using (var server = new TestServer(request => Reply.Problem(401, problem)))
            using (var client = Client(Options()))
            {
                await Program.FailsAsync<RequestRefusedException>(() => client.GetAsync(server.Url("/")));
                Program.Equal(expected, server.Requests.Count, problem);
            }
        }

        [Test]
        public async Task ThrowsRefusalsWithTheirMembers()
        {
            var serverTime = new DateTimeOffset(2026, 11, 21, 0, 1, 58, TimeSpan.Zero);
            using (var server = new TestServer(request => Reply.Problem(403, Problem("permission_denied", serverTime))))
            using (var client = Client(Options()))
            {
                var error = await Program.FailsAsync<RequestRefusedException>(
                    () => client.SendAsync(Request("POST", server.Url("/"), new byte[1])));
                Program.Equal(403, error.Status);
                Program.Equal("permission_denied", error.Code);
                Program.Equal("A title", error.Refusal.Title);
                Program.Equal("Do \"this\".", error.Refusal.Detail);
                Program.Equal("a reason", error.Refusal.Reason);
                Program.Equal("request_1", error.Refusal.RequestId);
                Program.Equal(serverTime, error.Refusal.ServerTime.Value);
                Program.Equal("https://api.example.com/docs/errors#permission_denied", error.Refusal.Type);
                Program.Equal("permission_denied: A title. a reason. Do \"this\". (request_1)", error.Message);
            }
        }

        [Test]
        public async Task ReturnsRefusalsAsResponsesIfAsked()
        {
            var options = Options();
            options.ThrowsRefusals = false;
            string json = Problem("permission_denied", null);
            using (var server = new TestServer(request => Reply.Problem(403, json)))
            using (var client = Client(options))
            {
                var response = await client.GetAsync(server.Url("/"));
                Program.Equal(403, (int)response.StatusCode);
                Program.Equal(json, await response.Content.ReadAsStringAsync());
            }
        }

        [Test]
        public async Task PassesErrorsOfTheApiThrough()
        {
            var errors = new[]
            {
                Reply.Problem(409, "{\"code\":\"out_of_stock\",\"title\":\"é\"}"),
                Reply.Problem(403, "{\"code\":\"permission_denied\"}"),
                Reply.Problem(403, "{\"code\":\"permission_denied\",\"type\":\"about:blank\"}"),
                Reply.Problem(403, "{\"code\":\"permission_denied\",\"type\":\"https://a.test/problems/permission_denied\"}"),
                Reply.Problem(429, Problem("rate_limited", null)),
                Reply.Problem(503, Problem("guard_full", null)),
                Reply.Problem(404, "{\"code\":\"not_found\"}"),
                Reply.Problem(404, "{\"title\":\"no code\"}"),
                Reply.Problem(400, "no JSON"),
                Reply.Problem(400, "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\""),
                Reply.Problem(400, "[\"signature_invalid\"]"),
                Reply.Problem(500, "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\",\"padding\":\"" + new string('x', 270000) + "\"}"),
                Reply.Problem(200, "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\"}"),
                Reply.Problem(404, ""),
                Reply.Of(401, "Content-Type: application/json", "{\"type\":\"https://a.test/docs/errors#signature_invalid\",\"code\":\"signature_invalid\"}"),
                Reply.Of(503, "", "busy"),
            };
            foreach (Reply error in errors)
            {
                using (var server = new TestServer(request => error))
                using (var client = Client(Options()))
                {
                    var response = await client.SendAsync(Request("POST", server.Url("/"), new byte[1]));
                    Program.Equal(error.Status, (int)response.StatusCode);
                    Program.True(error.Body.SequenceEqual(await response.Content.ReadAsByteArrayAsync()), "the body");
                    AllAccepted(server, Verifier());
                }
            }
        }

        private sealed class RetryOnce : DelegatingHandler
        {
            protected override async Task<HttpResponseMessage> SendAsync(
                HttpRequestMessage request, CancellationToken cancellationToken)
            {
                try
                {
                    (await base.SendAsync(request, cancellationToken)).Dispose();
                }
                catch (HttpRequestException)
                {
                    // As Polly does.
                }
                return await base.SendAsync(request, cancellationToken);
            }
        }

        /// <summary>Sends a request with one key after the other.</summary>
        private sealed class Rekey : DelegatingHandler
        {
            internal string[] Keys;

            protected override async Task<HttpResponseMessage> SendAsync(
                HttpRequestMessage request, CancellationToken cancellationToken)
            {
                HttpResponseMessage response = null;
                foreach (string key in Keys)
                {
                    request.Headers.Remove("Idempotency-Key");
                    request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
                    response = await base.SendAsync(request, cancellationToken);
                }
                return response;
            }
        }

        /// <summary>Sends a copy of the request as it was before redirects.</summary>
        private sealed class RetryFirst : DelegatingHandler
        {
            protected override async Task<HttpResponseMessage> SendAsync(
                HttpRequestMessage request, CancellationToken cancellationToken)
            {
                HttpRequestMessage copy = Request(request.Method.Method, request.RequestUri.ToString(), Bytes("{}"));
                (await base.SendAsync(request, cancellationToken)).Dispose();
                foreach (var property in request.Properties) copy.Properties.Add(property);
                return await base.SendAsync(copy, cancellationToken);
            }
        }

        /// <summary>Sends a copy, as many handlers do that predate Polly.</summary>
        private sealed class RetryClone : DelegatingHandler
        {
            protected override async Task<HttpResponseMessage> SendAsync(
                HttpRequestMessage request, CancellationToken cancellationToken)
            {
                try
                {
                    (await base.SendAsync(request, cancellationToken)).Dispose();
                }
                catch (HttpRequestException)
                {
                    // The same.
                }
                HttpRequestMessage copy = Request(request.Method.Method, request.RequestUri.ToString(), Bytes("{}"));
                foreach (var property in request.Properties) copy.Properties.Add(property);
                return await base.SendAsync(copy, cancellationToken);
            }
        }

        /// <summary>A stream that can be read once and does not tell its length.</summary>
        private sealed class UnknownLength : MemoryStream
        {
            internal UnknownLength(byte[] bytes)
                : base(bytes)
            {
            }

            public override bool CanSeek => false;
        }
    }
}
