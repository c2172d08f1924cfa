using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Countersign
{
    /// <summary>
    /// A strict reader of small JSON texts: objects, lists, strings, numbers as double, true, false and null. Hostile
    /// texts give no value. System.Text.Json would do, but Mono, on which the tests run, has none.
    /// </summary>
    internal sealed class Json
    {
        private const int DepthMax = 32;
        private static readonly Regex Number = new Regex(@"\G-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
        private static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        private readonly string text;
        private int position;

        private Json(string text)
        {
            this.text = text;
        }

        /// <summary>Returns the value; null for anything that is not JSON in UTF-8.</summary>
        internal static object Read(byte[] bytes)
        {
            try
            {
                var reader = new Json(StrictUtf8.GetString(bytes));
                object value = reader.Value(0);
                reader.SkipSpace();
                return reader.position == reader.text.Length ? value : null;
            }
            catch (FormatException)
            {
                return null;
            }
            catch (DecoderFallbackException)
            {
                return null;
            }
        }

        private object Value(int depth)
        {
            if (depth > DepthMax) throw new FormatException();
            SkipSpace();
            switch (Next())
            {
                case '{': return Object(depth);
                case '[': return List(depth);
                case '"': return String();
                case 't': return Word("true", true);
                case 'f': return Word("false", false);
                case 'n': return Word("null", null);
                default: return ReadNumber();
            }
        }

        private Dictionary<string, object> Object(int depth)
        {
            var members = new Dictionary<string, object>();
            Expect('{');
            SkipSpace();
            if (Take('}')) return members;
            do
            {
                SkipSpace();
                string name = String();
                SkipSpace();
                Expect(':');
                members[name] = Value(depth + 1);
                SkipSpace();
            }
            while (Take(','));
            Expect('}');
            return members;
        }

        private List<object> List(int depth)
        {
            var items = new List<object>();
            Expect('[');
            SkipSpace();
            if (Take(']')) return items;
            do
            {
                items.Add(Value(depth + 1));
                SkipSpace();
            }
            while (Take(','));
            Expect(']');
            return items;
        }

        private string String()
        {
            Expect('"');
            var value = new StringBuilder();
            while (!Take('"'))
            {
                char character = Next();
                position++;
                if (character < 0x20) throw new FormatException();
                value.Append(character == '\\' ? Escaped() : character);
            }
            return value.ToString();
        }

        private char Escaped()
        {
            char letter = Next();
            position++;
            int index = "\"\\/bfnrt".IndexOf(letter);
            if (index >= 0) return "\"\\/\b\f\n\r\t"[index];
            if (letter != 'u' || position + 4 > text.Length) throw new FormatException();
            string digits = text.Substring(position, 4);
            position += 4;
            return (char)ushort.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, position, word, 0, word.Length) != 0) throw new FormatException();
            position += word.Length;
            return value;
        }

        private object ReadNumber()
        {
            Match number = Number.Match(text, position);
            if (!number.Success) throw new FormatException();
            position += number.Length;
            double.TryParse(number.Value, NumberStyles.Float, CultureInfo.InvariantCulture, out double value);
            return value;
        }

        private char Next()
        {
            if (position >= text.Length) throw new FormatException();
            return text[position];
        }

        private bool Take(char character)
        {
            bool found = position < text.Length && text[position] == character;
            if (found) position++;
            return found;
        }

        private void Expect(char character)
        {
            if (!Take(character)) throw new FormatException();
        }

        private void SkipSpace()
        {
            while (position < text.Length && " \t\r\n".IndexOf(text[position]) >= 0) position++;
        }
    }
}
