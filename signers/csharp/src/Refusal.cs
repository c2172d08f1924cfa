using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Countersign
{
    /// <summary>
    /// The service's answer to a request that it rejects. Match on <see cref="Code"/>: texts may change.
    /// </summary>
    public sealed class Refusal
    {
        /// <summary>The largest body that is read as a problem document. An explanation makes it long.</summary>
        internal const int BodyBytesMax = 256 * 1024;

        private static readonly Regex Challenge = new Regex("\\ASignature error=\"([a-z_]+)\"\\z");

        private readonly Dictionary<string, string> members;

        private Refusal(int status, Dictionary<string, string> members)
        {
            Status = status;
            this.members = members;
            ServerTime = ReadTime(Member("serverTime"));
        }

        /// <summary>The HTTP status.</summary>
        public int Status { get; }

        /// <summary>The code, such as <c>signature_invalid</c>.</summary>
        public string Code => Member("code");

        /// <summary>A short summary of the code; null if the service gave none.</summary>
        public string Title => Member("title");

        /// <summary>What to do about the code; null if the service gave none.</summary>
        public string Detail => Member("detail");

        /// <summary>What is wrong with this very request; null if the service gave none.</summary>
        public string Reason => Member("reason");

        /// <summary>The request's ID, which the operator asks for; null if the service gave none.</summary>
        public string RequestId => Member("requestId");

        /// <summary>The service's clock; null if the refusal has nothing to do with time.</summary>
        public DateTimeOffset? ServerTime { get; }

        /// <summary>The address of the code's documentation; null if the service gave none.</summary>
        public string Type => Member("type");

        /// <summary>Whether it stays a response, because retry policies know its status: 429 and 503.</summary>
        internal bool IsTemporary => Status == 429 || Status == 503;

        /// <summary>Returns code, title, reason, advice and request ID in one line, for people and logs.</summary>
        public override string ToString()
        {
            string text = Code + ":";
            foreach (string sentence in new[] { Title, Reason, Detail })
            {
                if (string.IsNullOrEmpty(sentence)) continue;
                text += " " + sentence + (".!?".IndexOf(sentence[sentence.Length - 1]) >= 0 ? "" : ".");
            }
            if (Code == "signature_replayed")
            {
                // A handler may have repeated the request with its signature.
                text += " The first request with this signature may have been accepted: look it up before sending again.";
            }
            return text + (RequestId == null ? "" : " (" + RequestId + ")");
        }

        /// <summary>Returns whether a response can be a refusal, so that its body is worth reading.</summary>
        internal static bool IsPossible(int status, string mediaType)
        {
            return status >= 400 && string.Equals(mediaType, "application/problem+json", StringComparison.OrdinalIgnoreCase);
        }

        /// <summary>Reads the body of a problem document (RFC 9457); null if the API itself answered.</summary>
        internal static Refusal Read(int status, byte[] body)
        {
            var document = body.Length > BodyBytesMax ? null : Json.Read(body) as Dictionary<string, object>;
            if (document == null) return null;
            var members = new Dictionary<string, string>();
            foreach (var member in document)
            {
                if (member.Value is string text) members[member.Key] = text;
            }
            // The type is the page of the code. An API may use such a code in problem documents of its own.
            bool isOurs = members.TryGetValue("code", out string code) && ServiceCodes.All.Contains(code)
                && members.TryGetValue("type", out string type) && type.EndsWith("/docs/errors#" + code, StringComparison.Ordinal);
            return isOurs
                ? new Refusal(status, members)
                : null;
        }

        /// <summary>Reads the head of the answer to HEAD, which has no body; null if the API itself answered.</summary>
        internal static Refusal ReadHead(int status, string challenge, DateTimeOffset? date)
        {
            Match match = Challenge.Match(challenge ?? "");
            if (!match.Success || !ServiceCodes.All.Contains(match.Groups[1].Value)) return null;
            var members = new Dictionary<string, string> { { "code", match.Groups[1].Value } };
            if (date != null) members["serverTime"] = date.Value.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
            return new Refusal(status, members);
        }

        private string Member(string name)
        {
            return members.TryGetValue(name, out string value) ? value : null;
        }

        private static DateTimeOffset? ReadTime(string text)
        {
            string[] forms = { "yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'", "yyyy-MM-dd'T'HH:mm:ss'Z'" };
            bool isTime = DateTimeOffset.TryParseExact(
                text, forms, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset time);
            return isTime ? time : (DateTimeOffset?)null;
        }
    }
}
