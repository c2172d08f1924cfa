package dev.countersign.signer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A private key in a file, read again when the file changes. A file that cannot be read, is half written or has a key of a
 * kind that cannot be used, leaves the earlier key in use.
 */
final class KeyFile implements KeySource {
  private static final System.Logger LOG = System.getLogger(KeyFile.class.getName());
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long FILE_BYTES_MAX = 64 * 1024;

  private final Path file;
  private final Function<String, SigningKey> reader;
  private byte[] hash;
  private SigningKey key;
  private long checkedNanos;
  private String lastWarning = "";

  /** Takes the file, and what makes a key of its text or throws {@link SignerConfigurationException}. */
  KeyFile(Path file, Function<String, SigningKey> reader) {
    this.file = file;
    this.reader = reader;
    byte[] bytes = read();
    this.key = reader.apply(new String(bytes, StandardCharsets.UTF_8));
    this.hash = SignatureBase.sha256(bytes);
    this.checkedNanos = System.nanoTime();
  }

  @Override
  public synchronized SigningKey current() {
    long now = System.nanoTime();
    if (now - checkedNanos > CHECK_NANOS) {
      checkedNanos = now;
      readAgain();
    }
    return key;
  }

  private void readAgain() {
    try {
      byte[] bytes = read();
      byte[] newHash = SignatureBase.sha256(bytes);
      if (Arrays.equals(newHash, hash)) {
        return;
      }
      hash = newHash;
      key = reader.apply(new String(bytes, StandardCharsets.UTF_8));
    } catch (SignerConfigurationException e) {
      if (!e.getMessage().equals(lastWarning)) {
        lastWarning = e.getMessage();
        LOG.log(System.Logger.Level.WARNING, "Still signing with the previous key. {0}", e.getMessage());
      }
    }
  }

  private byte[] read() {
    try {
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw SignerConfigurationException.privateKeyInvalid("The file " + file + " is too large to be a private key.");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new SignerConfigurationException(
          "private_key_invalid", "The private key file " + file + " cannot be read. Check its name and permissions.", e);
    }
  }
}
