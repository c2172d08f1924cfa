using System;

namespace Countersign
{
    /// <summary>The service rejected a signed request. Match on <see cref="Code"/>.</summary>
    /// <remarks>
    /// It is not an HttpRequestException, because retry policies take those for passing faults. Only refusals of
    /// Countersign become this exception; other error responses are the API's own, and are returned.
    /// </remarks>
    public sealed class RequestRefusedException : Exception
    {
        internal RequestRefusedException(Refusal refusal)
            : base(refusal.ToString())
        {
            Refusal = refusal;
        }

        /// <summary>The service's answer.</summary>
        public Refusal Refusal { get; }

        /// <summary>The HTTP status.</summary>
        public int Status => Refusal.Status;

        /// <summary>The code, such as <c>signature_invalid</c>; docs/errors.md explains all codes.</summary>
        public string Code => Refusal.Code;
    }
}
