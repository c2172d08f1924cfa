import {
  type AuditFacts,
  type AuditPart,
  type AuditWords,
  listParts,
  type Sentence,
} from '../audit-words.ts';
import { plural } from './plural.ts';

const entriesShownMax = 3;

export const auditEvents: AuditWords = {
  actions: {
    'client.added': ({ client }) => ['hat den Client ', client, ' hinzugefügt'],
    'client.updated': ({ client }) => ['hat den Client ', client, ' geändert'],
    'client.disabled': ({ client }) => ['hat den Client ', client, ' deaktiviert'],
    'client.enabled': ({ client }) => ['hat den Client ', client, ' aktiviert'],
    'client.revoked': ({ client }) => ['hat den Client ', client, ' und alle seine Schlüssel widerrufen'],
    'client.restored': ({ client }) => [
      'hat den Client ',
      client,
      ' wiederhergestellt (deaktiviert, ohne Schlüssel)',
    ],
    'client.directory_refreshed': ({ client }) => [
      'hat das Schlüsselverzeichnis des Clients ',
      client,
      ' abgerufen',
    ],
    'client.archived': ({ client }) => [
      'hat den Client ',
      client,
      ' archiviert; er lässt sich nicht mehr wiederherstellen',
    ],
    'client.expired': ({ client }) => ['hat den abgelaufenen temporären Client ', client, ' entfernt'],
    'clients.changed': changedTogether,
    'clients.imported': ({ bulk }) => [`hat ${clientCount(bulk.clients)} importiert`],
    'network.added': ({ client, entriesAdded }) => [
      'hat ',
      ...entries(entriesAdded),
      ' für den Client ',
      client,
      ' erlaubt',
    ],
    'network.removed': ({ client, entriesRemoved }) => [
      'hat ',
      ...entries(entriesRemoved),
      ' aus der Netzwerk-Whitelist des Clients ',
      client,
      ' entfernt',
    ],
    'network.replaced': replaced,
    'key.added': ({ client, key, isReplacement }) => [
      'hat dem Client ',
      client,
      ' den Schlüssel ',
      key,
      ' hinzugefügt',
      ...(isReplacement ? [', der den bisherigen ersetzt'] : []),
    ],
    'key.activated': (facts) => ['hat ', ...theKey(facts), ' zum ersten Mal verwendet'],
    'key.retiring': (facts) => ['hat ', ...theKey(facts), ' ausgemustert', ...validUntil(facts.endsAt)],
    'key.extended': (facts) => ['hat ', ...theKey(facts), ' verlängert', ...validUntil(facts.endsAt)],
    'key.expired': (facts) => ['hat ', ...theKey(facts), ' ablaufen lassen'],
    'key.revoked': (facts) => ['hat ', ...theKey(facts), ` ${revokedAs(facts.reason)}`],
    'role.added': ({ role }) => ['hat die Rolle ', role, ' hinzugefügt'],
    'role.updated': ({ role }) => ['hat die Rolle ', role, ' geändert'],
    'role.removed': ({ role }) => ['hat die Rolle ', role, ' entfernt'],
    'account.added': ({ account }) => ['hat das Konto ', account, ' angelegt'],
    'account.updated': ({ account }) => ['hat das Konto ', account, ' geändert'],
    'account.suspended': (facts) => ['hat das Konto ', facts.account, ' gesperrt', ...because(facts.reason)],
    'account.resumed': (facts) => ['hat das Konto ', facts.account, ' entsperrt', ...because(facts.reason)],
    'account.closed': (facts) => ['hat das Konto ', facts.account, ' geschlossen', ...because(facts.reason)],
    'member.invited': ({ member, memberRole }) => ['hat ', member, ...as(memberRole), ' eingeladen'],
    'invitation.revoked': ({ member }) => ['hat die Einladung an ', member, ' zurückgezogen'],
    'member.joined': ({ memberRole }) => ['ist dem Team', ...as(memberRole), ' beigetreten'],
    'member.role_changed': ({ member, memberRole }) => [
      'hat ',
      member,
      ' die Rolle ',
      memberRole ?? '?',
      ' zugewiesen',
    ],
    'member.removed': ({ member }) => ['hat ', member, ' aus dem Team entfernt'],
    'policy.updated': () => ['hat die Sicherheitsrichtlinien geändert'],
    'pending_change.requested': (facts) => ['hat beantragt, ', ...asked(facts)],
    'pending_change.approved': (facts) => ['hat den Antrag freigegeben, ', ...asked(facts)],
    'pending_change.rejected': (facts) => [
      'hat den Antrag abgelehnt, ',
      ...asked(facts),
      ...because(facts.reason),
    ],
    'pending_change.withdrawn': (facts) => ['hat den Antrag zurückgezogen, ', ...asked(facts)],
    'pending_change.expired': (facts) => ['hat den Antrag verfallen lassen, ', ...asked(facts)],
    'pending_change.failed': (facts) => [
      'hat den Antrag freigegeben, ',
      ...asked(facts),
      '; das war nicht mehr möglich',
    ],
    'demo_data.removed': () => ['hat die Demodaten entfernt'],
    'acting.started': ({ reason }) => ['hat begonnen, im Namen dieses Kontos zu handeln', ...because(reason)],
    'acting.ended': () => ['hat aufgehört, im Namen dieses Kontos zu handeln'],
    'webhook.added': ({ webhook }) => ['hat den Webhook ', webhook, ' hinzugefügt'],
    'webhook.updated': ({ webhook }) => ['hat den Webhook ', webhook, ' geändert'],
    'webhook.removed': ({ webhook }) => ['hat den Webhook ', webhook, ' entfernt'],
    'webhook.paused': ({ webhook }) => ['hat den Webhook ', webhook, ' pausiert'],
    'webhook.resumed': ({ webhook }) => ['hat den Webhook ', webhook, ' fortgesetzt'],
    'webhook.disabled': ({ webhook, reason }) => [
      'hat den Webhook ',
      webhook,
      ' deaktiviert',
      ...because(reason),
    ],
    'webhook.secret_rotated': ({ webhook }) => ['hat dem Webhook ', webhook, ' ein neues Secret gegeben'],
    'alert_rule.added': ({ alertRule }) => ['hat die Alarmregel ', alertRule, ' hinzugefügt'],
    'alert_rule.updated': ({ alertRule }) => ['hat die Alarmregel ', alertRule, ' geändert'],
    'alert_rule.removed': ({ alertRule }) => ['hat die Alarmregel ', alertRule, ' entfernt'],
    'saved_view.shared': ({ savedView }) => ['hat die Ansicht ', savedView, ' freigegeben'],
    'saved_view.updated': ({ savedView }) => ['hat die freigegebene Ansicht ', savedView, ' geändert'],
    'saved_view.unshared': ({ savedView }) => ['hat die Freigabe der Ansicht ', savedView, ' beendet'],
  },
  occurrence: (action, { key, client, endsAt, isByItself }) => {
    if (action === 'key.expired') return ['Der Schlüssel ', key, ' des Clients ', client, ' ist abgelaufen'];
    if (action === 'client.expired') return ['Der temporäre Client ', client, ' ist abgelaufen'];
    // A client retires its old key by signing with the new one: an effect, not a decision of its own.
    if (action === 'key.retiring' && isByItself)
      return ['Der Schlüssel ', key, ' des Clients ', client, ' wurde ausgemustert', ...validUntil(endsAt)];
    return undefined;
  },
  changes: {
    renamed: (from, to) => ['Name von ', ...from, ' in ', ...to],
    added: (what) => [...what, ' hinzugefügt'],
    removed: (what) => [...what, ' entfernt'],
    set: (member, value) => [`${member} jetzt `, ...value],
    unset: (member) => [`${member} nicht mehr gesetzt`],
    switchedOn: (member) => [`${member} eingeschaltet`],
    switchedOff: (member) => [`${member} ausgeschaltet`],
    members: {
      name: 'Name',
      summary: 'Kurzbeschreibung',
      tags: 'Tags',
      metadata: 'Metadaten',
      profile: 'Signaturprofil',
      directoryUrl: 'Schlüsselverzeichnis',
      keys: 'Schlüssel aus dem Verzeichnis',
      expiresAt: 'läuft ab',
      keyEndsAt: 'Schlüssel läuft ab',
      // In events from before profiles.
      acceptWithoutDate: 'Signaturen ohne „date“',
      allowExplanations: 'Erklärungen für Aufrufer',
      keyAgeDaysMax: 'Höchstalter der Schlüssel in Tagen',
      requestsPerMinuteMax: 'Anfragen pro Minute',
      requestsBurstMax: 'Kurzzeitige Spitze (Burst)',
      isOperator: 'Betreiberrechte',
      isSecondPersonRequired: 'Freigabe durch eine zweite Person',
      permissionsAdded: 'zusätzliche Berechtigungen',
      isSecondFactorRequired: 'Pflicht zum zweiten Faktor',
      portalNetworks: 'erlaubte Netze',
      requestsKeptDays: 'Aufbewahrung von Anfragen in Tagen',
      sessionHoursMax: 'Höchstdauer der Sitzungen in Stunden',
      url: 'URL',
      description: 'Beschreibung',
      eventTypes: 'Ereignistypen',
      isOrdered: 'Reihenfolge pro Client',
      isForAllAccounts: 'Ereignisse aller Konten',
      attemptsPerMinuteMax: 'Zustellversuche pro Minute',
      headers: 'Eigener Header',
      query: 'Filter',
    },
  },
  unknownAction: (action, target) => [
    'hat an ',
    { kind: 'value', text: target },
    ' die Aktion ',
    { kind: 'value', text: action },
    ' ausgeführt',
  ],
  operatorOnMachine: (name) => `Der Betreiber (${name})`,
  service: 'Der Dienst',
  formerPerson: 'Ein ehemaliges Mitglied',
  acting: (reason) => ['(im Namen Ihres Kontos: „', { kind: 'value', text: reason }, '“)'],
  from: (sourceAddress) => `von ${sourceAddress}`,
  actionNames: {
    'client.added': 'Client hinzugefügt',
    'client.updated': 'Client geändert',
    'client.disabled': 'Client deaktiviert',
    'client.enabled': 'Client aktiviert',
    'client.revoked': 'Client widerrufen',
    'client.restored': 'Client wiederhergestellt',
    'client.directory_refreshed': 'Schlüsselverzeichnis von Hand abgerufen',
    'client.archived': 'Client archiviert',
    'client.expired': 'Temporärer Client abgelaufen',
    'clients.changed': 'Mehrere Clients geändert',
    'clients.imported': 'Clients importiert',
    'network.added': 'Netzwerkeintrag hinzugefügt',
    'network.removed': 'Netzwerkeintrag entfernt',
    'network.replaced': 'Netzwerk-Whitelist ersetzt',
    'key.added': 'Schlüssel hinzugefügt',
    'key.activated': 'Schlüssel zum ersten Mal verwendet',
    'key.retiring': 'Schlüssel ausgemustert',
    'key.extended': 'Schlüssel verlängert',
    'key.expired': 'Schlüssel abgelaufen',
    'key.revoked': 'Schlüssel widerrufen',
    'role.added': 'Rolle hinzugefügt',
    'role.updated': 'Rolle geändert',
    'role.removed': 'Rolle entfernt',
    'account.added': 'Konto angelegt',
    'account.updated': 'Konto geändert',
    'account.suspended': 'Konto gesperrt',
    'account.resumed': 'Konto entsperrt',
    'account.closed': 'Konto geschlossen',
    'member.invited': 'Mitglied eingeladen',
    'invitation.revoked': 'Einladung zurückgezogen',
    'member.joined': 'Mitglied beigetreten',
    'member.role_changed': 'Rolle eines Mitglieds geändert',
    'member.removed': 'Mitglied entfernt',
    'policy.updated': 'Sicherheitsrichtlinien geändert',
    'pending_change.requested': 'Freigabe beantragt',
    'pending_change.approved': 'Änderung freigegeben',
    'pending_change.rejected': 'Änderung abgelehnt',
    'pending_change.withdrawn': 'Antrag zurückgezogen',
    'pending_change.expired': 'Antrag verfallen',
    'pending_change.failed': 'Freigegebene Änderung gescheitert',
    'demo_data.removed': 'Demodaten entfernt',
    'acting.started': 'Zugriff im Namen des Kontos begonnen',
    'acting.ended': 'Zugriff im Namen des Kontos beendet',
    'webhook.added': 'Webhook hinzugefügt',
    'webhook.updated': 'Webhook geändert',
    'webhook.removed': 'Webhook entfernt',
    'webhook.paused': 'Webhook pausiert',
    'webhook.resumed': 'Webhook fortgesetzt',
    'webhook.disabled': 'Webhook deaktiviert',
    'webhook.secret_rotated': 'Webhook-Secret gewechselt',
    'alert_rule.added': 'Alarmregel hinzugefügt',
    'alert_rule.updated': 'Alarmregel geändert',
    'alert_rule.removed': 'Alarmregel entfernt',
    'saved_view.shared': 'Ansicht freigegeben',
    'saved_view.updated': 'Freigegebene Ansicht geändert',
    'saved_view.unshared': 'Freigabe einer Ansicht beendet',
  },
};

