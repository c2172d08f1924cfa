import { isMemberRole, type MemberRole } from '@countersign/contract';
import type { MailTexts, SignInChange } from './mail-texts.ts';

const changes: Readonly<Record<SignInChange, string>> = {
  totp_added: 'Eine Authenticator-App wurde hinzugefügt',
  totp_removed: 'Ihre Authenticator-App wurde entfernt',
  recovery_codes_replaced: 'Neue Wiederherstellungscodes wurden erstellt. Die bisherigen gelten nicht mehr',
  passkey_added: 'Ein Passkey wurde hinzugefügt',
  passkey_removed: 'Ein Passkey wurde entfernt',
  password_changed: 'Ihr Passwort wurde geändert',
  password_reset: 'Ihr Passwort wurde geändert, und alle Sitzungen wurden beendet',
};

/** The built-in roles of members, as the portal names them. */
const germanRoles: Readonly<Record<MemberRole, string>> = {
  owner: 'Inhaber',
  admin: 'Administrator',
  developer: 'Entwickler',
  viewer: 'Betrachter',
  'account-manager': 'Kundenbetreuer',
  operator: 'Betreiber',
};

/** Returns a role's name as the portal shows it. Accounts name their own roles themselves. */
export function germanRole(name: string): string {
  return isMemberRole(name) ? germanRoles[name] : name;
}

/** Emails in German. */
export const germanTexts: MailTexts = {
  invitation: ({ inviterName, accountName, serviceName, role, link, expiresAtMs }) => ({
    subject: `${inviterName} hat Sie zu ${accountName} eingeladen`,
    text: `Guten Tag,

${inviterName} hat Sie eingeladen, dem Konto „${accountName}“ bei ${serviceName} mit der Rolle ${germanRole(role)} beizutreten.

Hier können Sie die Einladung annehmen:
${link}

Der Link funktioniert nur einmal und läuft ab am ${timeOf(expiresAtMs)}. Wenn Sie diese Einladung nicht erwartet haben, können Sie sie ignorieren.
`,
  }),
  reset: ({ name, serviceName, link, minutes, sourceAddress }) => ({
    subject: `Ihr Passwort für ${serviceName} zurücksetzen`,
    text: `Guten Tag ${name},

jemand möchte${sourceAddress === undefined ? '' : ` von der Adresse ${sourceAddress} aus`} Ihr Passwort für ${serviceName} zurücksetzen. Hier können Sie ein neues wählen:
${link}

Der Link funktioniert nur einmal und läuft in ${minutes} Minuten ab. Wenn Sie das nicht veranlasst haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt dann unverändert.
`,
  }),
  change: ({ name, serviceName, change, atMs }) => ({
    subject: changed(serviceName),
    text: `Guten Tag ${name},

${changes[change]} (${timeOf(atMs)}).

Wenn Sie das selbst waren, müssen Sie nichts tun. Wenn nicht, setzen Sie jetzt Ihr Passwort zurück, mit „Passwort vergessen?“ auf der
Anmeldeseite, und informieren Sie einen Inhaber des Kontos.
`,
  }),
  earlierEnded: ({ name, serviceName, providerName, atMs }) => ({
    subject: changed(serviceName),
    text: `Guten Tag ${name},

Sie haben sich zum ersten Mal mit ${providerName} angemeldet (${timeOf(atMs)}).

Für Ihre E-Mail-Adresse hatte schon jemand ein Passwort eingerichtet, ohne nachzuweisen, dass es die eigene Adresse ist. Dieses Passwort
gilt nicht mehr, ebenso wenig die Passkeys, die Authenticator-App und die Wiederherstellungscodes, die damit eingerichtet wurden. Alle
Sitzungen wurden beendet.

Wenn Sie das selbst waren, müssen Sie nichts tun. Melden Sie sich künftig mit ${providerName} an. Wenn nicht, hat jemand in Ihrem Namen
gehandelt. Informieren Sie einen Inhaber des Kontos: Das Audit-Log zeigt, was geschehen ist.
`,
  }),
  notices: ({ name, serviceName, count, lists, moreCount, inboxLink, preferencesLink }) => ({
    subject: `${count === 1 ? '1 neuer Hinweis' : `${count} neue Hinweise`} von ${serviceName}`,
    text: `Guten Tag ${name},

${[...lists, ...(moreCount === 0 ? [] : [`${moreCount} ${moreCount === 1 ? 'weiterer' : 'weitere'} im Posteingang.`])].join('\n\n')}

Im Posteingang lesen:
${inboxLink}

Auswählen, welche Hinweise Sie per E-Mail erhalten:
${preferencesLink}
`,
  }),
};

function changed(serviceName: string): string {
  return `Ihre Anmeldung bei ${serviceName} hat sich geändert`;
}

const times = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

function timeOf(timeMs: number): string {
  return `${times.format(timeMs)} UTC`;
}
