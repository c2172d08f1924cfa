using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Countersign
{
    /// <summary>
    /// Signs the requests of one client. Make it once and use it for all requests; it is thread-safe.
    /// </summary>
    /// <remarks>
    /// Usually a <see cref="SigningHandler"/> calls it. For anything else than HttpClient, send what
    /// <see cref="SignAsync"/> returns, unchanged, and call it again for every retry and redirect.
    /// </remarks>
    public sealed class Signer
    {
        private const int AheadSecondsMax = 30;

        /// <summary>How often a request waits for the next second, when too many equal ones are ahead.</summary>
        private const int WaitsMax = 30;

        /// <summary>Services accept equal reads for two seconds, which leaves one for the way.</summary>
        private static readonly TimeSpan EqualReads = TimeSpan.FromSeconds(1);
        private static readonly HashSet<string> Reads =
            new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "GET", "HEAD", "OPTIONS" };
        private static readonly TimeSpan ClockCorrectionMax = TimeSpan.FromDays(1);
        private static readonly Regex MethodForm = new Regex(@"\A[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}\z");
        private static readonly Regex ClientIdForm = new Regex(@"\A[\x21-\x7e]{1,256}\z");

        private static readonly HashSet<string> ClockCodes =
            new HashSet<string> { "created_expired", "created_in_future", "date_mismatch" };

        private readonly string clientId;
        private readonly Func<byte[], CancellationToken, Task<byte[]>> key;
        private readonly bool coverDate;
        private readonly bool nonce;
        private readonly SharedFolder sharedFolder;
        private readonly Func<DateTimeOffset> now;
        private readonly Action<SigningEvent> onEvent;

        /// <summary>The service's clock minus this one, in ticks.</summary>
        private long clockDifference;

        /// <summary>
        /// How long each read gets a second of its own after one was refused for sharing it. A read that came late is refused for
        /// that too, and nobody can poll twice a second for long with a second for each read.
        /// </summary>
        private static readonly TimeSpan StrictFor = TimeSpan.FromSeconds(10);

        /// <summary>Until then, the service is taken to accept equal reads once: ticks in UTC, learned from a refusal.</summary>
        private long strictUntil;

        /// <summary>Makes a signer and reads its key.</summary>
        /// <exception cref="SigningException">
        /// <c>keyid_invalid</c> or <c>private_key_invalid</c>; the message says what to do
        /// </exception>
        public Signer(SignerOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            if (options.ClientId == null || !ClientIdForm.IsMatch(options.ClientId))
            {
                throw new SigningException(
                    "keyid_invalid",
                    "ClientId must be the client ID from the API Keys page: 1 to 256 visible ASCII characters without spaces.");
            }
            clientId = options.ClientId;
            key = KeyOf(options);
            coverDate = options.CoverDate;
            nonce = options.Nonce;
            BodyBytesMax = options.BodyBytesMax;
            sharedFolder = options.SharedFolder == null ? null : new SharedFolder(options.SharedFolder);
            ThrowsRefusals = options.ThrowsRefusals;
            IdempotencyKeys = options.IdempotencyKeys;
            now = options.Now;
            onEvent = options.OnEvent;
        }

        /// <summary>Waits for some milliseconds; tests replace it.</summary>
        internal Func<int, CancellationToken, Task> Pause { get; set; } = Task.Delay;

        internal int BodyBytesMax { get; }

        internal bool ThrowsRefusals { get; }

        internal bool IdempotencyKeys { get; }

        /// <summary>
        /// Signs a request. Each call gives a new signature: an equal request in the same second gets a later
        /// <c>created</c> and <c>Date</c>.
        /// </summary>
        /// <remarks>
        /// Equal reads (GET, HEAD, OPTIONS) share a second instead, as services allow. When equal requests are 30 seconds
        /// ahead, this waits for the next second, up to 30 seconds.
        /// </remarks>
        /// <param name="method">the method; it is signed, and must be sent, in upper case</param>
        /// <param name="url">the absolute URL; send <see cref="SignedRequest.Url"/>, which is normalized</param>
        /// <param name="body">the bytes of the body; null or empty for none</param>
        /// <param name="cancellation">ends waiting for a second, or for a key that is kept elsewhere</param>
        /// <exception cref="SigningException">if the request cannot be signed</exception>
        public async Task<SignedRequest> SignAsync(
            string method, string url, byte[] body, CancellationToken cancellation = default(CancellationToken))
        {
            var request = new Unsigned(method, url, body, BodyBytesMax);
            long created = await TakeSecondAsync(request, cancellation).ConfigureAwait(false);
            return await CompleteAsync(request, created, SignatureBase.Date(created), cancellation).ConfigureAwait(false);
        }

        /// <summary>Signs with given times, for the test vectors, and remembers nothing.</summary>
        internal Task<SignedRequest> SignAtAsync(string method, string url, byte[] body, long created, string date)
        {
            return CompleteAsync(new Unsigned(method, url, body, BodyBytesMax), created, date, CancellationToken.None);
        }

        /// <summary>
        /// Takes over the service's clock if a request was rejected for its time; false for other refusals, and for
        /// differences of more than a day.
        /// </summary>
        internal bool CorrectClock(Refusal refusal)
        {
            if (!ClockCodes.Contains(refusal.Code) || refusal.ServerTime == null) return false;
            TimeSpan difference = refusal.ServerTime.Value - now();
            if (difference.Duration() > ClockCorrectionMax) return false;
            Interlocked.Exchange(ref clockDifference, difference.Ticks);
            Report(new SigningEvent(SigningEventKind.ClockCorrected) { ClockDifference = difference });
            return true;
        }

        /// <summary>
        /// Gives each read a second of its own for a while, if one was rejected for sharing it; false for other refusals.
        /// </summary>
        internal bool ChangeSecond(string method, Refusal refusal)
        {
            if (refusal.Code != "signature_replayed" || !Reads.Contains(method)) return false;
            Interlocked.Exchange(ref strictUntil, (now() + StrictFor).UtcTicks);
            Report(new SigningEvent(SigningEventKind.EqualReadsRefused));
            return true;
        }

        internal void Report(SigningEvent what)
        {
            onEvent?.Invoke(what);
        }

        internal static SigningException BodyTooLarge(int bytesMax)
        {
            return new SigningException(
                "body_too_large",
                "The body has more than " + bytesMax + " bytes, and bodies are buffered to be signed. "
                    + "Send less at a time, or raise BodyBytesMax.");
        }

        private static Func<byte[], CancellationToken, Task<byte[]>> KeyOf(SignerOptions options)
        {
            var given = new object[]
            {
                options.PrivateKey, options.PrivateKeyObject, options.SignFunction, options.PrivateKeyFile,
            };
            if (given.Count(one => one != null) != 1)
            {
                throw SigningException.KeyInvalid(
                    "Set exactly one of PrivateKey, PrivateKeyObject, SignFunction and PrivateKeyFile.");
            }
            if (options.PrivateKeyFile != null) return new KeyFile(options.PrivateKeyFile, options.Passphrase, options.OnEvent).Sign;
            if (options.PrivateKeyObject != null) return SigningKey.From(options.PrivateKeyObject);
            return options.SignFunction ?? SigningKey.From(PrivateKeyText.Read(options.PrivateKey, options.Passphrase));
        }

        private async Task<long> TakeSecondAsync(Unsigned request, CancellationToken cancellation)
        {
            string identity = SignatureBase.Identity(clientId, request.Method, request.Url, request.ContentDigest);
            bool isShared = Reads.Contains(request.Method) && now().UtcTicks >= Interlocked.Read(ref strictUntil);
            for (int waits = 0; ; waits++)
            {
                long? created = FreeSecond(identity, isShared);
                if (created != null) return created.Value;
                if (waits == WaitsMax) break;
                if (waits == 0) Report(new SigningEvent(SigningEventKind.WaitsForSecond, request.Method, request.Url));
                await Pause(1000 - DateTimeOffset.UtcNow.Millisecond, cancellation).ConfigureAwait(false);
            }
            throw new SigningException(
                "too_many_equal_requests",
                "More than " + AheadSecondsMax + " identical requests ahead: at most one a second can be signed in the long run. "
                    + "Send fewer, or make them differ, for example by a query parameter.");
        }

        private long? FreeSecond(string identity, bool isShared)
        {
            long seconds = now().AddTicks(Interlocked.Read(ref clockDifference)).ToUnixTimeSeconds();
            for (long created = seconds; created <= seconds + AheadSecondsMax; created++)
            {
                // A nonce already makes every signature different.
                bool isFree = nonce || UsedSeconds.OfProcess.Add(identity, created, isShared ? EqualReads : TimeSpan.Zero);
                if (isFree && (nonce || isShared || sharedFolder == null || sharedFolder.Add(identity, created))) return created;
            }
            return null;
        }

        private async Task<SignedRequest> CompleteAsync(
            Unsigned request, long created, string dateText, CancellationToken cancellation)
        {
            string date = coverDate ? dateText : null;
            string nonceText = nonce ? Guid.NewGuid().ToString() : null;
            string parameters = SignatureBase.Params(request.ContentDigest, date, created, clientId, nonceText);
            string text = SignatureBase.Of(request.Method, request.Url, request.ContentDigest, date, parameters);
            byte[] signature = await RsaSignatureAsync(text, cancellation).ConfigureAwait(false);

            var headers = new Dictionary<string, string>();
            if (request.ContentDigest != null) headers.Add("Content-Digest", request.ContentDigest);
            if (date != null) headers.Add("Date", date);
            headers.Add("Signature-Input", "sig=" + parameters);
            headers.Add("Signature", "sig=:" + Convert.ToBase64String(signature) + ":");
            return new SignedRequest(request.Method, request.Url, headers, created, text);
        }

        private async Task<byte[]> RsaSignatureAsync(string text, CancellationToken cancellation)
        {
            byte[] signature;
            try
            {
                signature = await key(Encoding.ASCII.GetBytes(text), cancellation).ConfigureAwait(false);
            }
            catch (Exception e) when (!(e is OperationCanceledException))
            {
                throw new SigningException("signing_failed", "The private key cannot sign now. See the inner exception.", e);
            }
            if (signature == null || signature.Length < 256 || signature.Length > 1024)
            {
                throw new SigningException(
                    "signing_failed", "SignFunction did not return an RSA signature of 256 to 1024 bytes.");
            }
            return signature;
        }

        /// <summary>A request that was checked, apart from its time.</summary>
        private sealed class Unsigned
        {
            internal readonly string Method;
            internal readonly string Url;
            internal readonly string ContentDigest;

            internal Unsigned(string method, string url, byte[] body, int bodyBytesMax)
            {
                if (!MethodForm.IsMatch(method))
                {
                    throw SigningException.RequestInvalid("the method must be a word, such as GET or POST");
                }
                if (body != null && body.Length > bodyBytesMax) throw BodyTooLarge(bodyBytesMax);
                Method = method.ToUpperInvariant();
                Url = TargetUri.Parse(url).ToString();
                ContentDigest = SignatureBase.ContentDigest(body ?? new byte[0]);
            }
        }
    }
}
