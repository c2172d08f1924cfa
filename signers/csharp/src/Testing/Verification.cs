namespace Countersign.Testing
{
    /// <summary>The result of <see cref="Verifier.Verify"/>.</summary>
    public sealed class Verification
    {
        internal static readonly Verification Ok = new Verification(null, null);

        private Verification(string code, string reason)
        {
            Code = code;
            Reason = reason;
        }

        /// <summary>Whether a service would accept the signature.</summary>
        public bool IsOk => Code == null;

        /// <summary>The code with which a service would reject the request; null if it is accepted.</summary>
        public string Code { get; }

        /// <summary>What is wrong; null if the request is accepted.</summary>
        public string Reason { get; }

        /// <summary>Returns <c>ok</c>, or code and reason.</summary>
        public override string ToString()
        {
            return IsOk ? "ok" : Code + ": " + Reason;
        }

        internal static Verification Refused(string code, string reason)
        {
            return new Verification(code, reason);
        }
    }
}
