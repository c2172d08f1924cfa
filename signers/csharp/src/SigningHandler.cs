// Run on Mono only. What stands under NET6_0_OR_GREATER was neither compiled nor run.
using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace Countersign
{
    /// <summary>Signs each request of an HttpClient. Put it innermost, so that retry handlers around it sign again.</summary>
    /// <remarks>
    /// It follows redirects in the place of the handler that sends, which would pass the signature on, but only within an
    /// origin, and signs them again. A redirect to another origin is returned as the response. If a handler around it repeats
    /// a POST, a PATCH or another request that is not idempotent, and it may have been carried out, it throws
    /// <see cref="RepeatNotSignedException"/>, unless the request has an <c>Idempotency-Key</c>.
    /// </remarks>
    /// <example>
    /// <code>
    /// var client = new HttpClient(new SigningHandler(signer, new HttpClientHandler()));
    /// </code>
    /// </example>
    public sealed class SigningHandler : DelegatingHandler
    {
        private static readonly HashSet<int> RedirectStatuses = new HashSet<int> { 301, 302, 303, 307, 308 };
        private static readonly string[] SignatureHeaders = { "Content-Digest", "Date", "Signature-Input", "Signature" };

        private readonly Signer signer;
        private readonly Lazy<int> redirectsMax;

        /// <summary>Makes a handler for IHttpClientFactory, which sets the inner handler.</summary>
        public SigningHandler(Signer signer)
        {
            this.signer = signer ?? throw new ArgumentNullException(nameof(signer));
            redirectsMax = new Lazy<int>(TakeOverRedirects);
        }

        /// <summary>Makes a handler around the one that sends.</summary>
        public SigningHandler(Signer signer, HttpMessageHandler innerHandler)
            : this(signer)
        {
            InnerHandler = innerHandler;
        }

        /// <inheritdoc/>
        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            byte[] body = await BufferAsync(request.Content).ConfigureAwait(false);
            int redirectsLeft = redirectsMax.Value;
            bool clockCorrected = false;
            bool secondChanged = false;
            Attempts attempts = Attempts.Of(request);
            if (signer.IdempotencyKeys && Attempts.NeedsKey(request))
            {
                request.Headers.Remove("Idempotency-Key");
                request.Headers.TryAddWithoutValidation("Idempotency-Key", attempts.IdempotencyKey);
            }
            while (true)
            {
                Begin(attempts, request);
                HttpResponseMessage response = await AttemptAsync(request, body, attempts, cancellationToken).ConfigureAwait(false);
                Refusal refusal = await RefusalInAsync(request.Method, response).ConfigureAwait(false);
                if (refusal != null) signer.Report(Event(SigningEventKind.RequestRefused, request, refusal));
                attempts.Answered(request, refusal);
                Uri target = redirectsLeft > 0 ? RedirectTarget(request, response) : null;
                if (target != null)
                {
                    redirectsLeft--;
                    if (Follow(request, (int)response.StatusCode, target)) body = null;
                    response.Dispose();
                    continue;
                }
                if (refusal == null) return response;
                if (!clockCorrected && signer.CorrectClock(refusal))
                {
                    clockCorrected = true;
                    response.Dispose();
                    continue;
                }
                if (!secondChanged && signer.ChangeSecond(request.Method.Method, refusal))
                {
                    secondChanged = true;
                    response.Dispose();
                    continue;
                }
                if (!signer.ThrowsRefusals || refusal.IsTemporary) return response;
                response.Dispose();
                throw new RequestRefusedException(refusal);
            }
        }

        private void Begin(Attempts attempts, HttpRequestMessage request)
        {
            try
            {
                attempts.Begin(request);
            }
            catch (RepeatNotSignedException)
            {
                signer.Report(Event(SigningEventKind.RepeatNotSigned, request));
                throw;
            }
        }

        private static SigningEvent Event(SigningEventKind kind, HttpRequestMessage request, Refusal refusal = null)
        {
            return new SigningEvent(kind, request.Method.Method, request.RequestUri?.OriginalString) { Refusal = refusal };
        }

        private async Task<HttpResponseMessage> AttemptAsync(
            HttpRequestMessage request, byte[] body, Attempts attempts, CancellationToken cancellationToken)
        {
            bool isSigned = false;
            try
            {
                await SignAsync(request, body, cancellationToken).ConfigureAwait(false);
                isSigned = true;
                return await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                attempts.Failed(request, e, isSigned);
                throw;
            }
        }

        private async Task<byte[]> BufferAsync(HttpContent content)
        {
            if (content == null) return null;
            if (content.Headers.ContentLength > signer.BodyBytesMax) throw Signer.BodyTooLarge(signer.BodyBytesMax);
            try
            {
                await content.LoadIntoBufferAsync(signer.BodyBytesMax).ConfigureAwait(false);
            }
            catch (HttpRequestException e) when (e.InnerException == null)
            {
                throw Signer.BodyTooLarge(signer.BodyBytesMax);
            }
            return await content.ReadAsByteArrayAsync().ConfigureAwait(false);
        }

        private async Task SignAsync(HttpRequestMessage request, byte[] body, CancellationToken cancellationToken)
        {
            string url = UrlOnTheWire(request);
            SignedRequest signed =
                await signer.SignAsync(request.Method.Method, url, body, cancellationToken).ConfigureAwait(false);
            if (signed.Url != url)
            {
                throw SigningException.RequestInvalid("HttpClient would send another URL than the one that is signed");
            }
            request.Method = new HttpMethod(signed.Method);
            foreach (string name in SignatureHeaders)
            {
                request.Headers.Remove(name);
                // The caller may have put its own there. A Date of the body is none of ours.
                if (request.Content != null && name == "Content-Digest") request.Content.Headers.Remove(name);
            }
            foreach (var header in signed.Headers) request.Headers.TryAddWithoutValidation(header.Key, header.Value);
            Announce(request, body);
        }

        /// <summary>
        /// The length is that of the bytes which are signed: of a longer body, the rest would be read as the next request on
        /// the connection.
        /// </summary>
        private static void Announce(HttpRequestMessage request, byte[] body)
        {
            request.Headers.TransferEncodingChunked = null;
            request.Headers.TransferEncoding.Clear();
            if (request.Content != null) request.Content.Headers.ContentLength = body.Length;
        }

        /// <summary>
        /// Returns the URL as HttpClient sends it: System.Uri has decoded what need not be percent-encoded, and resolved
        /// dots.
        /// </summary>
        private static string UrlOnTheWire(HttpRequestMessage request)
        {
            Uri uri = request.RequestUri;
            if (uri == null || !uri.IsAbsoluteUri)
            {
                throw SigningException.RequestInvalid("the URL must begin with https:// or http://");
            }
            // Mono sends a fragment, which is not part of a request.
            if (uri.Fragment != "") request.RequestUri = uri = new Uri(uri.GetLeftPart(UriPartial.Query));
            string userInfo = uri.UserInfo == "" ? "" : uri.UserInfo + "@";
            string host = uri.HostNameType == UriHostNameType.IPv6 ? "[" + uri.IdnHost.Trim('[', ']') + "]" : uri.IdnHost;
            string port = uri.IsDefaultPort ? "" : ":" + uri.Port;
            return uri.Scheme + "://" + userInfo + host + port + uri.PathAndQuery;
        }

        /// <summary>Returns the URL of a redirect within the origin; null for every other response.</summary>
        private static Uri RedirectTarget(HttpRequestMessage request, HttpResponseMessage response)
        {
            Uri location = response.Headers.Location;
            if (location == null || !RedirectStatuses.Contains((int)response.StatusCode)) return null;
            Uri target = location.IsAbsoluteUri && location.Scheme != Uri.UriSchemeFile
                ? location
                : new Uri(request.RequestUri, location.OriginalString);
            var parts = UriComponents.SchemeAndServer;
            bool sameOrigin = target.GetComponents(parts, UriFormat.UriEscaped)
                == request.RequestUri.GetComponents(parts, UriFormat.UriEscaped);
            return sameOrigin ? target : null;
        }

        /// <summary>Prepares the next request, as HttpClient does; true if it has no body any more.</summary>
        private static bool Follow(HttpRequestMessage request, int status, Uri target)
        {
            request.RequestUri = target;
            bool isPost = request.Method == HttpMethod.Post;
            bool becomesGet = status == 303 ? request.Method != HttpMethod.Head : status < 303 && isPost;
            if (!becomesGet) return false;
            request.Method = HttpMethod.Get;
            request.Content = null;
            return true;
        }

        private static async Task<Refusal> RefusalInAsync(HttpMethod method, HttpResponseMessage response)
        {
            if (response.Content == null) return null;
            int status = (int)response.StatusCode;
            string mediaType = response.Content.Headers.ContentType?.MediaType;
            if (!Refusal.IsPossible(status, mediaType)) return null;
            if (method == HttpMethod.Head)
            {
                return Refusal.ReadHead(status, response.Headers.WwwAuthenticate.ToString(), response.Headers.Date);
            }
            if (response.Content.Headers.ContentLength > Refusal.BodyBytesMax) return null;
            // Buffers the body, so the caller can still read it.
            return Refusal.Read(status, await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false));
        }

        /// <summary>
        /// Keeps the handler that sends from following redirects, and returns how many it would have followed.
        /// </summary>
        private int TakeOverRedirects()
        {
            HttpMessageHandler handler = InnerHandler;
            while (handler is DelegatingHandler outer) handler = outer.InnerHandler;
            try
            {
                if (handler is HttpClientHandler usual && usual.AllowAutoRedirect)
                {
                    usual.AllowAutoRedirect = false;
                    return usual.MaxAutomaticRedirections;
                }
#if NET6_0_OR_GREATER
                if (handler is SocketsHttpHandler sockets && sockets.AllowAutoRedirect)
                {
                    sockets.AllowAutoRedirect = false;
                    return sockets.MaxAutomaticRedirections;
                }
#endif
                return 0;
            }
            catch (InvalidOperationException)
            {
                throw SigningException.RequestInvalid(
                    "the inner handler follows redirects, would send the signature along, and is in use already; "
                        + "set its AllowAutoRedirect to false");
            }
        }
    }
}
