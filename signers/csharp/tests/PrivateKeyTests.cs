using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text.RegularExpressions;

namespace Countersign.Tests
{
    /// <summary>The forms in which openssl writes private keys.</summary>
    internal sealed class PrivateKeyTests
    {
        private static readonly string Pkcs8 = Repository.PrivateKey("rsa-2048-a");

        private static string OpenSsl(string arguments)
        {
            string input = Path.Combine("build", "in-" + Guid.NewGuid() + ".pem");
            File.WriteAllText(input, Pkcs8);
            var start = new ProcessStartInfo("openssl", arguments + " -in " + input)
            {
                UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true,
            };
            using (Process process = Process.Start(start))
            {
                string output = process.StandardOutput.ReadToEnd();
                string errors = process.StandardError.ReadToEnd();
                process.WaitForExit();
                File.Delete(input);
                Program.Equal(0, process.ExitCode, errors);
                return output;
            }
        }

        private static string Bare(string pem)
        {
            return Regex.Replace(pem, "-----[A-Z ]+-----|\n", "");
        }

        private static void IsTheKey(string text, string passphrase)
        {
            RSAParameters key = PrivateKeyText.Read(text, passphrase);
            RSAParameters expected = RsaNumbers.FromPkcs8(Convert.FromBase64String(Bare(Pkcs8))).Value;
            Program.True(key.D.SequenceEqual(expected.D) && key.Modulus.SequenceEqual(expected.Modulus), "another key");
        }

        private static string MessageFor(string text, string passphrase)
        {
            var error = Program.SigningFails(() => PrivateKeyText.Read(text, passphrase));
            Program.Equal("private_key_invalid", error.Code);
            Program.Equal(null, error.InnerException, "a cause could quote the key");
            return error.Message;
        }

        [Test]
        public void ReadsPkcs8AndPkcs1()
        {
            string pkcs1 = OpenSsl("rsa -traditional");
            Program.True(pkcs1.StartsWith("-----BEGIN RSA PRIVATE KEY-----"), pkcs1.Substring(0, 40));
            foreach (string pem in new[] { Pkcs8, pkcs1 })
            {
                IsTheKey(pem, null);
                IsTheKey(Bare(pem), null);
                IsTheKey(pem.Replace("\n", "\r\n"), null);
                IsTheKey("\ufeff \n" + pem.Replace("\n", "\n   ") + "\n\n", null);
                IsTheKey(Regex.Replace(Bare(pem), "(.{64})", "$1\n"), null);
                IsTheKey(pem, "a passphrase that is not needed");
            }
        }

        [Test]
        public void ReadsEncryptedKeys()
        {
            foreach (string cipher in new[] { "aes-256-cbc", "aes-192-cbc", "aes-128-cbc" })
            {
                foreach (string prf in new[] { "hmacWithSHA256", "hmacWithSHA1", "hmacWithSHA512" })
                {
                    string pem = OpenSsl("pkcs8 -topk8 -v2 " + cipher + " -v2prf " + prf + " -passout pass:correct");
                    IsTheKey(pem, "correct");
                    IsTheKey(Bare(pem), "correct");
                    Program.True(MessageFor(pem, "wrong").StartsWith("The passphrase is wrong"), "a wrong passphrase");
                    Program.True(MessageFor(pem, null).StartsWith("The private key is encrypted. Provide"), "no passphrase");
                }
            }
        }

        [Test]
        public void SaysHowToConvertOtherEncryption()
        {
            foreach (string arguments in new[] { "rsa -traditional -aes128", "pkcs8 -topk8 -scrypt" })
            {
                string message = MessageFor(OpenSsl(arguments + " -passout pass:x"), "x");
                Program.True(message.Contains("openssl pkcs8 -topk8"), message);
            }
        }

        [Test]
        public void RefusesEverythingElseAndRepeatsNothingOfIt()
        {
            string half = Pkcs8.Substring(0, 900);
            string damaged = Pkcs8.Substring(0, 800) + (Pkcs8[800] == 'A' ? 'B' : 'A') + Pkcs8.Substring(801);
            var texts = new Dictionary<string, string>
            {
                [""] = "no key in the text",
                [half] = "BEGIN or END line",
                [half + "\n-----END PRIVATE KEY-----\n"] = "damaged",
                [damaged] = "damaged",
                [Bare(half.Substring(0, 800))] = "damaged",
                [Pkcs8 + Pkcs8] = "more than one",
                [Pkcs8.Replace("\n", "\\n")] = "backslash",
                [Repository.PublicKey("rsa-2048-a")] = "public key",
                [Bare(Repository.PublicKey("rsa-2048-a"))] = "public key",
                [Repository.PrivateKey("ec-p256")] = "not an RSA key",
                [Repository.PrivateKey("ed25519")] = "not an RSA key",
                [Repository.PrivateKey("rsa-1024-weak")] = "1024 bits",
                [Repository.PrivateKey("rsa-1536")] = "1536 bits",
                ["-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----"] = "ssh-keygen",
                ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"] = "certificate",
                ["{\"kty\":\"RSA\"}"] = "damaged",
                [new string('M', 70000)] = "too long",
            };
            foreach (var text in texts)
            {
                string message = MessageFor(text.Key, null);
                Program.True(message.Contains(text.Value), message);
                Program.True(!message.Contains(Pkcs8.Substring(100, 20)), "the message quotes the key");
            }
        }
    }
}
