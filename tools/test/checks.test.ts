import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checks } from '../checks/checks.ts';
import { runChecks } from '../checks/run-checks.ts';
import { withTree } from './temporary-tree.ts';

describe('running the checks', () => {
  it('runs all of them, shows them in order, and what the failed ones said', async () => {
    const tree = {
      'slow.mjs': "await new Promise((done) => setTimeout(done, 50)); console.log('silent');",
      'counted.mjs': "console.log('first'); console.log('3 known places');",
      'bad.mjs': "console.log('first\\n\\nsecond'); console.error('third'); process.exitCode = 2;",
      'long.mjs':
        'for (let line = 1; line <= 150; line++) console.log(`line ${line}`); process.exitCode = 1;',
    };
    const lines: string[] = [];
    await withTree(tree, async (root) => {
      const failed = await runChecks(
        [
          { name: 'slow', program: ['slow.mjs'] },
          { name: 'bad', program: ['bad.mjs'], advice: 'Make it good.' },
          { name: 'long', program: ['long.mjs'] },
          { name: 'gone', program: ['gone.mjs'] },
          { name: 'counted', program: ['counted.mjs'], hasTotals: true },
        ],
        root,
        (line) => lines.push(line.replace(/\d+\.\d s/, 'N s')),
      );
      assert.deepEqual(failed, ['bad', 'long', 'gone']);
    });
    assert.deepEqual(lines.slice(0, 8), [
      'ok      slow (N s)',
      'FAILED  bad (N s)',
      '    first',
      '',
      '    second',
      '    third',
      '    Make it good.',
      'FAILED  long (N s)',
    ]);
    assert.equal(lines.at(-1), 'ok      counted (N s): 3 known places');
    assert.ok(lines.includes('    line 100') && !lines.includes('    line 101'));
    assert.ok(lines.includes('    … 50 more lines'));
    assert.ok(!lines.join('\n').includes('silent'));
  });

  it('has a table of checks with a name for each', () => {
    assert.equal(new Set(checks.map(({ name }) => name)).size, checks.length);
    assert.ok(checks.length > 0);
  });
});
