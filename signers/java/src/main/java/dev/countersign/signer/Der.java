package dev.countersign.signer;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;

/** Reads and writes as much DER (X.690) as keys and ECDSA signatures need. */
final class Der {
  static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int SEQUENCE = 0x30;

  private final ByteBuffer bytes;

  private Der(byte[] bytes) {
    this.bytes = ByteBuffer.wrap(bytes);
  }

  /** Opens the content of an element. */
  static Der of(byte[] content) {
    return new Der(content);
  }

  /** Opens the one sequence that these bytes are. */
  static Der sequence(byte[] der) throws GeneralSecurityException {
    Der whole = new Der(der);
    byte[] content = whole.read(SEQUENCE);
    if (whole.tag() != -1) {
      throw new GeneralSecurityException("More bytes follow the sequence.");
    }
    return new Der(content);
  }

  /** Returns the next element's tag; -1 if there is none. */
  int tag() {
    return bytes.hasRemaining() ? bytes.get(bytes.position()) & 0xff : -1;
  }

  /** Reads the next element, which must have this tag, and returns its content. */
  byte[] read(int tag) throws GeneralSecurityException {
    if (tag() != tag) {
      throw new GeneralSecurityException("Another element was expected.");
    }
    bytes.get();
    int length = length();
    if (length < 0 || length > bytes.remaining()) {
      throw new GeneralSecurityException("An element is not complete.");
    }
    byte[] content = new byte[length];
    bytes.get(content);
    return content;
  }

  /** Reads a length; -1 if it is damaged. */
  private int length() {
    int first = bytes.hasRemaining() ? bytes.get() & 0xff : 0x80;
    if (first < 0x80) {
      return first;
    }
    int count = first & 0x7f;
    if (count == 0 || count > 3 || bytes.remaining() < count) {
      return -1;
    }
    int length = 0;
    for (int index = 0; index < count; index++) {
      length = length << 8 | bytes.get() & 0xff;
    }
    return length;
  }

  /** Writes an element of less than 64 KiB. */
  static byte[] element(int tag, byte[]... contents) {
    byte[] content = joined(contents);
    ByteBuffer der = ByteBuffer.allocate(content.length + 4).put((byte) tag);
    if (content.length < 0x80) {
      der.put((byte) content.length);
    } else if (content.length < 0x100) {
      der.put((byte) 0x81).put((byte) content.length);
    } else {
      der.put((byte) 0x82).putShort((short) content.length);
    }
    byte[] bytes = new byte[der.put(content).position()];
    der.flip().get(bytes);
    return bytes;
  }

  static byte[] joined(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteBuffer whole = ByteBuffer.allocate(length);
    for (byte[] part : parts) {
      whole.put(part);
    }
    return whole.array();
  }

  /** Joins the two integers of an ECDSA signature (RFC 3279 section 2.2.3), each with {@code size} bytes. */
  static byte[] joinedIntegers(byte[] der, int size) throws GeneralSecurityException {
    Der integers = sequence(der);
    return joined(padded(integers.read(INTEGER), size), padded(integers.read(INTEGER), size));
  }

  /** Returns an integer that is not negative with {@code size} bytes. */
  static byte[] padded(byte[] integer, int size) throws GeneralSecurityException {
    // A zero stands before a first bit of one, so that the integer is not negative.
    int length = Math.min(integer.length, size);
    if (integer.length > size + 1 || integer.length > size && integer[0] != 0) {
      throw new GeneralSecurityException("The number is longer than those of the curve.");
    }
    byte[] bytes = new byte[size];
    System.arraycopy(integer, integer.length - length, bytes, size - length, length);
    return bytes;
  }
}
