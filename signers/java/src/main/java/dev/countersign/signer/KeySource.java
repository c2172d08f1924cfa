package dev.countersign.signer;

import java.security.PrivateKey;
import java.security.Signature;

/** The current key, as a function that signs. */
interface KeySource {
  SigningFunction current();

  static SigningFunction of(PrivateKey key) {
    return signatureBase -> {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      signature.update(signatureBase);
      return signature.sign();
    };
  }
}
