/** Signs the requests of {@link java.net.http.HttpClient}. */
package dev.countersign.signer.jdk;
