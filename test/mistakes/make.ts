// Rebuilds vectors/mistakes: `node test/mistakes/make.ts`. Needs python3, Java 17, php, bash, openssl and curl.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientIdOf, keyOf, makeAccount } from './account.ts';
import { corpusPath, type MistakeCase, readCases } from './corpus.ts';
import { type Made, runMaker } from './makers.ts';
import { planned, type Planned } from './plan/planned.ts';
import { wishes } from './plan/requests.ts';
import type { Job, Maker } from './plan/slips.ts';
import { startRecorder, type Wire } from './recorder.ts';
import { verifierOf } from './verdict.ts';

const account = makeAccount();
const verdictOf = verifierOf(account);
const folder = mkdtempSync(join(tmpdir(), 'mistakes-'));
const recorder = await startRecorder();
const cases: Record<Planned['part'], MistakeCase[]> = { correct: [], single: [], pairs: [], alone: [] };
try {
  for (const maker of ['python', 'java', 'php', 'node', 'shell'] as const) await make(maker);
} finally {
  await recorder.close();
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(corpusPath('account'), `${JSON.stringify(account, undefined, 1)}\n`);
for (const part of ['correct', 'single', 'pairs'] as const) {
  writeFileSync(corpusPath(part), `${JSON.stringify({ cases: keepRandom(part) }, undefined, 1)}\n`);
  console.log(`${part}: ${cases[part].length}`);
}

async function make(maker: Maker): Promise<void> {
  const plans = planned(maker);
  const made = await runMaker(maker, plans.map(jobOf), recorder, folder);
  const marks = new Map(plans.map((plan, index) => [plan.id, markOf(made[index]!)]));
  plans.forEach((plan, index) => {
    for (const half of halvesLike(plan, marks)) fail(`${plan.id}: ${half} alone gives the same request`);
    const one = caseOf(plan, made[index]!);
    const code = verdictOf(one);
    const isRight = plan.part === 'correct' ? code === undefined : code !== undefined;
    if (!isRight) fail(`${one.id}: the verifier says ${code ?? 'valid'}\n${made[index]!.base}`);
    cases[plan.part].push(one);
  });
}

/** Everything that a maker did, before the request was sent to the service. */
function markOf({ wire, base }: Made): string {
  return JSON.stringify([base, wire.method, wire.target, wire.headers, wire.body.toString('base64')]);
}

/** Finds mistakes of a pair that alone produce the same request, so the other one leaves no trace. */
function halvesLike({ part, slips, on, id }: Planned, marks: ReadonlyMap<string, string>): readonly string[] {
  if (part !== 'pairs' || slips.length < 2 || slips.some((slip) => slip.way)) return [];
  const maker = id.split('/')[0]!;
  return slips
    .map(({ name }) => name)
    .filter((name) => marks.get([maker, on, name].join('/')) === marks.get(id));
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

function jobOf(plan: Planned): Job {
  const { method, url, data, text, contentType, client, clock } = wishes[plan.on]!;
  const job: Job = {
    id: plan.id,
    slips: plan.slips.filter((slip) => !slip.change && !slip.way && !slip.isReplay).map((slip) => slip.name),
    method,
    url,
    data: data ?? null,
    text: text ?? (data === undefined ? '' : JSON.stringify(data)),
    contentType: contentType ?? '',
    clientId: clientIdOf(client),
    key: keyOf(client),
    clock,
  };
  for (const slip of plan.slips) slip.change?.(job);
  return job;
}

function caseOf(plan: Planned, { wire, base }: Made): MistakeCase {
  for (const slip of plan.slips) slip.way?.(wire);
  const { clock } = wishes[plan.on]!;
  return {
    ...plan.expected,
    request: {
      method: wire.method,
      targetUri: targetUriOf(wire),
      headers: wire.headers,
      ...(wire.body.length > 0 && { bodyBase64: wire.body.toString('base64') }),
    },
    context: { nowSeconds: clock + 2, ...(plan.slips.some((slip) => slip.isReplay) && { isRepeated: true }) },
    ...(plan.isClaimed && { claimedBase: base }),
  };
}

/** Builds the target URI like the service: the Host header's base URL plus the raw target. */
function targetUriOf({ host, target }: Wire): string {
  const baseUrl = account.baseUrls.find((url) => url === `https://${host}`);
  if (baseUrl === undefined) throw new Error(`no base URL for ${host}`);
  return baseUrl + target;
}

/** Keeps a random signature as long as the rest of its case is unchanged. */
function keepRandom(part: 'correct' | 'single' | 'pairs'): readonly MistakeCase[] {
  const before = new Map(readBefore(part).map((one) => [one.id, one]));
  return cases[part].map((one) => {
    const old = before.get(one.id);
    const isSame = old !== undefined && withoutSignature(old) === withoutSignature(one);
    return isSame && one.mistakes.includes('signature_pss') ? old : one;
  });
}

function readBefore(part: 'correct' | 'single' | 'pairs'): readonly MistakeCase[] {
  try {
    return readCases(part);
  } catch {
    return [];
  }
}

function withoutSignature(one: MistakeCase): string {
  const headers = one.request.headers.filter(([name]) => name.toLowerCase() !== 'signature');
  return JSON.stringify({ ...one, request: { ...one.request, headers } });
}
