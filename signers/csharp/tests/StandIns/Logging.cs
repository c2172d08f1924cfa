using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Microsoft.Extensions.Logging
{
    public enum LogLevel
    {
        Trace, Debug, Information, Warning, Error, Critical, None,
    }

    public struct EventId
    {
        public EventId(int id, string name = null)
        {
            Id = id;
            Name = name;
        }

        public int Id { get; }

        public string Name { get; }
    }

    public interface ILogger
    {
        IDisposable BeginScope<TState>(TState state);

        bool IsEnabled(LogLevel logLevel);

        void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception exception, Func<TState, Exception, string> formatter);
    }

    public interface ILoggerProvider : IDisposable
    {
        ILogger CreateLogger(string categoryName);
    }

    public interface ILoggerFactory : IDisposable
    {
        ILogger CreateLogger(string categoryName);

        void AddProvider(ILoggerProvider provider);
    }

    public static class LoggerExtensions
    {
        public static void LogInformation(this ILogger logger, EventId eventId, string message, params object[] args)
        {
            Log(logger, LogLevel.Information, eventId, null, message, args);
        }

        public static void LogWarning(this ILogger logger, EventId eventId, string message, params object[] args)
        {
            Log(logger, LogLevel.Warning, eventId, null, message, args);
        }

        public static void LogWarning(
            this ILogger logger, EventId eventId, Exception exception, string message, params object[] args)
        {
            Log(logger, LogLevel.Warning, eventId, exception, message, args);
        }

        private static void Log(
            ILogger logger, LogLevel level, EventId eventId, Exception exception, string message, object[] args)
        {
            var values = new Queue<object>(args);
            string text = Regex.Replace(message, @"\{[A-Za-z]+\}", hole => (values.Dequeue() ?? "(null)").ToString());
            if (values.Any()) throw new FormatException("The message has fewer holes than values.");
            logger.Log(level, eventId, text, exception, (state, error) => state);
        }
    }
}
