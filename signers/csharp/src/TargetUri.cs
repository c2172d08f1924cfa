using System;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

namespace Countersign
{
    /// <summary>
    /// The URL of a request in the form that is signed: <c>@target-uri</c> (RFC 9421 section 2.2.2). The fragment is
    /// dropped, scheme and host are in lower case, the scheme's own port is left out, an empty path becomes <c>/</c>, and
    /// characters outside ASCII are percent-encoded as UTF-8. Path and query are otherwise kept character by character.
    /// </summary>
    internal sealed class TargetUri
    {
        /// <summary>An 8 KiB request target and its origin.</summary>
        private const int LengthMax = 8492;

        private static readonly Regex Parts =
            new Regex(@"\A(https?)://([^/?]*)(.*)\z", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);

        private static readonly Regex Authority =
            new Regex(@"\A([a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::([0-9]{0,5}))?\z");

        private readonly string target;

        private TargetUri(string origin, string target)
        {
            Origin = origin;
            this.target = target;
        }

        /// <summary>Scheme, host and port. A signature must not leave its origin.</summary>
        internal string Origin { get; }

        public override string ToString()
        {
            return Origin + target;
        }

        /// <exception cref="SigningException"><c>request_invalid</c></exception>
        internal static TargetUri Parse(string url)
        {
            string text = url.Split(new[] { '#' }, 2)[0];
            if (text.Any(character => character <= ' ' || character == 0x7f))
            {
                throw SigningException.RequestInvalid("the URL has a space or a control character; percent-encode it");
            }
            Match parts = Parts.Match(text);
            if (!parts.Success) throw SigningException.RequestInvalid("the URL must begin with https:// or http://");
            string scheme = parts.Groups[1].Value.ToLowerInvariant();
            string target = PercentEncoded(parts.Groups[3].Value);
            if (!target.StartsWith("/", StringComparison.Ordinal)) target = "/" + target;
            var uri = new TargetUri(scheme + "://" + ReadAuthority(scheme, parts.Groups[2].Value), target);
            if (uri.ToString().Length > LengthMax)
            {
                throw SigningException.RequestInvalid("the URL has more than " + LengthMax + " characters");
            }
            return uri;
        }

        private static string ReadAuthority(string scheme, string text)
        {
            // The message must not repeat the URL: there may be a password in it.
            if (text.Contains("@"))
            {
                throw SigningException.RequestInvalid("the URL has a user name or password; leave it out");
            }
            Match authority = Authority.Match(text.ToLowerInvariant());
            if (!authority.Success)
            {
                throw SigningException.RequestInvalid(
                    "the URL has no valid host; write international names in Punycode (xn--…)");
            }
            string host = authority.Groups[1].Value;
            string port = authority.Groups[2].Value;
            return port == "" || port == (scheme == "https" ? "443" : "80") ? host : host + ":" + port;
        }

        private static string PercentEncoded(string text)
        {
            if (text.All(character => character < 0x80)) return text;
            byte[] bytes;
            try
            {
                bytes = new UTF8Encoding(false, true).GetBytes(text);
            }
            catch (EncoderFallbackException)
            {
                throw SigningException.RequestInvalid("the URL has half a character (an unpaired surrogate)");
            }
            return string.Concat(bytes.Select(octet => octet < 0x80 ? ((char)octet).ToString() : "%" + octet.ToString("X2")));
        }
    }
}
