import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The pause between two checks: while bytes arrive, and when none have arrived for a while. */
const pauseMs = { least: 5, most: 80 };
/** A quarter of the growth that makes V8 mark the whole heap. */
const grownBytesMax = 16 * 1024 * 1024;
const grownBytesMin = 1024 * 1024;

/**
 * Frees the memory of unused buffers while that is cheap, in the thread that calls it, for as long as the
 * thread lives.
 *
 * The bytes of bodies lie outside the heap, which contains only small objects that refer to them. V8 sees no
 * reason to collect these young objects until 64 MiB of bytes have arrived. Then it marks the whole heap, for
 * up to 20 ms in which nothing is served. With 100 MB of bodies a second, this happens several times a second.
 * A collection of only the young objects takes about a millisecond, and frees the same bytes.
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
      // Don't try again for bytes that are still in use.
      leastBytes = bytesOutside();
    }
    lookAfter(grownBytes >= grownBytesMin ? pauseMs.least : Math.min(2 * lastPauseMs, pauseMs.most));
  };
  lookAfter(pauseMs.most);
}

function bytesOutside(): number {
  return getHeapStatistics().external_memory;
}
