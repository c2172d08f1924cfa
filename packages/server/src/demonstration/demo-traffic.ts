import { type DemoCall, type DemoClient, demoClients, type DemoMistake } from './demo-clients.ts';
import { pick, pickWeighted, type Random } from './seeded-random.ts';

/** A request of the demo data. */
export interface DemoRequest {
  readonly client: DemoClient;
  readonly atMs: number;
  readonly call: DemoCall;
  readonly address: string;
  readonly durationMs: number;
  readonly clockDifferenceSeconds: number;
  /** A sequence number, for texts that differ. */
  readonly number: number;
  readonly mistake?: DemoMistake;
}

export const demoDays = 30;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Plans the requests of all demo clients in the 30 days before a time, oldest first. */
export function planTraffic(random: Random, endMs: number): DemoRequest[] {
  const requests = demoClients.flatMap((client) => [
    ...usualTimes(client, random, endMs).map((atMs) => requestOf(client, atMs, random)),
    ...client.episodes.flatMap(({ mistake, daysAgo, hours, count, address }) =>
      Array.from({ length: count }, () => {
        const atMs = Math.round(endMs - daysAgo * dayMs + random() * hours * hourMs);
        return { ...requestOf(client, atMs, random), mistake, ...(address !== undefined && { address }) };
      }),
    ),
  ]);
  return requests
    .filter(({ atMs }) => atMs < endMs)
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((request, number) => ({ ...request, number }));
}

/** Returns the times of a client's requests without a mistake. */
function usualTimes(client: DemoClient, random: Random, endMs: number): number[] {
  const { addedDaysAgo, disabledDaysAgo = 0, perDay, rhythm } = client;
  const total = rhythm.hours.reduce((sum, share) => sum + share, 0);
  // A client sends its first request half an hour after it was added.
  const startMs = endMs - addedDaysAgo * dayMs + hourMs / 2;
  const lastMs = endMs - disabledDaysAgo * dayMs;
  const times: number[] = [];
  for (let hour = Math.floor(startMs / hourMs) * hourMs; hour < lastMs; hour += hourMs) {
    const at = new Date(hour);
    const isWeekend = [0, 6].includes(at.getUTCDay());
    const expected =
      ((perDay * rhythm.hours[at.getUTCHours()]!) / total) *
      (isWeekend ? rhythm.weekend : 1) *
      (0.7 + random() * 0.6);
    const count = Math.floor(expected) + (random() < expected % 1 ? 1 : 0);
    for (let index = 0; index < count; index += 1) times.push(Math.round(hour + random() * hourMs));
  }
  return times.filter((time) => time >= startMs && time < lastMs);
}

function requestOf(client: DemoClient, atMs: number, random: Random): DemoRequest {
  return {
    client,
    atMs,
    call: pickWeighted(random, client.calls),
    address: pickWeighted(random, client.addresses).address,
    // Most responses are quick; one in fifty takes much longer.
    durationMs: client.durationMs * (0.6 + random() * 0.9) * (random() < 0.02 ? 8 + random() * 20 : 1),
    clockDifferenceSeconds: client.clockSeconds + pick(random, [-1, 0, 0, 0, 1]),
    number: 0,
  };
}
