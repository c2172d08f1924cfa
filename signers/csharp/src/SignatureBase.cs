using System;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Countersign
{
    /// <summary>The texts of the profile: the signature base and the header values.</summary>
    internal static class SignatureBase
    {
        /// <summary>RSASSA-PKCS1-v1_5 with SHA-256, by its name in RFC 9421 section 6.2.</summary>
        internal const string Algorithm = "rsa-v1_5-sha256";

        /// <summary>
        /// Returns <c>Content-Digest</c> for a body (RFC 9530 section 2); null for an empty one, which has no digest.
        /// </summary>
        internal static string ContentDigest(byte[] body)
        {
            return body.Length == 0 ? null : "sha-256=:" + Convert.ToBase64String(Sha256(body)) + ":";
        }

        /// <summary>Returns an IMF-fixdate (RFC 9110 section 5.6.7).</summary>
        internal static string Date(long unixSeconds)
        {
            return DateTimeOffset.FromUnixTimeSeconds(unixSeconds).ToString("r", CultureInfo.InvariantCulture);
        }

        /// <summary>
        /// Returns the value of <c>@signature-params</c>, which is also the part of <c>Signature-Input</c> after the label.
        /// </summary>
        internal static string Params(string contentDigest, string date, long created, string clientId, string nonce)
        {
            return "(\"@method\" \"@target-uri\""
                + (contentDigest == null ? "" : " \"content-digest\"")
                + (date == null ? "" : " \"date\"")
                + ");created=" + created.ToString(CultureInfo.InvariantCulture)
                + ";keyid=\"" + Escaped(clientId) + "\""
                + ";alg=\"" + Algorithm + "\""
                + (nonce == null ? "" : ";nonce=\"" + nonce + "\"");
        }

        /// <summary>
        /// Returns the text to sign (RFC 9421 section 2.5): lines joined by a line feed, with none after the last one.
        /// </summary>
        internal static string Of(string method, string url, string contentDigest, string date, string parameters)
        {
            var lines = new[]
            {
                "\"@method\": " + method,
                "\"@target-uri\": " + url,
                contentDigest == null ? null : "\"content-digest\": " + contentDigest,
                date == null ? null : "\"date\": " + date,
                "\"@signature-params\": " + parameters,
            };
            return string.Join("\n", lines.Where(line => line != null));
        }

        /// <summary>
        /// Names a request apart from its time: 32 hexadecimal digits. Signers in all languages compute the same.
        /// </summary>
        internal static string Identity(string clientId, string method, string url, string contentDigest)
        {
            string text = string.Join("\0", clientId, method, url, contentDigest ?? "");
            return string.Concat(Sha256(Encoding.ASCII.GetBytes(text)).Take(16).Select(octet => octet.ToString("x2")));
        }

        internal static byte[] Sha256(byte[] bytes)
        {
            using (var sha256 = SHA256.Create()) return sha256.ComputeHash(bytes);
        }

        /// <summary>Escapes a string of a structured field (RFC 8941 section 4.1.6).</summary>
        private static string Escaped(string text)
        {
            return text.Replace("\\", "\\\\").Replace("\"", "\\\"");
        }
    }
}
