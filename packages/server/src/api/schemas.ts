/**
 * Loads the schemas of the API when they are first needed: they take a fifth of a start. Keeps them, because an `import` costs each
 * request as much as the rest of reading a small body.
 */
export function loadSchemas(): ReturnType<typeof load> {
  return (loading ??= load());
}

let loading: ReturnType<typeof load> | undefined;

async function load() {
  const { operationSchemas } = await import('@countersign/contract/operation-schemas');
  const { schemas } = await import('@countersign/contract/schemas');
  return { operationSchemas, schemas };
}
