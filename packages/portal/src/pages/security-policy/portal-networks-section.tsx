import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { announce } from '../../components/announce.ts';
import type { Form } from '../../components/form.tsx';
import { FieldHint, Notice } from '../../components/notice.tsx';
import { Section } from '../../components/section.tsx';
import { networkEditor } from '#messages/network-editor.ts';
import { securityPolicy as t } from '#messages/security-policy.ts';
import { NetworkEditor } from '../../network/network-editor.tsx';
import { StoredWhitelist } from '../../network/stored-whitelist.tsx';
import { isAllowed, type NetworkItem } from '../../network/network-item.ts';
import { useSession } from '../../session/session-context.ts';
import type { PolicyDraft } from './policy-draft.ts';
import classes from './security-policy.module.css';

interface PortalNetworksProps {
  readonly form: Form<PolicyDraft>;
  readonly mayChange: boolean;
}

/** The networks from which the members may use the account. */
export function PortalNetworksSection({ form, mayChange }: PortalNetworksProps): ReactElement {
  const isActing = useSession().account?.acting !== undefined;
  const { portalNetworks, networkDraft } = form.values;
  const { id } = form.field('portalNetworks');
  const setNetworks = (networks: readonly NetworkItem[]): void => form.set('portalNetworks', networks);
  return (
    <Section title={t.networks} description={t.networksText}>
      <div className={classes['fields']}>
        {isActing && <Notice tone="info">{t.actingNetworks}</Notice>}
        {mayChange ? (
          <NetworkEditor
            purpose="portal"
            items={portalNetworks}
            onAdd={(added) => setNetworks([...portalNetworks, ...added])}
            onRemove={({ entry }) => {
              setNetworks(portalNetworks.filter((item) => item.entry !== entry));
              announce(networkEditor.removed(entry));
              // The focused button is gone.
              document.getElementById(id)?.focus();
            }}
            onLabel={(entry, label) =>
              setNetworks(portalNetworks.map((item) => (item.entry === entry ? { entry, label } : item)))
            }
            draft={networkDraft}
            onDraftChange={(text) => form.set('networkDraft', text)}
            fieldId={id}
            error={form.mistakes['portalNetworks']}
          />
        ) : (
          <StoredWhitelist items={portalNetworks} purpose="portal" />
        )}
        {mayChange && !isActing && portalNetworks.length > 0 && <OwnAddress items={portalNetworks} />}
      </div>
    </Section>
  );
}

/** Warns before a person saves a list that excludes them. */
function OwnAddress({ items }: { readonly items: readonly NetworkItem[] }): ReactElement | null {
  const address = useApiQuery('getSource').data?.sourceAddress;
  if (address === undefined || address === '' || isAllowed(items, address)) return null;
  return (
    <FieldHint tone="danger" isLive>
      {t.ownAddress(address)}
    </FieldHint>
  );
}
