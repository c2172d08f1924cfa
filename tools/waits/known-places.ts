/** The number of remaining places of each kind, by test file. */
export type KnownPlaces = Readonly<Record<string, { readonly sleep?: number; readonly clock?: number }>>;

/** The places where tests still depend on how fast the machine is. This list may only shrink. */
export const knownPlaces: KnownPlaces = {
  'packages/cli/test/routes-ready.test.ts': { clock: 1 },
  'packages/contract/test/network.test.ts': { clock: 1 },
  'packages/middleware/test/registries.test.ts': { clock: 2 },
  'packages/server/test/api/signature-test.test.ts': { clock: 1 },
  'packages/server/test/api/strict-json.test.ts': { clock: 2 },
  'packages/server/test/replay/postgres-service.test.ts': { clock: 1 },
  'packages/signature/test/keys/key-registration.test.ts': { clock: 1 },
  'packages/signature/test/keys/public-key-forms.test.ts': { clock: 1 },
  'packages/upstream/test/keys.test.ts': { clock: 1 },
  'test/rolling/rolling.test.ts': { clock: 1 },
};
