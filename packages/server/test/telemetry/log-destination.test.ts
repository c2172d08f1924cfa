import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LogDestination } from '../../src/telemetry/log-destination.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
after(() => rmSync(folder, { recursive: true }));

const flushed = (destination: LogDestination): Promise<void> =>
  new Promise((resolve) => destination.flush(resolve));

test('what cannot be written is lost, told once, and nobody waits for it', async () => {
  const file = join(folder, 'read-only.jsonl');
  writeFileSync(file, '');
  const descriptor = openSync(file, 'r');
  const failures: Error[] = [];
  const destination = new LogDestination(descriptor, (error) => failures.push(error));
  for (let line = 0; line < 3; line++) {
    destination.write('line\n');
    await flushed(destination);
  }
  assert.deepEqual(
    failures.map(({ message }) => message.split(':')[0]),
    ['EBADF'],
  );
  closeSync(descriptor);
});

test('lines come whole and in their order, however fast they come', async () => {
  const file = join(folder, 'log.jsonl');
  const descriptor = openSync(file, 'a');
  const destination = new LogDestination(descriptor, (error) => assert.fail(error));
  const lines = Array.from({ length: 5000 }, (_, index) => `${index} ${'ü'.repeat(index % 100)}\n`);
  for (const [index, line] of lines.entries()) {
    destination.write(line);
    if (index % 500 === 0) await flushed(destination);
  }
  await flushed(destination);
  assert.equal(readFileSync(file, 'utf8'), lines.join(''));
  closeSync(descriptor);
});

test('a flush with nothing to write calls back', async () => {
  await flushed(new LogDestination(2, (error) => assert.fail(error)));
});
