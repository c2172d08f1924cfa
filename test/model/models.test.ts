import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, missingProgram, models } from './models.ts';

const skip = missingProgram() ?? false;

describe('the models of the replay guards', () => {
  for (const model of models) {
    test(
      `${model}: no signature is accepted twice, in whatever order things happen`,
      { skip },
      async (context) => {
        const { isViolated, states } = await check(model);
        context.diagnostic(`${states} states`);
        assert.equal(isViolated, false);
      },
    );
  }
});
