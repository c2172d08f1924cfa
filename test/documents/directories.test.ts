import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DirectoryProblemCode,
  directorySentences,
} from '../../packages/server/src/directories/directory-problem.ts';
import { readDocument } from './run-block.ts';
import { section } from './tables.ts';

const { text } = readDocument('docs/directories.md');

/** Told when the URL is given, or never: an actor cannot be a directory, and a service that stops tells nobody. */
const elsewhere: readonly DirectoryProblemCode[] = ['form_unsupported', 'actor_mismatch', 'closing'];

/** Where a fetch says more than the usual sentence. */
const told: Readonly<Partial<Record<DirectoryProblemCode, string>>> = {
  status_not_ok: 'The server answered with status 404 instead of 200.',
  json_invalid:
    'The document is not strict JSON: UTF-8, each field once, whole numbers only, at most 16 levels.',
  document_invalid: 'The document is not a JWK Set.',
};

describe('docs/directories.md', () => {
  it('lists every problem that a client’s directory can have', () => {
    const listed = [...section(text, 'Problems of a directory').matchAll(/^\| (.+?) +\| .+ \|$/gm)].map(
      ([, problem]) => problem,
    );
    const codes = Object.keys(directorySentences) as DirectoryProblemCode[];
    for (const code of codes.filter((one) => !one.startsWith('url_') && !elsewhere.includes(one)))
      assert.ok(listed.includes(told[code] ?? directorySentences[code]), code);
  });
});
