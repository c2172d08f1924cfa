import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRooms } from '../boundaries/check-rooms.ts';
import { graphOf, type ImportGraph } from '../boundaries/graph.ts';
import { readImports } from '../boundaries/imports.ts';
import type { RoomFigures } from '../boundaries/room-figures.ts';
import { type Tree, withTree } from './temporary-tree.ts';

const source = 'packages/server/src';

/** Three rooms, one of them a loose file, on three floors. */
const house: Tree = {
  [`${source}/main.ts`]: "import './api/pages/list.ts'; import './storage/open.ts';",
  [`${source}/api/pages/list.ts`]:
    "import '../../storage/open.ts'; import type { Row } from '../../storage/row.ts';",
  [`${source}/storage/open.ts`]: "import './row.ts'; import 'kysely';",
  [`${source}/storage/row.ts`]: 'export interface Row {}',
};
const figures: RoomFigures = { rooms: 3, arrows: 3, up: 0, pairs: 0 };

const graphIn = (root: string): ImportGraph => graphOf(root, readImports(root, [`${source}/**/*`]));

async function findingsIn(change: Tree, limit: RoomFigures = figures): Promise<readonly string[]> {
  let findings: readonly string[] = [];
  await withTree({ ...house, ...change }, (root) => {
    findings = checkRooms(graphIn(root), { [source]: limit }).findings;
  });
  return findings;
}

describe('the count of rooms and arrows', () => {
  const more: readonly (readonly [what: string, change: Tree, says: readonly string[]])[] = [
    [
      'a new room',
      { [`${source}/clock.ts`]: 'export const clock = 1;' },
      [`${source} has 4 rooms, 3 at most: put the new file into the folder of its subject.`],
    ],
    [
      'two rooms that import each other, if only a type',
      { [`${source}/storage/row.ts`]: "import type { List } from '../api/pages/list.ts';" },
      [
        `${source} has 4 arrows between them, 3 at most: two rooms now know each other`,
        `${source} has 2 arrows up, 0 at most: move what both need below both, types included.\n` +
          '  api → storage\n  storage → api',
        `${source} has 1 two-way pairs, 0 at most: move what both need below both, types included.\n` +
          '  api ⇄ storage',
      ],
    ],
    [
      'a way back through a third room, if only on demand',
      {
        [`${source}/api/pages/list.ts`]: "import '../../storage/open.ts';",
        [`${source}/storage/row.ts`]: "const main = await import('../main.ts');",
      },
      [
        `${source} has 4 arrows between them, 3 at most`,
        `${source} has 4 arrows up, 0 at most`,
        `${source} has 1 two-way pairs, 0 at most`,
      ],
    ],
  ];
  for (const [what, change, says] of more) {
    it(`stops ${what}`, async () => {
      const findings = await findingsIn(change);
      assert.equal(findings.length, says.length, findings.join('\n'));
      for (const [index, text] of says.entries())
        assert.ok(findings[index]?.startsWith(text), findings.join('\n'));
    });
  }

  it('stops limits that are higher than what there is', async () => {
    assert.deepEqual(await findingsIn({}, { ...figures, arrows: 5 }), [
      `${source} has 3 arrows between them: lower the 5 in tools/boundaries/room-limits.ts.`,
    ]);
  });

  it('stops when the folder is gone', async () => {
    await withTree(house, (root) => {
      const { findings } = checkRooms(graphIn(root), { 'packages/gone/src': figures });
      assert.match(findings.join('\n'), /^packages\/gone\/src has 0 rooms: lower the 3 in/);
    });
  });

  it('lets a house pass that is as its limits say, and tells its figures', async () => {
    await withTree(house, (root) => {
      const report = checkRooms(graphIn(root), { [source]: figures });
      assert.deepEqual(report, {
        findings: [],
        totals: [`${source}: 3 rooms, 3 arrows between them, 0 arrows up, 0 two-way pairs`],
      });
    });
  });
});
