package dev.countersign.signer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the strings of a JSON object: what a problem document (RFC 9457) has at its top level. Other members are checked
 * for their syntax and skipped.
 */
final class ProblemDocument {
  private static final int DEPTH_MAX = 32;

  private final String text;
  private int position;

  private ProblemDocument(String text) {
    this.text = text;
  }

  /** Returns the string members by name; null if the bytes are not one JSON object in UTF-8. */
  static Map<String, String> read(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      ProblemDocument reader = new ProblemDocument(text);
      Map<String, String> members = new HashMap<>();
      reader.skipSpace();
      reader.object(members, 0);
      reader.skipSpace();
      return reader.position == text.length() ? members : null;
    } catch (CharacterCodingException | SyntaxException e) {
      return null;
    }
  }

  private static final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    SyntaxException() {
      super(null, null, false, false);
    }
  }

  /** Reads an object. Collects its strings unless {@code members} is null. */
  private void object(Map<String, String> members, int depth) throws SyntaxException {
    expect('{');
    skipSpace();
    if (take('}')) {
      return;
    }
    do {
      skipSpace();
      String name = string();
      skipSpace();
      expect(':');
      String value = value(depth + 1);
      if (members != null && value != null) {
        members.put(name, value);
      }
      skipSpace();
    } while (take(','));
    expect('}');
  }

  private void array(int depth) throws SyntaxException {
    expect('[');
    skipSpace();
    if (take(']')) {
      return;
    }
    do {
      value(depth + 1);
      skipSpace();
    } while (take(','));
    expect(']');
  }

  /** Returns a string; null for a value of another type. */
  private String value(int depth) throws SyntaxException {
    if (depth > DEPTH_MAX) {
      throw new SyntaxException();
    }
    skipSpace();
    char first = next();
    if (first == '"') {
      return string();
    } else if (first == '{') {
      object(null, depth);
    } else if (first == '[') {
      array(depth);
    } else {
      literal();
    }
    return null;
  }

  private String string() throws SyntaxException {
    expect('"');
    StringBuilder value = new StringBuilder();
    while (!take('"')) {
      char character = next();
      position++;
      if (character < 0x20) {
        throw new SyntaxException();
      }
      value.append(character == '\\' ? escaped() : character);
    }
    return value.toString();
  }

  private char escaped() throws SyntaxException {
    char letter = next();
    position++;
    int index = "\"\\/bfnrt".indexOf(letter);
    if (index >= 0) {
      return "\"\\/\b\f\n\r\t".charAt(index);
    }
    if (letter != 'u' || position + 4 > text.length()) {
      throw new SyntaxException();
    }
    String digits = text.substring(position, position + 4);
    if (!digits.matches("[0-9a-fA-F]{4}")) {
      throw new SyntaxException();
    }
    position += 4;
    return (char) Integer.parseInt(digits, 16);
  }

  private void literal() throws SyntaxException {
    int start = position;
    while (position < text.length() && "+-.0123456789Eaeflnrstu".indexOf(text.charAt(position)) >= 0) {
      position++;
    }
    if (!text.substring(start, position).matches("true|false|null|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
      throw new SyntaxException();
    }
  }

  private char next() throws SyntaxException {
    if (position >= text.length()) {
      throw new SyntaxException();
    }
    return text.charAt(position);
  }

  private boolean take(char character) {
    if (position < text.length() && text.charAt(position) == character) {
      position++;
      return true;
    }
    return false;
  }

  private void expect(char character) throws SyntaxException {
    if (!take(character)) {
      throw new SyntaxException();
    }
  }

  private void skipSpace() {
    while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
      position++;
    }
  }
}
