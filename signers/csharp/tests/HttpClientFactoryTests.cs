using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Countersign.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Countersign.Tests
{
    /// <summary>AddCountersignSigning, on clients of IHttpClientFactory.</summary>
    internal sealed class HttpClientFactoryTests
    {
        private readonly string clientId = "client_" + Guid.NewGuid();
        private readonly ServiceCollection services = new ServiceCollection();
        private readonly Lines lines = new Lines();

        public HttpClientFactoryTests()
        {
            services.AddSingleton<ILoggerFactory>(lines);
        }

        private void Configure(SignerOptions options)
        {
            options.ClientId = clientId;
            options.PrivateKey = Repository.PrivateKey("rsa-2048-a");
        }

        private IHttpClientFactory Factory()
        {
            return services.BuildServiceProvider().GetRequiredService<IHttpClientFactory>();
        }

        private Verifier Verifier()
        {
            return new Verifier(clientId, Repository.PublicKey("rsa-2048-a"));
        }

        [Test]
        public void RejectsOptionsWhenTheClientIsMade()
        {
            services.AddHttpClient("payments").AddCountersignSigning(options => options.ClientId = "a");
            IHttpClientFactory factory = Factory();
            for (int attempt = 0; attempt < 2; attempt++)
            {
                Program.Equal("private_key_invalid", Program.SigningFails(() => factory.CreateClient("payments")).Code);
            }
        }

        [Test]
        public async Task RefusesTwoSigningHandlers()
        {
            services.AddHttpClient("twice").AddCountersignSigning(Configure).AddCountersignSigning(Configure);
            var options = new SignerOptions();
            Configure(options);
            services.AddHttpClient("own").AddCountersignSigning(Configure)
                .AddHttpMessageHandler(() => new SigningHandler(new Signer(options)));
            IHttpClientFactory factory = Factory();
            foreach (string name in new[] { "twice", "own" })
            {
                await Program.FailsAsync<InvalidOperationException>(() => Task.FromResult(factory.CreateClient(name)));
            }
        }

        [Test]
        public async Task SignsInnermostWhereverItIsCalled()
        {
            services.AddHttpClient("payments").AddCountersignSigning(Configure).AddHttpMessageHandler(() => new ChangesTheUrl());
            using (var server = new TestServer(request => Reply.Fine()))
            {
                await Factory().CreateClient("payments").PostAsync(server.Url("/pay"), new StringContent("{}"));
                Program.True(server.Requests[0].Url.EndsWith("/pay?changed"), server.Requests[0].Url);
                Program.Equal("ok", server.Requests[0].Verdict(Verifier()));
            }
        }

        [Test]
        public async Task LeavesOtherClientsUnsigned()
        {
            services.AddHttpClient("payments").AddCountersignSigning(Configure);
            services.AddHttpClient("weather");
            using (var server = new TestServer(request => Reply.Fine()))
            {
                await Factory().CreateClient("weather").GetAsync(server.Url("/"));
                Program.Equal(null, server.Requests[0].Header("Signature"));
            }
        }

        [Test]
        public async Task SharesASignerAmongTheHandlersOfAClient()
        {
            services.AddHttpClient("payments").AddCountersignSigning(
                options =>
                {
                    Configure(options);
                    options.ThrowsRefusals = false;
                });
            string time = DateTime.UtcNow.AddHours(2).ToString("yyyy-MM-dd'T'HH:mm:ss'Z'");
            var refused = Reply.Problem(401, Problem("created_expired", ",\"serverTime\":\"" + time + "\""));
            using (var server = new TestServer(request => refused))
            {
                IHttpClientFactory factory = Factory();
                await factory.CreateClient("payments").GetAsync(server.Url("/1"));
                await factory.CreateClient("payments").GetAsync(server.Url("/2"));
                // The second client begins with the clock that the first one has learned.
                string input = server.Requests[2].Header("Signature-Input");
                long created = long.Parse(Regex.Match(input, ";created=([0-9]+)").Groups[1].Value);
                Program.True(created > DateTimeOffset.UtcNow.AddHours(1).ToUnixTimeSeconds(), "another clock");
            }
        }

        [Test]
        public async Task ReadsTheEnvironment()
        {
            var variables = new Dictionary<string, string>
            {
                ["COUNTERSIGN_CLIENT_ID"] = clientId, ["COUNTERSIGN_PRIVATE_KEY"] = Repository.PrivateKey("rsa-2048-a"),
            };
            foreach (var variable in variables) Environment.SetEnvironmentVariable(variable.Key, variable.Value);
            try
            {
                services.AddHttpClient("payments").AddCountersignSigning();
                using (var server = new TestServer(request => Reply.Fine()))
                {
                    await Factory().CreateClient("payments").GetAsync(server.Url("/"));
                    Program.Equal("ok", server.Requests[0].Verdict(Verifier()));
                }
            }
            finally
            {
                foreach (var variable in variables) Environment.SetEnvironmentVariable(variable.Key, null);
            }
        }

        [Test]
        public async Task LogsWhatTheSignerDecides()
        {
            var heard = new List<SigningEventKind>();
            services.AddHttpClient("payments").AddCountersignSigning(
                options =>
                {
                    Configure(options);
                    options.OnEvent = what => heard.Add(what.Kind);
                }).AddHttpMessageHandler(() => new Repeats());
            using (var server = new TestServer(request => Reply.Problem(503, Problem("upstream_timeout", ""))))
            {
                HttpClient client = Factory().CreateClient("payments");
                await Program.FailsAsync<RepeatNotSignedException>(
                    () => client.PostAsync(server.Url("/pay?token=secret"), new StringContent("{}")));
                string url = server.Url("/pay");
                var expected = new[]
                {
                    "Countersign.Signer Warning 3 The service rejected POST " + url + " with 503 upstream_timeout (request_1).",
                    "Countersign.Signer Warning 2 POST " + url + " may have been carried out, so it was not signed again.",
                };
                Program.Equal(string.Join("\n", expected), string.Join("\n", lines.Written));
                Program.Equal("RequestRefused RepeatNotSigned", string.Join(" ", heard));
            }
        }

        private static string Problem(string code, string more)
        {
            return "{\"type\":\"https://api.example.com/docs/errors#" + code + "\",\"code\":\"" + code
                + "\",\"requestId\":\"request_1\"" + more + "}";
        }

        private sealed class ChangesTheUrl : DelegatingHandler
        {
            protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
            {
                request.RequestUri = new Uri(request.RequestUri + "?changed");
                return base.SendAsync(request, cancellationToken);
            }
        }

        private sealed class Repeats : DelegatingHandler
        {
            protected override async Task<HttpResponseMessage> SendAsync(
                HttpRequestMessage request, CancellationToken cancellationToken)
            {
                await base.SendAsync(request, cancellationToken);
                return await base.SendAsync(request, cancellationToken);
            }
        }

        /// <summary>Collects what is logged, a line for each event.</summary>
        private sealed class Lines : ILoggerFactory
        {
            internal List<string> Written { get; } = new List<string>();

            public ILogger CreateLogger(string categoryName)
            {
                return new Logger(this, categoryName);
            }

            public void AddProvider(ILoggerProvider provider)
            {
            }

            public void Dispose()
            {
            }

            private sealed class Logger : ILogger
            {
                private readonly Lines lines;
                private readonly string category;

                internal Logger(Lines lines, string category)
                {
                    this.lines = lines;
                    this.category = category;
                }

                public IDisposable BeginScope<TState>(TState state)
                {
                    return lines;
                }

                public bool IsEnabled(LogLevel logLevel)
                {
                    return true;
                }

                public void Log<TState>(
                    LogLevel logLevel, EventId eventId, TState state, Exception exception,
                    Func<TState, Exception, string> formatter)
                {
                    // The real factory logs each request, too.
                    if (!category.StartsWith("Countersign", StringComparison.Ordinal)) return;
                    lines.Written.Add(category + " " + logLevel + " " + eventId.Id + " " + formatter(state, exception));
                }
            }
        }
    }
}
