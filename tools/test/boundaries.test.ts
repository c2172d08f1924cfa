import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBoundaries } from '../boundaries/check.ts';
import { rows } from '../boundaries/rules.ts';
import { type Tree, withTree } from './temporary-tree.ts';

/** A small repository that breaks no rule, with a file for every rule. */
const sound: Tree = {
  'packages/signature/src/index.ts': "export * from './profile/profile.ts';",
  'packages/signature/src/rfc9421/base.ts': 'export const base = 1;',
  'packages/signature/src/profile/profile.ts': "export { base } from '../rfc9421/base.ts';",
  'packages/signature/src/keys/key.ts': 'export const key = 1;',
  'packages/signature/src/replay/guard.ts': 'export const guard = 1;',
  'packages/signature/src/arguments/check.ts': 'export const check = 1;',
  'packages/signature/src/hashes/sha256.ts': 'export const sha256 = 1;',
  'packages/signature/src/node.ts': "import { createHash } from 'node:crypto'; export * from './index.ts';",
  'packages/explain/src/index.ts': "import '@countersign/signature';",
  'packages/explain/src/node.ts': "import 'node:crypto'; export * from './index.ts';",
  'packages/upstream/src/index.ts': "import 'node:crypto'; import '@countersign/signature/rfc9421';",
  'packages/client/src/index.ts': "import '@countersign/signature'; import './signing/options.ts';",
  'packages/client/src/signing/options.ts': 'export const options = 1;',
  'packages/client/src/node.ts': "import '@countersign/signature/node'; import './on-node/key-file.ts';",
  'packages/client/src/on-node/key-file.ts': "import 'node:fs/promises'; import '../signing/options.ts';",
  'packages/key-store/src/index.ts': "import 'node:crypto';",
  'packages/pkcs11/src/index.ts': "import 'node:ffi'; export * from '@countersign/key-store';",
  'packages/vault/src/index.ts': "export * from '@countersign/key-store';",
  'packages/aws-kms/src/index.ts': "import { KMSClient } from '@aws-sdk/client-kms';",
  'packages/google-kms/src/index.ts': "import { GoogleAuth } from 'google-auth-library';",
  'packages/azure-key-vault/src/index.ts': "export * from '@countersign/key-store/building';",
  'packages/contract/src/index.ts': "import { z } from 'zod'; import './problems.ts';",
  'packages/contract/src/problems.ts': 'export const problems = {};',
  'packages/contract/src/audit-chain.ts': 'export const auditChain = {};',
  'packages/contract/src/signing-algorithms.ts': 'export const signingAlgorithms = {};',
  'packages/contract/src/operations.ts': 'export const operations = {};',
  'packages/contract/src/permissions.ts': 'export const permissions = {};',
  'packages/contract/src/network.ts': 'export const network = {};',
  'packages/contract/src/ids.ts': 'export const ids = {};',
  'packages/gate/src/index.ts':
    "export { decide } from './decision/decide.ts'; export { serve } from './http/server.ts';",
  'packages/gate/src/registry.ts': "import type { Permission } from '@countersign/contract/permissions';",
  'packages/gate/src/http/server.ts':
    "import http from 'node:http'; import '@countersign/contract/problems';",
  'packages/gate/src/decision/decide.ts':
    "import { verify } from '@countersign/signature/profile'; import type { Registry } from '../registry.ts';",
  'packages/gate/src/limits/limit.ts': 'export const limit = 1;',
  'packages/gate/src/routes/table.ts': 'export const table = 1;',
  'packages/gate/src/proxy/upstream.ts': "import { Pool } from 'undici';",
  'packages/gate/src/authorizers/authorizer.ts': "import type { Upstream } from '../proxy/upstream.ts';",
  'packages/gate/src/envoy-grpc/check.ts': "import type { Upstream } from '../proxy/upstream.ts';",
  'packages/gate/src/replay/guard.ts': "import { open } from 'node:fs';",
  'packages/middleware/src/index.ts':
    "import '@countersign/gate'; import '@countersign/contract/network'; import type { Client } from '@countersign/contract'; const opened = await import('@countersign/server/service-registry');",
  'packages/server/src/people/sessions/session-checks.ts':
    "import type { Refusal } from '@countersign/signature/profile'; import 'node:crypto';",
  'packages/server/src/people/sessions/same-origin.ts': 'export const origin = 1;',
  'packages/server/src/registry/registry.ts': "import { open } from '../storage/open.ts';",
  'packages/server/src/people/identity/people.ts': 'export interface People {}',
  'packages/server/src/people/identity/sessions.ts': "import 'openid-client';",
  'packages/server/src/lifecycle/stages.ts': "import { open } from '../storage/open.ts';",
  'packages/server/src/request-log/records.ts': "import '../registry/registry.ts';",
  'packages/server/src/people/members/members.ts': "import '../../registry/registry.ts';",
  'packages/server/src/request-bodies/json.ts': 'export const json = 1;',
  'packages/server/src/directories/fetch.ts': "import '../request-bodies/json.ts';",
  'packages/server/src/live/events.ts': 'export const events = 1;',
  'packages/server/src/notices/inbox.ts': 'export const inbox = 1;',
  'packages/server/src/reference/pages.ts': "import '@countersign/contract';",
  'packages/server/src/replay/guard.ts': "import { open } from '../storage/open.ts';",
  'packages/server/src/storage/open.ts': "import { Kysely } from 'kysely'; import 'node:sqlite';",
  'packages/portal/src/main.ts': "import '@countersign/contract';",
  'packages/cli/src/main.ts':
    "import '@countersign/contract'; const local = await import('@countersign/server/local-registry');",
  // What tests share may reach into any package.
  'packages/testing/src/service.ts': "import '../../server/src/registry/registry.ts';",
  'packages/cli/src/types.ts': "import type { Local } from '@countersign/server/local-registry';",
};

