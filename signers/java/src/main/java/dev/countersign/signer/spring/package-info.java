/**
 * Signs the requests of Spring's {@code RestClient} and {@code RestTemplate}. Spring Boot makes the signer and the request factory
 * from the properties {@code countersign.*}. Needs Spring 6.1 or newer, and so Java 17.
 */
package dev.countersign.signer.spring;
