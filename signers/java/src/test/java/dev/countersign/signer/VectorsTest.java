package dev.countersign.signer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.countersign.signer.testing.Verification;
import dev.countersign.signer.testing.Verifier;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The shared vectors: the signer byte for byte, and the verifier of the package. */
class VectorsTest {
  /** The codes that fit a class of the vectors. */
  private static final Map<String, List<String>> CODES =
      Map.ofEntries(
          Map.entry("algorithm", List.of("algorithm_not_allowed")),
          Map.entry("components", List.of("components_invalid")),
          Map.entry("date_mismatch", List.of("date_mismatch")),
          Map.entry("date_window", List.of("date_mismatch")),
          Map.entry("digest_algorithm", List.of("digest_malformed")),
          Map.entry("digest_mismatch", List.of("digest_mismatch")),
          Map.entry("duplicate_header", List.of("signature_missing", "date_invalid", "digest_malformed")),
          Map.entry("in_future", List.of("created_in_future")),
          Map.entry("label", List.of("signature_malformed")),
          Map.entry("malformed_date", List.of("date_invalid")),
          Map.entry("malformed_digest", List.of("digest_malformed")),
          Map.entry("malformed_request", List.of("request_malformed")),
          Map.entry("malformed_signature", List.of("signature_malformed")),
          Map.entry("malformed_signature_input", List.of("signature_malformed")),
          Map.entry("missing_date", List.of("date_invalid")),
          Map.entry("missing_digest", List.of("digest_missing")),
          Map.entry("missing_signature", List.of("signature_missing")),
          Map.entry("missing_signature_input", List.of("signature_missing")),
          Map.entry("params", List.of("parameters_invalid")),
          Map.entry("signature_mismatch", List.of("signature_invalid")),
          Map.entry("too_old", List.of("created_expired")),
          Map.entry("unknown_client", List.of("signature_invalid")),
          // A key that a service does not register is nobody's key.
          Map.entry("weak_key", List.of("signature_invalid", "key_refused")));

  /** The profile allows visible characters only in keyid, and checks that before it looks for the client. */
  private static final Map<String, String> EARLIER = Map.of("keyid/trailing-space", "parameters_invalid");

  @TestFactory
  Stream<DynamicTest> signsByteForByte() {
    return Stream.concat(cases("positive"), cases("ed25519", "accept")).map(one -> dynamicTest(id(one), () -> {
      JsonObject input = one.getAsJsonObject("signer").getAsJsonObject("input");
      JsonObject output = one.getAsJsonObject("signer").getAsJsonObject("output");
      Signer signer =
          Signer.builder()
              .clientId(input.get("keyid").getAsString())
              .privateKey(Repository.privateKey(input.get("privateKey").getAsString()))
              .build();

      ((ClosedProfile) signer.profile).date = created -> input.get("date").getAsString();

      SignedRequest signed =
          signer.signAt(
              input.get("method").getAsString(),
              input.get("url").getAsString(),
              Repository.body(one.getAsJsonObject("request").get("body")),
              input.get("created").getAsLong());

      assertEquals(output.get("signatureBase").getAsString(), signed.signatureBase());
      JsonElement digest = output.get("contentDigest");
      assertEquals(digest.isJsonNull() ? null : digest.getAsString(), signed.headers().get("Content-Digest"));
      assertEquals(output.get("signatureInput").getAsString(), signed.headers().get("Signature-Input"));
      assertEquals(output.get("signature").getAsString(), signed.headers().get("Signature"));
      assertEquals(input.get("date").getAsString(), signed.headers().get("Date"));
      assertEquals(one.getAsJsonObject("request").get("method").getAsString(), signed.method());
      assertEquals(one.getAsJsonObject("request").get("url").getAsString(), signed.url());
    }));
  }

