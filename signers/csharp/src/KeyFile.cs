using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Countersign
{
    /// <summary>
    /// A private key in a file, read again when the file changes. A file that cannot be read, or is half written, leaves
    /// the earlier key in use.
    /// </summary>
    internal sealed class KeyFile
    {
        private const int FileBytesMax = 64 * 1024;
        private static readonly TimeSpan CheckInterval = TimeSpan.FromMilliseconds(500);

        private readonly string file;
        private readonly string passphrase;
        private readonly Action<SigningEvent> onEvent;
        private readonly object reading = new object();
        private readonly Stopwatch sinceCheck = Stopwatch.StartNew();
        private byte[] hash;
        private string lastProblem;
        private Func<byte[], CancellationToken, Task<byte[]>> key;

        internal KeyFile(string file, string passphrase, Action<SigningEvent> onEvent)
        {
            this.onEvent = onEvent;
            this.file = file;
            this.passphrase = passphrase;
            Take(Read());
        }

        internal Task<byte[]> Sign(byte[] data, CancellationToken cancellation)
        {
            return Current()(data, cancellation);
        }

        private Func<byte[], CancellationToken, Task<byte[]>> Current()
        {
            lock (reading)
            {
                if (sinceCheck.Elapsed > CheckInterval)
                {
                    sinceCheck.Restart();
                    ReadAgain();
                }
                return key;
            }
        }

        private void ReadAgain()
        {
            try
            {
                byte[] bytes = Read();
                if (!SignatureBase.Sha256(bytes).SequenceEqual(hash)) Take(bytes);
            }
            catch (SigningException e)
            {
                if (e.Message == lastProblem) return;
                lastProblem = e.Message;
                Trace.TraceWarning("The earlier key stays in use. {0}", e.Message);
                onEvent?.Invoke(new SigningEvent(SigningEventKind.KeyFileNotRead) { Exception = e });
            }
        }

        private void Take(byte[] bytes)
        {
            // Remembered even if it is no key, so that the same half of a file is examined once.
            hash = SignatureBase.Sha256(bytes);
            lastProblem = null;
            key = SigningKey.From(PrivateKeyText.Read(Encoding.UTF8.GetString(bytes), passphrase));
        }

        private byte[] Read()
        {
            try
            {
                if (new FileInfo(file).Length > FileBytesMax)
                {
                    throw SigningException.KeyInvalid("The file " + file + " is far too large for a private key.");
                }
                return File.ReadAllBytes(file);
            }
            catch (Exception e) when (e is IOException || e is UnauthorizedAccessException)
            {
                throw new SigningException(
                    "private_key_invalid",
                    "The private key file " + file + " cannot be read. Check its name and permissions.",
                    e);
            }
        }
    }
}
