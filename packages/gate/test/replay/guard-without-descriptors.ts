/** Uses up all file descriptors of this process, then uses the guard of a folder. The test of the mark runs it. */
import { openSync } from 'node:fs';
import { PersistentReplayGuard } from '../../src/replay/persistent-guard.ts';

const [, , dataFolder, now] = process.argv;
const nowSeconds = Number(now);
const guard = new PersistentReplayGuard(dataFolder!, nowSeconds);
const opening = codeOfFailure(() => {
  for (;;) openSync('/dev/null', 'r');
});
// Each is later than what the mark covers, so each writes it anew.
const refusals = [10, 20, 30].map((offset) => {
  const id = String(offset).padEnd(16, '.');
  const used = { id, keyid: 'client', created: nowSeconds + offset, isSafe: false };
  return guard.use(used, nowSeconds + offset)?.code ?? null;
});
process.stdout.write(JSON.stringify({ opening, refusals }));

function codeOfFailure(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
