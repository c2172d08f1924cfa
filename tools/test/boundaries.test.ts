import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBoundaries } from '../boundaries/check.ts';
import { rules } from '../boundaries/rules.ts';
import { type Tree, withTree } from './temporary-tree.ts';

const sound: Tree = {
  'packages/signature/src/index.ts': "export * from './base.ts';",
  'packages/signature/src/base.ts': 'export const base = 1;',
  'packages/signature/src/node.ts': "import { createHash } from 'node:crypto'; export * from './index.ts';",
  'packages/contract/src/index.ts': "import { z } from 'zod'; import './problems.ts';",
  'packages/contract/src/problems.ts': 'export const problems = {};',
  'packages/contract/src/names.ts': "import { z } from 'zod';",
  'packages/gate/src/http/server.ts':
    "import http from 'node:http'; import { decide } from '../access/decide.ts';",
  'packages/server/src/access/decide.ts':
    "import { verify } from '@countersign/signature/profile'; import type { Registry } from '../registry/registry.ts'; import { createHash } from 'node:crypto';",
  'packages/server/src/registry/registry.ts': "import { open } from '../storage/open.ts';",
  'packages/server/src/identity/identity.ts': 'export interface People {}',
  'packages/server/src/identity/sessions.ts': "import '@simplewebauthn/server';",
  'packages/server/src/storage/open.ts': "import { Kysely } from 'kysely'; import 'node:sqlite';",
  'packages/portal/src/main.ts': "import '@countersign/contract';",
  'packages/cli/src/main.ts':
    "import '@countersign/contract'; const local = await import('@countersign/server/local-registry');",
  'packages/cli/src/types.ts': "import type { Local } from '@countersign/server/local-registry';",
};

async function violationsOf(change: Tree): Promise<readonly string[]> {
  let violations: readonly string[] = [];
  await withTree({ ...sound, ...change }, (root) => {
    violations = checkBoundaries(root).violations;
  });
  return violations;
}

interface Case {
  readonly rule: string;
  readonly file: string;
  readonly code: string;
  /** What the message must name. */
  readonly names: string;
}

const cases: readonly Case[] = [
  {
    rule: 'the portal runs in browsers',
    file: 'packages/portal/src/main.ts',
    code: "import { readFile } from 'node:fs/promises';",
    names: 'imports node:fs/promises',
  },
  {
    rule: 'people stand behind one interface',
    file: 'packages/server/src/registry/registry.ts',
    code: "import { verifyRegistrationResponse } from '@simplewebauthn/server';",
    names: 'imports @simplewebauthn/server',
  },
  {
    rule: 'people stand behind one interface',
    file: 'packages/server/src/registry/registry.ts',
    code: "import { findSession } from '../identity/sessions.ts';",
    names: 'imports packages/server/src/identity/sessions.ts',
  },
  {
    rule: 'signature imports nothing',
    file: 'packages/signature/src/base.ts',
    code: "import 'zod';",
    names: 'base.ts:1 imports zod',
  },
  {
    rule: 'signature imports nothing',
    file: 'packages/signature/src/node.ts',
    code: "export * from '@countersign/contract';",
    names: 'imports @countersign/contract',
  },
  {
    rule: 'only node.ts of signature knows Node',
    file: 'packages/signature/src/base.ts',
    code: "import { createHash } from 'crypto';",
    names: 'imports node:crypto',
  },
  {
    rule: 'only node.ts of signature knows Node',
    file: 'packages/signature/src/base.ts',
    code: "const fs = process.getBuiltinModule('node:fs');",
    names: 'imports node:fs',
  },
  {
    rule: 'only node.ts of signature knows Node',
    file: 'packages/signature/src/index.ts',
    code: "export { sign } from './node.ts';",
    names: 'imports packages/signature/src/node.ts',
  },
  {
    rule: 'problems, network and permissions need no schema library',
    file: 'packages/contract/src/problems.ts',
    code: "export * from './names.ts';",
    names: 'imports zod',
  },
  {
    rule: 'contract imports only zod',
    file: 'packages/contract/src/problems.ts',
    code: "import { isIP } from 'node:net';",
    names: 'imports node:net',
  },
  {
    rule: 'contract imports only zod',
    file: 'packages/contract/src/problems.ts',
    code: "type Key = import('@countersign/signature').Key;",
    names: 'imports @countersign/signature',
  },
  {
    rule: 'server, cli and portal share contract and signature only',
    file: 'packages/server/src/main.ts',
    code: "import 'countersign';",
    names: 'imports countersign',
  },
  {
    rule: 'server, cli and portal share contract and signature only',
    file: 'packages/server/src/main.ts',
    code: "await import('@countersign/server/local-registry');",
    names: 'imports @countersign/server/local-registry',
  },
  {
    rule: 'server, cli and portal share contract and signature only',
    file: 'packages/cli/src/main.ts',
    code: "\nimport { open } from '@countersign/server/local-registry';",
    names: 'main.ts:2 imports',
  },
  {
    rule: 'server, cli and portal share contract and signature only',
    file: 'packages/cli/bin/countersign.js',
    code: "await import('@countersign/server');",
    names: 'imports @countersign/server',
  },
  {
    rule: 'server, cli and portal share contract and signature only',
    file: 'packages/portal/src/page.tsx',
    code: "import '@countersign/server'; export const page = <p>import 'zod'</p>;",
    names: 'page.tsx:1 imports @countersign/server',
  },
  {
    rule: 'access knows no HTTP and no storage',
    file: 'packages/server/src/access/decide.ts',
    code: "import type { IncomingMessage } from 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'access knows no HTTP and no storage',
    file: 'packages/server/src/access/decide.ts',
    code: "import type { Kysely } from 'kysely';",
    names: 'imports kysely',
  },
  {
    rule: 'access knows no HTTP and no storage',
    file: 'packages/server/src/access/decide.ts',
    code: "import fastify from 'fastify';",
    names: 'imports fastify',
  },
  {
    rule: 'access knows no HTTP and no storage',
    file: 'packages/server/src/access/decide.ts',
    code: "import '../registry/registry.ts';",
    names:
      'registry.ts:1 imports packages/server/src/storage/open.ts, and is used by packages/server/src/access/decide.ts',
  },
  {
    rule: 'http knows no keys',
    file: 'packages/gate/src/http/server.ts',
    code: "import type { Registry } from '../registry.ts';",
    names: 'imports packages/gate/src/registry.ts',
  },
  {
    rule: 'http knows no keys',
    file: 'packages/gate/src/http/server.ts',
    code: "const guard = import('../replay/guard.ts');",
    names: 'imports packages/gate/src/replay/guard.ts',
  },
  {
    rule: 'a package enters another one by its name',
    file: 'packages/server/src/main.ts',
    code: "export * from '../../signature/src/base.ts';",
    names: 'imports packages/signature/src/base.ts',
  },
  {
    rule: 'imports are literal',
    file: 'packages/server/src/main.ts',
    code: "const name = 'kysely'; await import(name);",
    names: 'imports a module whose name is computed',
  },
];

