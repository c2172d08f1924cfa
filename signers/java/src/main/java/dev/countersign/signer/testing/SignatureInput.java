package dev.countersign.signer.testing;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code Signature-Input} with exactly the member {@code sig}, an inner list in its canonical text (RFC 8941 section 4.1).
 *
 * <p>Each value has one canonical text, so the patterns below accept canonical texts only.
 */
final class SignatureInput {
  private static final String STRING = "\"(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*\"";
  private static final String INTEGER = "0|-?[1-9][0-9]{0,14}";
  private static final String DECIMAL = "-?(?:0|[1-9][0-9]{0,11})\\.(?:0|[0-9]{0,2}[1-9])";
  private static final String TOKEN = "[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*";
  private static final String BYTES = ":(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?:";
  private static final String KEY = "[a-z*][a-z0-9_.*-]*";
  private static final Pattern VALUE =
      Pattern.compile(String.join("|", STRING, DECIMAL, INTEGER, "\\?[01]", BYTES, TOKEN));
  private static final Pattern PARAMETER = Pattern.compile(";(" + KEY + ")(=?)");

  /** The text after {@code sig=}. */
  final String text;

  /** The covered components, as they stand in the list. */
  final String components;

  /** The texts of the parameters' values, by name. */
  final Map<String, String> parameters;

  private SignatureInput(String text, String components, Map<String, String> parameters) {
    this.text = text;
    this.components = components;
    this.parameters = parameters;
  }

  /** Reads the field; null for any other text. */
  static SignatureInput read(String field) {
    if (!field.startsWith("sig=(")) {
      return null;
    }
    Reader reader = new Reader(field, "sig=(".length());
    List<String> items = new ArrayList<>();
    while (!reader.takes(")")) {
      if (!items.isEmpty() && !reader.takes(" ")) {
        return null;
      }
      int start = reader.position;
      if (reader.value() == null || reader.parameters() == null) {
        return null;
      }
      items.add(field.substring(start, reader.position));
    }
    String components = "(" + String.join(" ", items) + ")";
    Map<String, String> parameters = reader.parameters();
    if (parameters == null || reader.position != field.length()) {
      return null;
    }
    return new SignatureInput(field.substring("sig=".length()), components, parameters);
  }

  /** Returns a string parameter's value; null if it is missing or of another type. */
  String string(String name) {
    String value = parameters.get(name);
    return value == null || !value.startsWith("\"")
        ? null
        : value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1");
  }

  /** Returns an integer parameter's value; null if it is missing or of another type. */
  Long integer(String name) {
    String value = parameters.get(name);
    return value != null && value.matches(INTEGER) ? Long.valueOf(new BigDecimal(value).longValueExact()) : null;
  }

  private static final class Reader {
    private final String text;
    private int position;

    Reader(String text, int position) {
      this.text = text;
      this.position = position;
    }

    boolean takes(String part) {
      boolean found = text.startsWith(part, position);
      position += found ? part.length() : 0;
      return found;
    }

    String value() {
      Matcher value = VALUE.matcher(text).region(position, text.length());
      if (!value.lookingAt()) {
        return null;
      }
      position = value.end();
      return value.group();
    }

    /** Reads what follows; null if it is not canonical, for example if a name comes twice. */
    Map<String, String> parameters() {
      Map<String, String> parameters = new LinkedHashMap<>();
      Matcher parameter = PARAMETER.matcher(text);
      while (parameter.region(position, text.length()).lookingAt()) {
        position = parameter.end();
        boolean isTrue = parameter.group(2).isEmpty();
        String value = isTrue ? "?1" : value();
        // True is written without a value (RFC 8941 section 4.1.1.2).
        if (value == null || value.equals("?1") != isTrue || parameters.put(parameter.group(1), value) != null) {
          return null;
        }
      }
      return parameters;
    }
  }
}
