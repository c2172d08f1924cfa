// Compiled and run with stand-ins for Microsoft.Extensions only: see tests/StandIns.
using System;
using System.Linq;
using Countersign;
using Countersign.HttpClientFactory;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Http;
using Microsoft.Extensions.Logging;

// Where IHttpClientBuilder is, so that AddCountersignSigning needs no using of its own.
namespace Microsoft.Extensions.DependencyInjection
{
    /// <summary>Signs the requests of clients that <c>IHttpClientFactory</c> makes.</summary>
    public static class CountersignHttpClientBuilderExtensions
    {
        /// <summary>
        /// Signs the client's requests, with the client ID and the key of <see cref="SignerOptions.FromEnvironment"/>.
        /// </summary>
        public static IHttpClientBuilder AddCountersignSigning(this IHttpClientBuilder builder)
        {
            return builder.AddCountersignSigning(
                options =>
                {
                    SignerOptions given = SignerOptions.FromEnvironment();
                    options.ClientId = given.ClientId;
                    options.PrivateKey = given.PrivateKey;
                    options.PrivateKeyFile = given.PrivateKeyFile;
                    options.Passphrase = given.Passphrase;
                });
        }

        /// <summary>Signs the client's requests.</summary>
        /// <remarks>
        /// The handler that signs is the innermost one, wherever this is called: those that retry or change a request come before
        /// it. All handlers of a client share one signer. What the signer decides on its own is logged as <c>Countersign.Signer</c>.
        /// </remarks>
        /// <param name="builder">the client, as <c>AddHttpClient</c> returns it</param>
        /// <param name="configure">sets the options, for example from the application's configuration</param>
        /// <exception cref="SigningException">when the client is first made, if an option is missing or wrong</exception>
        public static IHttpClientBuilder AddCountersignSigning(
            this IHttpClientBuilder builder, Action<SignerOptions> configure)
        {
            if (builder == null) throw new ArgumentNullException(nameof(builder));
            if (configure == null) throw new ArgumentNullException(nameof(configure));
            string name = builder.Name;
            builder.Services.AddOptions<SignerOptions>(name).Configure<ILoggerFactory>(
                (options, loggers) =>
                {
                    configure(options);
                    options.OnEvent += SigningLog.To(loggers.CreateLogger("Countersign.Signer"));
                });
            builder.Services.TryAddSingleton<NamedSigners>();
            // After all other configuration, and so after all other handlers.
            builder.Services.PostConfigure<HttpClientFactoryOptions>(
                name, factory => factory.HttpMessageHandlerBuilderActions.Add(handlers => AddInnermost(handlers, name)));
            return builder;
        }

        private static void AddInnermost(HttpMessageHandlerBuilder handlers, string name)
        {
            if (handlers.AdditionalHandlers.OfType<SigningHandler>().Any())
            {
                throw new InvalidOperationException(
                    "The HTTP client \"" + name + "\" has two signing handlers. Call AddCountersignSigning once, and add no "
                        + "SigningHandler yourself.");
            }
            Signer signer = handlers.Services.GetRequiredService<NamedSigners>().Get(name);
            handlers.AdditionalHandlers.Add(new SigningHandler(signer));
        }
    }
}
