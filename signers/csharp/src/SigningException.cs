using System;

namespace Countersign
{
    /// <summary>
    /// A request that cannot be signed, or a signer that cannot be made. Nothing was sent, or, for a
    /// <see cref="RepeatNotSignedException"/>, sent again.
    /// </summary>
    /// <remarks>Match on <see cref="Code"/>. The message says what to do and never contains key material.</remarks>
    public class SigningException : Exception
    {
        internal SigningException(string code, string message, Exception cause = null)
            : base(message, cause)
        {
            Code = code;
        }

        /// <summary>
        /// <c>keyid_invalid</c>, <c>private_key_invalid</c>, <c>request_invalid</c>, <c>body_too_large</c>,
        /// <c>too_many_equal_requests</c>, <c>signing_failed</c> or <c>repeat_not_signed</c>.
        /// </summary>
        public string Code { get; }

        internal static SigningException RequestInvalid(string reason)
        {
            return new SigningException("request_invalid", "This request cannot be signed: " + reason + ".");
        }

        internal static SigningException KeyInvalid(string message)
        {
            return new SigningException("private_key_invalid", message);
        }
    }
}
