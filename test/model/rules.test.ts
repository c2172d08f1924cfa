import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, missingProgram, models, rulesOf } from './models.ts';

const skip = missingProgram() ?? false;

describe('without one of its rules, a model accepts a signature twice', () => {
  for (const model of models) {
    for (const rule of rulesOf(model)) {
      test(`${model} ${rule}`, { skip }, async () => {
        assert.equal((await check(model, rule)).isViolated, true);
      });
    }
  }
});
