package dev.countersign.signer;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** The variables that say who signs, the same in all languages. The command line reads all but the agent's. */
final class EnvironmentVariables {
  private static final String PREFIX = "COUNTERSIGN_";

  private final Map<String, String> variables;

  EnvironmentVariables(Map<String, String> variables) {
    this.variables = variables;
    if (value("CLIENT_ID") == null && value("SIGNATURE_AGENT") == null) {
      throw SignerConfigurationException.keyidInvalid(
          "Set COUNTERSIGN_CLIENT_ID to the Client ID from the portal, or, to sign as an agent, COUNTERSIGN_SIGNATURE_AGENT to the "
              + "URL of its JWK Set.");
    }
    if ((value("PRIVATE_KEY_FILE") == null) == (value("PRIVATE_KEY") == null)) {
      throw new SignerConfigurationException(
          "private_key_invalid",
          "Set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or COUNTERSIGN_PRIVATE_KEY to the key itself.");
    }
  }

  /** Returns the client ID; null for an agent. */
  String clientId() {
    return value("CLIENT_ID");
  }

  /** Returns the URL of the agent's JWK Set; null if the signer has a client ID. */
  String signatureAgent() {
    return value("SIGNATURE_AGENT");
  }

  /** Returns the key file; null if the key itself is given. */
  Path privateKeyFile() {
    String file = value("PRIVATE_KEY_FILE");
    try {
      return file == null ? null : Path.of(file);
    } catch (InvalidPathException e) {
      throw new SignerConfigurationException(
          "private_key_invalid", "COUNTERSIGN_PRIVATE_KEY_FILE is not the name of a file.");
    }
  }

  String privateKey() {
    return value("PRIVATE_KEY");
  }

  String passphrase() {
    return value("PASSPHRASE");
  }

  private String value(String name) {
    String value = variables.get(PREFIX + name);
    return value == null || value.isEmpty() ? null : value;
  }
}
