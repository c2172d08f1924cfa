import {
  type AuditFacts,
  type AuditPart,
  type AuditWords,
  listParts,
  type Sentence,
} from '../audit-words.ts';

const entriesShownMax = 3;

export const auditEvents: AuditWords = {
  actions: {
    'client.added': ({ client }) => ['created the client ', client],
    'client.updated': ({ client }) => ['changed the client ', client],
    'client.disabled': ({ client }) => ['disabled ', client],
    'client.enabled': ({ client }) => ['enabled ', client],
    'client.revoked': ({ client }) => ['revoked ', client, ' and all its keys'],
    'client.restored': ({ client }) => ['restored ', client, ', disabled and without keys'],
    'client.directory_refreshed': ({ client }) => ['fetched the directory of keys of ', client],
    'client.archived': ({ client }) => ['archived ', client, ', which can no longer be restored'],
    'client.expired': ({ client }) => ['removed ', client, ', a temporary client that has expired'],
    'clients.changed': changedTogether,
    'clients.imported': ({ bulk }) => [`imported ${clientCount(bulk.clients)}`],
    'network.added': ({ client, entriesAdded }) => ['allowed ', ...entries(entriesAdded), ' for ', client],
    'network.removed': ({ client, entriesRemoved }) => [
      'removed ',
      ...entries(entriesRemoved),
      ' from the network whitelist of ',
      client,
    ],
    'network.replaced': replaced,
    'key.added': ({ client, key, isReplacement }) => [
      'added the key ',
      key,
      ' to ',
      client,
      ...(isReplacement ? [', replacing the previous key'] : []),
    ],
    'key.activated': (facts) => ['used the key ', facts.key, ...ofClient(facts), ' for the first time'],
    'key.retiring': (facts) => [
      'retired the key ',
      facts.key,
      ...ofClient(facts),
      ...worksUntil(facts.endsAt),
    ],
    'key.extended': (facts) => [
      'extended the key ',
      facts.key,
      ...ofClient(facts),
      ...worksUntil(facts.endsAt),
    ],
    'key.expired': (facts) => ['expired the key ', facts.key, ...ofClient(facts)],
    'key.revoked': (facts) => [
      'revoked the key ',
      facts.key,
      ...ofClient(facts),
      ...(facts.reason === 'compromised' ? [', as compromised'] : []),
      ...(facts.reason === 'superseded' ? [', as superseded'] : []),
    ],
    'role.added': ({ role }) => ['created the role ', role],
    'role.updated': ({ role }) => ['changed the role ', role],
    'role.removed': ({ role }) => ['removed the role ', role],
    'account.added': ({ account }) => ['created the account ', account],
    'account.updated': ({ account }) => ['changed the account ', account],
    'account.suspended': (facts) => ['suspended the account ', facts.account, ...because(facts.reason)],
    'account.resumed': (facts) => ['resumed the account ', facts.account, ...because(facts.reason)],
    'account.closed': (facts) => ['closed the account ', facts.account, ...because(facts.reason)],
    'member.invited': ({ member, memberRole }) => ['invited ', member, ...as(memberRole)],
    'invitation.revoked': ({ member }) => ['canceled the invitation of ', member],
    'member.joined': ({ memberRole }) => ['joined the team', ...as(memberRole)],
    'member.role_changed': ({ member, memberRole }) => ['gave ', member, ' the role ', memberRole ?? '?'],
    'member.removed': ({ member }) => ['removed ', member, ' from the team'],
    'policy.updated': () => ['changed the security policies'],
    'pending_change.requested': (facts) => ['asked to ', ...asked(facts)],
    'pending_change.approved': (facts) => ['approved the request to ', ...asked(facts)],
    'pending_change.rejected': (facts) => [
      'rejected the request to ',
      ...asked(facts),
      ...because(facts.reason),
    ],
    'pending_change.withdrawn': (facts) => ['withdrew the request to ', ...asked(facts)],
    'pending_change.expired': (facts) => ['let the request to ', ...asked(facts), ' expire'],
    'pending_change.failed': (facts) => [
      'approved the request to ',
      ...asked(facts),
      ', which could not be carried out',
    ],
    'demo_data.removed': () => ['removed the demo data'],
    'acting.started': ({ reason }) => [
      'started acting for this account',
      ...(reason === undefined ? [] : [': “', { kind: 'value', text: reason } as const, '”']),
    ],
    'acting.ended': () => ['stopped acting for this account'],
    'webhook.added': ({ webhook }) => ['created the webhook ', webhook],
    'webhook.updated': ({ webhook }) => ['changed the webhook ', webhook],
    'webhook.removed': ({ webhook }) => ['removed the webhook ', webhook],
    'webhook.paused': ({ webhook }) => ['paused the webhook ', webhook],
    'webhook.resumed': ({ webhook }) => ['resumed the webhook ', webhook],
    'webhook.disabled': ({ webhook, reason }) => ['disabled the webhook ', webhook, ...because(reason)],
    'webhook.secret_rotated': ({ webhook }) => ['gave the webhook ', webhook, ' a new secret'],
    'alert_rule.added': ({ alertRule }) => ['added the alert rule ', alertRule],
    'alert_rule.updated': ({ alertRule }) => ['changed the alert rule ', alertRule],
    'alert_rule.removed': ({ alertRule }) => ['removed the alert rule ', alertRule],
    'saved_view.shared': ({ savedView }) => ['shared the view ', savedView],
    'saved_view.updated': ({ savedView }) => ['changed the shared view ', savedView],
    'saved_view.unshared': ({ savedView }) => ['removed the view ', savedView, ' from the shared ones'],
  },
  occurrence: (action, { key, client, endsAt, isByItself }) => {
    if (action === 'key.expired') return ['The key ', key, ' of ', client, ' expired'];
    if (action === 'client.expired') return ['The temporary client ', client, ' expired'];
    // A client retires its old key by signing with the new one: an effect, not a decision of its own.
    if (action === 'key.retiring' && isByItself)
      return ['The key ', key, ' of ', client, ' was retired', ...worksUntil(endsAt, ' and')];
    return undefined;
  },
  changes: {
    renamed: (from, to) => ['name from ', ...from, ' to ', ...to],
    added: (what) => ['added ', ...what],
    removed: (what) => ['removed ', ...what],
    set: (member, value) => [`${member} is now `, ...value],
    unset: (member) => [`${member} is no longer set`],
    switchedOn: (member) => [`${member} turned on`],
    switchedOff: (member) => [`${member} turned off`],
    members: {
      name: 'name',
      summary: 'summary',
      tags: 'tags',
      metadata: 'metadata',
      profile: 'signature profile',
      directoryUrl: 'directory of keys',
      keys: 'keys from the directory',
      expiresAt: 'expires',
      keyEndsAt: 'key expires',
      // In events from before profiles.
      acceptWithoutDate: 'signatures without “date”',
      allowExplanations: 'explanations for callers',
      keyAgeDaysMax: 'maximum key age in days',
      requestsPerMinuteMax: 'requests per minute',
      requestsBurstMax: 'request burst',
      isOperator: 'service operator',
      isSecondFactorRequired: 'required second factor',
      portalNetworks: 'allowed networks',
      requestsKeptDays: 'days that requests are kept',
      isSecondPersonRequired: 'approval by a second person',
      permissionsAdded: 'added permissions',
      sessionHoursMax: 'maximum session length in hours',
      url: 'URL',
      description: 'description',
      eventTypes: 'event types',
      isOrdered: 'order per client',
      isForAllAccounts: 'events of all accounts',
      attemptsPerMinuteMax: 'attempts per minute',
      headers: 'custom header',
      query: 'filter',
    },
  },
  unknownAction: (action, target) => [
    'did ',
    { kind: 'value', text: action },
    ' to ',
    { kind: 'value', text: target },
  ],
  operatorOnMachine: (name) => `The operator (${name})`,
  service: 'The service',
  formerPerson: 'Former member',
  acting: (reason) => ['(acting for you: “', { kind: 'value', text: reason }, '”)'],
  from: (sourceAddress) => `from ${sourceAddress}`,
  actionNames: {
    'client.added': 'Client created',
    'client.updated': 'Client changed',
    'client.disabled': 'Client disabled',
    'client.enabled': 'Client enabled',
    'client.revoked': 'Client revoked',
    'client.restored': 'Client restored',
    'client.directory_refreshed': 'Directory of keys fetched on demand',
    'client.archived': 'Client archived',
    'client.expired': 'Temporary client expired',
    'clients.changed': 'Clients changed in bulk',
    'clients.imported': 'Clients imported',
    'network.added': 'Network entry added',
    'network.removed': 'Network entry removed',
    'network.replaced': 'Network whitelist replaced',
    'key.added': 'Key added',
    'key.activated': 'Key first used',
    'key.retiring': 'Key retired',
    'key.extended': 'Key extended',
    'key.expired': 'Key expired',
    'key.revoked': 'Key revoked',
    'role.added': 'Role created',
    'role.updated': 'Role changed',
    'role.removed': 'Role removed',
    'account.added': 'Account created',
    'account.updated': 'Account changed',
    'account.suspended': 'Account suspended',
    'account.resumed': 'Account resumed',
    'account.closed': 'Account closed',
    'member.invited': 'Member invited',
    'invitation.revoked': 'Invitation canceled',
    'member.joined': 'Member joined',
    'member.role_changed': 'Member role changed',
    'member.removed': 'Member removed',
    'policy.updated': 'Security policies changed',
    'pending_change.requested': 'Approval requested',
    'pending_change.approved': 'Change approved',
    'pending_change.rejected': 'Change rejected',
    'pending_change.withdrawn': 'Request withdrawn',
    'pending_change.expired': 'Request expired',
    'pending_change.failed': 'Approved change failed',
    'demo_data.removed': 'Demo data removed',
    'acting.started': 'Acting started',
    'acting.ended': 'Acting ended',
    'webhook.added': 'Webhook created',
    'webhook.updated': 'Webhook changed',
    'webhook.removed': 'Webhook removed',
    'webhook.paused': 'Webhook paused',
    'webhook.resumed': 'Webhook resumed',
    'webhook.disabled': 'Webhook disabled',
    'webhook.secret_rotated': 'Webhook secret rotated',
    'alert_rule.added': 'Alert rule added',
    'alert_rule.updated': 'Alert rule changed',
    'alert_rule.removed': 'Alert rule removed',
    'saved_view.shared': 'View shared',
    'saved_view.updated': 'Shared view changed',
    'saved_view.unshared': 'View no longer shared',
  },
};