async function violationsOf(change: Tree): Promise<readonly string[]> {
  let violations: readonly string[] = [];
  await withTree({ ...sound, ...change }, (root) => {
    violations = checkBoundaries(root).violations;
  });
  return violations;
}

/** A violation planted in the small repository. */
interface Case {
  /** Room and clause of the rule that must notice it. */
  readonly rule: string;
  readonly file: string;
  readonly code: string;
  /** Must appear in the message. */
  readonly names: string;
}

const cases: readonly Case[] = [
  {
    rule: 'packages/signature: imports nothing',
    file: 'packages/signature/src/profile/profile.ts',
    code: "import 'zod';",
    names: 'profile.ts:1 imports zod',
  },
  {
    rule: 'packages/signature: imports nothing',
    file: 'packages/signature/src/node.ts',
    code: "export * from '@countersign/contract';",
    names: 'imports @countersign/contract',
  },
  {
    rule: 'packages/signature: imports nothing',
    file: 'packages/signature/src/node.ts',
    code: "await import('@countersign/explain');",
    names: 'imports @countersign/explain',
  },
  {
    rule: 'packages/signature: only `src/node.ts`, `src/on-node/` and `src/shared-seconds.ts` know Node',
    file: 'packages/signature/src/rfc9421/base.ts',
    code: "import { createHash } from 'crypto';",
    names: 'imports node:crypto',
  },
  {
    rule: 'packages/signature: only `src/node.ts`, `src/on-node/` and `src/shared-seconds.ts` know Node',
    file: 'packages/signature/src/rfc9421/base.ts',
    code: "const fs = process.getBuiltinModule('node:fs');",
    names: 'imports node:fs',
  },
  {
    rule: 'packages/signature: only `src/node.ts`, `src/on-node/` and `src/shared-seconds.ts` know Node',
    file: 'packages/signature/src/index.ts',
    code: "export { sign } from './node.ts';",
    names: 'imports packages/signature/src/node.ts',
  },
  {
    rule: 'packages/signature: only `src/node.ts`, `src/on-node/` and `src/shared-seconds.ts` know Node',
    file: 'packages/signature/src/exports.ts',
    code: "export { sharedSeconds } from './shared-seconds.ts';",
    names: 'imports packages/signature/src/shared-seconds.ts',
  },
  {
    rule: 'packages/signature/src/rfc9421: knows no profile, no keys, no replay',
    file: 'packages/signature/src/rfc9421/other.ts',
    code: "import type { Profile } from '../profile/profile.ts';",
    names: 'imports packages/signature/src/profile/profile.ts',
  },
  {
    rule: 'packages/signature/src/profile: knows no keys, and of replay only types',
    file: 'packages/signature/src/profile/profile.ts',
    code: "import '../keys/key.ts';",
    names: 'imports packages/signature/src/keys/key.ts',
  },
  {
    rule: 'packages/signature/src/keys: knows no profile, no replay',
    file: 'packages/signature/src/keys/key.ts',
    code: "import '../profile/profile.ts';",
    names: 'imports packages/signature/src/profile/profile.ts',
  },
  {
    rule: 'packages/signature/src/arguments: imports no other folder',
    file: 'packages/signature/src/arguments/check.ts',
    code: "import '../keys/key.ts';",
    names: 'imports packages/signature/src/keys/key.ts',
  },
  {
    rule: 'packages/signature/src/hashes: imports no other folder',
    file: 'packages/signature/src/hashes/sha256.ts',
    code: "import '../keys/key.ts';",
    names: 'imports packages/signature/src/keys/key.ts',
  },
  {
    rule: 'packages/explain: imports signature alone',
    file: 'packages/explain/src/index.ts',
    code: "import { problems } from '@countersign/contract';",
    names: 'imports @countersign/contract',
  },
  {
    rule: 'packages/explain: only `src/node.ts` knows Node',
    file: 'packages/explain/src/index.ts',
    code: "import { verify } from '@countersign/signature/node';",
    names: 'imports @countersign/signature/node',
  },
  {
    rule: 'packages/explain: only `src/node.ts` knows Node',
    file: 'packages/explain/src/index.ts',
    code: "import 'node:zlib';",
    names: 'imports node:zlib',
  },
  {
    rule: 'packages/upstream: imports signature alone',
    file: 'packages/upstream/src/index.ts',
    code: "import type { ForwardingKey } from '@countersign/gate';",
    names: 'imports @countersign/gate',
  },
  {
    rule: 'packages/client: imports signature alone',
    file: 'packages/client/src/node.ts',
    code: "import type { Dispatcher } from 'undici';",
    names: 'imports undici',
  },
  {
    rule: "packages/client: only `src/node.ts`, `src/on-node/` and the adapters of Node's clients know Node",
    file: 'packages/client/src/signing/options.ts',
    code: "import type { KeyObject } from 'node:crypto';",
    names: 'imports node:crypto',
  },
  {
    rule: "packages/client: only `src/node.ts`, `src/on-node/` and the adapters of Node's clients know Node",
    file: 'packages/client/src/index.ts',
    code: "export { followKeyFile } from './on-node/key-file.ts';",
    names: 'imports packages/client/src/on-node/key-file.ts',
  },
  {
    rule: "packages/client: only `src/node.ts`, `src/on-node/` and the adapters of Node's clients know Node",
    file: 'packages/client/src/index.ts',
    code: "import { createAsyncSigner } from '@countersign/signature/node';",
    names: 'imports @countersign/signature/node',
  },
  {
    rule: 'packages/key-store: imports nothing',
    file: 'packages/key-store/src/index.ts',
    code: "import type { Signer } from '@countersign/signature';",
    names: 'imports @countersign/signature',
  },
  {
    rule: 'packages/pkcs11: imports key-store alone',
    file: 'packages/pkcs11/src/index.ts',
    code: "import pkcs11 from 'pkcs11js';",
    names: 'imports pkcs11js',
  },
  {
    rule: 'packages/vault: imports key-store alone',
    file: 'packages/vault/src/index.ts',
    code: "import vault from 'node-vault';",
    names: 'imports node-vault',
  },
  {
    rule: 'packages/aws-kms: imports key-store and the client of AWS',
    file: 'packages/aws-kms/src/index.ts',
    code: "import { S3Client } from '@aws-sdk/client-s3';",
    names: 'imports @aws-sdk/client-s3',
  },
  {
    rule: 'packages/google-kms: imports key-store and the library for credentials of Google',
    file: 'packages/google-kms/src/index.ts',
    code: "import { KeyManagementServiceClient } from '@google-cloud/kms';",
    names: 'imports @google-cloud/kms',
  },
  {
    rule: 'packages/azure-key-vault: imports key-store alone',
    file: 'packages/azure-key-vault/src/index.ts',
    code: "import type { TokenCredential } from '@azure/identity';",
    names: 'imports @azure/identity',
  },
  {
    rule: 'packages/contract: imports zod alone',
    file: 'packages/contract/src/problems.ts',
    code: "import { isIP } from 'node:net';",
    names: 'imports node:net',
  },
  {
    rule: 'packages/contract: imports zod alone',
    file: 'packages/contract/src/problems.ts',
    code: "type Key = import('@countersign/signature').Key;",
    names: 'imports @countersign/signature',
  },
  {
    rule: 'packages/contract: `./audit-chain`, `./ids`, `./network`, `./operations`, `./permissions`, `./problems` and `./signing-algorithms` reach no zod',
    file: 'packages/contract/src/permissions.ts',
    code: "import './index.ts';",
    names: 'index.ts:1 imports zod, and is used by packages/contract/src/permissions.ts',
  },
  {
    rule: "packages/middleware: imports gate and signature, of contract what reaches no zod, and the service's registry dynamically",
    file: 'packages/middleware/src/express.ts',
    code: "import 'express';",
    names: 'imports express',
  },
  {
    rule: "packages/middleware: imports gate and signature, of contract what reaches no zod, and the service's registry dynamically",
    file: 'packages/middleware/src/express.ts',
    code: "import { operations } from '@countersign/contract';",
    names: 'imports @countersign/contract',
  },
  {
    rule: "packages/middleware: imports gate and signature, of contract what reaches no zod, and the service's registry dynamically",
    file: 'packages/middleware/src/express.ts',
    code: "import { openServiceRegistry } from '@countersign/server/service-registry';",
    names: 'imports @countersign/server/service-registry',
  },
  {
    rule: "packages/middleware: imports gate and signature, of contract what reaches no zod, and the service's registry dynamically",
    file: 'packages/middleware/src/express.ts',
    code: "await import('@countersign/server');",
    names: 'imports @countersign/server',
  },
  {
    rule: 'packages/server: imports of our packages gate, explain, contract and signature',
    file: 'packages/server/src/main.ts',
    code: "import 'countersign';",
    names: 'imports countersign',
  },
  {
    rule: 'packages/server: imports of our packages gate, explain, contract and signature',
    file: 'packages/server/src/main.ts',
    code: "await import('@countersign/server/local-registry');",
    names: 'imports @countersign/server/local-registry',
  },
  {
    rule: "packages/cli: imports of our packages client, explain, contract and signature, and dynamically the key stores and the server's local registry and routes",
    file: 'packages/cli/src/main.ts',
    code: "import { open } from '@countersign/server/local-registry';",
    names: 'main.ts:1 imports @countersign/server/local-registry',
  },
  {
    rule: "packages/cli: imports of our packages client, explain, contract and signature, and dynamically the key stores and the server's local registry and routes",
    file: 'packages/cli/src/main.ts',
    code: "import { openVault } from '@countersign/vault';",
    names: 'main.ts:1 imports @countersign/vault',
  },
  {
    rule: "packages/cli: imports of our packages client, explain, contract and signature, and dynamically the key stores and the server's local registry and routes",
    file: 'packages/cli/bin/countersign.js',
    code: "await import('@countersign/server');",
    names: 'imports @countersign/server',
  },
  {
    rule: 'packages/portal: imports of our packages explain, contract and signature',
    file: 'packages/portal/src/page.tsx',
    code: "import '@countersign/server'; export const page = <p>import 'zod'</p>;",
    names: 'page.tsx:1 imports @countersign/server',
  },
  {
    rule: 'packages/portal: runs in browsers',
    file: 'packages/portal/src/main.ts',
    code: "import { readFile } from 'node:fs/promises';",
    names: 'imports node:fs/promises',
  },
  {
    rule: 'packages/portal: runs in browsers',
    file: 'packages/portal/src/main.ts',
    code: "import '@countersign/explain/node';",
    names: 'imports @countersign/explain/node',
  },
  {
    rule: 'packages/testing: imported by tests, benches and tools alone',
    file: 'packages/server/src/main.ts',
    code: "export { freePort } from '@countersign/testing/free-port';",
    names: 'imports @countersign/testing/free-port',
  },
  {
    rule: 'everywhere: a package enters another one by its name',
    file: 'packages/server/src/main.ts',
    code: "export * from '../../signature/src/index.ts';",
    names: 'imports packages/signature/src/index.ts',
  },
  {
    rule: 'everywhere: an import names its module as a literal',
    file: 'packages/server/src/main.ts',
    code: "const name = 'kysely'; await import(name);",
    names: 'imports a module whose name is computed',
  },
  {
    rule: 'packages/gate: imports signature, undici, Connect, and of contract what reaches no zod',
    file: 'packages/gate/src/registry.ts',
    code: "import type { Operation } from '@countersign/contract';",
    names: 'imports @countersign/contract',
  },
  {
    rule: 'packages/gate: imports signature, undici, Connect, and of contract what reaches no zod',
    file: 'packages/gate/src/http/server.ts',
    code: "import type { Logger } from 'pino';",
    names: 'imports pino',
  },
  {
    rule: 'packages/gate/src/http: imports no other folder',
    file: 'packages/gate/src/http/server.ts',
    code: "import type { Registry } from '../registry.ts';",
    names: 'imports packages/gate/src/registry.ts',
  },
  {
    rule: 'packages/gate/src/http: imports no other folder',
    file: 'packages/gate/src/http/server.ts',
    code: "const guard = import('../replay/guard.ts');",
    names: 'imports packages/gate/src/replay/guard.ts',
  },
  {
    rule: 'packages/gate/src/decision: knows no files, and of HTTP only types',
    file: 'packages/gate/src/decision/decide.ts',
    code: "import type { IncomingMessage } from 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/gate/src/decision: knows no files, and of HTTP only types',
    file: 'packages/gate/src/decision/decide.ts',
    code: "import '../replay/guard.ts';",
    names: 'guard.ts:1 imports node:fs, and is used by packages/gate/src/decision/decide.ts',
  },
  {
    rule: 'packages/gate/src/decision: knows no files, and of HTTP only types',
    file: 'packages/gate/src/decision/decide.ts',
    code: "import { serve } from '../http/server.ts';",
    names: 'imports packages/gate/src/http/server.ts',
  },
  {
    rule: 'packages/signature/src/profile: knows no keys, and of replay only types',
    file: 'packages/signature/src/profile/profile.ts',
    code: "import '../replay/guard.ts';",
    names: 'imports packages/signature/src/replay/guard.ts',
  },
  {
    rule: 'packages/gate/src/routes: imports no other folder',
    file: 'packages/gate/src/routes/table.ts',
    code: "import { serve } from '../http/server.ts';",
    names: 'imports packages/gate/src/http/server.ts',
  },
  {
    rule: 'packages/gate: only `src/proxy/` imports undici',
    file: 'packages/gate/src/decision/decide.ts',
    code: "import { request } from 'undici';",
    names: 'imports undici',
  },
  {
    rule: 'packages/gate: only `src/envoy-grpc/` imports Connect',
    file: 'packages/gate/src/decision/decide.ts',
    code: "import { Code } from '@connectrpc/connect';",
    names: 'imports @connectrpc/connect',
  },
  {
    rule: 'packages/gate/src/envoy-grpc: reaches no upstream',
    file: 'packages/gate/src/envoy-grpc/check.ts',
    code: "import { Upstream } from '../proxy/upstream.ts';",
    names: 'imports packages/gate/src/proxy/upstream.ts',
  },
  {
    rule: 'packages/gate/src/authorizers: reaches no upstream',
    file: 'packages/gate/src/authorizers/authorizer.ts',
    code: "import { Upstream } from '../proxy/upstream.ts';",
    names: 'imports packages/gate/src/proxy/upstream.ts',
  },
  {
    rule: 'packages/gate/src/limits: imports no other folder',
    file: 'packages/gate/src/limits/limit.ts',
    code: "import '../http/server.ts';",
    names: 'imports packages/gate/src/http/server.ts',
  },
  {
    rule: 'packages/gate/src/replay: imports no other folder',
    file: 'packages/gate/src/replay/guard.ts',
    code: "import '../http/server.ts';",
    names: 'imports packages/gate/src/http/server.ts',
  },
  {
    rule: 'packages/server/src/people: `sessions/session-checks.ts` and `sessions/same-origin.ts` know no HTTP, no storage',
    file: 'packages/server/src/people/sessions/session-checks.ts',
    code: "import type { IncomingMessage } from 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/people: `sessions/session-checks.ts` and `sessions/same-origin.ts` know no HTTP, no storage',
    file: 'packages/server/src/people/sessions/session-checks.ts',
    code: "import type { Kysely } from 'kysely';",
    names: 'imports kysely',
  },
  {
    rule: 'packages/server/src/people: `sessions/session-checks.ts` and `sessions/same-origin.ts` know no HTTP, no storage',
    file: 'packages/server/src/people/sessions/session-checks.ts',
    code: "import '../../registry/registry.ts';",
    names: 'imports packages/server/src/registry/registry.ts',
  },
  {
    rule: 'packages/server/src/registry: knows no HTTP',
    file: 'packages/server/src/registry/registry.ts',
    code: "import 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/lifecycle: imports storage alone',
    file: 'packages/server/src/lifecycle/stages.ts',
    code: "import type { Registry } from '../registry/registry.ts';",
    names: 'imports packages/server/src/registry/registry.ts',
  },
  {
    rule: 'packages/server/src/request-log: knows no HTTP',
    file: 'packages/server/src/request-log/records.ts',
    code: "import 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/people: `members/` knows no HTTP',
    file: 'packages/server/src/people/members/members.ts',
    code: "import 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/request-bodies: imports no other folder',
    file: 'packages/server/src/request-bodies/json.ts',
    code: "import type { Registry } from '../registry/registry.ts';",
    names: 'imports packages/server/src/registry/registry.ts',
  },
  {
    rule: 'packages/server/src/people: `identity/` knows no signatures',
    file: 'packages/server/src/people/identity/sessions.ts',
    code: "import { verifyRequest } from '@countersign/signature/node';",
    names: 'imports @countersign/signature/node',
  },
  {
    rule: 'packages/server/src/people: `identity/` is entered through its interface alone',
    file: 'packages/server/src/registry/registry.ts',
    code: "import { discovery } from 'openid-client';",
    names: 'imports openid-client',
  },
  {
    rule: 'packages/server/src/people: `identity/` is entered through its interface alone',
    file: 'packages/server/src/registry/registry.ts',
    code: "import { findSession } from '../people/identity/sessions.ts';",
    names: 'imports packages/server/src/people/identity/sessions.ts',
  },
  {
    rule: 'packages/server/src/directories: imports `request-bodies/` and no other folder',
    file: 'packages/server/src/directories/fetch.ts',
    code: "import type { Registry } from '../registry/registry.ts';",
    names: 'imports packages/server/src/registry/registry.ts',
  },
  {
    rule: 'packages/server/src/replay: knows no HTTP',
    file: 'packages/server/src/replay/guard.ts',
    code: "import type { IncomingMessage } from 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/storage: imports no other folder',
    file: 'packages/server/src/storage/schema.ts',
    code: "import type { Registry } from '../registry/registry.ts';",
    names: 'imports packages/server/src/registry/registry.ts',
  },
  {
    rule: 'packages/server/src/live: knows no HTTP',
    file: 'packages/server/src/live/events.ts',
    code: "import 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/notices: knows no HTTP',
    file: 'packages/server/src/notices/inbox.ts',
    code: "import 'node:http';",
    names: 'imports node:http',
  },
  {
    rule: 'packages/server/src/reference: imports no other folder',
    file: 'packages/server/src/reference/pages.ts',
    code: "import '../live/events.ts';",
    names: 'imports packages/server/src/live/events.ts',
  },
  {
    rule: 'everywhere: no circle of files at run time',
    file: 'packages/server/src/storage/open.ts',
    code: "import './open.ts';",
    names: 'packages/server/src/storage/open.ts → packages/server/src/storage/open.ts',
  },
  {
    rule: 'everywhere: no circle of folders at run time',
    file: 'packages/server/src/storage/changes.ts',
    code: "import '../registry/registry.ts';",
    names: 'storage/changes.ts:1 imports packages/server/src/registry/registry.ts',
  },
  {
    rule: 'everywhere: names say what is inside',
    file: 'packages/server/src/utils.ts',
    code: '',
    names: 'packages/server/src/utils.ts',
  },
];

