import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rows } from '../../tools/boundaries/rules.ts';
import { root } from './reader-folder.ts';
import { readDocument } from './run-block.ts';
import { section, tables } from './tables.ts';

describe('the map of ARCHITECTURE.md', () => {
  const { text } = readDocument('ARCHITECTURE.md');
  const rooms = tables(section(text, 'The map')).flatMap(({ head, rows: lines }) => {
    const parent = /^Folder of `([^`]+)`$/.exec(head[0] ?? '')?.[1];
    return lines.map(([name = '', , rules = '']) => {
      const folder = /`([^`]+?)\/?`/.exec(name)?.[1] ?? name;
      return { parent, room: parent === undefined ? folder : `${parent}/${folder}`, rules };
    });
  });

  it('states the rules that the check of the boundaries proves, and no other', () => {
    const stated = rooms.flatMap(({ room, rules }) =>
      rules === '' ? [] : rules.split('; ').map((clause) => `${room}: ${clause}`),
    );
    const proved = rows.map(({ room, clause }) => `${room}: ${clause}`);
    assert.deepEqual(stated.toSorted(), proved.toSorted());
  });

  it('has a row for every package, and for every folder where it lists any', () => {
    const named = new Set(rooms.map(({ room }) => room));
    const parents = new Set(rooms.flatMap(({ parent }) => parent ?? []));
    for (const parent of ['packages', ...parents]) {
      const folders = readdirSync(join(root, parent), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${parent}/${name}`);
      assert.deepEqual(
        folders.filter((folder) => !named.has(folder)),
        [],
      );
    }
    for (const room of named) assert.ok(room === 'everywhere' || existsSync(join(root, room)), room);
  });
});