function replaced({ client, entriesAdded, entriesRemoved }: AuditFacts): Sentence {
  const what: Sentence = ['changed the network whitelist of ', client];
  const added = entriesAdded.length === 0 ? [] : [': added ', ...entries(entriesAdded)];
  const lead = entriesAdded.length === 0 ? ': removed ' : '; removed ';
  const removed = entriesRemoved.length === 0 ? [] : [lead, ...entries(entriesRemoved)];
  return [...what, ...added, ...removed];
}

function entries(parts: readonly AuditPart[]): Sentence {
  if (parts.length === 0) return ['an entry'];
  const rest = parts.length - entriesShownMax;
  const shown = listParts(parts.slice(0, entriesShownMax));
  return rest > 0 ? [...shown, ` and ${rest} more`] : shown;
}

function ofClient({ client, isByItself }: AuditFacts): Sentence {
  return isByItself ? [] : [' of ', client];
}

function worksUntil(endsAt: AuditPart | undefined, joint = ', which'): Sentence {
  return endsAt === undefined ? [] : [`${joint} works until `, endsAt];
}

function as(memberRole: AuditPart | undefined): Sentence {
  return memberRole === undefined ? [] : [' as ', memberRole];
}

/** The words around what was added or removed, and the number of clients. */
const bulkWords: Readonly<Record<string, readonly [string, string]>> = {
  enable: ['enabled', ''],
  disable: ['disabled', ''],
  add_tags: ['added the tag ', ' to'],
  remove_tags: ['removed the tag ', ' from'],
  add_roles: ['assigned the role ', ' to'],
  remove_roles: ['removed the role ', ' from'],
  add_network_entry: ['allowed ', ' for'],
  remove_network_entry: ['removed ', ' from the network whitelists of'],
};

