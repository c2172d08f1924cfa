using System;
using System.Security.Cryptography;

namespace Countersign
{
    /// <summary>PBKDF2 (RFC 8018 section 5.2). .NET Standard 2.0 has it with SHA-1 only.</summary>
    internal static class Pbkdf2
    {
        internal static byte[] Derive(byte[] passphrase, byte[] salt, int iterations, HashAlgorithmName hash, int length)
        {
#if NET6_0_OR_GREATER
            return Rfc2898DeriveBytes.Pbkdf2(passphrase, salt, iterations, hash, length);
#else
            using (HMAC hmac = MakeHmac(hash, passphrase))
            {
                var key = new byte[length];
                for (int offset = 0, index = 1; offset < length; index++)
                {
                    byte[] block = Block(hmac, salt, iterations, index);
                    int count = Math.Min(block.Length, length - offset);
                    Buffer.BlockCopy(block, 0, key, offset, count);
                    offset += count;
                }
                return key;
            }
#endif
        }

#if !NET6_0_OR_GREATER
        private static HMAC MakeHmac(HashAlgorithmName hash, byte[] key)
        {
            if (hash == HashAlgorithmName.SHA1) return new HMACSHA1(key);
            if (hash == HashAlgorithmName.SHA256) return new HMACSHA256(key);
            if (hash == HashAlgorithmName.SHA384) return new HMACSHA384(key);
            return new HMACSHA512(key);
        }

        private static byte[] Block(HMAC hmac, byte[] salt, int iterations, int index)
        {
            var first = new byte[salt.Length + 4];
            salt.CopyTo(first, 0);
            for (int octet = 0; octet < 4; octet++) first[salt.Length + octet] = (byte)(index >> (24 - 8 * octet));
            byte[] last = hmac.ComputeHash(first);
            byte[] block = last;
            for (int iteration = 1; iteration < iterations; iteration++)
            {
                last = hmac.ComputeHash(last);
                if (iteration == 1) block = (byte[])block.Clone();
                for (int octet = 0; octet < block.Length; octet++) block[octet] ^= last[octet];
            }
            return block;
        }
#endif
    }
}
