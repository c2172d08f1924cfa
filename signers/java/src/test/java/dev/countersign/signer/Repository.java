package dev.countersign.signer;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** The files of the repository that the tests read: vectors, keys, documents. */
public final class Repository {
  /** Maven runs tests in the folder of the package, which is signers/java. */
  public static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

  private static final JsonObject KEYS = json("vectors/profile/keys.json").getAsJsonObject("keys");

  private Repository() {}

  public static String text(String path) {
    try {
      return Files.readString(ROOT.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static JsonObject json(String path) {
    return JsonParser.parseString(text(path)).getAsJsonObject();
  }

  public static String privateKey(String name) {
    return KEYS.getAsJsonObject(name).get("privateKeyPem").getAsString();
  }

  public static String publicKey(String name) {
    return KEYS.getAsJsonObject(name).get("publicKeyPem").getAsString();
  }

  /** Returns whether a value of {@code Signature} is by an Ed25519 or P-256 key, with the means of Java alone. */
  public static boolean verifies(String keyName, String signatureBase, String header) throws GeneralSecurityException {
    boolean isEd25519 = keyName.equals("ed25519");
    byte[] spki = Base64.getMimeDecoder().decode(publicKey(keyName).replaceAll("-----[A-Z ]+-----", ""));
    Signature signature = Signature.getInstance(isEd25519 ? "Ed25519" : "SHA256withECDSAinP1363Format");
    signature.initVerify(KeyFactory.getInstance(isEd25519 ? "Ed25519" : "EC").generatePublic(new X509EncodedKeySpec(spki)));
    signature.update(signatureBase.getBytes(StandardCharsets.US_ASCII));
    return signature.verify(Base64.getDecoder().decode(header.replaceAll("^sig=:|:$", "")));
  }

  /** Returns the body of a vector's request. */
  public static byte[] body(JsonElement body) {
    if (body.isJsonNull()) {
      return new byte[0];
    }
    JsonElement file = body.getAsJsonObject().get("file");
    try {
      return file == null
          ? Base64.getDecoder().decode(body.getAsJsonObject().get("base64").getAsString())
          : Files.readAllBytes(ROOT.resolve("vectors/profile").resolve(file.getAsString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
