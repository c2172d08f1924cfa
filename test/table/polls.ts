import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from './cell.ts';
import type { Language } from './languages.ts';
import type { Program } from './program.ts';
import type { Scene } from './scene.ts';

/** The results of one client that repeatedly read the same URL. */
export interface PollResult {
  readonly language: string;
  readonly client: string;
  readonly sent: number;
  readonly accepted: number;
  /** The first ones that were not. */
  readonly failures: readonly string[];
}

const everyMs = 500;
const failuresShown = 3;

/**
 * Makes every client of all languages send the same GET twice a second, all at the same time, to one service.
 * Each client has a URL of its own: as one caller, they would share the seconds that only their processes can
 * share.
 *
 * @param tell called every half minute with the numbers of requests sent and accepted so far
 */
export async function poll(
  languages: readonly Language[],
  scene: Scene,
  minutes: number,
  tell: (sent: number, accepted: number) => void,
): Promise<readonly PollResult[]> {
  const programs: { readonly language: string; readonly program: Program }[] = [];
  try {
    for (const language of languages)
      programs.push({ language: language.name, program: await language.open(scene, pollWorkers) });
    const counts = { sent: 0, accepted: 0 };
    const progress = setInterval(() => tell(counts.sent, counts.accepted), 30_000);
    const polls = programs.flatMap(({ language, program }) =>
      program.clients.map((client) => pollWith({ language, client, program, scene, minutes, counts })),
    );
    const results = await Promise.all(polls);
    clearInterval(progress);
    return results;
  } finally {
    await Promise.all(programs.map(({ program }) => program.close()));
  }
}

/** More than one: a slow response must not delay the next read. */
const pollWorkers = 4;

interface Poll {
  readonly language: string;
  readonly client: string;
  readonly program: Program;
  readonly scene: Scene;
  readonly minutes: number;
  readonly counts: { sent: number; accepted: number };
}

async function pollWith({ language, client, program, scene, minutes, counts }: Poll): Promise<PollResult> {
  const url = `${scene.baseUrl}/polls/${`${language}-${client}`.replaceAll(/[^a-z0-9]+/gi, '-')}`;
  const failures: string[] = [];
  let accepted = 0;
  const read = async (): Promise<void> => {
    const answer = await program.send({ client, method: 'GET', url });
    if (answer.status === 200) {
      accepted += 1;
      counts.accepted += 1;
    } else if (failures.length < failuresShown) failures.push(textOf(answer));
  };
  const count = Math.round((minutes * 60_000) / everyMs);
  const startedMs = performance.now();
  const reads: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, startedMs + index * everyMs - performance.now()));
    counts.sent += 1;
    reads.push(read());
  }
  await Promise.all(reads);
  return { language, client, sent: count, accepted, failures };
}
