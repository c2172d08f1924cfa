import type { Notice, NoticeKind, NoticePage } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { waitUntil } from '@countersign/testing/wait-until';
import {
  managementScene,
  type ManagementScene,
  type Person,
  type SceneOptions,
} from '../management/scene.ts';

/** Runs a service that looks for notices all the time. Its owners stay signed in while a test puts the clock forward. */
export function noticesScene(backend: Backend, options: SceneOptions = {}): Promise<ManagementScene> {
  const settings = { COUNTERSIGN_OWNER_IDLE_MINUTES: '720', ...options.settings };
  return managementScene(backend, {
    ...options,
    settings,
    overrides: { noticesEveryMs: 20, ...options.overrides },
  });
}

/** A person's notices, newest first. */
export async function noticesOf(
  scene: ManagementScene,
  person: Person,
  query = 'limit=100',
): Promise<NoticePage> {
  return scene.succeed<NoticePage>(person, 'listNotices', { query });
}

/** Waits until a person's notices of a kind are as a test wants them. */
export async function waitForNotices(
  scene: ManagementScene,
  person: Person,
  kind: NoticeKind,
  isThere: (notices: readonly Notice[]) => boolean,
): Promise<readonly Notice[]> {
  let found: readonly Notice[] = [];
  await waitUntil(
    async () => {
      ({ data: found } = await noticesOf(scene, person, `limit=100&kind=${kind}`));
      return isThere(found);
    },
    () => `other notices of ${kind} than ${JSON.stringify(found)}`,
  );
  return found;
}
