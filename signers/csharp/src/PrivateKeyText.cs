using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text.RegularExpressions;

namespace Countersign
{
    /// <summary>
    /// Reads RSA private keys as people keep them: PKCS#8 and PKCS#1, PEM or bare Base64, and encrypted PKCS#8.
    /// </summary>
    /// <remarks>
    /// Messages say what to do and never contain any of the text or the passphrase. The readers of .NET would do, but each
    /// of them takes one form only.
    /// </remarks>
    internal static class PrivateKeyText
    {
        private const int TextLengthMax = 64 * 1024;
        private const string Convert = "openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem";
        private const string Make = "openssl genrsa -out private.pem 3072";
        private const string Damaged = "The private key is damaged or incomplete. Use the whole key file.";

        private static readonly Regex Pem =
            new Regex(@"-----BEGIN ([A-Z0-9 ]{1,60})-----([^-]*)-----END ([A-Z0-9 ]{1,60})-----");

        /// <summary>What to say about PEM blocks that hold something else.</summary>
        private static readonly Dictionary<string, string> OtherLabels = new Dictionary<string, string>
        {
            ["PUBLIC KEY"] = "This is a public key, which cannot sign. Use the private key instead.",
            ["RSA PUBLIC KEY"] = "This is a public key, which cannot sign. Use the private key instead.",
            ["CERTIFICATE"] = "This is a certificate, which cannot sign. Use its private key instead.",
            ["EC PRIVATE KEY"] = "The private key is not an RSA key. Create one: " + Make,
            ["OPENSSH PRIVATE KEY"] =
                "OpenSSH private keys are not supported. Convert a copy: ssh-keygen -p -m PKCS8 -f copy-of-key",
        };

        /// <summary>Reads the one key in a text. The passphrase is ignored if the key is not encrypted.</summary>
        internal static RSAParameters Read(string text, string passphrase)
        {
            string trimmed = text.Trim('\ufeff', ' ', '\t', '\r', '\n');
            if (trimmed == "") throw SigningException.KeyInvalid("There is no key in the text.");
            if (trimmed.Length > TextLengthMax)
            {
                throw SigningException.KeyInvalid("The text is too long to be a private key.");
            }
            if (!trimmed.Contains("-----")) return ReadDer(Decoded(trimmed), passphrase);
            if (trimmed.Contains("Proc-Type:"))
            {
                throw SigningException.KeyInvalid(
                    "The private key uses OpenSSL's legacy encryption, which is not supported. Convert it: " + Convert);
            }
            MatchCollection blocks = Pem.Matches(trimmed);
            if (blocks.Count == 0 || blocks[0].Groups[1].Value != blocks[0].Groups[3].Value)
            {
                throw SigningException.KeyInvalid(
                    "The BEGIN or END line of the private key is missing or damaged. Use the whole PEM file.");
            }
            if (blocks.Count > 1)
            {
                throw SigningException.KeyInvalid("The text contains more than one PEM block. Use exactly one private key.");
            }
            if (OtherLabels.TryGetValue(blocks[0].Groups[1].Value, out string other)) throw SigningException.KeyInvalid(other);
            return ReadDer(Decoded(blocks[0].Groups[2].Value), passphrase);
        }

        private static byte[] Decoded(string base64)
        {
            try
            {
                return System.Convert.FromBase64String(base64);
            }
            catch (FormatException)
            {
                throw SigningException.KeyInvalid(
                    base64.Contains("\\n")
                        ? "The private key contains a backslash and an n (\\n) instead of line breaks. Replace each one with a line break."
                        : "The text is not a private key in a supported format, or the key is damaged. Use the whole PEM file.");
            }
        }

        private static RSAParameters ReadDer(byte[] der, string passphrase)
        {
            RSAParameters? key;
            try
            {
                key = ReadAnyForm(der, passphrase);
            }
            catch (FormatException)
            {
                throw SigningException.KeyInvalid(Damaged);
            }
            if (key == null)
            {
                throw SigningException.KeyInvalid("The private key is not an RSA key for PKCS#1 v1.5. Create one: " + Make);
            }
            string problem = RsaNumbers.Problem(key.Value);
            if (problem != null) throw SigningException.KeyInvalid(problem + " Create a new one: " + Make);
            if (!SignsCorrectly(key.Value)) throw SigningException.KeyInvalid(Damaged);
            return key.Value;
        }

        /// <summary>Tells encodings apart by their first elements, so that bare Base64 needs no label.</summary>
        private static RSAParameters? ReadAnyForm(byte[] der, string passphrase)
        {
            var outer = new DerReader(der).Enter(DerReader.Sequence);
            if (outer.NextTag == DerReader.Sequence)
            {
                outer.Read(DerReader.Sequence);
                if (outer.NextTag == DerReader.BitString) throw SigningException.KeyInvalid(OtherLabels["PUBLIC KEY"]);
                return RsaNumbers.FromPkcs8(Decrypted(der, passphrase));
            }
            bool isVersion = outer.Read(DerReader.Integer).Length == 1;
            if (outer.NextTag == DerReader.Sequence) return RsaNumbers.FromPkcs8(der);
            if (!isVersion) throw SigningException.KeyInvalid(OtherLabels["PUBLIC KEY"]);
            return RsaNumbers.FromPkcs1(der);
        }

        private static byte[] Decrypted(byte[] der, string passphrase)
        {
            if (string.IsNullOrEmpty(passphrase))
            {
                throw SigningException.KeyInvalid("The private key is encrypted. Provide its passphrase.");
            }
            byte[] plain;
            try
            {
                plain = EncryptedKey.Decrypt(der, passphrase);
            }
            catch (NotSupportedException)
            {
                throw SigningException.KeyInvalid(
                    "The private key's encryption is not supported. Convert the key: " + Convert);
            }
            if (plain == null || plain.Length == 0 || plain[0] != DerReader.Sequence)
            {
                throw SigningException.KeyInvalid("The passphrase is wrong, or the private key is damaged.");
            }
            return plain;
        }

        private static bool SignsCorrectly(RSAParameters key)
        {
            try
            {
                byte[] data = { 1 };
                using (var whole = RsaFrom(key))
                using (var half = RsaFrom(new RSAParameters { Modulus = key.Modulus, Exponent = key.Exponent }))
                {
                    byte[] signature = whole.SignData(data, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
                    return half.VerifyData(data, signature, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
                }
            }
            catch (CryptographicException)
            {
                return false;
            }
        }

        internal static RSA RsaFrom(RSAParameters key)
        {
            RSA rsa = RSA.Create();
            rsa.ImportParameters(key);
            return rsa;
        }
    }
}
