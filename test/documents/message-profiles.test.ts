import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageProfilesDocument } from '../../tools/documents/message-profiles.ts';
import { readDocument } from './run-block.ts';

describe('docs/message-profiles.md', () => {
  it('is what the profiles of the library say', () => {
    assert.equal(
      readDocument('docs/message-profiles.md').text,
      messageProfilesDocument(),
      'npm run docs:profiles writes it',
    );
  });
});
