import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LogDestination, type LogDestinationOptions } from '../../src/telemetry/log-destination.ts';
import { createLogger } from '../../src/telemetry/logger.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
after(() => rmSync(folder, { recursive: true }));

const flushed = (destination: LogDestination): Promise<void> =>
  new Promise((resolve) => destination.flush(resolve));

const noteLost = (lines: number): string => `${lines} lost\n`;

test('what cannot be written is lost, told once, and nobody waits for it', async () => {
  const file = join(folder, 'read-only.jsonl');
  writeFileSync(file, '');
  const descriptor = openSync(file, 'r');
  const failures: Error[] = [];
  const destination = new LogDestination(descriptor, {
    onFailure: (error) => failures.push(error),
    noteLost,
  });
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
  const destination = new LogDestination(descriptor, { onFailure: assert.fail, noteLost });
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
  await flushed(new LogDestination(2, { onFailure: assert.fail, noteLost }));
});

/** A file on a disk with this much room, which takes as much of a write as still fits. */
function smallDisk(room: number): {
  room: number;
  text: () => string;
  write: NonNullable<LogDestinationOptions['write']>;
} {
  const written: Buffer[] = [];
  const disk = {
    room,
    text: () => Buffer.concat(written).toString('utf8'),
    write: ((_descriptor, bytes, done) => {
      const fitting = Buffer.from(bytes.subarray(0, Math.min(bytes.length, disk.room)));
      const error = fitting.length === 0 ? Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) : null;
      written.push(fitting);
      disk.room -= fitting.length;
      setImmediate(done, error, fitting.length);
    }) satisfies LogDestinationOptions['write'],
  };
  return disk;
}

test('wherever a full disk cuts a line, it is completed, and what was lost after it is counted', async () => {
  const line = (number: number): string => `${JSON.stringify({ number, text: 'ü'.repeat(number % 7) })}\n`;
  for (let room = 0; room <= 130; room += 1) {
    const disk = smallDisk(room);
    const failures: Error[] = [];
    const onFailure = (error: Error): number => failures.push(error);
    const destination = new LogDestination(2, { onFailure, noteLost, write: disk.write });
    for (let number = 0; number < 12; number += 1) {
      destination.write(line(number));
      if (number % 3 === 0) await flushed(destination);
      // A few bytes are freed now and then, which is seldom enough for a line.
      if (number % 4 === 3) disk.room += room % 11;
    }
    await flushed(destination);
    assert.equal(failures.length > 0, destination.isFailing || disk.text().includes('lost'), `${room}`);
    disk.room = Number.POSITIVE_INFINITY;
    destination.write(line(12));
    await flushed(destination);
    assert.equal(destination.isFailing, false);
    const numbers: number[] = [];
    let lost = 0;
    for (const text of disk.text().split('\n').slice(0, -1)) {
      const note = /^(\d+) lost$/.exec(text);
      if (note) lost += Number(note[1]);
      else numbers.push((JSON.parse(text) as { number: number }).number);
    }
    assert.ok(disk.text().endsWith('\n'));
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].toSorted((one, other) => one - other),
      `${room}`,
    );
    assert.equal(numbers.length + lost, 13, `${room}: ${disk.text()}`);
  }
});

test('a log that nobody writes to is made whole by itself once there is room', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const disk = smallDisk(8);
  const destination = new LogDestination(2, { onFailure: () => undefined, noteLost, write: disk.write });
  destination.write('the first line\n');
  destination.write('the second line\n');
  await flushed(destination);
  assert.equal(disk.text(), 'the firs');
  assert.equal(destination.isFailing, true);
  t.mock.timers.tick(1000);
  await flushed(destination);
  assert.equal(destination.isFailing, true);
  disk.room = 1000;
  t.mock.timers.tick(1000);
  await flushed(destination);
  assert.equal(disk.text(), 'the first line\n1 lost\n');
  assert.equal(destination.isFailing, false);
});

async function logTwice(file: string): Promise<string[]> {
  for (const text of ['one', 'two']) {
    const logger = createLogger('info', file);
    logger.info(text);
    await new Promise<unknown>((resolve) => logger.flush(resolve));
  }
  return readFileSync(file, 'utf8').split('\n');
}

const messageOf = (line: string): string => (JSON.parse(line) as { msg: string }).msg;

for (const [name, before] of [
  ['', '{"level":"info","msg":"whole"}\n'],
  [', even if there is no other line', ''],
] as const)
  test(`a line that was cut by the end of a process is removed at the next start, and counted as lost${name}`, async () => {
    const file = join(folder, `cut${before.length}.jsonl`);
    writeFileSync(file, `${before}{"level":"in`);
    const lines = (await logTwice(file)).slice(before === '' ? 0 : 1, -1);
    assert.deepEqual(lines.map(messageOf), ['log lines could not be written', 'one', 'two']);
    assert.equal((JSON.parse(lines[0]!) as { lostLines: number }).lostLines, 1);
  });

test('what is not a line of a log is kept, and lines begin after it', async () => {
  const file = join(folder, 'long.jsonl');
  const other = 'x'.repeat(100_000);
  writeFileSync(file, other);
  const [first, ...lines] = await logTwice(file);
  assert.equal(first, other);
  assert.deepEqual(lines.slice(0, -1).map(messageOf), ['one', 'two']);
});
