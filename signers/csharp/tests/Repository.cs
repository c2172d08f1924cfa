using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Countersign.Tests
{
    /// <summary>The files of the repository that the tests read. Tests run in the folder signers/csharp.</summary>
    internal static class Repository
    {
        private static readonly Dictionary<string, object> Keys = Map(JsonOf("vectors/profile/keys.json"), "keys");

        internal static string Text(string path)
        {
            return File.ReadAllText(Path.Combine("..", "..", path));
        }

        internal static Dictionary<string, object> JsonOf(string path)
        {
            return (Dictionary<string, object>)Json.Read(File.ReadAllBytes(Path.Combine("..", "..", path)));
        }

        internal static Dictionary<string, object> Map(object value, string name)
        {
            return (Dictionary<string, object>)((Dictionary<string, object>)value)[name];
        }

        internal static string String(object value, string name)
        {
            return (string)((Dictionary<string, object>)value)[name];
        }

        internal static IEnumerable<Dictionary<string, object>> Cases(string file)
        {
            return ((List<object>)JsonOf("vectors/profile/" + file + ".json")["cases"]).Cast<Dictionary<string, object>>();
        }

        internal static string PrivateKey(string name)
        {
            return String(Keys[name], "privateKeyPem");
        }

        internal static string PublicKey(string name)
        {
            return String(Keys[name], "publicKeyPem");
        }

        /// <summary>Returns the body of a vector's request.</summary>
        internal static byte[] Body(object body)
        {
            if (body == null) return new byte[0];
            var members = (Dictionary<string, object>)body;
            return members.TryGetValue("file", out object file)
                ? File.ReadAllBytes(Path.Combine("..", "..", "vectors", "profile", (string)file))
                : Convert.FromBase64String((string)members["base64"]);
        }
    }
}
