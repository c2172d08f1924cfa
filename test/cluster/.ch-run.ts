import { runChanges } from './changes.ts';
process.on('unhandledRejection', (e) => {
  console.error('UNHANDLED', performance.now(), e);
  process.exit(3);
});
const t = performance.now();
console.log(
  JSON.stringify(
    await runChanges((process.argv[2] ?? 'redis') as 'redis', {
      trials: Number(process.argv[3] ?? 15),
      atOnce: Number(process.argv[4] ?? 4),
    }),
    null,
    1,
  ),
  performance.now() - t,
);
