package dev.countersign.signer;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;

/** Collects a body up to the signer's limit. For adapters of HTTP clients. */
public final class BodyBuffer extends OutputStream {
  private final Signer signer;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /**
   * Makes an empty buffer.
   *
   * @param signer has the limit
   */
  public BodyBuffer(Signer signer) {
    this.signer = signer;
  }

  @Override
  public void write(int octet) throws SigningException {
    write(new byte[] {(byte) octet}, 0, 1);
  }

  @Override
  public void write(byte[] part, int offset, int length) throws SigningException {
    signer.checkBodyLength((long) bytes.size() + length);
    bytes.write(part, offset, length);
  }

  /**
   * Returns what was written.
   *
   * @return the bytes
   */
  public byte[] toByteArray() {
    return bytes.toByteArray();
  }
}
