using System;
using System.Linq;
using System.Security.Cryptography;

namespace Countersign
{
    /// <summary>Reads and checks the numbers of RSA keys in their DER encodings.</summary>
    internal static class RsaNumbers
    {
        private const string RsaEncryption = "2a864886f70d010101";

        /// <summary>Reads PrivateKeyInfo (RFC 5958 section 2). Returns null for a key of another algorithm.</summary>
        internal static RSAParameters? FromPkcs8(byte[] der)
        {
            var info = new DerReader(der).Enter(DerReader.Sequence);
            info.ReadSmallNumber();
            if (info.Enter(DerReader.Sequence).ReadIdentifier() != RsaEncryption) return null;
            return FromPkcs1(info.Read(DerReader.OctetString));
        }

        /// <summary>Reads RSAPrivateKey (RFC 8017 appendix A.1.2).</summary>
        internal static RSAParameters FromPkcs1(byte[] der)
        {
            var key = new DerReader(der).Enter(DerReader.Sequence);
            key.ReadSmallNumber();
            byte[] modulus = key.ReadUnsigned();
            int half = (modulus.Length + 1) / 2;
            return new RSAParameters
            {
                Modulus = modulus,
                Exponent = key.ReadUnsigned(),
                D = Padded(key.ReadUnsigned(), modulus.Length),
                P = Padded(key.ReadUnsigned(), half),
                Q = Padded(key.ReadUnsigned(), half),
                DP = Padded(key.ReadUnsigned(), half),
                DQ = Padded(key.ReadUnsigned(), half),
                InverseQ = Padded(key.ReadUnsigned(), half),
            };
        }

        /// <summary>Reads SubjectPublicKeyInfo (RFC 5280 section 4.1). Throws FormatException for other keys.</summary>
        internal static RSAParameters FromPublicKeyInfo(byte[] der)
        {
            var info = new DerReader(der).Enter(DerReader.Sequence);
            if (info.Enter(DerReader.Sequence).ReadIdentifier() != RsaEncryption) throw new FormatException();
            byte[] bits = info.Read(DerReader.BitString);
            if (bits.Length == 0 || bits[0] != 0) throw new FormatException();
            var key = new DerReader(bits.Skip(1).ToArray()).Enter(DerReader.Sequence);
            return new RSAParameters { Modulus = key.ReadUnsigned(), Exponent = key.ReadUnsigned() };
        }

        /// <summary>Returns what a service would say against the key; null for nothing.</summary>
        internal static string Problem(RSAParameters key)
        {
            int bits = key.Modulus.Length * 8;
            for (int top = key.Modulus.Length == 0 ? 0x80 : key.Modulus[0]; top < 0x80; top <<= 1) bits--;
            if (bits < 2048 || bits > 8192) return "The key has " + bits + " bits; 2048 to 8192 are allowed.";
            return key.Exponent.SequenceEqual(new byte[] { 1, 0, 1 }) ? null : "The key's public exponent is not 65537.";
        }

        private static byte[] Padded(byte[] number, int length)
        {
            if (number.Length > length) throw new FormatException();
            return new byte[length - number.Length].Concat(number).ToArray();
        }
    }
}
