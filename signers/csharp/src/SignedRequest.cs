using System.Collections.Generic;

namespace Countersign
{
    /// <summary>A signed request. Send exactly this method, URL and body, with these headers besides your own.</summary>
    public sealed class SignedRequest
    {
        internal SignedRequest(
            string method, string url, IReadOnlyDictionary<string, string> headers, long created, string signatureBase)
        {
            Method = method;
            Url = url;
            Headers = headers;
            Created = created;
            SignatureBase = signatureBase;
        }

        /// <summary>The method, in upper case.</summary>
        public string Method { get; }

        /// <summary>The URL as it was signed.</summary>
        public string Url { get; }

        /// <summary>
        /// The header lines to set: <c>Content-Digest</c> (with a body), <c>Date</c>, <c>Signature-Input</c> and
        /// <c>Signature</c>.
        /// </summary>
        public IReadOnlyDictionary<string, string> Headers { get; }

        /// <summary>The time in the signature, in Unix seconds.</summary>
        public long Created { get; }

        /// <summary>The text that was signed (RFC 9421 section 2.5), for logs and comparison.</summary>
        public string SignatureBase { get; }
    }
}
