using System;

namespace Countersign
{
    /// <summary>
    /// The variables that say who signs. Signers in all languages and the command line read the same ones.
    /// </summary>
    internal static class EnvironmentVariables
    {
        internal static SignerOptions Read(Func<string, string> read)
        {
            var options = new SignerOptions
            {
                ClientId = Value(read, "CLIENT_ID"),
                PrivateKey = Value(read, "PRIVATE_KEY"),
                PrivateKeyFile = Value(read, "PRIVATE_KEY_FILE"),
                Passphrase = Value(read, "PASSPHRASE"),
            };
            if (options.ClientId == null)
            {
                throw new SigningException(
                    "keyid_invalid", "Set COUNTERSIGN_CLIENT_ID to the Client ID from the portal.");
            }
            if ((options.PrivateKey == null) == (options.PrivateKeyFile == null))
            {
                throw SigningException.KeyInvalid(
                    "Set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or COUNTERSIGN_PRIVATE_KEY to the "
                        + "key itself.");
            }
            return options;
        }

        private static string Value(Func<string, string> read, string name)
        {
            string value = read("COUNTERSIGN_" + name);
            return value == "" ? null : value;
        }
    }
}
