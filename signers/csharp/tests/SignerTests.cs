using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Countersign.Testing;

namespace Countersign.Tests
{
    internal sealed class SignerTests
    {
        private const string Url = "https://api.example.com/v1/payments";
        private const long Now = 1775505115;

        private readonly string clientId = "client_" + Guid.NewGuid();

        private SignerOptions Options()
        {
            return new SignerOptions
            {
                ClientId = clientId,
                PrivateKey = Repository.PrivateKey("rsa-2048-a"),
                Now = () => DateTimeOffset.FromUnixTimeSeconds(Now).AddMilliseconds(999),
            };
        }

        private Verifier NewVerifier(string key = "rsa-2048-a")
        {
            return new Verifier(clientId, Repository.PublicKey(key)) { Now = () => DateTimeOffset.FromUnixTimeSeconds(Now) };
        }

        private static string Verdict(Verifier verifier, SignedRequest signed, byte[] body)
        {
            return verifier.Verify(signed.Method, signed.Url, signed.Headers, body).ToString();
        }

        private static string CodeOf(SignerOptions options)
        {
            return Program.SigningFails(() => new Signer(options)).Code;
        }

        private static string Folder()
        {
            return Directory.CreateDirectory(Path.Combine("build", "tests-" + Guid.NewGuid())).FullName;
        }

        [Test]
        public async Task TakesTheTimeFromItsClock()
        {
            SignedRequest signed = await new Signer(Options()).SignAsync("get", Url, null);
            Program.Equal(Now, signed.Created);
            Program.Equal("Mon, 06 Apr 2026 19:51:55 GMT", signed.Headers["Date"]);
            Program.True(signed.Headers["Signature-Input"].Contains(";created=1775505115;keyid="), "created");
            Program.Equal("ok", Verdict(NewVerifier(), signed, new byte[0]));
        }

        [Test]
        public async Task MovesEqualRequestsToLaterSeconds()
        {
            Verifier verifier = NewVerifier();
            var signer = new Signer(Options());
            for (int index = 0; index <= 30; index++)
            {
                // Another signer with the same client shares the memory.
                var one = index % 3 == 0 ? new Signer(Options()) : signer;
                SignedRequest signed = await one.SignAsync("POST", Url, new byte[] { 1 });
                Program.Equal(Now + index, signed.Created);
                Program.Equal("ok", Verdict(verifier, signed, new byte[] { 1 }));
            }
            int waits = 0;
            signer.Pause = (milliseconds, cancellation) =>
            {
                waits++;
                return Task.CompletedTask;
            };
            var error = await Program.FailsAsync<SigningException>(() => signer.SignAsync("POST", Url, new byte[] { 1 }));
            Program.Equal("too_many_equal_requests", error.Code);
            Program.True(error.Message.Contains("at most one a second"), error.Message);
            Program.Equal(30, waits);
            // Other requests are not affected.
            Program.Equal(Now, (await signer.SignAsync("POST", Url, new byte[] { 2 })).Created);
            Program.Equal(Now, (await signer.SignAsync("PUT", Url, new byte[] { 1 })).Created);
            Program.Equal(Now, (await signer.SignAsync("POST", Url + "?", new byte[] { 1 })).Created);
            Program.Equal(Now, (await signer.SignAsync("POST", Url, null)).Created);
        }

        [Test]
        public async Task WaitsForASecondOfItsOwn()
        {
            long seconds = Now;
            SignerOptions options = Options();
            options.Now = () => DateTimeOffset.FromUnixTimeSeconds(seconds);
            var heard = new List<SigningEvent>();
            options.OnEvent = heard.Add;
            var signer = new Signer(options)
            {
                Pause = (milliseconds, cancellation) =>
                {
                    seconds++;
                    return Task.CompletedTask;
                },
            };
            for (int count = 0; count < 40; count++)
            {
                SignedRequest signed = await signer.SignAsync("PUT", Url, new byte[] { 1 });
                Program.Equal(Now + count, signed.Created);
                Program.True(signed.Created <= seconds + 30, "at most 30 seconds ahead");
            }
            Program.Equal(9, heard.Count);
            foreach (SigningEvent what in heard)
            {
                Program.Equal("WaitsForSecond PUT " + Url, what.Kind + " " + what.Method + " " + what.Url);
            }
            using (var cancellation = new CancellationTokenSource())
            {
                signer.Pause = Task.Delay;
                cancellation.Cancel();
                await Program.FailsAsync<OperationCanceledException>(
                    () => signer.SignAsync("PUT", Url, new byte[] { 1 }, cancellation.Token));
            }
        }

