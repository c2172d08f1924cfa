import { readOptions } from '../command-options.ts';
import { check, missingProgram, models, rulesOf } from './models.ts';

readOptions(
  `Usage: npm run test:model

Checks the models of the replay guards with Spin: with all rules, and without each of them. Exit code 1 when a model is violated, or
is not without one of its rules.`,
  {},
);
const missing = missingProgram();
if (missing !== undefined) {
  console.error(`It ${missing}.`);
  process.exit(2);
}
for (const model of models) {
  for (const rule of [undefined, ...rulesOf(model)]) {
    const started = performance.now();
    const { isViolated, states } = await check(model, rule);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const found = isViolated ? 'a signature is accepted twice' : 'no signature is accepted twice';
    console.log(`${model} ${rule ?? 'with all rules'}: ${found} (${states} states, ${seconds} s)`);
    if (isViolated !== (rule !== undefined)) process.exitCode = 1;
  }
}
