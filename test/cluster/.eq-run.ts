import { runEqualRequests } from '/work/next/test/cluster/equal-requests.ts';
for (const guard of ['redis', 'postgres'] as const) {
  const t = performance.now();
  console.log(
    guard,
    JSON.stringify(await runEqualRequests(guard, { rounds: 1000, copies: 50, distinct: 100_000 })),
    ((performance.now() - t) / 1000).toFixed(0) + ' s',
  );
}
