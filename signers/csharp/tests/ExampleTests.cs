using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Countersign.Testing;

namespace Countersign.Tests
{
    /// <summary>The documents of the package: the first request runs, and the README shows it.</summary>
    internal sealed class ExampleTests
    {
        private static string FirstRequest(TestServer server, string privateKey)
        {
            var start = new ProcessStartInfo("mono", "build/FirstRequest.exe")
            {
                UseShellExecute = false, RedirectStandardOutput = true,
            };
            start.EnvironmentVariables["CLIENT_ID"] = "client_1";
            start.EnvironmentVariables["PRIVATE_KEY_FILE"] = privateKey;
            start.EnvironmentVariables["BASE_URL"] = server.Url("");
            using (Process process = Process.Start(start))
            {
                string printed = process.StandardOutput.ReadToEnd();
                process.WaitForExit();
                Program.Equal(0, process.ExitCode, printed);
                return printed.Trim();
            }
        }

        [Test]
        public void FirstRequestIsAccepted()
        {
            string key = Path.Combine("build", "first-" + Guid.NewGuid() + ".pem");
            File.WriteAllText(key, Repository.PrivateKey("rsa-3072-a"));
            try
            {
                using (var server = new TestServer(request => Reply.Of(201, "", "made")))
                {
                    Program.Equal("201 made", FirstRequest(server, key));
                    var verifier = new Verifier("client_1", Repository.PublicKey("rsa-3072-a"));
                    Program.Equal("ok", server.Requests[0].Verdict(verifier));
                }
                var refusal = Reply.Problem(403, "{\"code\":\"client_disabled\",\"detail\":\"Ask the operator.\"}");
                using (var server = new TestServer(request => refusal))
                {
                    Program.Equal("client_disabled: Ask the operator.", FirstRequest(server, key));
                }
            }
            finally
            {
                File.Delete(key);
            }
        }

        [Test]
        public void ReadmeShowsTheFirstRequest()
        {
            string program = File.ReadAllText(Path.Combine("examples", "FirstRequest.cs"));
            Program.True(File.ReadAllText("README.md").Contains("```csharp\n" + program + "```\n"), "README.md shows another one");
        }
    }
}
