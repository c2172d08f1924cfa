// Stand-ins for what the package uses of Microsoft.Extensions, with the same names and signatures, for Mono. With the .NET SDK, the
// real ones take their place.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Microsoft.Extensions.DependencyInjection
{
    public interface IServiceCollection
    {
        IDictionary<Type, Func<IServiceProvider, object>> Factories { get; }
    }

    /// <summary>Knows singletons only.</summary>
    public sealed class ServiceCollection : IServiceCollection
    {
        public IDictionary<Type, Func<IServiceProvider, object>> Factories { get; } =
            new Dictionary<Type, Func<IServiceProvider, object>>();
    }

    public static class ServiceCollectionServiceExtensions
    {
        public static IServiceCollection AddSingleton<T>(this IServiceCollection services, T instance)
            where T : class
        {
            services.Factories[typeof(T)] = provider => instance;
            return services;
        }
    }

    public static class ServiceCollectionContainerBuilderExtensions
    {
        public static ServiceProvider BuildServiceProvider(this IServiceCollection services)
        {
            return new ServiceProvider(services);
        }
    }

    public sealed class ServiceProvider : IServiceProvider, IDisposable
    {
        private readonly IServiceCollection services;
        private readonly Dictionary<Type, object> made = new Dictionary<Type, object>();

        internal ServiceProvider(IServiceCollection services)
        {
            this.services = services;
        }

        public object GetService(Type type)
        {
            if (made.TryGetValue(type, out object service)) return service;
            if (!services.Factories.TryGetValue(type, out var factory)) return null;
            return made[type] = factory(this);
        }

        public void Dispose()
        {
        }
    }

    public static class ServiceProviderServiceExtensions
    {
        public static T GetRequiredService<T>(this IServiceProvider provider)
        {
            return (T)(provider.GetService(typeof(T)) ?? throw new InvalidOperationException("There is no " + typeof(T) + "."));
        }
    }
}

namespace Microsoft.Extensions.DependencyInjection.Extensions
{
    public static class ServiceCollectionDescriptorExtensions
    {
        public static void TryAddSingleton<T>(this IServiceCollection services)
            where T : class
        {
            if (services.Factories.ContainsKey(typeof(T))) return;
            var constructor = typeof(T).GetConstructors().Single();
            services.Factories[typeof(T)] = provider => constructor.Invoke(
                constructor.GetParameters().Select(parameter => provider.GetService(parameter.ParameterType)).ToArray());
        }
    }
}
