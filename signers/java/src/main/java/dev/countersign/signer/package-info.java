/**
 * Signs HTTP requests as the Countersign profile requires (RFC 9421), without dependencies.
 *
 * <p>{@link dev.countersign.signer.Signer} holds the client and its key. The packages below connect it to HTTP clients.
 */
package dev.countersign.signer;