function replaced({ client, entriesAdded, entriesRemoved }: AuditFacts): Sentence {
  const changes = [
    ...(entriesAdded.length === 0 ? [] : [[...entries(entriesAdded), ' hinzugefügt']]),
    ...(entriesRemoved.length === 0 ? [] : [[...entries(entriesRemoved), ' entfernt']]),
  ];
  return [
    'hat die Netzwerk-Whitelist des Clients ',
    client,
    ' geändert',
    ...changes.flatMap((change, index) => [index === 0 ? ': ' : '; ', ...change]),
  ];
}

/** The entries as an object of the verb. */
function entries(parts: readonly AuditPart[]): Sentence {
  if (parts.length === 0) return ['einen Eintrag'];
  const rest = parts.length - entriesShownMax;
  const shown = listParts(parts.slice(0, entriesShownMax));
  return rest > 0 ? [...shown, ` und ${plural(rest, 'weiteren Eintrag', 'weitere Einträge')}`] : shown;
}

/** A key, and whose it is unless the client itself is the actor. */
function theKey({ key, client, isByItself }: AuditFacts): Sentence {
  return ['den Schlüssel ', key, ...(isByItself ? [] : [' des Clients ', client])];
}

function validUntil(endsAt: AuditPart | undefined): Sentence {
  return endsAt === undefined ? [] : ['; er gilt noch bis ', endsAt];
}

