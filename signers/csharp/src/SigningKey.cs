using System;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Countersign
{
    /// <summary>Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256, with a key from one of the places that options name.</summary>
    internal static class SigningKey
    {
        internal static Func<byte[], CancellationToken, Task<byte[]>> From(RSAParameters numbers)
        {
            // RSA objects are not safe for several threads at once.
            var ofThread = new ThreadLocal<RSA>(() => PrivateKeyText.RsaFrom(numbers));
            return (data, cancellation) => Task.FromResult(Sign(ofThread.Value, data));
        }

        internal static Func<byte[], CancellationToken, Task<byte[]>> From(RSA key)
        {
            if (key.KeySize < 2048 || key.KeySize > 8192)
            {
                throw SigningException.KeyInvalid("The key has " + key.KeySize + " bits; 2048 to 8192 are allowed.");
            }
            return (data, cancellation) =>
            {
                lock (key) return Task.FromResult(Sign(key, data));
            };
        }

        private static byte[] Sign(RSA key, byte[] data)
        {
            return key.SignData(data, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        }
    }
}
