using System;
using Microsoft.Extensions.Logging;

namespace Countersign.HttpClientFactory
{
    /// <summary>Writes what the signer decides on its own to a logger. The event IDs are those of the kinds.</summary>
    internal static class SigningLog
    {
        internal static Action<SigningEvent> To(ILogger logger)
        {
            return what => Write(logger, what);
        }

        private static void Write(ILogger logger, SigningEvent what)
        {
            var id = new EventId((int)what.Kind, what.Kind.ToString());
            switch (what.Kind)
            {
                case SigningEventKind.WaitsForSecond:
                    logger.LogInformation(id, "{Method} {Url} waits for a second of its own.", what.Method, what.Url);
                    break;
                case SigningEventKind.EqualReadsRefused:
                    logger.LogInformation(id, "The service rejects equal reads. Each one gets a second of its own from now on.");
                    break;
                case SigningEventKind.RepeatNotSigned:
                    logger.LogWarning(
                        id, "{Method} {Url} may have been carried out, so it was not signed again.", what.Method, what.Url);
                    break;
                case SigningEventKind.RequestRefused:
                    logger.LogWarning(
                        id, "The service rejected {Method} {Url} with {Status} {Code} ({RequestId}).", what.Method, what.Url,
                        what.Refusal.Status, what.Refusal.Code, what.Refusal.RequestId);
                    break;
                case SigningEventKind.ClockCorrected:
                    logger.LogWarning(id, "This clock is off by {ClockDifference}. The request is signed again.", what.ClockDifference);
                    break;
                case SigningEventKind.KeyFileNotRead:
                    logger.LogWarning(id, what.Exception, "The key file cannot be read. The previous key stays in use.");
                    break;
            }
        }
    }
}
