import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiDocument } from '@countersign/contract';
import { managementRequestsDocument } from '../../tools/documents/management-requests.ts';
import { readDocument } from './run-block.ts';

const { text } = readDocument('docs/management-requests.md');

describe('docs/management-requests.md', () => {
  it('is what the schemas say', () => {
    assert.equal(text, managementRequestsDocument(), 'npm run docs:management writes it');
  });

  it('explains every member and every query parameter', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    assert.ok(rows.length > 50, `${rows.length} rows`);
    for (const row of rows) assert.match(row, /^\| `[^`]+` \| .+ \| \S.* \|$/);
  });

  it('has every operation that takes a body', () => {
    for (const [path, operations] of Object.entries(openApiDocument({ serverUrls: [] }).paths))
      for (const [method, { requestBody }] of Object.entries(operations))
        if (requestBody !== undefined)
          assert.ok(text.includes(`\n## \`${method.toUpperCase()} ${path}\`\n`), `${method} ${path}`);
  });
});