        [Test]
        public async Task LetsReadsShareSecondsAgainSomeTimeAfterOneWasRefused()
        {
            long now = Now + 86400;
            SignerOptions options = Options();
            options.Now = () => DateTimeOffset.FromUnixTimeSeconds(now);
            var signer = new Signer(options);
            Program.True(signer.ChangeSecond("GET", Refusal.ReadHead(401, "Signature error=\"signature_replayed\"", null)), "again");
            for (int ahead = 0; ahead < 3; ahead++)
            {
                Program.Equal(now + ahead, (await signer.SignAsync("GET", Url, null)).Created, "a second of its own");
            }
            now += 10;
            for (int count = 0; count < 3; count++)
            {
                Program.Equal(now, (await signer.SignAsync("GET", Url, null)).Created, "a shared one");
            }
        }

        [Test]
        public async Task LetsEqualReadsShareASecond()
        {
            // With a second for each, the 32nd would have to wait.
            var signer = new Signer(Options()) { Pause = (milliseconds, cancellation) => throw new InvalidOperationException() };
            foreach (string method in new[] { "GET", "head", "OPTIONS" })
            {
                await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => signer.SignAsync(method, Url, null)));
            }
            var used = new UsedSeconds();
            Program.True(used.Add("read", 1, TimeSpan.FromHours(1)) && used.Add("read", 1, TimeSpan.FromHours(1)), "shared");
            Program.True(!used.Add("read", 1, TimeSpan.Zero), "used for longer than it may be shared");
        }

        [Test]
        public async Task SharesSecondsThroughAFolder()
        {
            string folder = Folder();
            byte[] body = Encoding.UTF8.GetBytes("{}");
            string hash = SignatureBase.Identity(clientId, "POST", Url, SignatureBase.ContentDigest(body));
            string old = Path.Combine(folder, "0123456789abcdef0123456789abcdef.1775500000");
            string foreign = Path.Combine(folder, "notes.txt");
            foreach (string name in new[] { hash + "." + Now, hash + "." + (Now + 2) }) File.WriteAllText(Path.Combine(folder, name), "");
            foreach (string file in new[] { old, foreign })
            {
                File.WriteAllText(file, "");
                File.SetLastWriteTimeUtc(file, DateTime.UtcNow.AddSeconds(-421));
            }
            var options = Options();
            options.SharedFolder = folder;
            var signer = new Signer(options);
            Program.Equal(Now + 1, (await signer.SignAsync("POST", Url, body)).Created);
            Program.Equal(Now + 3, (await signer.SignAsync("POST", Url, body)).Created);
            string names = string.Join(" ", Directory.GetFiles(folder).Select(Path.GetFileName).OrderBy(name => name, StringComparer.Ordinal));
            var expected = Enumerable.Range(0, 4).Select(index => hash + "." + (Now + index)).Concat(new[] { "notes.txt" });
            Program.Equal(string.Join(" ", expected), names);
            Directory.Delete(folder, true);

            options.SharedFolder = folder;
            var missing = new Signer(options);
            var error = await Program.FailsAsync<SigningException>(() => missing.SignAsync("POST", Url, new byte[] { 9 }));
            Program.Equal("signing_failed", error.Code);
        }

        [Test]
        public void NamesFilesAsOtherLanguagesDo()
        {
            // printf 'client_1\0POST\0https://api.example.com/v1/payments\0sha-256=:…:' | sha256sum
            string digest = "sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:";
            Program.Equal("16da7972df7193368f6d6c3f022ce89b", SignatureBase.Identity("client_1", "POST", Url, digest));
            Program.Equal("507db41486e85baa7750af21252d3869", SignatureBase.Identity("client_1", "GET", Url, null));
        }

        [Test]
        public async Task LeavesOutDateAndAddsANonceIfAsked()
        {
            var options = Options();
            options.CoverDate = false;
            SignedRequest signed = await new Signer(options).SignAsync("POST", Url + "?date", new byte[] { 1 });
            Program.True(!signed.Headers.ContainsKey("Date"), "Date");
            Verifier verifier = NewVerifier();
            Program.True(Verdict(verifier, signed, new byte[] { 1 }).StartsWith("components_invalid"), "without Date");
            verifier.AcceptWithoutDate = true;
            Program.Equal("ok", Verdict(verifier, signed, new byte[] { 1 }));

            options = Options();
            options.Nonce = true;
            var signer = new Signer(options);
            SignedRequest first = await signer.SignAsync("GET", Url + "?1", null);
            SignedRequest second = await signer.SignAsync("GET", Url + "?2", null);
            Program.True(Verdict(verifier, first, new byte[0]).StartsWith("parameters_invalid"), "with nonce");
            verifier.RequireNonce = true;
            Program.Equal("ok", Verdict(verifier, first, new byte[0]));
            string nonce = Regex.Match(first.Headers["Signature-Input"], ";nonce=\".+\"$").Value;
            Program.True(nonce != "" && !second.Headers["Signature-Input"].Contains(nonce), "one nonce twice");
        }

        [Test]
        public async Task VerifierNoticesRepetitionAndChanges()
        {
            Verifier verifier = NewVerifier();
            SignedRequest signed = await new Signer(Options()).SignAsync("POST", Url, new byte[] { 1 });
            Func<string, string, byte[], string> code = (method, url, body) =>
                verifier.Verify(method, url, signed.Headers, body).Code;
            Program.Equal("signature_invalid", code("PUT", Url, new byte[] { 1 }));
            Program.Equal("signature_invalid", code("POST", Url + "?", new byte[] { 1 }));
            Program.Equal("digest_mismatch", code("POST", Url, new byte[] { 2 }));
            Program.Equal("components_invalid", code("POST", Url, new byte[0]));
            Program.Equal(null, code("POST", Url, new byte[] { 1 }));
            Program.Equal("signature_replayed", code("POST", Url, new byte[] { 1 }));
            verifier.Now = () => DateTimeOffset.FromUnixTimeSeconds(Now + 301);
            Program.Equal("created_expired", code("POST", Url, new byte[] { 1 }));
            verifier.Now = () => DateTimeOffset.FromUnixTimeSeconds(Now - 61);
            Program.Equal("created_in_future", code("POST", Url, new byte[] { 1 }));
        }

        [Test]
        public async Task EscapesTheClientId()
        {
            var options = Options();
            options.ClientId = "a\"b\\c";
            SignedRequest signed = await new Signer(options).SignAtAsync("GET", Url, null, 1, "x");
            Program.True(signed.SignatureBase.EndsWith(";keyid=\"a\\\"b\\\\c\";alg=\"rsa-v1_5-sha256\""), signed.SignatureBase);
        }

        [Test]
        public async Task RejectsWhatCannotBeUsed()
        {
            foreach (string bad in new[] { null, "", "a b", "client_1\n", "client_1\r\n", "é", new string('x', 257) })
            {
                var options = Options();
                options.ClientId = bad;
                Program.Equal("keyid_invalid", CodeOf(options));
            }
            Program.Equal("private_key_invalid", CodeOf(new SignerOptions { ClientId = "a" }));
            var two = Options();
            two.PrivateKeyFile = "private.pem";
            Program.Equal("private_key_invalid", CodeOf(two));

            var signer = new Signer(Options());
            foreach (string method in new[] { "", "GET ", "GET\n", "GE T", "GÉT", new string('A', 65) })
            {
                var error = await Program.FailsAsync<SigningException>(() => signer.SignAsync(method, Url, null));
                Program.Equal("request_invalid", error.Code, method);
            }
            var urls = new[]
            {
                "", "/v1", "ftp://a/", "https:///v1", "https://a b/", "https://a/\n", "https://a/\u007f", "https://u@a/",
                "https://bücher.example/", "https://a:x/", "https://a/" + new string('x', 8500), "https://a/\ud800",
            };
            foreach (string url in urls)
            {
                var error = await Program.FailsAsync<SigningException>(() => signer.SignAsync("GET", url, null));
                Program.Equal("request_invalid", error.Code, url);
            }
        }

        [Test]
        public void NormalizesUrls()
        {
            var urls = new Dictionary<string, string>
            {
                ["HTTPS://API.Example.COM/A?B"] = "https://api.example.com/A?B",
                ["https://a:443"] = "https://a/",
                ["http://a:80?x"] = "http://a/?x",
                ["https://a:80/"] = "https://a:80/",
                ["http://[::1]:/#x?"] = "http://[::1]/",
                ["https://[2001:DB8::1]:8443/~%7e"] = "https://[2001:db8::1]:8443/~%7e",
                ["https://a/é?€=😀"] = "https://a/%C3%A9?%E2%82%AC=%F0%9F%98%80",
            };
            foreach (var url in urls) Program.Equal(url.Value, TargetUri.Parse(url.Key).ToString());
        }

        [Test]
        public async Task SignsWithKeyObjectsAndFunctions()
        {
            RSA key = PrivateKeyText.RsaFrom(PrivateKeyText.Read(Repository.PrivateKey("rsa-3072-a"), null));
            Verifier verifier = NewVerifier("rsa-3072-a");
            var options = Options();
            options.PrivateKey = null;
            options.PrivateKeyObject = key;
            Program.Equal("ok", Verdict(verifier, await new Signer(options).SignAsync("GET", Url + "?object", null), new byte[0]));

            options.PrivateKeyObject = null;
            options.SignFunction = async (data, cancellation) =>
            {
                await Task.Yield();
                return key.SignData(data, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
            };
            Program.Equal("ok", Verdict(verifier, await new Signer(options).SignAsync("GET", Url + "?function", null), new byte[0]));

            foreach (byte[] wrong in new[] { null, new byte[0], new byte[255], new byte[1025] })
            {
                options.SignFunction = (data, cancellation) => Task.FromResult(wrong);
                var signer = new Signer(options);
                var error = await Program.FailsAsync<SigningException>(() => signer.SignAsync("GET", Url, null));
                Program.Equal("signing_failed", error.Code);
            }
            options.SignFunction = (data, cancellation) => throw new IOException("the vault is sealed");
            var broken = new Signer(options);
            var failure = await Program.FailsAsync<SigningException>(() => broken.SignAsync("GET", Url, null));
            Program.Equal("the vault is sealed", failure.InnerException.Message);
        }

        [Test]
        public async Task FollowsItsKeyFile()
        {
            string folder = Folder();
            string file = Path.Combine(folder, "private.pem");
            File.WriteAllText(file, Repository.PrivateKey("rsa-2048-a"));
            var options = Options();
            options.PrivateKey = null;
            options.PrivateKeyFile = file;
            var heard = new List<SigningEvent>();
            options.OnEvent = heard.Add;
            var signer = new Signer(options);
            Program.True(await Eventually(signer, NewVerifier()), "the first key");
            File.WriteAllText(file, Repository.PrivateKey("rsa-2048-b"));
            Program.True(await Eventually(signer, NewVerifier("rsa-2048-b")), "the second key");
            // Half a file changes nothing.
            File.WriteAllText(file, Repository.PrivateKey("rsa-2048-a").Substring(0, 500));
            Thread.Sleep(600);
            Program.True(await Accepts(signer, NewVerifier("rsa-2048-b")), "still the second key");
            Program.Equal(1, heard.Count(what => what.Kind == SigningEventKind.KeyFileNotRead && what.Exception != null));
            File.WriteAllText(file, Repository.PrivateKey("rsa-2048-a"));
            Program.True(await Eventually(signer, NewVerifier()), "the first key again");
            Directory.Delete(folder, true);

            var error = Program.SigningFails(() => new Signer(options));
            Program.Equal("private_key_invalid", error.Code);
            Program.True(error.Message.Contains(file), error.Message);
        }

        [Test]
        public async Task ReadsTheEnvironment()
        {
            string pem = Repository.PrivateKey("rsa-2048-a");
            Program.Equal("keyid_invalid", CodeOfVariables("PRIVATE_KEY", pem));
            Program.Equal("keyid_invalid", CodeOfVariables("PRIVATE_KEY", pem, "CLIENT_ID", ""));
            Program.Equal("private_key_invalid", CodeOfVariables("CLIENT_ID", clientId));
            Program.Equal("private_key_invalid", CodeOfVariables("CLIENT_ID", clientId, "PRIVATE_KEY", "", "PRIVATE_KEY_FILE", ""));
            Program.Equal("private_key_invalid", CodeOfVariables("CLIENT_ID", clientId, "PRIVATE_KEY", pem, "PRIVATE_KEY_FILE", "a"));

            SignerOptions options = Variables("CLIENT_ID", clientId, "PRIVATE_KEY", pem, "PRIVATE_KEY_FILE", "", "PASSPHRASE", "horse");
            options.Now = Options().Now;
            SignedRequest signed = await new Signer(options).SignAsync("GET", Url, null);
            Program.Equal("ok", Verdict(NewVerifier(), signed, new byte[0]));
            Program.Equal("horse", options.Passphrase);
            Program.Equal("private.pem", Variables("CLIENT_ID", "a", "PRIVATE_KEY_FILE", "private.pem").PrivateKeyFile);
        }

        private static SignerOptions Variables(params string[] namesAndValues)
        {
            return EnvironmentVariables.Read(name =>
            {
                int index = Array.IndexOf(namesAndValues, name.Replace("COUNTERSIGN_", ""));
                return name.StartsWith("COUNTERSIGN_", StringComparison.Ordinal) && index >= 0 ? namesAndValues[index + 1] : null;
            });
        }

        private static string CodeOfVariables(params string[] namesAndValues)
        {
            return Program.SigningFails(() => Variables(namesAndValues)).Code;
        }

        private int count;

        private async Task<bool> Accepts(Signer signer, Verifier verifier)
        {
            return Verdict(verifier, await signer.SignAsync("GET", Url + "?" + count++, null), new byte[0]) == "ok";
        }

        /// <summary>Waits for the change of key, however slow the machine is.</summary>
        private async Task<bool> Eventually(Signer signer, Verifier verifier)
        {
            for (int attempt = 0; attempt < 600; attempt++)
            {
                if (await Accepts(signer, verifier)) return true;
                Thread.Sleep(50);
            }
            return false;
        }

        [Test]
        public void KnowsTheCodesOfTheService()
        {
            // Errors of operations stand in the other sections.
            string[] sections =
            {
                "Framing", "The signature headers", "The time", "The caller", "The body", "An API behind the gateway",
                "The service itself",
            };
            var documented = Regex.Split(Repository.Text("docs/errors.md"), "\n## ")
                .Where(section => sections.Contains(section.Split('\n')[0]))
                .SelectMany(section => Regex.Matches(section, "^### `([a-z_]+)`", RegexOptions.Multiline).Cast<Match>())
                .Select(match => match.Groups[1].Value)
                .ToList();
            Program.True(documented.Count > 30, "docs/errors.md has other sections");
            Program.True(ServiceCodes.All.SetEquals(documented), "other codes than in docs/errors.md");
        }

        [Test]
        public void ReadsProblemsThatAreHostile()
        {
            string deep = "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",\"a\":" + new string('[', 5000) + new string(']', 5000) + "}";
            var texts = new[]
            {
                deep, "", "{", "{}", "null", "{\"code\":1}", "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\"}x", "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",}",
                "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",\"a\":01}", "{\"code\":\"\\u00\"}", "{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\n\"}",
                "{'code':'client_disabled'}", "{\"type\":\"/docs/errors#not_found\",\"code\":\"not_found\"}",
            };
            foreach (string text in texts) Program.True(Refusal.Read(400, Encoding.UTF8.GetBytes(text)) == null, text);
            byte[] notUtf8 = Encoding.GetEncoding("iso-8859-1").GetBytes("{\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\",\"title\":\"é\"}");
            Program.True(Refusal.Read(400, notUtf8) == null, "another encoding");
            byte[] good = Encoding.UTF8.GetBytes("{\"serverTime\":\"tomorrow\",\"type\":\"/docs/errors#client_disabled\",\"code\":\"client_disabled\"}");
            Program.Equal(null, Refusal.Read(400, good).ServerTime);
        }
    }
}
