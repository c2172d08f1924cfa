using System;
using System.Globalization;
using System.IO;
using System.Text.RegularExpressions;

namespace Countersign
{
    /// <summary>
    /// Keeps equal requests from several processes distinct: for each signature one file <c>HASH.SECOND</c>, created
    /// exclusively. Signers in all languages use the same names.
    /// </summary>
    internal sealed class SharedFolder
    {
        private static readonly TimeSpan CleaningInterval = TimeSpan.FromSeconds(60);
        private static readonly Regex OurName = new Regex(@"\A[0-9a-f]{32}\.[0-9]+\z");

        private readonly string folder;
        private readonly object cleaning = new object();
        private DateTime lastCleaned = DateTime.MinValue;

        internal SharedFolder(string folder)
        {
            this.folder = folder;
        }

        /// <summary>Claims a second for a request; false if a process has claimed it before.</summary>
        internal bool Add(string identity, long created)
        {
            string file = Path.Combine(folder, identity + "." + created.ToString(CultureInfo.InvariantCulture));
            try
            {
                Clean();
                new FileStream(file, FileMode.CreateNew, FileAccess.Write).Dispose();
                return true;
            }
            catch (IOException) when (File.Exists(file))
            {
                return false;
            }
            catch (Exception e) when (e is IOException || e is UnauthorizedAccessException)
            {
                throw new SigningException(
                    "signing_failed",
                    "The shared folder " + folder + " cannot be written. Create it, and let this process write to it.",
                    e);
            }
        }

        private void Clean()
        {
            lock (cleaning)
            {
                DateTime now = DateTime.UtcNow;
                if (now - lastCleaned < CleaningInterval) return;
                lastCleaned = now;
                foreach (string file in Directory.GetFiles(folder))
                {
                    bool isOurs = OurName.IsMatch(Path.GetFileName(file));
                    if (isOurs && now - File.GetLastWriteTimeUtc(file) > UsedSeconds.Remembered) File.Delete(file);
                }
            }
        }
    }
}
