import { type Decision, decide } from '../../packages/gate/src/decision/decide.ts';

/**
 * Returns a decision that checks nothing, or only a part, once a complete one has accepted a request: it
 * continues with the results of that request.
 *
 * @param check checks the body of a request, with the client's key
 */
export function acceptedOnce(check: (body: Uint8Array, key: UsedKey) => void): typeof decide {
  let sample: Decision['examination'] | undefined;
  const continued = (examination: Decision['examination']): Decision => {
    const key = examination.client!.keys[0]!;
    return {
      examination,
      key: () => key,
      profiled: () => undefined,
      wanted: () => undefined,
      isOfOtherProfile: () => false,
      head: () => undefined,
      body: (bytes) => {
        if (bytes instanceof Uint8Array) check(bytes, key);
        return undefined;
      },
      replay: () => undefined,
    };
  };
  return (attempt, means) => {
    if (sample !== undefined) return continued(sample);
    const decision = decide(attempt, means);
    return {
      ...decision,
      head: () => {
        const refusal = decision.head();
        const { client, keyIndex } = decision.examination;
        // A key's first use is recorded in storage, a cost that later requests do not have.
        if (!refusal && client?.keys[keyIndex]?.isPending === false) sample = decision.examination;
        return refusal;
      },
    };
  };
}

type UsedKey = NonNullable<ReturnType<Decision['key']>>;
