/** Signs the requests of OkHttp. */
package dev.countersign.signer.okhttp;
