/** Checks signed requests in the tests of your own program, without a service. Not for protecting an API. */
package dev.countersign.signer.testing;
