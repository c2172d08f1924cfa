import assert from 'node:assert/strict';

/** Fails when a message repeats 12 characters of the text that it is about. */
export function assertTellsNothing(message: string, text: string): void {
  for (let start = 0; start + 12 <= message.length; start++) {
    const run = message.slice(start, start + 12);
    assert.ok(!text.includes(run), 'the message repeats a part of the text');
  }
}
