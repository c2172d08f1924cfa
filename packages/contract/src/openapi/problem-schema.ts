import { problems } from '../problems.ts';
import type { JsonSchema } from './document.ts';

/** The schema of a problem document (RFC 9457), with the members that this API adds. */
export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'An error response (RFC 9457). Match on `code`; the texts may change.',
    properties: {
      type: {
        type: 'string',
        format: 'uri',
        minLength: 1,
        description: 'The URL of the page that explains the code.',
      },
      title: { type: 'string', description: 'What is wrong, in a few words.' },
      status: { type: 'integer', description: 'The response status.' },
      detail: { type: 'string', description: 'What to do.' },
      code: { $ref: '#/components/schemas/ProblemCode' },
      requestId: {
        type: 'string',
        description: "The request's ID, as in the service's logs.",
      },
      reason: { type: 'string', description: 'What is wrong with this request, if more is known.' },
      expected: { description: 'The expected value, if the check compares two.' },
      received: { description: 'The received value.' },
      serverTime: {
        type: 'string',
        format: 'date-time',
        minLength: 1,
        description: "The service's clock; only if the error is about time.",
      },
      unattributed: {
        type: 'object',
        description:
          'Only where a request was asked for that named no known client, so that no account has it: what its sender was told, and when it arrived. The newest 10,000 of each node.',
        properties: {
          outcome: { $ref: '#/components/schemas/ProblemCode' },
          receivedAt: { type: 'string', format: 'date-time', minLength: 1, description: 'When it arrived.' },
        },
        required: ['outcome', 'receivedAt'],
      },
      explanation: {
        $ref: '#/components/schemas/RequestExplanation',
      },
      errors: {
        type: 'array',
        description: 'Every invalid field of the body.',
        items: {
          type: 'object',
          properties: {
            pointer: {
              type: 'string',
              description: 'The field, as a JSON Pointer (RFC 6901). Empty for the whole body.',
            },
            detail: { type: 'string', description: 'What to write instead.' },
          },
          required: ['pointer', 'detail'],
        },
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  },
  ProblemCode: {
    type: 'string',
    description: 'Why a request was rejected. Codes may be added, but are never renamed.',
    enum: Object.keys(problems),
  },
};
