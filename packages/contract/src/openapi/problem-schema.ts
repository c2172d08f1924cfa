import { problems } from '../problems.ts';
import type { JsonSchema } from './document.ts';

/** What a refusal is (RFC 9457), with the members that this API adds. */
export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'A refusal (RFC 9457). Programs match on `code`; the texts may change.',
    properties: {
      type: {
        type: 'string',
        format: 'uri',
        description: 'The address of the page that explains the code.',
      },
      title: { type: 'string', description: 'What is wrong, in a few words.' },
      status: { type: 'integer', description: 'The status of the answer.' },
      detail: { type: 'string', description: 'What to do.' },
      code: { $ref: '#/components/schemas/ProblemCode' },
      requestId: {
        type: 'string',
        description: "The request's ID, as in the service's logs.",
      },
      reason: { type: 'string', description: 'What is wrong in this case, where more can be said.' },
      expected: { description: 'What was expected, where the check compares something.' },
      received: { description: 'What came instead.' },
      serverTime: {
        type: 'string',
        format: 'date-time',
        description: 'The clock of the service; only where the time is the matter.',
      },
      explanation: {
        $ref: '#/components/schemas/RequestExplanation',
      },
      errors: {
        type: 'array',
        description: 'Every member of the body that is wrong.',
        items: {
          type: 'object',
          properties: {
            pointer: {
              type: 'string',
              description: 'Where it is (a JSON Pointer, RFC 6901); empty for the whole body.',
            },
            detail: { type: 'string', description: 'What to write there.' },
          },
          required: ['pointer', 'detail'],
        },
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  },
  ProblemCode: {
    type: 'string',
    description: 'Why a request was refused. Codes are added, never renamed.',
    enum: Object.keys(problems),
  },
};
