package dev.countersign.signer;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * Keeps equal requests from several processes distinct: for each signature one file {@code HASH.SECOND}, created
 * exclusively. Signers in all languages use the same names.
 */
final class SharedFolder {
  private static final long CLEANING_SECONDS = 60;

  private final Path folder;
  private Instant lastCleaned = Instant.MIN;

  SharedFolder(Path folder) {
    this.folder = folder;
  }

  /** Claims a second for a request; false if a process has claimed it before. */
  boolean add(String identity, long created) throws SigningException {
    try {
      clean();
      Files.createFile(folder.resolve(identity + "." + created));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      throw new SigningException(
          "signing_failed",
          "The shared folder " + folder + " cannot be written. Create it, and let this process write to it.",
          e);
    }
  }

  private synchronized void clean() throws IOException {
    Instant now = Instant.now();
    if (lastCleaned.isAfter(now.minusSeconds(CLEANING_SECONDS))) {
      return;
    }
    lastCleaned = now;
    Instant oldest = now.minusSeconds(UsedSeconds.REMEMBER_SECONDS);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, SharedFolder::isOurs)) {
      for (Path file : files) {
        deleteIfOlder(file, oldest);
      }
    }
  }

  private static boolean isOurs(Path file) {
    return file.getFileName().toString().matches("[0-9a-f]{32}\\.[0-9]+");
  }

  private static void deleteIfOlder(Path file, Instant oldest) throws IOException {
    try {
      if (Files.getLastModifiedTime(file).toInstant().isBefore(oldest)) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      // Another process has deleted it.
    }
  }
}
