package dev.countersign.signer;

/** Gives the key to sign with. It may be another one each time, even of another algorithm. */
interface KeySource {
  SigningKey current();
}
