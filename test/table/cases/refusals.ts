import { ownAnswer, ownProblem, paths } from '../api.ts';
import type { Case } from '../case.ts';
import { bodyOf, right, textOf, wrong } from '../cell.ts';
import type { Scene } from '../scene.ts';

/**
 * Error responses. The API's own are passed on unchanged; so are 429 and 503 of the service, for the clients'
 * own retries.
 */
export const refusals: readonly Case[] = [
  ofTheApi(503, 'GET'),
  ofTheApi(503, 'POST'),
  ofTheApi(429, 'GET'),
  ofTheApi(429, 'POST'),
  ownProblemCase(),
  ofTheService(429, ({ limited }) => limited),
  ofTheService(503, ({ full }) => full),
];

function ofTheApi(status: number, method: 'GET' | 'POST'): Case {
  return {
    name: `${status} of the API to a ${method}`,
    program: 'one',
    async run({ scene, sendAndSee }) {
      const url = `${scene.baseUrl}${paths.status}${status}/${crypto.randomUUID()}`;
      const body = method === 'POST' ? Buffer.from('{}') : undefined;
      const { answer, arrivals } = await sendAndSee({ method, url, body });
      if (method === 'POST' && arrivals.length > 1) return wrong(`the POST arrived ${arrivals.length} times`);
      // A client that retries by itself must not do so here, and its call ends with the error that says why.
      if (method === 'POST' && answer.error === 'repeat_not_signed')
        return { kind: 'code', code: answer.error };
      const isRight = answer.status === status && !answer.code && bodyOf(answer) === ownAnswer(status);
      return isRight ? right : wrong(textOf(answer));
    },
  };
}

function ownProblemCase(): Case {
  return {
    name: "problem document of the API with one of the service's codes",
    program: 'one',
    async run({ scene, sendAndSee }) {
      const url = `${scene.baseUrl}${paths.problem}${crypto.randomUUID()}`;
      const { answer } = await sendAndSee({ method: 'GET', url });
      const received = answer.status === 401 && !answer.code ? bodyOf(answer) : '';
      // Some clients parse JSON by themselves.
      const isRight = received !== '' && JSON.stringify(JSON.parse(received)) === ownProblem;
      return isRight ? right : wrong(textOf(answer));
    },
  };
}

function ofTheService(status: 429 | 503, service: (scene: Scene) => Scene['limited']): Case {
  return {
    name: `${status} of the service to a POST`,
    program: 'one',
    async run({ scene, sendAndSee }) {
      const { baseUrl, exhaust } = service(scene);
      await exhaust();
      const body = Buffer.from(crypto.randomUUID());
      const { answer, arrivals } = await sendAndSee({ method: 'POST', url: `${baseUrl}/refused`, body });
      if (answer.status === 200 && arrivals.length === 1) return { kind: 'right', note: 'repeated' };
      if (arrivals.length > 0) return wrong(`it arrived ${arrivals.length} times`);
      return answer.status === status ? right : wrong(textOf(answer));
    },
  };
}
