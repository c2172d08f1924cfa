using System;
using System.Collections.Generic;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.Options
{
    public interface IOptionsMonitor<T>
    {
        T Get(string name);
    }

    public sealed class OptionsBuilder<T>
        where T : class, new()
    {
        private readonly OptionsOf<T> steps;
        private readonly string name;

        internal OptionsBuilder(OptionsOf<T> steps, string name)
        {
            this.steps = steps;
            this.name = name;
        }

        public OptionsBuilder<T> Configure<TDependency>(Action<T, TDependency> configure)
            where TDependency : class
        {
            steps.Configure.Add((provider, given, options) =>
            {
                if (given == name) configure(options, (TDependency)provider.GetService(typeof(TDependency)));
            });
            return this;
        }
    }

    /// <summary>The steps that make the options of a type, by name.</summary>
    internal sealed class OptionsOf<T>
        where T : class, new()
    {
        internal readonly List<Action<IServiceProvider, string, T>> Configure = new List<Action<IServiceProvider, string, T>>();
        internal readonly List<Action<IServiceProvider, string, T>> PostConfigure = new List<Action<IServiceProvider, string, T>>();
    }

    internal sealed class OptionsMonitor<T> : IOptionsMonitor<T>
        where T : class, new()
    {
        private readonly Dictionary<string, T> made = new Dictionary<string, T>();
        private readonly IServiceProvider provider;
        private readonly OptionsOf<T> steps;

        internal OptionsMonitor(IServiceProvider provider, OptionsOf<T> steps)
        {
            this.provider = provider;
            this.steps = steps;
        }

        public T Get(string name)
        {
            if (made.TryGetValue(name, out T known)) return known;
            var options = new T();
            foreach (var step in steps.Configure) step(provider, name, options);
            foreach (var step in steps.PostConfigure) step(provider, name, options);
            return made[name] = options;
        }
    }
}

namespace Microsoft.Extensions.DependencyInjection
{
    public static class OptionsServiceCollectionExtensions
    {
        public static OptionsBuilder<T> AddOptions<T>(this IServiceCollection services, string name)
            where T : class, new()
        {
            return new OptionsBuilder<T>(StepsOf<T>(services), name);
        }

        public static IServiceCollection Configure<T>(this IServiceCollection services, string name, Action<T> configure)
            where T : class, new()
        {
            StepsOf<T>(services).Configure.Add((provider, given, options) =>
            {
                if (given == name) configure(options);
            });
            return services;
        }

        public static IServiceCollection PostConfigure<T>(this IServiceCollection services, string name, Action<T> configure)
            where T : class, new()
        {
            StepsOf<T>(services).PostConfigure.Add((provider, given, options) =>
            {
                if (given == name) configure(options);
            });
            return services;
        }

        private static OptionsOf<T> StepsOf<T>(IServiceCollection services)
            where T : class, new()
        {
            if (services.Factories.TryGetValue(typeof(OptionsOf<T>), out var known)) return (OptionsOf<T>)known(null);
            var steps = new OptionsOf<T>();
            services.Factories[typeof(OptionsOf<T>)] = provider => steps;
            services.Factories[typeof(IOptionsMonitor<T>)] = provider => new OptionsMonitor<T>(provider, steps);
            return steps;
        }
    }
}
