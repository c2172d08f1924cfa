using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Countersign.Testing
{
    /// <summary>
    /// Checks signed requests as a service does, as far as a request alone tells: fields, time, signature, digest,
    /// repetition. It is for tests of your own program, not for protecting an API.
    /// </summary>
    /// <remarks>
    /// Like a service, it accepts an equal GET, HEAD or OPTIONS for two seconds, unless <see cref="Strict"/> is set. It is
    /// thread-safe.
    /// </remarks>
    public sealed class Verifier
    {
        private const int FieldLengthMax = 4096;
        private const int TargetUriLengthMax = 8492;
        private const int MaxAgeSeconds = 300;
        private const int MaxFutureSeconds = 60;
        private const int MaxDateDifferenceSeconds = 60;

        private static readonly Regex MethodForm = new Regex(@"\A[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}\z");
        private static readonly Regex TargetUriForm =
            new Regex(@"\Ahttps?://[^\x00-\x20\x7f-\uffff/?#@\\]+/[^\x00-\x20\x7f-\uffff#]*\z");

        private static readonly Regex DigestForm = new Regex(@"\Asha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:\z");
        private static readonly Regex SignatureForm = new Regex(
            @"\Asig=:((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?):\z");

        private static readonly Regex KeyidForm = new Regex(@"\A[\x21-\x7e]{1,256}\z");
        private static readonly Regex NonceForm = new Regex(@"\A[\x21-\x7e]{16,64}\z");
        private static readonly string[] KnownParameters = { "created", "keyid", "alg", "nonce" };

        private readonly string clientId;
        private readonly RSA publicKey;
        private static readonly TimeSpan EqualReads = TimeSpan.FromSeconds(2);

        /// <summary>When each signature was first used.</summary>
        private readonly Dictionary<string, TimeSpan> usedSignatures = new Dictionary<string, TimeSpan>();
        private readonly Stopwatch clock = Stopwatch.StartNew();

        /// <summary>Makes a verifier for one client.</summary>
        /// <param name="clientId">the client ID</param>
        /// <param name="publicKey">PEM or bare Base64, as <c>openssl rsa -pubout</c> writes it</param>
        /// <exception cref="ArgumentException">for a key that a service would not register</exception>
        public Verifier(string clientId, string publicKey)
        {
            this.clientId = clientId;
            RSAParameters key;
            try
            {
                string base64 = Regex.Replace(publicKey, "-----(BEGIN|END) PUBLIC KEY-----", "");
                key = RsaNumbers.FromPublicKeyInfo(Convert.FromBase64String(base64));
            }
            catch (FormatException)
            {
                throw new ArgumentException(
                    "The text is not an RSA public key. Give what this writes: openssl rsa -in private.pem -pubout");
            }
            string problem = RsaNumbers.Problem(key);
            if (problem != null) throw new ArgumentException(problem);
            this.publicKey = PrivateKeyText.RsaFrom(key);
        }

        /// <summary>
        /// Accepts requests without <c>Date</c>, as a service does for clients that are registered so.
        /// </summary>
        public bool AcceptWithoutDate { get; set; }

        /// <summary>
        /// Requires the parameter <c>nonce</c>, as a service does that is set so. Otherwise it is not allowed.
        /// </summary>
        public bool RequireNonce { get; set; }

        /// <summary>Accepts no signature twice, as a service does that is set so.</summary>
        public bool Strict { get; set; }

        /// <summary>The clock.</summary>
        public Func<DateTimeOffset> Now { get; set; } = () => DateTimeOffset.UtcNow;

        /// <summary>Checks a request as it was received.</summary>
        /// <param name="method">the method</param>
        /// <param name="targetUri">scheme and host of the server under test, and the target of the request line</param>
        /// <param name="headers">the header lines; a name may come twice</param>
        /// <param name="body">the bytes of the body; empty for none</param>
        /// <returns>ok, or the code with which a service would reject the request</returns>
        public Verification Verify(
            string method, string targetUri, IEnumerable<KeyValuePair<string, string>> headers, byte[] body)
        {
            if (!MethodForm.IsMatch(method) || !TargetUriForm.IsMatch(targetUri) || targetUri.Length > TargetUriLengthMax)
            {
                return Verification.Refused("request_malformed", "method or URL is not one that can be signed");
            }
            var lines = headers.ToLookup(
                line => line.Key.ToLowerInvariant(), line => (line.Value ?? "").Trim(' ', '\t'));
            var inputs = lines["signature-input"].ToList();
            var signatures = lines["signature"].ToList();
            if (inputs.Count != 1 || signatures.Count != 1)
            {
                return Verification.Refused("signature_missing", "Signature-Input and Signature must come once each");
            }
            if (inputs[0].Length > FieldLengthMax || signatures[0].Length > FieldLengthMax)
            {
                return Verification.Refused("signature_malformed", "a signature field is too long");
            }
            SignatureInput input = SignatureInput.Read(inputs[0]);
            Match signature = SignatureForm.Match(signatures[0]);
            if (input == null || !signature.Success)
            {
                return Verification.Refused(
                    "signature_malformed", "the signature fields are not one member \"sig\" in canonical text");
            }
            return CheckParameters(input)
                ?? CheckSigned(method, targetUri, lines, body, input, Convert.FromBase64String(signature.Groups[1].Value));
        }

        private Verification CheckParameters(SignatureInput input)
        {
            string keyid = input.StringOf("keyid");
            if (input.IntegerOf("created") == null || keyid == null || input.StringOf("alg") == null)
            {
                return Verification.Refused(
                    "parameters_invalid", "created must be an integer, keyid and alg must be strings");
            }
            if (!KeyidForm.IsMatch(keyid))
            {
                return Verification.Refused("parameters_invalid", "keyid must have 1 to 256 visible ASCII characters");
            }
            string nonce = input.StringOf("nonce");
            bool isWrong = RequireNonce ? nonce == null || !NonceForm.IsMatch(nonce) : input.Parameters.ContainsKey("nonce");
            if (isWrong)
            {
                return Verification.Refused("parameters_invalid", RequireNonce ? "nonce is missing" : "nonce is not allowed");
            }
            if (input.Parameters.Keys.Except(KnownParameters).Any())
            {
                return Verification.Refused("parameters_invalid", "there are other parameters than created, keyid and alg");
            }
            return input.StringOf("alg") == "rsa-v1_5-sha256"
                ? null
                : Verification.Refused("algorithm_not_allowed", "alg is not rsa-v1_5-sha256");
        }

        private Verification CheckSigned(
            string method,
            string targetUri,
            ILookup<string, string> lines,
            byte[] body,
            SignatureInput input,
            byte[] signature)
        {
            bool coversDigest = input.Components.Contains("\"content-digest\"");
            bool coversDate = input.Components.Contains("\"date\"");
            string expected = "(\"@method\" \"@target-uri\"" + (body.Length > 0 ? " \"content-digest\"" : "")
                + (coversDate ? " \"date\"" : "") + ")";
            if (input.Components != expected)
            {
                return Verification.Refused("components_invalid", "covered are " + input.Components + ", not " + expected);
            }
            string date = lines["date"].FirstOrDefault();
            Verification time = CheckTime(input.IntegerOf("created").Value, coversDate, lines["date"].Count(), date);
            if (time != null) return time;
            string digest = lines["content-digest"].FirstOrDefault();
            if (coversDigest && digest == null)
            {
                return Verification.Refused("digest_missing", "Content-Digest is covered but missing");
            }
            if (coversDigest && (lines["content-digest"].Count() != 1 || !DigestForm.IsMatch(digest)))
            {
                return Verification.Refused("digest_malformed", "Content-Digest is not one sha-256 digest");
            }

            string text = "\"@method\": " + method + "\n\"@target-uri\": " + targetUri
                + (coversDigest ? "\n\"content-digest\": " + digest : "") + (coversDate ? "\n\"date\": " + date : "")
                + "\n\"@signature-params\": " + input.Text;
            if (input.StringOf("keyid") != clientId || !IsSignature(text, signature))
            {
                return Verification.Refused(
                    "signature_invalid", "the key of " + clientId + " has not made this signature over\n" + text);
            }
            if (!coversDate && !AcceptWithoutDate)
            {
                return Verification.Refused("components_invalid", "\"date\" is not covered");
            }
            if (coversDigest && digest != DigestOf(body))
            {
                return Verification.Refused(
                    "digest_mismatch", "Content-Digest is not the digest of the " + body.Length + " bytes received");
            }
            lock (usedSignatures)
            {
                return IsNew(method, Convert.ToBase64String(signature))
                    ? Verification.Ok
                    : Verification.Refused("signature_replayed", "a request with this signature was accepted before");
            }
        }

        private bool IsNew(string method, string signature)
        {
            if (!usedSignatures.TryGetValue(signature, out TimeSpan first))
            {
                usedSignatures.Add(signature, clock.Elapsed);
                return true;
            }
            bool mayBeEqual = !Strict && (method == "GET" || method == "HEAD" || method == "OPTIONS");
            return mayBeEqual && clock.Elapsed - first <= EqualReads;
        }

        private Verification CheckTime(long created, bool coversDate, int dateCount, string dateText)
        {
            long age = Now().ToUnixTimeSeconds() - created;
            if (age > MaxAgeSeconds) return Verification.Refused("created_expired", "created is " + age + " s old");
            if (-age > MaxFutureSeconds) return Verification.Refused("created_in_future", "created is " + -age + " s ahead");
            if (!coversDate) return null;
            bool isDate = DateTimeOffset.TryParseExact(
                dateText,
                "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
                CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal,
                out DateTimeOffset date);
            // Parsing takes more than one form, and only one of them is written.
            if (dateCount != 1 || !isDate || date.ToString("r", CultureInfo.InvariantCulture) != dateText)
            {
                return Verification.Refused("date_invalid", "Date must come once, as an IMF-fixdate");
            }
            long apart = Math.Abs(date.ToUnixTimeSeconds() - created);
            return apart > MaxDateDifferenceSeconds
                ? Verification.Refused("date_mismatch", "Date and created are " + apart + " s apart")
                : null;
        }

        private bool IsSignature(string text, byte[] signature)
        {
            // RFC 8017 section 8.2.2. Mono accepts leading zeros.
            if (signature.Length != publicKey.KeySize / 8) return false;
            byte[] bytes = Encoding.GetEncoding("iso-8859-1").GetBytes(text);
            try
            {
                lock (publicKey)
                {
                    return publicKey.VerifyData(bytes, signature, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
                }
            }
            catch (CryptographicException)
            {
                return false;
            }
        }

        private static string DigestOf(byte[] body)
        {
            using (var sha256 = SHA256.Create())
            {
                return "sha-256=:" + Convert.ToBase64String(sha256.ComputeHash(body)) + ":";
            }
        }
    }
}
