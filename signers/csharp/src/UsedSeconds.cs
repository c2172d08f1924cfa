using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;

namespace Countersign
{
    /// <summary>
    /// Remembers which requests were signed with which <c>created</c>, for all signers of the process.
    /// </summary>
    /// <remarks>
    /// Signatures of RSASSA-PKCS1-v1_5 are deterministic, so two equal requests in one second would have the same one, and
    /// the service would reject the second as a replay.
    /// </remarks>
    internal sealed class UsedSeconds
    {
        internal static readonly UsedSeconds OfProcess = new UsedSeconds();

        /// <summary>The time after which no service accepts a signature any more, with a margin.</summary>
        internal static readonly TimeSpan Remembered = TimeSpan.FromSeconds(420);

        private readonly Dictionary<long, Second> seconds = new Dictionary<long, Second>();
        private readonly Stopwatch clock = Stopwatch.StartNew();
        private TimeSpan lastForgotten;

        /// <summary>Remembers a request in a second; false if it is already there.</summary>
        internal bool Add(string identity, long created)
        {
            lock (seconds)
            {
                Forget();
                if (!seconds.TryGetValue(created, out Second second)) seconds[created] = second = new Second();
                second.LastAdded = clock.Elapsed;
                return second.Identities.Add(identity);
            }
        }

        private void Forget()
        {
            TimeSpan now = clock.Elapsed;
            if (now - lastForgotten < TimeSpan.FromSeconds(1)) return;
            lastForgotten = now;
            foreach (long old in seconds.Where(one => now - one.Value.LastAdded > Remembered).Select(one => one.Key).ToList())
            {
                seconds.Remove(old);
            }
        }

        private sealed class Second
        {
            internal readonly HashSet<string> Identities = new HashSet<string>();
            internal TimeSpan LastAdded;
        }
    }
}
