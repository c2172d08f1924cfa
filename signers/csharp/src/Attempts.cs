using System;
using System.Collections.Generic;
using System.Linq;
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

        private readonly HashSet<string> unknown = new HashSet<string>();

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
            bool hasKey = request.Headers.TryGetValues("Idempotency-Key", out var keys)
                && keys.Any(key => !string.IsNullOrWhiteSpace(key));
            return !hasKey && !Idempotent.Contains(request.Method.Method);
        }

        /// <summary>Begins an attempt, and refuses it if an earlier one may have been carried out.</summary>
        internal void Begin(HttpRequestMessage request)
        {
            if (!NeedsKey(request)) return;
            lock (unknown)
            {
                if (!unknown.Add(Name(request))) throw new RepeatNotSignedException(request.Method.Method.ToUpperInvariant());
            }
        }

        /// <summary>Notes what a response says about the request.</summary>
        internal void Answered(HttpRequestMessage request, HttpResponseMessage response, Refusal refusal)
        {
            int status = (int)response.StatusCode;
            if (status == 307 || status == 308 || (refusal != null && !NoProof.Contains(refusal.Code))) NotCarriedOut(request);
        }

        /// <summary>Notes an error, which may mean that there was no connection.</summary>
        internal void Failed(HttpRequestMessage request, Exception error, bool isSigned)
        {
            if (!isSigned) NotCarriedOut(request);
            for (Exception cause = error; cause != null; cause = cause.InnerException)
            {
                bool isNotSent = cause is WebException web
                    ? web.Status == WebExceptionStatus.ConnectFailure || web.Status == WebExceptionStatus.NameResolutionFailure
                    : cause is SocketException socket && NotConnected.Contains(socket.SocketErrorCode);
                if (isNotSent) NotCarriedOut(request);
            }
        }

        private void NotCarriedOut(HttpRequestMessage request)
        {
            lock (unknown) unknown.Remove(Name(request));
        }

        private static string Name(HttpRequestMessage request)
        {
            return request.Method.Method.ToUpperInvariant() + " " + request.RequestUri;
        }
    }
}
