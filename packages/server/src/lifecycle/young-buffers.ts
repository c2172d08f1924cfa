import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it looks while bytes come, and when none have come for a while. */
const pauseMs = { least: 5, most: 80 };
/** A quarter of what makes V8 look through the whole heap. */
const grownBytesMax = 16 * 1024 * 1024;
const grownBytesMin = 1024 * 1024;

/**
 * Frees the memory of buffers that are no longer used, while that is cheap; in the thread that calls it, for its whole life.
 *
 * The bytes of bodies lie outside of the heap, where only the objects that name them are. These are so small that V8 finds
 * no reason to collect the youngest ones until 64 MiB of bytes have come; then it looks through the whole heap, for up to
 * 20 ms in which nothing is answered. At 100 MB of bodies a second, that is several times a second. A collection of the
 * youngest objects alone takes about a millisecond, and frees the same bytes.
 */
export function freeYoungBuffers(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;
  let leastBytes = Number.POSITIVE_INFINITY;
  const lookAfter = (ms: number): void => void setTimeout(look, ms, ms).unref();
  const look = (lastPauseMs: number): void => {
    const bytes = bytesOutside();
    leastBytes = Math.min(leastBytes, bytes);
    const grownBytes = bytes - leastBytes;
    if (grownBytes >= grownBytesMax) {
      collect({ type: 'minor' });
      // What is still in use is no reason to try again.
      leastBytes = bytesOutside();
    }
    lookAfter(grownBytes >= grownBytesMin ? pauseMs.least : Math.min(2 * lastPauseMs, pauseMs.most));
  };
  lookAfter(pauseMs.most);
}

function bytesOutside(): number {
  return getHeapStatistics().external_memory;
}
