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
        private const string Damaged = "The private key is damaged or cut off. Give the whole file that the key came in.";

        private static readonly Regex Pem =
            new Regex(@"-----BEGIN ([A-Z0-9 ]{1,60})-----([^-]*)-----END ([A-Z0-9 ]{1,60})-----");

        /// <summary>What to say about PEM blocks that hold something else.</summary>
        private static readonly Dictionary<string, string> OtherLabels = new Dictionary<string, string>
        {
            ["PUBLIC KEY"] = "This is a public key, which cannot sign. Give the private key that belongs to it.",
            ["RSA PUBLIC KEY"] = "This is a public key, which cannot sign. Give the private key that belongs to it.",
            ["CERTIFICATE"] = "This is a certificate, which cannot sign. Give the private key that belongs to it.",
            ["EC PRIVATE KEY"] = "The private key is not an RSA key. Make one: " + Make,
            ["OPENSSH PRIVATE KEY"] =
                "OpenSSH private key files are not supported. Convert a copy: ssh-keygen -p -m PKCS8 -f copy-of-key",
        };

        /// <summary>Reads the one key in a text. The passphrase is ignored if the key is not encrypted.</summary>
        internal static RSAParameters Read(string text, string passphrase)
        {
            string trimmed = text.Trim('\ufeff', ' ', '\t', '\r', '\n');
            if (trimmed == "") throw SigningException.KeyInvalid("There is no private key in the text.");
            if (trimmed.Length > TextLengthMax)
            {
                throw SigningException.KeyInvalid("The text is far too long for a private key.");
            }
            if (!trimmed.Contains("-----")) return ReadDer(Decoded(trimmed), passphrase);
            if (trimmed.Contains("Proc-Type:"))
            {
                throw SigningException.KeyInvalid(
                    "The private key is encrypted in OpenSSL's old format. Convert it: " + Convert);
            }
            MatchCollection blocks = Pem.Matches(trimmed);
            if (blocks.Count == 0 || blocks[0].Groups[1].Value != blocks[0].Groups[3].Value)
            {
                throw SigningException.KeyInvalid(
                    "The BEGIN or END line of the private key is missing or damaged. Give the whole PEM file.");
            }
            if (blocks.Count > 1)
            {
                throw SigningException.KeyInvalid("The text has more than one PEM block. Give exactly one private key.");
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
                        ? "The lines of the private key are joined by a backslash and the letter n. Replace them by line ends."
                        : "The text is not a private key that can be read here, or it is damaged. Give the whole PEM file.");
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
                throw SigningException.KeyInvalid("The private key is not an RSA key for PKCS#1 v1.5. Make one: " + Make);
            }
            string problem = RsaNumbers.Problem(key.Value);
            if (problem != null) throw SigningException.KeyInvalid(problem + " Make another one: " + Make);
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
                throw SigningException.KeyInvalid("The private key is encrypted. Give its passphrase too.");
            }
            byte[] plain;
            try
            {
                plain = EncryptedKey.Decrypt(der, passphrase);
            }
            catch (NotSupportedException)
            {
                throw SigningException.KeyInvalid(
                    "The private key is encrypted in a way that is not supported. Convert it: " + Convert);
            }
            if (plain == null || plain.Length == 0 || plain[0] != DerReader.Sequence)
            {
                throw SigningException.KeyInvalid("The passphrase does not fit the private key, or the key is damaged.");
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