describe('the import boundaries', () => {
  for (const { rule, file, code, names } of cases) {
    it(`stop ${code === '' ? 'the name' : code} in ${file}`, async () => {
      const violations = await violationsOf({ [file]: code });
      const found = violations.find((text) => text.includes(`  ${rule}. `));
      assert.ok(found, `no violation of "${rule}" in:\n${violations.join('\n')}`);
      assert.ok(found.includes(names), found);
      const why = rows.find(({ room, clause }) => `${room}: ${clause}` === rule)?.why;
      assert.ok(why !== undefined && found.includes(why), found);
    });
  }

  it('have a planted violation here for every row of ARCHITECTURE.md', () => {
    assert.deepEqual(
      new Set(cases.map(({ rule }) => rule)),
      new Set(rows.map(({ room, clause }) => `${room}: ${clause}`)),
    );
  });

  it('are not fooled by comments, strings, templates and regular expressions', async () => {
    const code = [
      "// import 'zod';",
      "/* import('zod') */",
      "const text = \"import 'zod'\" + `require('zod') ${1} import('zod')`;",
      "const pattern = /import('zod')/;",
      "const object = { require: 1, import: (name: string) => name }; object.import('zod');",
    ].join('\n');
    assert.deepEqual(await violationsOf({ 'packages/signature/src/rfc9421/base.ts': code }), []);
  });

  it('see an import inside a template', async () => {
    const code = "const text = `${await import('zod')}`;";
    assert.equal((await violationsOf({ 'packages/signature/src/rfc9421/base.ts': code })).length, 1);
  });

  it('let sound code pass', async () => {
    assert.deepEqual(await violationsOf({}), []);
  });
});

