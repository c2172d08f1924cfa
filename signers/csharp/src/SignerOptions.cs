using System;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Countersign
{
    /// <summary>The options of a <see cref="Signer"/>. Required are <see cref="ClientId"/> and exactly one key.</summary>
    public sealed class SignerOptions
    {
        /// <summary>The client ID from the portal, which becomes the <c>keyid</c>.</summary>
        public string ClientId { get; set; }

        /// <summary>The private key as text: PKCS#8 or PKCS#1, PEM or bare Base64, or encrypted PKCS#8.</summary>
        public string PrivateKey { get; set; }

        /// <summary>The private key as an object, for example from a certificate store.</summary>
        public RSA PrivateKeyObject { get; set; }

        /// <summary>
        /// A function that signs bytes with RSASSA-PKCS1-v1_5 and SHA-256, for keys in a vault or in hardware.
        /// </summary>
        public Func<byte[], CancellationToken, Task<byte[]>> SignFunction { get; set; }

        /// <summary>A file with the private key. A change of the file takes effect within a second.</summary>
        public string PrivateKeyFile { get; set; }

        /// <summary>The passphrase of an encrypted private key.</summary>
        public string Passphrase { get; set; }

        /// <summary>
        /// Whether <c>Date</c> is sent and signed. Turn it off only for a client that is registered to do without.
        /// </summary>
        public bool CoverDate { get; set; } = true;

        /// <summary>Whether each signature carries a random <c>nonce</c>, for services that require one.</summary>
        public bool Nonce { get; set; }

        /// <summary>The largest body that is buffered for its digest. A larger one is an error.</summary>
        public int BodyBytesMax { get; set; } = 10 * 1024 * 1024;

        /// <summary>
        /// A folder in which processes with the same key record the seconds that they have used, so that equal requests
        /// from several processes stay distinct.
        /// </summary>
        public string SharedFolder { get; set; }

        /// <summary>
        /// Whether a refusal becomes a <see cref="RequestRefusedException"/> instead of an ordinary response.
        /// </summary>
        public bool ThrowsRefusals { get; set; } = true;

        /// <summary>
        /// Whether each POST, PATCH and other request that is not idempotent gets a random <c>Idempotency-Key</c>, unless it has
        /// one. All attempts of a call have the same key, so it may be repeated. Only for APIs that honor the header.
        /// </summary>
        public bool IdempotencyKeys { get; set; }

        /// <summary>
        /// Hears what the signer decides on its own, for logs. It is called where that happens, so it must neither wait nor throw.
        /// </summary>
        public Action<SigningEvent> OnEvent { get; set; }

        /// <summary>The clock, for tests.</summary>
        public Func<DateTimeOffset> Now { get; set; } = () => DateTimeOffset.UtcNow;

        /// <summary>
        /// Returns options with the client and its key from <c>COUNTERSIGN_CLIENT_ID</c>, <c>COUNTERSIGN_PRIVATE_KEY_FILE</c> or
        /// <c>COUNTERSIGN_PRIVATE_KEY</c>, and <c>COUNTERSIGN_PASSPHRASE</c>. The command line reads the same variables. An empty one
        /// counts as not set.
        /// </summary>
        /// <exception cref="SigningException">if a variable is missing; the message repeats no value</exception>
        public static SignerOptions FromEnvironment()
        {
            return EnvironmentVariables.Read(Environment.GetEnvironmentVariable);
        }
    }
}
