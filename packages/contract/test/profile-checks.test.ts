import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { profileChecks } from '@countersign/contract';

/** Codes that only clients with other profiles get, or clients on a route that accepts only others. */
const ofOtherProfiles: ReadonlySet<string> = new Set([
  'signature_not_selected',
  'signature_ambiguous',
  'signature_expired',
  'directory_mismatch',
  'profile_not_accepted',
]);

test('the checks of the table are those of the profile, in its order, with its codes', () => {
  const profile = readFileSync(new URL('../../../docs/profile.md', import.meta.url), 'utf8');
  const [, section = ''] = profile.split(/^### 2\.1 .*$/m);
  const rows = [...section.matchAll(/^\| (\d+)(b?) \|.*\| ((?:`[a-z_]+`(?:, )?)+) \| [\d, ]+ \|$/gm)];
  assert.ok(rows.length >= 13);
  const stated = new Map<number, Set<string>>();
  for (const [, number, later, codes = ''] of rows) {
    if (later === 'b') continue;
    stated.set(Number(number), new Set(codes.replaceAll('`', '').split(', ')));
  }
  assert.deepEqual(
    profileChecks.map(({ number }) => number),
    [...stated.keys()],
  );
  for (const { number, name, codes } of profileChecks) {
    // The form of the digest is checked early (7b), and the coverage of the body late (12); both count where they belong.
    const expected = new Set(stated.get(number));
    if (name === 'body') expected.add('digest_malformed').delete('components_invalid');
    const closed = codes.filter((code) => !ofOtherProfiles.has(code));
    assert.deepEqual(new Set(closed), expected, name);
  }
});
