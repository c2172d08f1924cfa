using System.IO;

namespace Countersign.Tests
{
    /// <summary>The documents of the package: the README shows the first request.</summary>
    internal sealed class ExampleTests
    {
        [Test]
        public void ReadmeShowsTheFirstRequest()
        {
            string program = File.ReadAllText(Path.Combine("examples", "FirstRequest.cs"));
            Program.True(File.ReadAllText("README.md").Contains("```csharp\n" + program + "```\n"), "README.md shows another one");
        }
    }
}