describe('circles', () => {
  const folder = 'packages/server/src/storage';
  const trees: readonly (readonly [name: string, tree: Tree, says: string | undefined])[] = [
    [
      'of three files are shown with the lines that close them',
      {
        [`${folder}/a.ts`]: "import './b.ts';",
        [`${folder}/b.ts`]: "\nimport { c } from './c.ts';",
        [`${folder}/c.ts`]: "export { a } from './a.ts';",
      },
      `Circle of files: ${folder}/a.ts → ${folder}/b.ts → ${folder}/c.ts → ${folder}/a.ts\n` +
        `  ${folder}/a.ts:1 imports ${folder}/b.ts\n` +
        `  ${folder}/b.ts:2 imports ${folder}/c.ts\n` +
        `  ${folder}/c.ts:1 imports ${folder}/a.ts\n`,
    ],
    [
      'of folders are found between files that form none',
      {
        [`${folder}/sqlite/open.ts`]: "import '../postgres/url.ts';",
        [`${folder}/postgres/url.ts`]: '',
        [`${folder}/postgres/open.ts`]: "import '../sqlite/file.ts';",
        [`${folder}/sqlite/file.ts`]: '',
      },
      `Circle of folders: ${folder}/postgres → ${folder}/sqlite → ${folder}/postgres\n`,
    ],
    [
      'of a folder and a file beside it count as circles of folders',
      {
        [`${folder}/sqlite/open.ts`]: "import '../url.ts';",
        [`${folder}/url.ts`]: "import './sqlite/file.ts';",
        [`${folder}/sqlite/file.ts`]: '',
      },
      `Circle of folders: ${folder}/sqlite → ${folder}/url.ts → ${folder}/sqlite\n`,
    ],
    [
      'through the name of a package are found too',
      {
        'packages/contract/package.json':
          '{ "name": "@countersign/contract", "exports": { "./problems": "./src/problems.ts" } }',
        'packages/contract/src/problems.ts': "import './texts.ts';",
        'packages/contract/src/texts.ts': "import '@countersign/contract/problems';",
      },
      'Circle of files: packages/contract/src/problems.ts → packages/contract/src/texts.ts',
    ],
    [
      'by types alone are none, and neither are those that are closed on demand',
      {
        [`${folder}/a.ts`]: "import './b.ts'; import './c.ts';",
        [`${folder}/b.ts`]: "import type { A } from './a.ts';",
        [`${folder}/c.ts`]: "const a = await import('./a.ts');",
      },
      undefined,
    ],
  ];
  for (const [name, tree, says] of trees) {
    it(name, async () => {
      const violations = await violationsOf(tree);
      if (says === undefined) assert.deepEqual(violations, []);
      else
        assert.ok(
          violations.some((text) => text.startsWith(says)),
          violations.join('\n'),
        );
    });
  }
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
        /No file is left for the rule "packages\/gate\/src\/http: imports/,
      );
    });
  });

  it('fails when a file that a rule names is gone', async () => {
    const { 'packages/contract/src/permissions.ts': _gone, ...rest } = sound;
    await withTree(rest, (root) => {
      assert.match(
        checkBoundaries(root).violations.join('\n'),
        /No file packages\/contract\/src\/permissions\.ts for the rule/,
      );
    });
  });

  for (const path of ['packages/cli/src/common/text.ts', 'tools/Helpers.test.ts']) {
    it(`refuses the name ${path}`, async () => {
      assert.match((await violationsOf({ [path]: '' })).join('\n'), /has a name that says nothing/);
    });
  }
});
