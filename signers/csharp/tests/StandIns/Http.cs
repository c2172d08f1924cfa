using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using Microsoft.Extensions.Http;
using Microsoft.Extensions.Options;

namespace System.Net.Http
{
    public interface IHttpClientFactory
    {
        HttpClient CreateClient(string name);
    }
}

namespace Microsoft.Extensions.Http
{
    public abstract class HttpMessageHandlerBuilder
    {
        public abstract string Name { get; set; }

        public abstract HttpMessageHandler PrimaryHandler { get; set; }

        public abstract IList<DelegatingHandler> AdditionalHandlers { get; }

        public virtual IServiceProvider Services { get; } = null;
    }

    public class HttpClientFactoryOptions
    {
        public IList<Action<HttpMessageHandlerBuilder>> HttpMessageHandlerBuilderActions { get; } =
            new List<Action<HttpMessageHandlerBuilder>>();
    }

    internal sealed class DefaultHttpMessageHandlerBuilder : HttpMessageHandlerBuilder
    {
        internal DefaultHttpMessageHandlerBuilder(IServiceProvider services)
        {
            Services = services;
        }

        public override string Name { get; set; }

        public override HttpMessageHandler PrimaryHandler { get; set; } = new HttpClientHandler();

        public override IList<DelegatingHandler> AdditionalHandlers { get; } = new List<DelegatingHandler>();

        public override IServiceProvider Services { get; }
    }

    /// <summary>Makes new handlers for each client: the real one does so every two minutes.</summary>
    internal sealed class DefaultHttpClientFactory : IHttpClientFactory
    {
        private readonly IServiceProvider services;

        internal DefaultHttpClientFactory(IServiceProvider services)
        {
            this.services = services;
        }

        public HttpClient CreateClient(string name)
        {
            var options = (IOptionsMonitor<HttpClientFactoryOptions>)services.GetService(
                typeof(IOptionsMonitor<HttpClientFactoryOptions>));
            var builder = new DefaultHttpMessageHandlerBuilder(services) { Name = name };
            foreach (var action in options.Get(name).HttpMessageHandlerBuilderActions) action(builder);
            HttpMessageHandler handler = builder.PrimaryHandler;
            foreach (DelegatingHandler outer in builder.AdditionalHandlers.Reverse())
            {
                outer.InnerHandler = handler;
                handler = outer;
            }
            return new HttpClient(handler);
        }
    }
}

namespace Microsoft.Extensions.DependencyInjection
{
    public interface IHttpClientBuilder
    {
        string Name { get; }

        IServiceCollection Services { get; }
    }

    internal sealed class DefaultHttpClientBuilder : IHttpClientBuilder
    {
        internal DefaultHttpClientBuilder(IServiceCollection services, string name)
        {
            Services = services;
            Name = name;
        }

        public string Name { get; }

        public IServiceCollection Services { get; }
    }

    public static class HttpClientFactoryServiceCollectionExtensions
    {
        public static IHttpClientBuilder AddHttpClient(this IServiceCollection services, string name)
        {
            services.Factories[typeof(IHttpClientFactory)] = provider => new DefaultHttpClientFactory(provider);
            services.AddOptions<HttpClientFactoryOptions>(name);
            return new DefaultHttpClientBuilder(services, name);
        }
    }

    public static class HttpClientBuilderExtensions
    {
        public static IHttpClientBuilder AddHttpMessageHandler(
            this IHttpClientBuilder builder, Func<DelegatingHandler> configureHandler)
        {
            builder.Services.Configure<HttpClientFactoryOptions>(
                builder.Name,
                options => options.HttpMessageHandlerBuilderActions.Add(
                    handlers => handlers.AdditionalHandlers.Add(configureHandler())));
            return builder;
        }
    }
}
