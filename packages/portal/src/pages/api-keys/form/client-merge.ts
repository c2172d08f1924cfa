import type { ClientContent } from './client-form.ts';
import { metadataText, readMetadataText } from './metadata-text.ts';

export type ClientMember = keyof ClientContent;

/** The parts of a member that people change independently of each other, with their values. */
type Parts = ReadonlyMap<string, string>;

/** A version that has the changes of two people. */
export interface MergedContent {
  /** Where both changed the same, my version. */
  readonly content: ClientContent;
  /** The members in which both changed the same part. */
  readonly conflicts: readonly ClientMember[];
}

/** Returns the members that differ. The order of roles, tags and entries does not matter. */
export function changedMembers(one: ClientContent, other: ClientContent): readonly ClientMember[] {
  const [ones, others] = [partsOf(one), partsOf(other)];
  return members.filter((member) => !isSame(ones[member], others[member]));
}

/** Merges my changes of a version with those that someone else has saved, part by part. */
export function mergeContents(
  before: ClientContent,
  mine: ClientContent,
  theirs: ClientContent,
): MergedContent {
  const [base, own, other] = [partsOf(before), partsOf(mine), partsOf(theirs)];
  const conflicts: ClientMember[] = [];
  const merged = (member: ClientMember): Parts => {
    const { parts, isConflict } = mergeParts(base[member], own[member], other[member]);
    if (isConflict) conflicts.push(member);
    return parts;
  };
  const content = contentFrom({
    name: merged('name'),
    network: merged('network'),
    roles: merged('roles'),
    profile: merged('profile'),
    allowExplanations: merged('allowExplanations'),
    tags: merged('tags'),
    metadata: merged('metadata'),
    requestsPerMinuteMax: merged('requestsPerMinuteMax'),
    requestsBurstMax: merged('requestsBurstMax'),
  });
  if (content.network.length > 0) return { content, conflicts };
  // Each left entries that the other removed; a client needs one.
  return { content: { ...content, network: mine.network }, conflicts: [...conflicts, 'network'] };
}

function mergeParts(base: Parts, own: Parts, other: Parts): { parts: Parts; isConflict: boolean } {
  const parts = new Map<string, string>();
  let isConflict = false;
  for (const part of new Set([...other.keys(), ...own.keys()])) {
    const [was, mine, theirs] = [base.get(part), own.get(part), other.get(part)];
    isConflict ||= mine !== was && theirs !== was && mine !== theirs;
    const value = mine === was ? theirs : mine;
    if (value !== undefined) parts.set(part, value);
  }
  return { parts, isConflict };
}

function isSame(one: Parts, other: Parts): boolean {
  return one.size === other.size && [...one].every(([part, value]) => other.get(part) === value);
}

type MemberParts = Readonly<Record<ClientMember, Parts>>;

function partsOf(content: ClientContent): MemberParts {
  const reading = readMetadataText(content.metadata);
  return {
    name: whole(content.name.trim()),
    network: new Map(content.network.map(({ entry, label }) => [entry, label.trim()])),
    roles: new Map(content.roles.map((role) => [role, ''])),
    profile: whole(content.profile),
    allowExplanations: whole(String(content.allowExplanations)),
    tags: new Map(content.tags.map((tag) => [tag, ''])),
    // A text that cannot be read is changed as a whole.
    metadata: reading.ok ? new Map(Object.entries(reading.metadata)) : whole(content.metadata),
    requestsPerMinuteMax: whole(content.requestsPerMinuteMax.trim()),
    requestsBurstMax: whole(content.requestsBurstMax.trim()),
  };
}

function contentFrom(parts: MemberParts): ClientContent {
  return {
    name: textOf(parts.name),
    network: [...parts.network].map(([entry, label]) => ({ entry, label })),
    roles: [...parts.roles.keys()],
    profile: textOf(parts.profile),
    allowExplanations: textOf(parts.allowExplanations) === 'true',
    tags: [...parts.tags.keys()],
    metadata: metadataText(Object.fromEntries(parts.metadata)),
    requestsPerMinuteMax: textOf(parts.requestsPerMinuteMax),
    requestsBurstMax: textOf(parts.requestsBurstMax),
  };
}

function whole(value: string): Parts {
  return new Map([['', value]]);
}

function textOf(parts: Parts): string {
  return parts.get('') ?? '';
}

const members = Object.keys({
  name: true,
  network: true,
  roles: true,
  profile: true,
  allowExplanations: true,
  tags: true,
  metadata: true,
  requestsPerMinuteMax: true,
  requestsBurstMax: true,
} satisfies Record<ClientMember, true>) as readonly ClientMember[];