  /** ECDSA signatures are random, so the text and the length are compared. */
  @TestFactory
  Stream<DynamicTest> signsTheSameTextWithEcdsa() {
    return Stream.of(Map.entry("ec-p256", "ecdsa-p256-sha256"), Map.entry("ec-p384", "ecdsa-p384-sha384")).flatMap(key ->
        cases("positive").map(one -> dynamicTest(key.getKey() + "/" + id(one), () -> {
          JsonObject input = one.getAsJsonObject("signer").getAsJsonObject("input");
          String keyid = input.get("keyid").getAsString();
          Instant created = Instant.ofEpochSecond(input.get("created").getAsLong());
          Signer signer = Signer.builder().clientId(keyid).privateKey(Repository.privateKey(key.getKey())).build();
          ((ClosedProfile) signer.profile).date = any -> input.get("date").getAsString();

          SignedRequest signed =
              signer.signAt(
                  input.get("method").getAsString(),
                  input.get("url").getAsString(),
                  Repository.body(one.getAsJsonObject("request").get("body")),
                  created.getEpochSecond());

          String rsaBase = one.getAsJsonObject("signer").getAsJsonObject("output").get("signatureBase").getAsString();
          assertEquals(rsaBase.replace("alg=\"rsa-v1_5-sha256\"", "alg=\"" + key.getValue() + "\""), signed.signatureBase());
          String signature = signed.headers().get("Signature").replaceAll("^sig=:|:$", "");
          assertEquals(key.getKey().equals("ec-p256") ? 64 : 96, Base64.getDecoder().decode(signature).length);
          Map<String, List<String>> headers = new LinkedHashMap<>();
          signed.headers().forEach((name, value) -> headers.put(name, List.of(value)));
          Verifier verifier = new Verifier(keyid, Repository.publicKey(key.getKey())).now(() -> created);
          assertEquals("ok", verifier.verify(signed.method(), signed.url(), headers, signed.body()).toString());
        })));
  }

  @TestFactory
  Stream<DynamicTest> verifierAccepts() {
    return Stream.of(cases("positive"), cases("ed25519", "accept"), cases("ecdsa", "accept")).flatMap(all -> all).map(one -> dynamicTest(id(one), () -> assertEquals(Set.of("ok"), verdicts(one))));
  }

  @TestFactory
  Stream<DynamicTest> verifierRefuses() {
    Stream<JsonObject> all =
        Stream.of(cases("negative"), cases("fuzz"), cases("ed25519", "reject"), cases("ecdsa", "reject")).flatMap(part -> part);
    return all.map(one -> dynamicTest(id(one), () -> {
      Set<String> expected = expectedCodes(one);
      Set<String> found = verdicts(one);
      assertTrue(expected.containsAll(found), () -> "found " + found + ", expected one of " + expected);
    }));
  }

  private static Set<String> expectedCodes(JsonObject one) {
    if (EARLIER.containsKey(id(one))) {
      return Set.of(EARLIER.get(id(one)));
    }
    JsonObject expect = one.getAsJsonObject("expect");
    Set<String> codes = new TreeSet<>(CODES.get(expect.get("class").getAsString()));
    if (expect.has("alsoOk")) {
      expect.getAsJsonArray("alsoOk").forEach(
          name -> codes.addAll(CODES.getOrDefault(name.getAsString(), List.of())));
    }
    return codes;
  }

  /** Asks the verifier of the client that the request names; one of the others if it names none of them. */
  private static Set<String> verdicts(JsonObject one) {
    JsonObject request = one.getAsJsonObject("request");
    Map<String, List<String>> headers = new LinkedHashMap<>();
    request.getAsJsonArray("headers").forEach(line ->
        headers
            .computeIfAbsent(line.getAsJsonArray().get(0).getAsString(), name -> new ArrayList<>())
            .add(line.getAsJsonArray().get(1).getAsString()));
    JsonObject client = null;
    for (JsonElement candidate : one.getAsJsonObject("verify").getAsJsonArray("clients")) {
      String clientId = candidate.getAsJsonObject().get("clientId").getAsString();
      if (client == null || headers.toString().contains("keyid=\"" + clientId + "\"")) {
        client = candidate.getAsJsonObject();
      }
    }
    Verifier verifier;
    try {
      verifier =
          new Verifier(
              client.get("clientId").getAsString(), Repository.publicKey(client.get("publicKey").getAsString()));
    } catch (IllegalArgumentException e) {
      return Set.of("key_refused");
    }
    Instant now = Instant.ofEpochSecond(one.getAsJsonObject("verify").get("now").getAsLong());
    Verification result =
        verifier
            .now(() -> now)
            .verify(
                request.get("method").getAsString(),
                request.get("url").getAsString(),
                headers,
                Repository.body(request.get("body")));
    return Set.of(result.isOk() ? "ok" : result.code());
  }

  private static Stream<JsonObject> cases(String file) {
    return StreamSupport.stream(
            Repository.json("vectors/profile/" + file + ".json").getAsJsonArray("cases").spliterator(), false)
        .map(JsonElement::getAsJsonObject);
  }

  private static Stream<JsonObject> cases(String file, String verdict) {
    // Java has Ed25519 since version 15.
    return cases(file)
        .filter(one -> Runtime.version().feature() >= 15 || !one.toString().contains("ed25519"))
        .filter(one -> one.getAsJsonObject("expect").get("verdict").getAsString().equals(verdict));
  }

  private static String id(JsonObject one) {
    return one.get("id").getAsString();
  }
}