function revokedAs(reason: string | undefined): string {
  if (reason === 'compromised') return 'als kompromittiert widerrufen';
  return reason === 'superseded' ? 'als ersetzt widerrufen' : 'widerrufen';
}

function as(memberRole: AuditPart | undefined): Sentence {
  return memberRole === undefined ? [] : [' als ', memberRole];
}

type BulkSentence = (clients: string, what: readonly AuditPart[]) => Sentence;

const bulkSentences: Readonly<Record<string, BulkSentence>> = {
  enable: (clients) => [`hat ${clients} in einem Schritt aktiviert`],
  disable: (clients) => [`hat ${clients} in einem Schritt deaktiviert`],
  add_tags: (clients, what) => [...withTags(clients, what), ' hinzugefügt'],
  remove_tags: (clients, what) => [...withTags(clients, what), ' entfernt'],
  add_roles: (clients, what) => [...withRoles(clients, what), ' zugewiesen'],
  remove_roles: (clients, what) => [...withRoles(clients, what), ' entzogen'],
  add_network_entry: (clients, what) => [
    `hat für ${clients} in einem Schritt `,
    ...listParts(what),
    ' erlaubt',
  ],
  remove_network_entry: (clients, what) => [
    'hat ',
    ...listParts(what),
    ` in einem Schritt aus den Netzwerk-Whitelists von ${clients} entfernt`,
  ],
};

