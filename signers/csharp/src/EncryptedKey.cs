using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;

namespace Countersign
{
    /// <summary>
    /// Decrypts EncryptedPrivateKeyInfo (RFC 5958 section 3) with PBES2, PBKDF2 and AES-CBC (RFC 8018), as
    /// <c>openssl pkcs8 -topk8</c> and <c>openssl genpkey -aes256</c> write it.
    /// </summary>
    internal static class EncryptedKey
    {
        private const string Pbes2 = "2a864886f70d01050d";
        private const string Pbkdf2Identifier = "2a864886f70d01050c";
        private const string HmacWithSha1 = "2a864886f70d0207";
        private const int IterationsMax = 10000000;

        private static readonly Dictionary<string, HashAlgorithmName> Hashes = new Dictionary<string, HashAlgorithmName>
        {
            [HmacWithSha1] = HashAlgorithmName.SHA1,
            ["2a864886f70d0209"] = HashAlgorithmName.SHA256,
            ["2a864886f70d020a"] = HashAlgorithmName.SHA384,
            ["2a864886f70d020b"] = HashAlgorithmName.SHA512,
        };

        /// <summary>The key lengths of AES-CBC, in bytes.</summary>
        private static readonly Dictionary<string, int> Ciphers = new Dictionary<string, int>
        {
            ["608648016503040102"] = 16,
            ["608648016503040116"] = 24,
            ["60864801650304012a"] = 32,
        };

        /// <summary>Returns the PrivateKeyInfo; null if the passphrase does not fit.</summary>
        /// <exception cref="NotSupportedException">for other ways to encrypt</exception>
        internal static byte[] Decrypt(byte[] der, string passphrase)
        {
            var info = new DerReader(der).Enter(DerReader.Sequence);
            var algorithm = info.Enter(DerReader.Sequence);
            byte[] encrypted = info.Read(DerReader.OctetString);
            if (algorithm.ReadIdentifier() != Pbes2) throw new NotSupportedException();
            var parameters = algorithm.Enter(DerReader.Sequence);

            var derivation = parameters.Enter(DerReader.Sequence);
            if (derivation.ReadIdentifier() != Pbkdf2Identifier) throw new NotSupportedException();
            var pbkdf2 = derivation.Enter(DerReader.Sequence);
            byte[] salt = pbkdf2.Read(DerReader.OctetString);
            int iterations = pbkdf2.ReadSmallNumber();
            if (pbkdf2.NextTag == DerReader.Integer) pbkdf2.ReadSmallNumber();
            string hash = pbkdf2.AtEnd ? HmacWithSha1 : pbkdf2.Enter(DerReader.Sequence).ReadIdentifier();

            var encryption = parameters.Enter(DerReader.Sequence);
            string cipher = encryption.ReadIdentifier();
            if (!Hashes.ContainsKey(hash) || !Ciphers.ContainsKey(cipher) || iterations > IterationsMax)
            {
                throw new NotSupportedException();
            }
            byte[] initializationVector = encryption.Read(DerReader.OctetString);

            byte[] key = Pbkdf2.Derive(Encoding.UTF8.GetBytes(passphrase), salt, iterations, Hashes[hash], Ciphers[cipher]);
            using (var aes = Aes.Create())
            {
                try
                {
                    using (var decryptor = aes.CreateDecryptor(key, initializationVector))
                    {
                        return decryptor.TransformFinalBlock(encrypted, 0, encrypted.Length);
                    }
                }
                catch (CryptographicException)
                {
                    // Wrong padding: the usual result of a wrong passphrase.
                    return null;
                }
            }
        }
    }
}
