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

        /// <summary>Remembers a request in a second; false if it is there for longer than it may be shared.</summary>
        internal bool Add(string identity, long created, TimeSpan shared = default(TimeSpan))
        {
            lock (seconds)
            {
                Forget();
                if (!seconds.TryGetValue(created, out Second second)) seconds[created] = second = new Second();
                second.LastAdded = clock.Elapsed;
                if (second.Identities.TryGetValue(identity, out TimeSpan first)) return clock.Elapsed - first < shared;
                second.Identities.Add(identity, clock.Elapsed);
                return true;
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
            /// <summary>When each request was first signed.</summary>
            internal readonly Dictionary<string, TimeSpan> Identities = new Dictionary<string, TimeSpan>();
            internal TimeSpan LastAdded;
        }
    }
}
