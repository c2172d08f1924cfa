using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;

namespace Countersign
{
    /// <summary>
    /// The attempts of one call: a handler around the signing one that repeats a payment gets no second signature for it.
    /// </summary>
    internal sealed class Attempts
    {
        /// <summary>Handlers that clone a request for an attempt copy its properties.</summary>
        private const string Property = "Countersign.Attempts";

        /// <summary>RFC 9110 section 9.2.2.</summary>
        private static readonly HashSet<string> Idempotent =
            new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE" };

        /// <summary>The request may have been carried out, whatever these codes say.</summary>
        private static readonly HashSet<string> NoProof = new HashSet<string>
        {
            "signature_replayed", "upstream_failed", "upstream_timeout", "outcome_unknown", "request_timeout", "internal_error",
        };

        private static readonly HashSet<SocketError> NotConnected = new HashSet<SocketError>
        {
            SocketError.ConnectionRefused, SocketError.HostNotFound, SocketError.HostUnreachable, SocketError.NetworkUnreachable,
            SocketError.NoData, SocketError.TryAgain,
        };

        /// <summary>What was sent, and may have been carried out, by method and URL.</summary>
        private readonly Dictionary<string, Unknown> unknown = new Dictionary<string, Unknown>();

        /// <summary>The key of this call, for signers that add one.</summary>
        internal string IdempotencyKey { get; } = Guid.NewGuid().ToString();

        internal static Attempts Of(HttpRequestMessage request)
        {
#pragma warning disable CS0618 // Options exist only from .NET 5 on
            IDictionary<string, object> properties = request.Properties;
#pragma warning restore CS0618
            lock (properties)
            {
                if (!properties.TryGetValue(Property, out object known)) properties[Property] = known = new Attempts();
                return (Attempts)known;
            }
        }

        /// <summary>Returns whether a request must not be repeated: it is not idempotent, and has no key.</summary>
        internal static bool NeedsKey(HttpRequestMessage request)
        {
            return KeyOf(request) == "" && !Idempotent.Contains(request.Method.Method);
        }

        /// <summary>
        /// Begins an attempt, and refuses it if an earlier one may have been carried out: only the key of that one keeps the API
        /// from doing it twice.
        /// </summary>
        internal void Begin(HttpRequestMessage request)
        {
            if (Idempotent.Contains(request.Method.Method)) return;
            string key = KeyOf(request);
            lock (unknown)
            {
                if (!unknown.TryGetValue(Name(request), out Unknown earlier))
                {
                    unknown[Name(request)] = earlier = new Unknown { Key = key };
                }
                else if (key == "" || key != earlier.Key)
                {
                    throw new RepeatNotSignedException(request.Method.Method.ToUpperInvariant());
                }
                earlier.Attempts++;
            }
        }

        /// <summary>Notes what a response says about the request.</summary>
        internal void Answered(HttpRequestMessage request, Refusal refusal)
        {
            if (refusal != null && !NoProof.Contains(refusal.Code)) NotCarriedOut(request);
        }

        /// <summary>Notes an error, which may mean that there was no connection.</summary>
        internal void Failed(HttpRequestMessage request, Exception error, bool isSigned)
        {
            bool isNotSent = !isSigned;
            for (Exception cause = error; cause != null; cause = cause.InnerException)
            {
                isNotSent |= cause is WebException web
                    ? web.Status == WebExceptionStatus.ConnectFailure || web.Status == WebExceptionStatus.NameResolutionFailure
                    : cause is SocketException socket && NotConnected.Contains(socket.SocketErrorCode);
            }
            if (isNotSent) NotCarriedOut(request);
        }

        /// <summary>Notes that one attempt was not carried out. Earlier ones may have been.</summary>
        private void NotCarriedOut(HttpRequestMessage request)
        {
            lock (unknown)
            {
                if (!unknown.TryGetValue(Name(request), out Unknown earlier)) return;
                if (--earlier.Attempts == 0) unknown.Remove(Name(request));
            }
        }

        private static string KeyOf(HttpRequestMessage request)
        {
            bool isThere = request.Headers.TryGetValues("Idempotency-Key", out var keys);
            return isThere ? string.Join(", ", keys).Trim() : "";
        }

        /// <summary>Returns method and URL, without a fragment: that is removed when the request is signed.</summary>
        private static string Name(HttpRequestMessage request)
        {
            string url = request.RequestUri?.OriginalString.Split('#')[0];
            return request.Method.Method.ToUpperInvariant() + " " + url;
        }

        private sealed class Unknown
        {
            internal string Key;
            internal int Attempts;
        }
    }
}