function changedTogether({ bulk }: AuditFacts): Sentence {
  const [first, second] = Object.hasOwn(bulkWords, bulk.action)
    ? (bulkWords[bulk.action] ?? ['changed', ''])
    : ['changed', ''];
  return [first, ...listParts(bulk.what), `${second} ${clientCount(bulk.clients)} in one step`];
}

function clientCount(count: number): string {
  return count === 1 ? '1 client' : `${count} clients`;
}

/** Names the operation of a pending change. */
function asked({ operation, client, role, member }: AuditFacts): Sentence {
  switch (operation) {
    case 'addClient':
      return ['add a client'];
    case 'updateClient':
      return ['give ', client, ' more permissions'];
    case 'revokeClient':
      return ['revoke ', client];
    case 'addNetworkEntry':
    case 'replaceNetworkWhitelist':
      return ['open the network whitelist of ', client];
    case 'retireKey':
    case 'revokeKey':
      return ['end a key of ', client];
    case 'updateRole':
      return ['extend the role ', role];
    case 'changeMember':
      return ['change the role of ', member];
    case 'inviteMember':
      return ['invite a member'];
    case 'updateSecurityPolicy':
      return ['turn off approval by a second person'];
    default:
      return ['change something'];
  }
}

function because(reason: string | undefined): Sentence {
  return reason === undefined ? [] : [': “', { kind: 'value', text: reason }, '”'];
}
