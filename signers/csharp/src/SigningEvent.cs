using System;

namespace Countersign
{
    /// <summary>Something that the signer has decided on its own, for logs.</summary>
    public sealed class SigningEvent
    {
        internal SigningEvent(SigningEventKind kind, string method = null, string url = null)
        {
            Kind = kind;
            Method = method?.ToUpperInvariant();
            Url = url?.Split('?', '#')[0];
        }

        /// <summary>What happened.</summary>
        public SigningEventKind Kind { get; }

        /// <summary>The method of the request; null for an event without one.</summary>
        public string Method { get; }

        /// <summary>The URL of the request without its query, which may hold secrets; null for an event without one.</summary>
        public string Url { get; }

        /// <summary>The rejection, for <see cref="SigningEventKind.RequestRefused"/>; otherwise null.</summary>
        public Refusal Refusal { get; internal set; }

        /// <summary>
        /// The service's clock minus this one, for <see cref="SigningEventKind.ClockCorrected"/>; otherwise null.
        /// </summary>
        public TimeSpan? ClockDifference { get; internal set; }

        /// <summary>Why the file cannot be used, for <see cref="SigningEventKind.KeyFileNotRead"/>; otherwise null.</summary>
        public Exception Exception { get; internal set; }
    }

    /// <summary>The kinds of <see cref="SigningEvent"/>.</summary>
    public enum SigningEventKind
    {
        /// <summary>A request waits for a second of its own, because equal ones have used up 30.</summary>
        WaitsForSecond = 1,

        /// <summary>A repeat was not signed, because the request may have been carried out.</summary>
        RepeatNotSigned = 2,

        /// <summary>The service rejected a request.</summary>
        RequestRefused = 3,

        /// <summary>The signer adopted the service's clock, and signs the request again.</summary>
        ClockCorrected = 4,

        /// <summary>The service rejects equal reads, so each one gets a second of its own from now on.</summary>
        EqualReadsRefused = 5,

        /// <summary>The key file has changed and cannot be read. The previous key stays in use.</summary>
        KeyFileNotRead = 6,
    }
}