describe('the import boundaries', () => {
  for (const { rule, file, code, names } of cases) {
    it(`stop ${code.trim()} in ${file}`, async () => {
      const violations = await violationsOf({ [file]: code });
      const found = violations.find((text) => text.includes(`  ${rule}: `));
      assert.ok(found, `no violation of "${rule}" in:\n${violations.join('\n')}`);
      assert.ok(found.includes(names), found);
      const why = rules.find((each) => each.name === rule)?.why;
      assert.ok(why !== undefined && found.includes(why), found);
    });
  }

  it('have a case here for every rule', () => {
    assert.deepEqual(new Set(cases.map((each) => each.rule)), new Set(rules.map((each) => each.name)));
  });

  it('are not fooled by comments, strings, templates and regular expressions', async () => {
    const code = [
      "// import 'zod';",
      "/* import('zod') */",
      "const text = \"import 'zod'\" + `require('zod') ${1} import('zod')`;",
      "const pattern = /import('zod')/;",
      "const object = { require: 1, import: (name: string) => name }; object.import('zod');",
    ].join('\n');
    assert.deepEqual(await violationsOf({ 'packages/signature/src/base.ts': code }), []);
  });

  it('see an import inside a template', async () => {
    const code = "const text = `${await import('zod')}`;";
    assert.equal((await violationsOf({ 'packages/signature/src/base.ts': code })).length, 1);
  });

  it('let sound code pass', async () => {
    assert.deepEqual(await violationsOf({}), []);
  });
});

describe('the check of the boundaries', () => {
  it('fails when there is nothing to look at', async () => {
    await withTree({ 'README.md': '' }, (root) => {
      const { fileCount, violations } = checkBoundaries(root);
      assert.equal(fileCount, 0);
      assert.match(violations.join('\n'), /looked at nothing/);
    });
  });

  it('fails when it sees nothing of one package', async () => {
    const violations = await violationsOf({ 'packages/another/package.json': '{}' });
    assert.match(violations.join('\n'), /packages\/another\/src has no source files/);
  });

  it('fails when the folder of a rule is gone', async () => {
    const { 'packages/gate/src/http/server.ts': _gone, ...rest } = sound;
    await withTree(rest, (root) => {
      assert.match(
        checkBoundaries(root).violations.join('\n'),
        /No file is left for the rule "http knows no keys"/,
      );
    });
  });

  for (const path of [
    'packages/server/src/utils.ts',
    'packages/cli/src/common/text.ts',
    'tools/Helpers.test.ts',
  ]) {
    it(`refuses the name ${path}`, async () => {
      assert.match((await violationsOf({ [path]: '' })).join('\n'), /has a name that says nothing/);
    });
  }
});
