import type { TestEvent } from 'node:test/reporters';
import { StallWatch } from './stall-watch.ts';
import { Tally } from './tally.ts';

/**
 * Reports for `node --test`: a line per file, failures in full where they happen, and at the end the skipped
 * tests with their reasons. Fails the run for things that Node lets pass: a skip without a reason, in CI a
 * skip that is not allowed, and work that continues after its test. Sends the result to the parent process,
 * if there is one.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  const files = process.argv.slice(1);
  const tally = new Tally({
    inCi: process.env['CI'] === 'true',
    onlyFile: files.length === 1 ? files[0] : undefined,
  });
  const watch = new StallWatch((message) => {
    process.stdout.write(`${message}\n`);
    tell(tally, 1, () => process.exit(1));
  });
  for await (const event of events) {
    watch.see(event);
    for (const line of tally.see(event)) yield `${line}\n`;
  }
  watch.stop();
  for (const line of tally.close()) yield `${line}\n`;
  if (tally.result.failed > 0) process.exitCode = 1;
  tell(tally, 0);
}

function tell(tally: Tally, extraFailures: number, then?: () => void): void {
  const result = { ...tally.result, failed: tally.result.failed + extraFailures };
  if (process.send) process.send(result, undefined, undefined, then);
  else then?.();
}
