using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Countersign.Testing
{
    /// <summary>
    /// <c>Signature-Input</c> with exactly the member <c>sig</c>, an inner list in its canonical text (RFC 8941 section
    /// 4.1). Each value has one canonical text, so the patterns accept canonical texts only.
    /// </summary>
    internal sealed class SignatureInput
    {
        private const string StringForm = "\"(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*\"";
        private const string DecimalForm = @"-?(?:0|[1-9][0-9]{0,11})\.(?:0|[0-9]{0,2}[1-9])";
        private const string IntegerForm = "(?:0|-?[1-9][0-9]{0,14})";
        private const string BytesForm =
            ":(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?:";

        private const string TokenForm = "[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*";

        private static readonly Regex ValueForm = new Regex(
            @"\G(?:" + string.Join("|", StringForm, DecimalForm, IntegerForm, @"\?[01]", BytesForm, TokenForm) + ")");

        private static readonly Regex ParameterForm = new Regex(@"\G;([a-z*][a-z0-9_.*-]*)(=?)");
        private static readonly Regex WholeInteger = new Regex(@"\A" + IntegerForm + @"\z");

        private readonly string field;
        private int position;

        private SignatureInput(string field)
        {
            this.field = field;
        }

        /// <summary>The text after <c>sig=</c>.</summary>
        internal string Text { get; private set; }

        /// <summary>The covered components, as they stand in the list.</summary>
        internal string Components { get; private set; }

        /// <summary>The texts of the parameters' values, by name.</summary>
        internal Dictionary<string, string> Parameters { get; private set; }

        /// <summary>Reads the field; null for any other text.</summary>
        internal static SignatureInput Read(string field)
        {
            var input = new SignatureInput(field);
            return input.ReadList() ? input : null;
        }

        /// <summary>Returns a string parameter's value; null if it is missing or of another type.</summary>
        internal string StringOf(string name)
        {
            return Parameters.TryGetValue(name, out string value) && value[0] == '"'
                ? Regex.Replace(value.Substring(1, value.Length - 2), @"\\(.)", "$1")
                : null;
        }

        /// <summary>Returns an integer parameter's value; null if it is missing or of another type.</summary>
        internal long? IntegerOf(string name)
        {
            return Parameters.TryGetValue(name, out string value) && WholeInteger.IsMatch(value)
                ? long.Parse(value, CultureInfo.InvariantCulture)
                : (long?)null;
        }

        private bool ReadList()
        {
            if (!Take("sig=(")) return false;
            int start = position - 1;
            for (int count = 0; !Take(")"); count++)
            {
                if (count > 0 && !Take(" ")) return false;
                if (ReadValue() == null || ReadParameters() == null) return false;
            }
            Components = field.Substring(start, position - start);
            Parameters = ReadParameters();
            Text = field.Substring("sig=".Length);
            return Parameters != null && position == field.Length;
        }

        private string ReadValue()
        {
            Match value = ValueForm.Match(field, position);
            position += value.Length;
            return value.Success ? value.Value : null;
        }

        /// <summary>Reads what follows; null if it is not canonical, for example if a name comes twice.</summary>
        private Dictionary<string, string> ReadParameters()
        {
            var parameters = new Dictionary<string, string>();
            for (Match one = ParameterForm.Match(field, position); one.Success; one = ParameterForm.Match(field, position))
            {
                position += one.Length;
                bool isTrue = one.Groups[2].Value == "";
                string value = isTrue ? "?1" : ReadValue();
                // True is written without a value (RFC 8941 section 4.1.1.2).
                if (value == null || value == "?1" != isTrue || parameters.ContainsKey(one.Groups[1].Value)) return null;
                parameters.Add(one.Groups[1].Value, value);
            }
            return parameters;
        }

        private bool Take(string part)
        {
            bool found = string.CompareOrdinal(field, position, part, 0, part.Length) == 0;
            if (found) position += part.Length;
            return found;
        }
    }
}
