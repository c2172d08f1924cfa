package dev.countersign.signer.okhttp;

import dev.countersign.signer.BodyBuffer;
import dev.countersign.signer.Signer;
import dev.countersign.signer.SigningException;
import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.Okio;

/** A request body in memory: signed and sent from the same bytes, as often as needed. */
final class BufferedBody extends RequestBody {
  final byte[] bytes;
  private final MediaType contentType;

  private BufferedBody(byte[] bytes, MediaType contentType) {
    this.bytes = bytes;
    this.contentType = contentType;
  }

  static BufferedBody of(RequestBody body, Signer signer) throws IOException {
    if (body instanceof BufferedBody) {
      return (BufferedBody) body;
    }
    if (body.isDuplex()) {
      throw SigningException.requestInvalid("its body is sent while the response is read, so it cannot be digested");
    }
    signer.checkBodyLength(body.contentLength());
    BodyBuffer buffer = new BodyBuffer(signer);
    BufferedSink sink = Okio.buffer(Okio.sink(buffer));
    body.writeTo(sink);
    sink.flush();
    return new BufferedBody(buffer.toByteArray(), body.contentType());
  }

  @Override
  public MediaType contentType() {
    return contentType;
  }

  @Override
  public long contentLength() {
    return bytes.length;
  }

  @Override
  public void writeTo(BufferedSink sink) throws IOException {
    sink.write(bytes);
  }
}
