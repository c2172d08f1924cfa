package dev.countersign.signer.apache;

import dev.countersign.signer.BodyBuffer;
import dev.countersign.signer.Signer;
import java.io.IOException;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/** A body in memory, with the headers of the entity that it was read from. */
final class BufferedEntity extends HttpEntityWrapper {
  final byte[] bytes;
  private final String contentType;
  private final String contentEncoding;

  BufferedEntity(byte[] bytes, HttpEntity original) {
    super(new ByteArrayEntity(bytes, null));
    this.bytes = bytes;
    this.contentType = original.getContentType();
    this.contentEncoding = original.getContentEncoding();
  }

  /** Reads a request's body, up to the signer's limit. */
  static BufferedEntity of(HttpEntity entity, Signer signer) throws IOException {
    if (entity instanceof BufferedEntity) {
      return (BufferedEntity) entity;
    }
    signer.checkBodyLength(entity.getContentLength());
    BodyBuffer buffer = new BodyBuffer(signer);
    entity.writeTo(buffer);
    return new BufferedEntity(buffer.toByteArray(), entity);
  }

  @Override
  public String getContentType() {
    return contentType;
  }

  @Override
  public String getContentEncoding() {
    return contentEncoding;
  }
}
