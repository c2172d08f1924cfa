/** Signs the requests of Apache HttpClient 5. */
package dev.countersign.signer.apache;