function withTags(clients: string, what: readonly AuditPart[]): Sentence {
  return [
    `hat bei ${clients} in einem Schritt ${what.length === 1 ? 'das Tag' : 'die Tags'} `,
    ...listParts(what),
  ];
}

function withRoles(clients: string, what: readonly AuditPart[]): Sentence {
  return [
    `hat ${clients} in einem Schritt ${what.length === 1 ? 'die Rolle' : 'die Rollen'} `,
    ...listParts(what),
  ];
}

function changedTogether({ bulk }: AuditFacts): Sentence {
  const clients = clientCount(bulk.clients);
  const sentence = Object.hasOwn(bulkSentences, bulk.action) ? bulkSentences[bulk.action] : undefined;
  return sentence?.(clients, bulk.what) ?? [`hat ${clients} in einem Schritt geändert`];
}

function clientCount(count: number): string {
  return plural(count, 'Client', 'Clients');
}

/** Names the operation of a pending change. */
function asked({ operation, client, role, member }: AuditFacts): Sentence {
  switch (operation) {
    case 'addClient':
      return ['einen Client hinzuzufügen'];
    case 'updateClient':
      return ['dem Client ', client, ' mehr Berechtigungen zu geben'];
    case 'revokeClient':
      return ['den Client ', client, ' zu widerrufen'];
    case 'addNetworkEntry':
    case 'replaceNetworkWhitelist':
      return ['die Netzwerk-Whitelist von ', client, ' zu öffnen'];
    case 'retireKey':
    case 'revokeKey':
      return ['einen Schlüssel von ', client, ' zu beenden'];
    case 'updateRole':
      return ['die Rolle ', role, ' zu erweitern'];
    case 'changeMember':
      return ['die Rolle von ', member, ' zu ändern'];
    case 'inviteMember':
      return ['ein Mitglied einzuladen'];
    case 'updateSecurityPolicy':
      return ['die Freigabe durch eine zweite Person auszuschalten'];
    default:
      return ['etwas zu ändern'];
  }
}

function because(reason: string | undefined): Sentence {
  return reason === undefined ? [] : [': „', { kind: 'value', text: reason }, '“'];
}
