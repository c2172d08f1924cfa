using System.Collections.Generic;
using Microsoft.Extensions.Options;

namespace Countersign.HttpClientFactory
{
    /// <summary>
    /// The signers by the name of their HTTP client. The factory replaces handlers every few minutes; what the signer has learned
    /// about seconds and the clock stays.
    /// </summary>
    internal sealed class NamedSigners
    {
        private readonly Dictionary<string, Signer> signers = new Dictionary<string, Signer>();
        private readonly IOptionsMonitor<SignerOptions> options;

        public NamedSigners(IOptionsMonitor<SignerOptions> options)
        {
            this.options = options;
        }

        /// <summary>Returns the client's signer. One that cannot be made is tried again at the next call.</summary>
        internal Signer Get(string name)
        {
            lock (signers)
            {
                if (!signers.TryGetValue(name, out Signer signer)) signers[name] = signer = new Signer(options.Get(name));
                return signer;
            }
        }
    }
}
