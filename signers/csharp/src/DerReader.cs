using System;
using System.Linq;

namespace Countersign
{
    /// <summary>Reads DER elements in turn (X.690). Throws FormatException for anything damaged.</summary>
    internal sealed class DerReader
    {
        internal const byte Integer = 0x02;
        internal const byte BitString = 0x03;
        internal const byte OctetString = 0x04;
        internal const byte ObjectIdentifier = 0x06;
        internal const byte Sequence = 0x30;

        private readonly byte[] bytes;
        private int position;

        internal DerReader(byte[] bytes)
        {
            this.bytes = bytes;
        }

        internal bool AtEnd => position == bytes.Length;

        /// <summary>The tag of the next element; 0 if there is none.</summary>
        internal byte NextTag => AtEnd ? (byte)0 : bytes[position];

        /// <summary>Reads an element and returns its content.</summary>
        internal byte[] Read(byte tag)
        {
            if (NextTag != tag || position + 2 > bytes.Length) throw new FormatException();
            int length = bytes[position + 1];
            position += 2;
            if (length >= 0x80)
            {
                int count = length & 0x7f;
                if (count == 0 || count > 3 || position + count > bytes.Length) throw new FormatException();
                length = 0;
                for (int index = 0; index < count; index++) length = length << 8 | bytes[position++];
            }
            if (position + length > bytes.Length) throw new FormatException();
            byte[] content = bytes.Skip(position).Take(length).ToArray();
            position += length;
            return content;
        }

        internal DerReader Enter(byte tag)
        {
            return new DerReader(Read(tag));
        }

        /// <summary>Reads a number that is not negative, without its leading zeros.</summary>
        internal byte[] ReadUnsigned()
        {
            byte[] number = Read(Integer);
            if (number.Length == 0 || number[0] >= 0x80) throw new FormatException();
            return number.SkipWhile(octet => octet == 0).ToArray();
        }

        internal int ReadSmallNumber()
        {
            byte[] number = ReadUnsigned();
            if (number.Length > 3) throw new FormatException();
            return number.Aggregate(0, (value, octet) => value << 8 | octet);
        }

        /// <summary>Reads an object identifier as hexadecimal digits of its encoding.</summary>
        internal string ReadIdentifier()
        {
            return string.Concat(Read(ObjectIdentifier).Select(octet => octet.ToString("x2")));
        }
    }
}
