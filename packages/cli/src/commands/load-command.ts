import type { Command } from '../command.ts';

/**
 * Loads a command by its name. Each loads only its own modules: the registry's, the signing proxy's and the explainer's take longer
 * than most commands. In `--help` order.
 */
export const commandLoaders: Readonly<Record<string, () => Promise<Command>>> = {
  keygen: async () => (await import('./keygen.ts')).keygen,
  request: async () => (await import('./request.ts')).request,
  sign: async () => (await import('./sign.ts')).sign,
  verify: async () => (await import('./verify.ts')).verify,
  profiles: async () => (await import('./profiles.ts')).profiles,
  explain: async () => (await import('./explain.ts')).explain,
  doctor: async () => (await import('./doctor.ts')).doctor,
  proxy: async () => (await import('./proxy.ts')).proxy,
  rotate: async () => (await import('./rotate.ts')).rotate,
  api: async () => (await import('./api.ts')).api,
  'clients add': async () => (await import('./clients.ts')).clientsAdd,
  'clients list': async () => (await import('./clients.ts')).clientsList,
  'clients show': async () => (await import('./clients.ts')).clientsShow,
  'clients disable': async () => (await import('./clients.ts')).clientsDisable,
  'clients enable': async () => (await import('./clients.ts')).clientsEnable,
  'clients refresh-directory': async () => (await import('./clients.ts')).clientsRefreshDirectory,
  'clients label': async () => (await import('./clients-label.ts')).clientsLabel,
  'keys add': async () => (await import('./keys.ts')).keysAdd,
  'keys revoke': async () => (await import('./keys.ts')).keysRevoke,
  'webhooks list': async () => (await import('./webhooks.ts')).webhooksList,
  'webhooks add': async () => (await import('./webhooks-change.ts')).webhooksAdd,
  'webhooks show': async () => (await import('./webhooks.ts')).webhooksShow,
  'webhooks update': async () => (await import('./webhooks-change.ts')).webhooksUpdate,
  'webhooks pause': async () => (await import('./webhooks.ts')).webhooksPause,
  'webhooks resume': async () => (await import('./webhooks.ts')).webhooksResume,
  'webhooks delete': async () => (await import('./webhooks.ts')).webhooksDelete,
  'webhooks rotate-secret': async () => (await import('./webhooks-change.ts')).webhooksRotateSecret,
  'webhooks test': async () => (await import('./webhooks-deliveries.ts')).webhooksTest,
  'webhooks deliveries': async () => (await import('./webhooks-deliveries.ts')).webhooksDeliveries,
  'webhooks resend': async () => (await import('./webhooks-deliveries.ts')).webhooksResend,
  'webhooks recover': async () => (await import('./webhooks-deliveries.ts')).webhooksRecover,
  'webhooks types': async () => (await import('./webhooks.ts')).webhooksTypes,
  listen: async () => (await import('./listen.ts')).listen,
  'routes list': async () => (await import('./routes.ts')).routesList,
  'routes check': async () => (await import('./routes.ts')).routesCheck,
  'routes test': async () => (await import('./routes.ts')).routesTest,
  'routes ready': async () => (await import('./routes-ready.ts')).routesReady,
  'portal-networks clear': async () => (await import('./portal-networks.ts')).portalNetworksClear,
  'demo-data remove': async () => (await import('./demo-data.ts')).demoDataRemove,
  'audit verify': async () => (await import('./audit-verify.ts')).auditVerify,
  backup: async () => (await import('./backup.ts')).backup,
  move: async () => (await import('./move.ts')).move,
  completion: async () => (await import('./completion.ts')).completion,
};

/** Loads all commands, in `--help` order. */
export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(commandLoaders).map((load) => load()));
}
